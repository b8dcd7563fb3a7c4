"""One cause is one finding, whatever versions and clauses show it."""

from dataclasses import replace

import pytest

from conformance.kit.confirm.confirmed import SEEN_ONCE
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.model.results import (
    Explain,
    Finding,
    Item,
    Repair,
    RunResult,
    SessionResult,
    Unnamed,
)
from conformance.kit.model.run import KNOWN_VERSIONS, Role, Run
from conformance.kit.model.settings import Settings
from conformance.kit.report.exit import Ended, Exit, exit_of, outcome
from conformance.kit.report.findings import groups
from conformance.kit.report.html.charts import verdict_parts
from conformance.kit.report.html.rows import fold
from conformance.kit.report.levels import all_items, counts
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import in_markdown
from conformance.kit.report.summary import Summary
from conformance.kit.report.terminal import Terminal
from conformance.kit.report.write import badge
from conformance.spec.messages import message
from conformance.spec.vocabulary import Binding, Level, Requirement, RunKind, Verdict

FAIL, WARN, PASS = Verdict.FAIL, Verdict.WARN, Verdict.PASS
NOT_VERIFIED = Verdict.NOT_VERIFIED
NEWEST, *OLD = reversed(KNOWN_VERSIONS[:-1])


def found(exchange=None, *, id="finding.mcp.no_result", path=None, **values):
    words = message(id, **(values or {"method": "ping", "answer": "—"}))
    return Finding(words, exchange=exchange, path=path)


def item(clause, version, *findings, verdict=FAIL, tool=None):
    return Item(clause, Requirement.MUST, f"stdio-{version}", tool, verdict, findings, 1)


def session(*items, explain=None, **more):
    """A session over stdio in the versions of the items: the newest has the full run."""
    runs = []
    for version in (NEWEST, *OLD):
        kind = RunKind.FULL if version == NEWEST else RunKind.PROTOCOL
        run = Run(f"stdio-{version}", "stdio:x", Binding.STDIO, "x", version, kind)
        own = tuple(each for each in items if each.run == run.id)
        level = Level.GUARDED if kind is RunKind.FULL else None
        if own or kind is RunKind.FULL:
            said = explain if explain is not None and kind is RunKind.FULL else Explain()
            called = ("add",) if kind is RunKind.FULL else ()
            runs.append(
                RunResult(run, level, {}, Repair(), said, own, called, (), called, False, 1)
            )
    return SessionResult("0.1.0", "2026-11-01T00:00:00Z", 1.0, 0, tuple(runs), **more)


def told(made, **more):
    return "".join(Terminal().parts(Report(made, **more)))


def summary(made, **more):
    return "".join(Summary().parts(Report(made, **more)))


def four_times():
    return [item("MCP-PING-001", v, found(n), found(n + 50)) for n, v in enumerate((NEWEST, *OLD))]


def test_one_clause_that_fails_in_four_versions_is_one_finding_with_its_versions():
    made = session(*four_times())
    (group,) = groups(made, {FAIL})
    assert group.runs == tuple(f"stdio-{version}" for version in (NEWEST, *OLD))
    assert not group.superseded
    text = told(made)
    assert text.count("MCP-PING-001  fail") == 1 and "more" not in text.partition("\n\n")[0]
    assert all(text.count(f"stdio-{version}") == 2 for version in OLD)  # the other is its own line
    assert "fail 4" in text  # verdicts are counted as before
    assert summary(made).count("[MCP-PING-001]") == 1
    (row,) = fold(all_items(made)).rows
    assert len(row.runs) == 4


def test_what_names_the_version_of_its_run_is_the_same_in_each():
    words = "finding.mcp.supported_unlisted"
    items = [item("MCP-VER-004", v, found(n, id=words, version=v)) for n, v in enumerate(OLD)]
    (group,) = groups(session(*items), {FAIL})
    assert len(group.told) == 1


