"""Levels: which one a run reached, and what keeps it from the next."""

import pytest

from conformance.kit.evidence.declarations import MOST_LISTS, Declared, read_lists
from conformance.kit.model.results import Finding, Item, Rate, Repair
from conformance.kit.model.run import Role
from conformance.kit.model.settings import Settings
from conformance.kit.verdicts.judge import belongs, unasked
from conformance.kit.verdicts.run_result import levels, reached, run_result
from conformance.spec.clauses import clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import Level, Requirement, Scope, Verdict
from tests.kit.samples import HTTP, run_evidence, tool_evidence

ALL = clauses()
MENDED = Repair(Rate(4, 4))
TOO_MANY_LEFT = (("+2", message("kit.left_out.too_many", most=4000, more=2)),)
LADDER = Role.SERVER.levels[1:]


def one(level, requirement=Requirement.MUST, scope=None):
    """A clause that a level needs."""
    return next(
        c.id
        for c in ALL.values()
        if c.needed_for.value == level.value
        and c.requirement is requirement
        and (scope is None or c.scope is scope)
    )


def items(**changed):
    """An item of each level's first clause about tools, all passed but those `changed`."""
    verdicts = {level: changed.get(level.value, Verdict.PASS) for level in LADDER}
    return [
        Item(one(level, scope=Scope.TOOL), Requirement.MUST, "http", "book", verdict)
        for level, verdict in verdicts.items()
    ]


def level_of(found, repair=MENDED, **more):
    return reached(levels(found, ALL, repair, role=Role.SERVER, claims_atdf=True, **more))


def test_the_highest_level_is_reached_where_everything_passed():
    assert level_of(items()) is Level.RECOVERABLE


@pytest.mark.parametrize(
    "verdict", [Verdict.FAIL, Verdict.NOT_VERIFIED, Verdict.FLAKY, Verdict.WAIVED]
)
def test_a_must_that_is_not_surely_kept_is_in_the_way(verdict):
    assert level_of(items(explained=verdict)) is Level.GUARDED


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.WARN])
def test_a_must_that_passed_or_only_warned_is_not_in_the_way(verdict):
    found = [*items(), Item("ATDF-ERR-002", Requirement.MUST, "http", "b", verdict)]
    assert level_of(found) is Level.RECOVERABLE


def test_a_tool_that_cannot_be_used_is_in_the_way_of_the_first_level():
    states = levels(
        items(), ALL, MENDED, role=Role.SERVER, claims_atdf=False, unusable=["ATDF-TOOL-004"]
    )
    assert reached(states) is Level.NONE
    assert states[Level.DESCRIBED].missing == ("ATDF-TOOL-004",)


def test_a_part_of_the_tools_reaches_no_level():
    states = levels(items(), ALL, MENDED, role=Role.SERVER, claims_atdf=True, whole=False)
    assert reached(states) is Level.NONE
    assert not any(state.reached for state in states.values())


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ((), Level.GUARDED),
        (TOO_MANY_LEFT, Level.NONE),
        (read_lists([f"/{n}" for n in range(MOST_LISTS + 1)])[1], Level.NONE),
    ],
)
def test_a_run_with_more_tools_than_are_judged_has_no_level(left_out, expected):
    evidence = run_evidence(tool_evidence(), left_out=left_out)
    nothing = Declared({}, (), ())
    passed = [
        Item(clause.id, clause.requirement, "http", "book", Verdict.PASS)
        for clause in ALL.values()
        if belongs(clause, HTTP)
    ]
    assert run_result(evidence, passed, nothing, Settings(), 1).level is expected


def test_what_the_target_does_not_offer_is_not_named_as_missing():
    beside = message("kit.not_applicable.no_toolsets")
    unclaimed = message("kit.not_applicable.not_claimed")
    none = [
        Item(id, Requirement.MUST, "http", "book", Verdict.NOT_APPLICABLE, (Finding(why),))
        for id, why in (
            ("ATDF-ERR-002", unclaimed),
            ("RT-HINT-001", beside),
            ("RT-TERR-001", beside),
        )
    ]
    found = [each for each in items() if ALL[each.clause].needed_for.value != "explained"]
    states = levels([*found, *none], ALL, MENDED, role=Role.SERVER, claims_atdf=False)
    assert states[Level.EXPLAINED].missing == ("ATDF-ERR-002", "ATDF-ERR-001")


def test_a_broken_should_is_not_in_the_way():
    should = one(Level.DESCRIBED, Requirement.SHOULD)
    found = [*items(), Item(should, Requirement.SHOULD, "http", "book", Verdict.WARN)]
    assert level_of(found) is Level.RECOVERABLE


def test_a_level_includes_those_below_it():
    found = items(described=Verdict.FAIL)
    assert level_of(found) is Level.NONE
    states = levels(found, ALL, MENDED, role=Role.SERVER, claims_atdf=True)
    assert one(Level.DESCRIBED, scope=Scope.TOOL) in states[Level.RECOVERABLE].missing


def test_without_a_claim_of_atdf_the_level_tops_out_at_guarded():
    states = levels(items(), ALL, MENDED, role=Role.SERVER, claims_atdf=False)
    assert reached(states) is Level.GUARDED
    assert states[Level.EXPLAINED].missing == ("ATDF-ERR-001",)


@pytest.mark.parametrize("rate", [Rate(3, 4), Rate(0, 0)])
def test_recoverable_needs_a_repair_rate_of_one(rate):
    assert level_of(items(), Repair(rate)) is Level.EXPLAINED


def test_no_level_rests_on_tools_of_which_none_kept_a_clause():
    found = items(guarded=Verdict.NOT_APPLICABLE)
    assert level_of(found) is Level.DESCRIBED


def test_described_rests_on_documents_and_needs_no_tool():
    assert level_of(items(described=Verdict.NOT_APPLICABLE)) is Level.RECOVERABLE


def test_a_clause_that_the_command_line_left_out_is_in_the_way():
    left = one(Level.GUARDED)
    states = levels(items(), ALL, MENDED, role=Role.SERVER, claims_atdf=True, unasked=[left])
    assert states[Level.GUARDED].missing == (left,)


def test_what_keeps_a_run_from_a_level_names_each_clause_once():
    clause = one(Level.DESCRIBED)
    twice = [Item(clause, Requirement.MUST, "http", t, Verdict.FAIL) for t in ("a", "b")]
    assert levels(twice, ALL, MENDED, role=Role.SERVER, claims_atdf=True)[
        Level.DESCRIBED
    ].missing == (clause,)


def test_left_out_are_only_the_clauses_that_hold_for_the_run():
    every = {c.id for c in ALL.values()}
    left = unasked(every - {"ATDF-CALL-001", "MCP-RPC-001", "ATDF-ERR-001"}, run_evidence(run=HTTP))
    assert left == ["ATDF-CALL-001"]


def test_the_levels_are_in_order():
    assert [Role.SERVER.place(level) for level in (Level.NONE, *LADDER)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("silenced", "why"), [(False, "no_call"), (True, "silent")])
def test_why_a_tool_was_never_called_tells_of_a_server_that_was_gone(silenced, why):
    evidence = run_evidence(tool_evidence(silenced=silenced))
    result = run_result(evidence, [], Declared({}, (), ()), Settings(), 1)
    assert [one.reason.id for one in result.tools_left_out] == [f"kit.not_verified.{why}"]
