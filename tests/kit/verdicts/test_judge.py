"""Verdicts: what a judge says becomes one, and what no judge need be asked is decided before."""

from dataclasses import replace

import pytest

from conformance.kit.evidence.catalog import Offered
from conformance.kit.evidence.script import CONNECTION
from conformance.kit.model.exchange import Trouble
from conformance.kit.verdicts.checks import (
    ClauseTest,
    absent,
    broken,
    holds,
    other_refusal,
    unknown,
)
from conformance.kit.verdicts.judge import (
    NOT_OFFERED,
    NOT_RECORDED,
    Question,
    belongs,
    judge,
    questions,
    requirement_in_force,
    unasked,
)
from conformance.spec.clauses import AppliesTo, Clause, clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import (
    Binding,
    Era,
    NeededFor,
    Offer,
    Requirement,
    RunKind,
    Scope,
    Verdict,
    Verified,
)
from tests.kit.samples import HTTP, LEGACY, MCP, TOOL, accepted, run_evidence, tool_evidence, web

CLAUSE = Clause(
    id="TEST-1",
    spec="atdf",
    version="1.0",
    requirement=Requirement.MUST,
    needed_for=NeededFor.GUARDED,
    scope=Scope.TOOL,
    text={},
    verified=Verified.CALL,
)
SOME = "kit.not_verified.slow"
OPENAPI = replace(HTTP, id="openapi", openapi=True)


def verdict(checks, clause=CLAUSE, evidence=None, tool="book"):
    """The item that comes of a judge which yields `checks`."""
    evidence = evidence or run_evidence(tool_evidence(accepted()))
    test = ClauseTest(clause.id, lambda _: iter(checks))
    return judge(Question(test, clause, evidence.run.id, tool), evidence)


def test_a_broken_must_fails():
    assert verdict([holds(), broken(None, SOME)]).verdict is Verdict.FAIL


def test_a_broken_should_warns():
    should = replace(CLAUSE, requirement=Requirement.SHOULD)
    assert verdict([broken(None, SOME)], should).verdict is Verdict.WARN


def test_what_is_broken_outweighs_what_could_not_be_judged():
    assert verdict([unknown(SOME), broken(None, SOME)]).verdict is Verdict.FAIL


def test_what_could_not_be_judged_outweighs_what_holds():
    assert verdict([holds(), unknown(SOME)]).verdict is Verdict.NOT_VERIFIED


def test_what_holds_outweighs_what_is_absent():
    assert verdict([absent(SOME), holds()]).verdict is Verdict.PASS


def test_absent_alone_is_not_applicable_with_its_reason():
    item = verdict([absent(SOME)])
    assert (item.verdict, item.findings[0].message.id) == (Verdict.NOT_APPLICABLE, SOME)


def test_a_judge_that_says_nothing_is_not_applicable_and_never_a_pass():
    assert verdict([]).verdict is Verdict.NOT_APPLICABLE


def test_only_what_was_looked_at_is_counted():
    assert verdict([holds(), holds(), broken(None, SOME), unknown(SOME)]).checked == 3


def test_a_pass_has_no_findings():
    assert verdict([holds()]).findings == ()


def test_a_judge_that_raises_is_a_fault_of_the_kit_and_names_the_clause():
    def explode(_):
        yield holds()
        raise ZeroDivisionError("by zero")

    evidence = run_evidence(tool_evidence(accepted()))
    item = judge(Question(ClauseTest("TEST-1", explode), CLAUSE, "http", "book"), evidence)
    assert item.verdict is Verdict.KIT_ERROR
    said, trace = item.findings[0].message.words(), item.findings[0].trace
    assert "TEST-1" in said
    assert "Traceback" not in said
    assert "in explode" in trace


def test_a_requirement_rises_where_atdf_is_claimed():
    rising = replace(CLAUSE, requirement=Requirement.SHOULD, where_claimed=Requirement.MUST)
    claimed = run_evidence(tool_evidence(accepted()), claims=True)
    assert verdict([broken(None, SOME)], rising, claimed).verdict is Verdict.FAIL


def test_a_requirement_does_not_rise_where_atdf_is_not_claimed():
    rising = replace(CLAUSE, requirement=Requirement.SHOULD, where_claimed=Requirement.MUST)
    assert requirement_in_force(rising, run_evidence()) is Requirement.SHOULD