def test_two_clauses_that_cite_one_exchange_are_one_finding():
    other = found(7, id="finding.mcp.ping_full", members="pong")
    made = session(item("MCP-LIFE-001", NEWEST, found(7)), item("MCP-PING-001", NEWEST, other))
    (group,) = groups(made, {FAIL})
    assert group.clauses == ("MCP-LIFE-001", "MCP-PING-001")
    text = told(made)
    assert "MCP-LIFE-001, MCP-PING-001  fail" in text
    assert "MCP-PING-001: The result of `ping` contains `pong`." in text
    (row,) = fold(all_items(made)).rows
    assert [each.clause for each in row.parts] == ["MCP-LIFE-001", "MCP-PING-001"]
    anchors = fold(all_items(made)).anchors()
    assert anchors["MCP-PING-001", FAIL] == anchors["MCP-LIFE-001", FAIL]


@pytest.mark.parametrize(
    ("one", "two", "verdict"),
    [
        ((found(7),), (found(8),), FAIL),
        ((found(7), found(8)), (found(8),), FAIL),
        ((found(7, path="$.a"),), (found(7, path="$.b"),), FAIL),
        ((found(7),), (found(7),), WARN),
        ((found(),), (found(),), FAIL),
    ],
    ids=["other exchanges", "more exchanges", "another place", "a SHOULD", "not an exchange"],
)
def test_other_causes_are_findings_of_their_own(one, two, verdict):
    items = item("MCP-LIFE-001", NEWEST, *one), item("X-2", NEWEST, *two, verdict=verdict)
    made = session(*items)
    assert len(groups(made, {FAIL, WARN})) == len(fold(all_items(made)).rows) == 2


OLD_ONLY = item("MCP-RPC-008", "2025-03-26", found(3))
HEAD = "Only in superseded protocol versions."


def test_what_only_a_superseded_version_breaks_has_a_section_of_its_own():
    made = session(item("MCP-PING-001", NEWEST, found(1)), OLD_ONLY)
    text = told(made)
    assert text.index("MCP-PING-001  fail") < text.index(HEAD) < text.index("MCP-RPC-008  fail")
    assert "--fail-on superseded" in text
    page = summary(made)
    assert page.index("[MCP-PING-001]") < page.index(HEAD) < page.index("[MCP-RPC-008]")
    assert HEAD not in told(session(*four_times()))


def test_another_reason_in_a_superseded_version_stays_apart():
    other = item("MCP-PING-001", OLD[0], found(9, id="finding.mcp.ping_full", members="pong"))
    one, two = groups(session(item("MCP-PING-001", NEWEST, found(1)), other), {FAIL})
    assert (one.superseded, two.superseded) == (False, True)


def code(made, settings=None):
    return exit_of(made, settings or Settings(), called_matters=True)[0]


def test_a_superseded_version_changes_the_exit_code_only_where_that_was_asked_for():
    made = session(OLD_ONLY)
    assert code(made) is Exit.CONFORMANT
    assert code(made, Settings(fail_on_superseded=True)) is Exit.BROKEN
    assert code(session(item("MCP-PING-001", NEWEST, found(1)))) is Exit.BROKEN
    warned = session(replace(OLD_ONLY, verdict=WARN))
    assert code(warned, Settings(fail_on_superseded=True)) is Exit.CONFORMANT
    assert code(warned, Settings(fail_on_should=True)) is Exit.CONFORMANT
    assert code(warned, Settings(fail_on_should=True, fail_on_superseded=True)) is Exit.BROKEN


def test_the_outcome_and_the_badge_follow_the_newest_version():
    made = session(OLD_ONLY)
    assert "1 clause fails in superseded protocol versions" in outcome(
        made, Ended(Exit.CONFORMANT), "en"
    )
    assert "1 clause is broken" in outcome(made, Ended(Exit.BROKEN, fail_on_superseded=True), "en")
    assert badge(made)["message"] == "Guarded"


def test_what_was_not_confirmed_in_time_is_told_all_the_same():
    once = found(4, id=SEEN_ONCE, seen=found(4).message)
    text = told(session(item("MCP-PING-001", NEWEST, once, verdict=NOT_VERIFIED), interrupted=True))
    assert "MCP-PING-001  not verified" in text
    assert "could be confirmed: `ping` got " in text


