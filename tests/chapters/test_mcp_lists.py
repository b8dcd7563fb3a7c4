"""The MCP chapter on lists and pages, and that no clause is left out."""

from dataclasses import replace

import pytest

from conformance.kit.model.step import Step
from conformance.mcp import scripts
from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import Verdict
from tests.chapters.mcp_evidence import (
    MODERN_RUN,
    VALID,
    evidence,
    exchange,
    result,
    said,
    tool,
    verdict,
    with_tool,
)
from tests.kit.samples import judges

PASS, FAIL, WARN = Verdict.PASS, Verdict.FAIL, Verdict.WARN
NOT_VERIFIED, NOT_APPLICABLE = Verdict.NOT_VERIFIED, Verdict.NOT_APPLICABLE


def pages(*lists, script="discovery", name="tools-list", run=MODERN_RUN, cursors=()):
    following = [*cursors, *([None] * len(lists))]
    return [
        exchange(
            run,
            Step(name, number=number),
            result(
                resultType="complete",
                tools=[tool(each) for each in names],
                **({"nextCursor": following[number - 1]} if following[number - 1] else {}),
            ),
            script=script,
        )
        for number, names in enumerate(lists, 1)
    ]


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        (-32603, "fetch failed", NOT_VERIFIED),
        (-32603, "EXAMPLE_API_KEY is not set", NOT_VERIFIED),
        (-32000, "Rate limit exceeded", NOT_VERIFIED),
        (-32602, "Rate limit exceeded", NOT_VERIFIED),
        (-32602, "fetch failed", FAIL),
        (-32603, "list is not defined", FAIL),
    ],
)
def test_a_list_that_the_environment_failed_is_no_fault_of_the_server(code, words, expected):
    error = {"error": {"code": code, "message": words}}
    found = [exchange(MODERN_RUN, Step("tools-list", number=1), error, script="discovery")]
    run = replace(evidence(MODERN_RUN, discovery=found), capabilities={"tools": {}})
    assert said("MCP-LIST-001", run) == expected


@pytest.mark.parametrize(("words", "status"), [("Rate limit exceeded", 200), ("Slow down", 429)])
def test_a_list_that_a_limit_stopped_says_nothing_about_the_lists_before_it(words, status):
    error = {"error": {"code": -32000, "message": words}}
    limited = exchange(MODERN_RUN, "list-first", error, script="mcp_lists", status=status)
    found = evidence(MODERN_RUN, discovery=pages(["a"]), mcp_lists=[limited])
    assert said("MCP-LIST-001", replace(found, capabilities={"tools": {}})) == PASS


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (pages("ab"), NOT_APPLICABLE),
        (pages("ab", "cd", cursors=["1"]), PASS),
        (pages("ab", "bc", cursors=["1"]), WARN),
        (pages("ab", "cd", cursors=["1", "1"]), WARN),
    ],
    ids=["one page", "two pages", "a tool on two pages", "a cursor that comes again"],
)
def test_pages_are_followed(found, expected):
    assert said("MCP-PAGE-001", evidence(MODERN_RUN, discovery=found)) == expected


@pytest.mark.parametrize(
    ("cursor", "expected"), [("", NOT_APPLICABLE), (None, NOT_APPLICABLE), ("7", WARN)]
)
def test_an_empty_cursor_ends_the_list(cursor, expected):
    page = {"resultType": "complete", "tools": [], "nextCursor": cursor}
    played = [
        exchange(MODERN_RUN, Step(name), result(**page), script="mcp_lists")
        for name in ("list-probe", "bad-cursor")
    ]
    assert said("MCP-PAGE-002", evidence(MODERN_RUN, mcp_lists=played)) == expected


def looks(before, older, fresh, again, **more):
    run = evidence(
        MODERN_RUN,
        discovery=pages(before),
        mcp_lists=[*pages(older, name="list-first"), *pages(older, name="list-second")],
        mcp_alone=pages(fresh, name="list-first"),
        mcp_lists_again=pages(again, name="list-third"),
    )
    return replace(run, **more)


CHANGING = {"tools": {"listChanged": True}}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (looks("ab", "ab", "ab", "ab"), PASS),
        (looks("ab", "ab", "a", "ab"), FAIL),
        (looks("ab", "ab", "a", "a"), NOT_VERIFIED),
        (looks("a", "ab", "ab", "ab"), FAIL),
        (
            looks(
                "a", "ab", "ab", "ab", capabilities=CHANGING,
                by_tool=with_tool(MODERN_RUN, tool(), (VALID, result())).by_tool,
            ),
            NOT_VERIFIED,
        ),
    ],
    ids=[
        "the same set everywhere",
        "another set on another connection",
        "a set that changes in time",
        "another set after the calls",
        "another set after calls that may change it",
    ],
)  # fmt: skip
def test_the_set_of_tools_is_compared(run, expected):
    assert said("MCP-LIST-007", run) == expected


@pytest.mark.parametrize("run", [looks("ab", "a", "a", "a"), looks("a", "a", "ab", "a")],
                         ids=["after the calls", "on another connection"])  # fmt: skip
def test_a_tool_that_is_gone_is_not_said_to_be_offered(run):
    words = verdict("MCP-LIST-007", run).findings[0].message.words()
    assert '(tools that only one of the two has: "b")' in words


def test_five_tools_of_a_set_that_differs_are_named():
    words = verdict("MCP-LIST-007", looks("a", "a", "abcdefg", "a")).findings[0].message.words()
    assert 'has: "b", "c", "d", "e", "f", …)' in words


def test_every_clause_that_is_not_excluded_has_one_judge():
    wanted = {c for c, one in clauses().items() if c.startswith("MCP-") and one.excluded is None}
    assert {clause for clause in judges() if clause.startswith("MCP-")} == wanted


def test_each_script_has_a_name_of_its_own():
    found = [one.__script__.name for one in vars(scripts).values() if hasattr(one, "__script__")]
    assert len(found) == len(set(found)) >= 15


@pytest.mark.parametrize("scope", [["public"], {"a": 1}, None, 7, "everyone"])
def test_a_list_may_be_cached_for_no_one_that_nobody_defined(scope):
    made = result(resultType="complete", tools=[], ttlMs=0, cacheScope=scope)
    found = [exchange(MODERN_RUN, Step("tools-list", number=1), made, script="discovery")]
    run = replace(evidence(MODERN_RUN, discovery=found), capabilities={"tools": {}})
    assert said("MCP-LIST-008", run) == FAIL