def test_a_clause_for_those_who_claim_atdf_does_not_apply_to_others():
    own = replace(CLAUSE, applies_to=AppliesTo(claimed=True))
    assert verdict([broken(None, SOME)], own).verdict is Verdict.NOT_APPLICABLE


def test_a_clause_on_calls_is_not_verified_for_a_tool_that_was_left_out():
    left = message("kit.left_out.none")
    item = verdict([holds()], evidence=run_evidence(tool_evidence(left_out=left)))
    assert (item.verdict, item.findings[0].message) == (Verdict.NOT_VERIFIED, left)


def test_a_server_that_lets_a_client_connect_only_once_is_quoted():
    evidence = run_evidence(tool_evidence(), connected=False)
    (nothing,) = verdict([holds()], evidence=evidence).findings
    assert nothing.message.id == "kit.not_verified.not_connected"
    refused = {CONNECTION: (web(500, b"a session is open"),)}
    (told,) = verdict([holds()], evidence=replace(evidence, scripts=refused)).findings
    assert told.message.id == "kit.not_verified.connected_once"
    assert '500 "a session is open"' in told.message.words()


def test_a_clause_on_documents_is_judged_for_a_tool_that_was_left_out():
    static = replace(CLAUSE, verified=Verified.STATIC)
    left = tool_evidence(left_out=message("kit.left_out.none"))
    assert verdict([broken(None, SOME)], static, run_evidence(left)).verdict is Verdict.FAIL


def test_a_tool_that_has_to_be_called_as_a_task_is_not_verified():
    task = replace(TOOL, task_required=True)
    left = tool_evidence(tool=task, left_out=message("kit.left_out.task_required"))
    assert verdict([holds()], evidence=run_evidence(left)).verdict is Verdict.NOT_VERIFIED


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"enum": []}, "$.properties.a"),
        ({"type": "array", "minItems": 1, "items": {"enum": []}}, "$.properties.a.items"),
        ({"type": "array", "items": {"enum": []}}, None),
        ({"type": "array", "minItems": "1", "items": {"enum": []}}, None),
        ({"anyOf": [{"enum": []}, {"type": "null"}]}, None),
        (False, None),
    ],
)
def test_of_a_tool_whose_schema_allows_no_call_the_schema_is_named(schema, place):
    inputs = {"type": "object", "properties": {"a": schema, "b": {"enum": []}}, "required": ["a"]}
    item = verdict(
        [holds()],
        evidence=run_evidence(tool_evidence(tool=replace(TOOL, input_schema=inputs))),
    )
    told = item.findings[0].message
    assert told.id == f"kit.not_verified.{'no_call' if place is None else 'no_value'}"
    assert place is None or f"`enum` at `{place}`" in told.words()


def test_a_tool_for_which_no_arguments_could_be_made_up_is_not_verified():
    item = verdict([holds()], evidence=run_evidence(tool_evidence()))
    assert item.findings[0].message.id == "kit.not_verified.no_call"
    full = run_evidence(tool_evidence())
    older = replace(full, run=replace(full.run, kind=RunKind.PROTOCOL))
    item = verdict([holds()], evidence=older)
    assert item.findings[0].message.id == "kit.not_verified.no_known_call"


def test_a_tool_that_was_not_reached_is_laid_to_the_end_of_the_session():
    item = verdict([holds()], evidence=run_evidence(tool_evidence(), cut=True))
    assert item.findings[0].message.id == "kit.not_verified.cut"


def test_a_dead_handshake_leaves_everything_not_verified():
    dead = run_evidence(tool_evidence(accepted()), connected=False)
    assert verdict([broken(None, SOME)], evidence=dead).verdict is Verdict.NOT_VERIFIED


@pytest.mark.parametrize(("state", "reason"), [("silenced", "silent"), ("cut", "cut")])
def test_a_pass_on_a_part_of_the_cases_is_not_verified(state, reason):
    partly = run_evidence(tool_evidence(accepted(), **{state: True}))
    item = verdict([holds()], evidence=partly)
    assert item.verdict is Verdict.NOT_VERIFIED
    assert item.findings[0].message.id == f"kit.not_verified.{reason}"


@pytest.mark.parametrize("state", ["silenced", "cut"])
def test_a_failure_on_a_part_of_the_cases_stays_a_failure(state):
    partly = run_evidence(tool_evidence(accepted(), **{state: True}))
    assert verdict([broken(None, SOME)], evidence=partly).verdict is Verdict.FAIL