def refused(status, body):
    request = HttpRequest("POST", "http://h/mcp", (), b"{}", answer_to=1)
    answer = Answer(status, (("content-type", "text/plain"),), body)
    return Exchange(5, f"stdio-{NEWEST}", request, answer, None, 0.0, 0.1)


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (403, b"Invalid Host header", "The server answered: 403 Invalid Host header"),
        (
            200,
            b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "No  room"}}',
            "The server answered: -32000 No room",
        ),
        (200, b'{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}', None),
        (
            500,
            b"<!doctype html>\n<title>5</title><style>a{}</style><h1>Server &amp; Error</h1> Oh.",
            "The server answered: 500 Server & Error Oh.",
        ),
    ],
)
def test_a_failure_quotes_the_refusal_of_the_server(status, body, said):
    made = session(item("MCP-PING-001", NEWEST, found(5)))
    exchanges = {5: refused(status, body)}.get
    text = told(made, exchange=exchanges)
    assert (said in text) if said else "The server answered" not in text
    assert ("The server answered" in summary(made, exchange=exchanges)) is (said is not None)


def test_a_long_answer_is_quoted_from_the_member_that_the_finding_names():
    body = b'{"errors": [{"detail": "%s", "tool_name": null}]}' % (b"No such room. " * 20)
    said = found(5, id="finding.error.tool_name", named="null", tool="book")
    made = session(item("ATDF-ERR-006", NEWEST, said))
    text = told(made, exchange={5: refused(422, body)}.get)
    (line,) = [each for each in text.splitlines() if "The server answered" in each]
    assert '"tool_name": null}' in line
    assert len(line) < 300


def test_a_failure_quotes_the_refusal_of_a_gateway_as_one_of_a_gateway():
    made = session(item("MCP-PING-001", NEWEST, found(5)))
    runs = tuple(
        replace(each, run=replace(each.run, role=Role.GATEWAY), level=None) for each in made.runs
    )
    made = replace(made, runs=runs, selection=True)
    exchanges = {5: refused(403, b"No such key")}.get
    assert "The gateway answered: 403 No such key" in told(made, exchange=exchanges)
    assert "The gateway answered: 403 No such key" in summary(made, exchange=exchanges)


def test_a_misleading_refusal_has_a_line_with_its_tool():
    one = Unnamed("type", "get_user", "c", "age", ("name",), "name is wrong")
    silent = Unnamed("type", "get_user", "d", "age", (), "Bad request")
    made = session(explain=Explain(unnamed=(one, one, silent)))
    line = "`get_user`: `age` was wrong, but the answer names `name`"
    assert told(made).count(line) == 1
    assert summary(made).count(in_markdown(line)) == 1
    assert "Misleading" not in told(session(explain=Explain(unnamed=(silent,))))


def test_tools_whose_calls_could_not_be_verified_are_named_with_the_count_of_clauses():
    left = message("kit.left_out.destructive", tool="drop")
    items = [
        item("ATDF-CALL-001", NEWEST, verdict=PASS, tool="add"),
        item("ATDF-CALL-001", NEWEST, Finding(left), verdict=NOT_VERIFIED, tool="drop"),
    ]
    line = "Clauses verified: 1 of 1. Not verified for 1 tool (`drop`): ATDF-CALL-001\n"
    assert line in told(session(*items))
    assert "Clauses verified: 1 of 1\n" in told(session(items[0]))


def test_what_could_not_be_verified_is_named_up_to_three_clauses():
    left = Finding(message("kit.not_verified.slow"))
    ids = [f"MCP-OUT-00{number}" for number in range(1, 6)]
    items = [item(each, NEWEST, left, verdict=NOT_VERIFIED) for each in ids]
    assert "Clauses verified: 0 of 2. Not verified: MCP-OUT-001, MCP-OUT-002\n" in told(
        session(*items[:2])
    )
    line = "Not verified: MCP-OUT-001, MCP-OUT-002, MCP-OUT-003 and 2 more"
    assert f"Clauses verified: 0 of 5. {line}\n" in told(session(*items))
    assert line in summary(session(*items))


def test_the_bar_of_verdicts_leaves_out_what_does_not_apply():
    items = [item("X-1", NEWEST, verdict=each) for each in (PASS, Verdict.NOT_APPLICABLE)]
    (part,) = verdict_parts(counts(items))
    assert (part.kind, part.width) == ("b-pass", 100)
