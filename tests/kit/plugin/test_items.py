"""Items: names that no tool can misuse, and pytest's outcome for each verdict."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.kit.model.results import Finding, Item
from conformance.kit.model.slug import LONGEST, slug
from conformance.kit.plugin.items import ClauseFailed, ClauseItem, KitFault, grouped, item_name
from conformance.kit.report.levels import GRAVITY
from conformance.kit.verdicts.checks import ClauseTest
from conformance.kit.verdicts.judge import Question
from conformance.spec.clauses import clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import Requirement, Verdict

HOSTILE = [
    "</script><script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    "a]b[c",
    "a::b",
    "../../etc/passwd",
    "naïve tool",
    "道具",
    "\u202eevil",
    "\ud800",
    "",
    " ",
    "a\nb",
    "x" * 10_000,
    "-" * 50,
]


def name(tool):
    question = Question(
        ClauseTest("ATDF-ERR-004", lambda _: iter(())), clauses()["ATDF-ERR-004"], "http", tool
    )
    return item_name("test_x", (question,))


@pytest.mark.parametrize("tool", HOSTILE, ids=range(len(HOSTILE)))
def test_an_item_s_name_is_short_plain_ascii_whatever_the_tool_is_called(tool):
    made = name(tool)
    inside = made.removeprefix("test_x[ATDF-ERR-004-http").removesuffix("]")
    assert made.isascii()
    assert made.isprintable()
    assert len(inside) <= LONGEST + 8
    assert not set("<>&\"'[]:/\\ ") & set(inside)


def test_a_plain_name_is_kept_as_it_is():
    assert name("hotel_reservation") == "test_x[ATDF-ERR-004-http-hotel_reservation]"


def test_a_clause_about_the_target_has_no_tool_in_its_name():
    assert name(None) == "test_x[ATDF-ERR-004-http]"


@given(st.text(max_size=80), st.text(max_size=80))
def test_two_tools_never_share_a_slug(one, other):
    assert (slug(one) == slug(other)) is (one == other)


def test_long_names_that_begin_alike_stay_apart():
    assert slug("x" * 500 + "a") != slug("x" * 500 + "b")


def question(run, tool):
    return Question(
        ClauseTest("ATDF-ERR-004", lambda _: iter(())), clauses()["ATDF-ERR-004"], run, tool
    )


ASKED = [question(run, tool) for run in ("http", "mcp") for tool in ("a", "b")]


def test_an_item_is_one_clause_of_one_run_and_tool():
    assert [len(group) for group in grouped(ASKED, fold=False)] == [1, 1, 1, 1]


def test_on_very_many_tools_an_item_is_one_clause_of_a_run():
    assert [[q.tool for q in group] for group in grouped(ASKED, fold=True)] == [["a", "b"]] * 2


def test_clauses_of_one_family_are_items_of_their_own_on_very_many_tools_too():
    other = [replace(each, clause=clauses()["ATDF-ERR-003"]) for each in ASKED[:2]]
    groups = grouped([*ASKED[:2], *other], fold=True)
    assert [item_name("test_x", each) for each in groups] == [
        "test_x[ATDF-ERR-004-http]",
        "test_x[ATDF-ERR-003-http]",
    ]


def test_an_item_with_many_tools_inside_names_none():
    names = [item_name("test_x", group) for group in grouped(ASKED, fold=True)]
    assert names == ["test_x[ATDF-ERR-004-http]", "test_x[ATDF-ERR-004-mcp]"]


def of(*verdicts):
    """An item with these verdicts inside."""
    results = tuple(
        Item("ATDF-ERR-004", Requirement.MUST, "http", str(n), verdict, (WHY,))
        for n, verdict in enumerate(verdicts)
    )
    item = ClauseItem.__new__(ClauseItem)
    item.results = results
    item.language = "en"
    item.redact = str
    return item


WHY = Finding(message("kit.not_verified.slow"))


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ([Verdict.PASS, Verdict.FAIL, Verdict.WARN], Verdict.FAIL),
        ([Verdict.FAIL, Verdict.KIT_ERROR], Verdict.KIT_ERROR),
        ([Verdict.PASS, Verdict.NOT_VERIFIED], Verdict.NOT_VERIFIED),
        ([Verdict.NOT_APPLICABLE, Verdict.PASS], Verdict.PASS),
    ],
)
def test_an_item_with_many_tools_inside_reports_the_worst(verdicts, worst):
    assert of(*verdicts).result.verdict is worst


@pytest.mark.parametrize(("graver", "other"), list(combinations(GRAVITY, 2)))
def test_an_item_finds_graver_what_the_report_shows_first(graver, other):
    """Except a clause that does not apply to one of its tools: the others count."""
    worst = other if graver is Verdict.NOT_APPLICABLE else graver
    assert of(graver, other).result.verdict is worst
    assert of(other, graver).result.verdict is worst


def test_a_clause_that_applies_to_none_of_the_tools_is_reported_so():
    assert of(*[Verdict.NOT_APPLICABLE] * 2).result.verdict is Verdict.NOT_APPLICABLE


def test_an_item_counts_what_else_was_found_like_the_worst():
    assert of(Verdict.FAIL, Verdict.PASS, Verdict.FAIL).words.endswith(
        "(Also found in one more case: `2`)"
    )


def test_an_item_that_was_not_judged_has_no_verdict():
    assert of().result is None
    assert of().words == ""


@pytest.mark.parametrize("outcome", [pytest.xfail.Exception, ClauseFailed, KitFault])
def test_what_a_target_did_is_told_without_a_look_at_the_kit_s_source(outcome, monkeypatch):
    with pytest.raises(outcome) as told:
        raise outcome("warning: The tool has no description.")
    monkeypatch.setattr("ast.parse", lambda *_, **__: pytest.fail("the source was parsed"))
    assert of(Verdict.WARN).repr_failure(told) == "warning: The tool has no description."