def test_a_pass_on_what_was_declared_holds_although_the_session_was_cut():
    declared = replace(CLAUSE, verified=Verified.STATIC, needed_for=NeededFor.DESCRIBED)
    cut = run_evidence(tool_evidence(accepted(), cut=True), cut=True)
    assert verdict([holds()], declared, cut).verdict is Verdict.PASS


def test_a_target_without_tools_has_one_item_that_does_not_apply():
    item = verdict([broken(None, SOME)], evidence=run_evidence(), tool=None)
    assert item.findings[0].message.id == "kit.not_applicable.no_tools"


def test_a_run_of_the_protocol_alone_does_not_say_that_the_target_has_no_tools():
    older = run_evidence(run=replace(LEGACY, kind=RunKind.PROTOCOL))
    item = verdict([broken(None, SOME)], evidence=older, tool=None)
    assert item.findings[0].message.id == "kit.not_applicable.protocol_alone"


@pytest.mark.parametrize(
    ("limits", "run", "holds_for"),
    [
        (AppliesTo(), HTTP, True),
        (AppliesTo(bindings=(Binding.MCP,)), HTTP, False),
        (AppliesTo(bindings=(Binding.MCP,)), MCP, True),
        (AppliesTo(eras=(Era.LEGACY,)), MCP, False),
        (AppliesTo(eras=(Era.LEGACY,)), LEGACY, True),
        (AppliesTo(since="2026-07-28"), LEGACY, False),
        (AppliesTo(since="2025-11-25"), LEGACY, True),
        (AppliesTo(until="2025-11-25"), MCP, False),
        (AppliesTo(until="2025-11-25"), LEGACY, True),
    ],
)
def test_a_clause_belongs_to_the_runs_within_its_limits(limits, run, holds_for):
    assert belongs(replace(CLAUSE, applies_to=limits), run) is holds_for


def ask(clause, *runs):
    test = ClauseTest(clause.id, lambda _: iter(()))
    return questions([(test, clause)], {run.id: (run, ("a", "b")) for run in runs})


def test_a_clause_about_tools_is_asked_once_for_each_run_and_tool():
    asked = ask(CLAUSE, HTTP, MCP)
    assert [(q.run, q.tool) for q in asked] == [
        (run.id, tool) for run in (HTTP, MCP) for tool in ("a", "b")
    ]


def test_a_clause_about_the_target_is_asked_once_for_each_run():
    asked = ask(replace(CLAUSE, scope=Scope.TARGET), HTTP, MCP)
    assert [(q.run, q.tool) for q in asked] == [(HTTP.id, None), (MCP.id, None)]


def test_a_clause_that_belongs_to_no_run_is_one_item_that_does_not_apply():
    foreign = replace(CLAUSE, applies_to=AppliesTo(bindings=(Binding.STDIO,)))
    (only,) = ask(foreign, HTTP, MCP)
    assert judge(only, run_evidence()).findings[0].message.id.endswith("other_binding")


ABOUT_RESOURCES = replace(CLAUSE, scope=Scope.TARGET, applies_to=AppliesTo(offers=Offer.RESOURCES))
ABOUT_TOOLSETS = replace(CLAUSE, applies_to=AppliesTo(offers=Offer.TOOLSETS))


def test_a_clause_about_an_offer_is_asked_of_the_runs_that_offer_it_and_of_their_tools():
    runs = {run.id: (run, ("a", "b")) for run in (HTTP, MCP)}
    offers = {HTTP.id: {Offer.TOOLSETS: ("b",)}, MCP.id: {Offer.RESOURCES: ()}}
    tests = [(ClauseTest("TEST-1", lambda _: iter(())), each)
             for each in (ABOUT_RESOURCES, ABOUT_TOOLSETS)]  # fmt: skip
    asked = questions(tests, runs, offers)
    assert [(q.run, q.tool) for q in asked] == [(MCP.id, None), (HTTP.id, "b")]
    assert [q.test for q in asked] == [test for test, _ in tests]


@pytest.mark.parametrize("clause", [ABOUT_RESOURCES, ABOUT_TOOLSETS])
def test_a_clause_about_what_nobody_offers_is_one_item_that_does_not_apply(clause):
    test = ClauseTest(clause.id, lambda _: iter([broken(None, SOME)]))
    (only,) = questions([(test, clause)], {HTTP.id: (HTTP, ("a",))})
    assert only == Question(test, clause, HTTP.id)
    assert (
        judge(only, run_evidence()).findings[0].message.id == NOT_OFFERED[clause.applies_to.offers]
    )


def test_a_clause_about_what_is_offered_is_judged():
    offering = run_evidence(offered=Offered(catalog={}))
    about = replace(ABOUT_TOOLSETS, scope=Scope.TARGET)
    assert verdict([broken(None, SOME)], about, offering, tool=None).verdict is Verdict.FAIL


def test_without_a_run_nothing_is_asked():
    assert ask(CLAUSE) == []


def test_a_protocol_run_is_asked_only_what_its_few_exchanges_can_show():
    older = replace(LEGACY, kind=RunKind.PROTOCOL)
    few = ClauseTest("TEST-1", lambda _: iter(()), protocol=True)
    many = ClauseTest("TEST-1", lambda _: iter(()))
    runs = {older.id: (older, ("a",)), MCP.id: (MCP, ("a",))}
    asked = questions([(few, CLAUSE), (many, CLAUSE)], runs)
    assert [q.run for q in asked] == [older.id, MCP.id, MCP.id]


REAL = unasked((), run_evidence(claims=True))


def test_the_clauses_that_a_level_needs_are_those_that_bind_a_run():
    known = clauses()
    assert len(REAL) > 50
    assert set(unasked(REAL[5:], run_evidence(claims=True))) == set(REAL[:5])
    for id in REAL:
        clause = known[id]
        assert clause.excluded is None
        assert clause.scope is not Scope.DOCUMENT
        assert belongs(clause, HTTP)
        assert clause.applies_to.offers is None
        assert Requirement.MUST in {clause.requirement, clause.where_claimed}


def test_fewer_clauses_bind_a_target_that_claims_nothing_and_more_one_that_offers_more():
    plain = set(unasked((), run_evidence()))
    gone = {id for id in REAL if clauses()[id].applies_to.claimed}
    assert gone
    assert not plain & gone
    more = set(unasked((), run_evidence(claims=True, offered=Offered(catalog={})))) - set(REAL)
    assert more
    assert {clauses()[id].applies_to.offers for id in more} == {Offer.TOOLSETS}
    assert any(id.startswith("MCP-") for id in unasked((), run_evidence(run=MCP)))


SILENT = {"silenced": True}
AT_TARGET = replace(CLAUSE, scope=Scope.TARGET, verified=Verified.WIRE)
BY_CALLS = replace(CLAUSE, scope=Scope.TARGET, verified=Verified.CALL)
REPAIRS = replace(CLAUSE, verified=Verified.REPAIR)


@pytest.mark.parametrize(
    ("clause", "of_tool", "of_run", "reason"),
    [
        (CLAUSE, SILENT, {}, "silent"),
        (CLAUSE, {}, SILENT, None),
        (replace(CLAUSE, verified=Verified.WIRE), {}, SILENT, "silent"),
        (CLAUSE, {"cut": True}, {}, "cut"),
        (CLAUSE, {}, {"cut": True}, None),
        (CLAUSE, {"cut": True, "sampled": True}, {}, None),
        (REPAIRS, {"cut": True, "sampled": True}, {}, "cut"),
        (BY_CALLS, SILENT, {}, "silent"),
        (BY_CALLS, {}, {"cut": True}, "cut"),
        (AT_TARGET, SILENT, {}, None),
        (AT_TARGET, {}, SILENT, "silent"),
        (AT_TARGET, {}, {"cut": True}, None),
        (AT_TARGET, {"cut": True}, {}, None),
    ],
)
def test_a_pass_needs_all_that_it_rests_on(clause, of_tool, of_run, reason):
    evidence = run_evidence(tool_evidence(accepted(), **of_tool), **of_run)
    item = verdict([holds()], clause, evidence, "book" if clause.scope is Scope.TOOL else None)
    said = [finding.message.id for finding in item.findings]
    assert said == ([] if reason is None else [f"kit.not_verified.{reason}"])
    assert item.verdict is (Verdict.PASS if reason is None else Verdict.NOT_VERIFIED)


def played(name, then):
    """A judge that asks for a script first."""

    def look(run):
        run.played(name)
        yield from then

    return look


@pytest.mark.parametrize(
    ("script", "then", "reason"),
    [
        ("known", [holds()], None),
        ("later", [holds()], "cut"),
        ("known", [], "cut"),
    ],
)
def test_while_scripts_are_played_only_what_was_played_shows_something(script, then, reason):
    run = run_evidence(scripts={"known": ()}, cut=True, playing=True)
    test = ClauseTest("TEST-1", played(script, then))
    item = judge(Question(test, AT_TARGET, run.run.id), run)
    said = [finding.message.id for finding in item.findings]
    assert said == ([] if reason is None else [f"kit.not_verified.{reason}"])


def test_a_tool_that_was_not_called_because_the_server_fell_silent_is_laid_to_that():
    item = verdict([holds()], evidence=run_evidence(tool_evidence(silenced=True)))
    assert item.findings[0].message.id == "kit.not_verified.silent"


def test_a_judge_of_a_tool_is_handed_what_the_run_knows():
    seen = []

    def look(subject):
        seen.append(subject)
        yield holds()

    offered = Offered(entries={"book": {"name": "book"}})
    own = run_evidence(tool_evidence(accepted()), claims=True, offered=offered)
    judge(Question(ClauseTest("TEST-1", look), CLAUSE, "http", "book"), own)
    (tool,) = seen
    assert (tool.claims_atdf, tool.entry, tool.scripts) == (True, {"name": "book"}, own.scripts)


def test_an_item_says_what_it_is_about():
    item = verdict([holds()])
    assert (item.clause, item.run, item.tool) == ("TEST-1", "http", "book")
    assert item.requirement is Requirement.MUST


@pytest.mark.parametrize(
    ("openapi", "run", "holds_for"),
    [(True, OPENAPI, True), (True, HTTP, False), (False, OPENAPI, False), (False, HTTP, True)],
)
def test_a_clause_may_be_about_openapi_alone_or_about_all_else(openapi, run, holds_for):
    assert belongs(replace(CLAUSE, applies_to=AppliesTo(openapi=openapi)), run) is holds_for


@pytest.mark.parametrize("limits", [{"since": "2026-07-28"}, {"until": "2025-11-25"}])
def test_limits_of_versions_are_no_matter_where_there_is_none(limits):
    assert belongs(replace(CLAUSE, applies_to=AppliesTo(**limits)), HTTP)


@pytest.mark.parametrize("clause", [CLAUSE, AT_TARGET])
def test_a_pass_that_asks_for_a_script_that_the_record_does_not_know_is_not_verified(clause):
    def look(found, *first):
        yield holds()
        yield from first
        found.played("of_a_newer_kit")
        yield holds()

    def said(known, *first):
        test = ClauseTest("TEST-1", lambda found: look(found, *first))
        own = replace(run_evidence(tool_evidence(accepted())), known_scripts=known)
        tool = "book" if clause is CLAUSE else None
        item = judge(Question(test, clause, "http", tool), own)
        return item.verdict, [finding.message.id for finding in item.findings]

    for known in (None, frozenset({"of_a_newer_kit"})):
        assert said(known) == (Verdict.PASS, [])
    assert said(frozenset({"old"})) == (Verdict.NOT_VERIFIED, [NOT_RECORDED])
    assert said(frozenset(), broken(None, SOME)) == (Verdict.FAIL, [SOME])


def test_a_judge_that_says_nothing_and_one_that_raises_are_told_in_words():
    assert verdict([]).findings[0].message.id == "kit.not_applicable.nothing_to_judge"

    def explode(_):
        raise ZeroDivisionError("by zero")
        yield

    own = run_evidence(tool_evidence(accepted()))
    item = judge(Question(ClauseTest("TEST-1", explode), CLAUSE, "http", "book"), own)
    assert "ZeroDivisionError: by zero" in item.findings[0].message.words()


@pytest.mark.parametrize(
    ("exchange", "said"),
    [
        (replace(web(200, {}), answer=None, trouble=Trouble.TIMEOUT), "no_answer"),
        (replace(web(200, {}), trouble=Trouble.CLOSED), "no_answer"),
        (web(429, {}), "refused_for_something_else"),
    ],
    ids=["silence", "cut", "refused"],
)
def test_what_was_not_answered_is_not_said_to_be_refused(exchange, said):
    check = other_refusal(exchange)
    assert check.finding.message.id == f"kit.not_verified.{said}"
