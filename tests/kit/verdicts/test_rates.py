"""Repair rate and explain rate: what counts, and what came of it."""

import json
from dataclasses import replace

import pytest

from conformance.kit.model.case import CaseKind, Violation
from conformance.kit.model.exchange import Trouble
from conformance.kit.verdicts.rates import (
    RepairOutcome,
    explain,
    repair,
    repair_outcome,
    repairable,
)
from tests.kit.samples import (
    MCP,
    TOOL,
    accepted,
    called,
    case,
    envelope,
    error,
    refused,
    result,
    rpc,
    tool_evidence,
    web,
)

RIGHT = error(suggested_value="9")


def step(broken, outcome, number=1):
    """What came of sending a suggestion."""
    repaired = case(CaseKind.REPAIR, neighbour=broken.case.id, step=number)
    if outcome == "accepted":
        return called(web(200, {"ok": True}, of=repaired))
    body = envelope(error("conflict" if outcome == "state" else "validation-error"))
    return called(web(422, body, of=repaired))


def came_of(broken, *steps):
    return repair_outcome(tool_evidence(accepted(), broken, *steps), broken)


def test_a_call_that_is_accepted_after_its_suggestion_is_repaired():
    broken = refused(RIGHT)
    assert came_of(broken, step(broken, "accepted")) is RepairOutcome.REPAIRED


def test_a_call_that_is_refused_for_state_after_its_suggestion_proves_nothing():
    broken = refused(RIGHT)
    assert came_of(broken, step(broken, "state")) is RepairOutcome.STATE
    assert repair([tool_evidence(accepted(), broken, step(broken, "state"))]).rate.rate is None


def test_it_is_repaired_where_the_call_without_a_mistake_is_refused_for_state_as_well():
    broken, after = refused(RIGHT), refused(error("conflict"), kind=CaseKind.AFTER)
    assert came_of(broken, step(broken, "state"), after) is RepairOutcome.REPAIRED


def test_nothing_is_repaired_by_a_session_that_ends():
    """The status 404 is that of MCP's transport, not of the tool."""
    said = envelope(RIGHT)
    refusal = result(json.dumps(said), isError=True)
    broken = called(rpc(refusal, of=case(run=MCP)))
    gone = {"error": {"code": -32001, "message": "Session not found"}}
    repaired = case(CaseKind.REPAIR, neighbour=broken.case.id, step=1, run=MCP)
    last = called(rpc(gone, of=repaired, status=404))
    after = called(rpc(gone, of=case(CaseKind.AFTER, run=MCP), status=404))
    good = called(rpc(result("ok"), of=case(CaseKind.BASELINE, run=MCP)))
    tool = tool_evidence(good, broken, last, after, run=MCP)
    assert repair_outcome(tool, broken) is RepairOutcome.UNSEEN


def led(broken, *counts):
    """Steps that each ended in a conflict with another suggestion, after these were sent."""
    ended = []
    for number, count in enumerate(counts, 1):
        sent = {"neighbour": broken.case.id, "step": number, "arguments": {"count": count}}
        body = envelope(error("conflict", suggested_value="8"))
        ended.append(called(web(409, body, of=case(CaseKind.REPAIR, **sent))))
    return ended


def test_suggestions_that_go_on_from_conflict_to_conflict_repair_nothing():
    broken = refused(RIGHT)
    assert came_of(broken, *led(broken, 1, 2, 3, 4, 5)) is RepairOutcome.STUCK


def test_repairs_may_compete_for_what_the_call_without_a_mistake_does_not_get_either():
    broken, after = refused(RIGHT), refused(error("conflict"), kind=CaseKind.AFTER)
    assert came_of(broken, *led(broken, 1, 2, 3, 4, 5), after) is RepairOutcome.REPAIRED


@pytest.mark.parametrize("counts", [(1, 2, 1, 2, 1), (1, 10)])
def test_suggestions_that_lead_back_repair_nothing_whatever_is_in_the_way(counts):
    broken, after = refused(RIGHT), refused(error("conflict"), kind=CaseKind.AFTER)
    assert broken.case.arguments == {"count": 10}
    assert came_of(broken, *led(broken, *counts)) is RepairOutcome.STUCK
    assert came_of(broken, *led(broken, *counts), after) is RepairOutcome.STUCK


def test_a_repair_that_ends_for_want_of_the_environment_is_not_counted():
    broken = refused(RIGHT)
    repaired = case(CaseKind.REPAIR, neighbour=broken.case.id, step=1)
    end = called(web(500, {"detail": "getaddrinfo EAI_AGAIN"}, of=repaired))
    assert came_of(broken, end) is RepairOutcome.UNSEEN


@pytest.mark.parametrize("status", [401, 403, 407, 429, 503])
def test_a_repair_that_rights_or_limits_stopped_is_not_counted_whatever_comes_after(status):
    broken = refused(RIGHT)
    repaired = case(CaseKind.REPAIR, neighbour=broken.case.id, step=1)
    end = called(web(status, {"detail": "no"}, of=repaired))
    after = called(web(status, {"detail": "no"}, of=case(CaseKind.AFTER)))
    assert came_of(broken, end) is RepairOutcome.UNSEEN
    assert came_of(broken, end, after) is RepairOutcome.UNSEEN
    assert came_of(broken, step(broken, "state"), after) is RepairOutcome.STATE


def test_a_call_that_is_still_refused_after_its_suggestion_is_stuck():
    broken = refused(RIGHT)
    assert came_of(broken, step(broken, "refused")) is RepairOutcome.STUCK


def test_only_the_last_step_decides():
    broken = refused(RIGHT)
    assert (
        came_of(broken, step(broken, "refused"), step(broken, "accepted", 2))
        is RepairOutcome.REPAIRED
    )


def test_a_suggestion_that_was_never_sent_shows_nothing_unless_it_is_what_was_refused():
    assert came_of(refused(RIGHT)) is RepairOutcome.UNSEEN
    whole = {"type": "object", "properties": {"count": {"type": "integer"}}}
    tool = replace(TOOL, input_schema=whole)
    same = called(web(422, envelope(error(suggested_value="10"))), tool)
    assert repair_outcome(tool_evidence(accepted(), same, tool=tool), same) is RepairOutcome.STUCK


def test_a_repair_that_was_cut_is_neither_stuck_nor_counted():
    tool = replace(tool_evidence(accepted(), refused(error(suggested_value="9"))), cut=True)
    assert repair_outcome(tool, next(iter(tool.broken))) is RepairOutcome.UNSEEN
    assert repair([tool]).rate.rate is None


def test_a_suggestion_that_is_not_valid_is_wrong():
    assert came_of(refused(error(suggested_value="99"))) is RepairOutcome.WRONG


def test_a_refusal_without_a_suggestion_gave_none():
    assert came_of(refused(error())) is RepairOutcome.NONE_GIVEN


def test_a_suggestion_of_null_is_none():
    assert came_of(refused(error(suggested_value=None))) is RepairOutcome.NONE_GIVEN


def test_the_rate_is_repaired_over_repairable():
    one, two = refused(RIGHT), refused(error())
    tool = tool_evidence(accepted(), one, step(one, "accepted"), two)
    found = repair([tool])
    assert (found.rate.hits, found.rate.of, found.none_given) == (1, 2, 1)


def test_without_a_repairable_case_there_is_no_rate():
    assert repair([tool_evidence(accepted())]).rate.rate is None


def test_a_case_that_is_not_repairable_does_not_count():
    assert repair([tool_evidence(accepted(), refused(repairable=False))]).rate.of == 0


def test_a_refusal_without_an_accepted_neighbour_does_not_count():
    assert repairable(tool_evidence(refused(RIGHT))) == []


def test_a_broken_case_that_was_accepted_does_not_count():
    let_through = called(web(200, {"ok": True}, of=case()))
    assert repairable(tool_evidence(accepted(), let_through)) == []


def test_a_refusal_for_state_does_not_count():
    assert repairable(tool_evidence(accepted(), refused(error("conflict")))) == []


def test_a_refusal_for_state_counts_where_the_calls_without_the_mistake_are_accepted():
    broken, last = refused(error("conflict")), accepted(CaseKind.AFTER)
    assert repairable(tool_evidence(accepted(), broken, last)) == [broken]
    assert came_of(broken, last) is RepairOutcome.NONE_GIVEN
    in_the_way = refused(error("conflict"), kind=CaseKind.AFTER)
    assert repairable(tool_evidence(accepted(), broken, in_the_way)) == []


def test_the_rate_is_also_told_by_the_keyword_that_was_broken():
    found = repair([tool_evidence(accepted(), refused(error()))])
    assert {name: rate.rate for name, rate in found.by_keyword.items()} == {"maximum": 0.0}


def plain(text, **changes):
    """A refusal that is only text."""
    return called(web(400, text.encode(), of=case(**changes)))


@pytest.mark.parametrize(
    ("text", "names", "right"),
    [
        ("count must be at most 9", 1, 1),
        ("count is wrong", 1, 0),
        ("must be at most 9", 0, 0),
        ("bad request", 0, 0),
    ],
)
def test_a_refusal_explains_by_naming_the_parameter_and_what_would_be_right(text, names, right):
    found = explain([tool_evidence(plain(text))])
    assert (found.names_parameter.hits, found.says_what_is_right.hits) == (names, right)


def unnamed(broken):
    return [(each.parameter, each.named, each.said) for each in explain([broken]).unnamed]


def test_a_refusal_that_does_not_name_the_parameter_is_kept_with_what_it_names():
    assert unnamed(tool_evidence(plain("the day is bad"))) == [
        ("count", ("day",), "the day is bad")
    ]
    assert unnamed(tool_evidence(plain("bad request"))) == [("count", (), "bad request")]
    assert unnamed(tool_evidence(plain("count is wrong"))) == []
    other = tool_evidence(refused(error(parameter_name="currency")))
    assert [(each[0], each[1]) for each in unnamed(other)] == [("count", ("currency",))]


def test_a_refusal_like_that_of_the_baseline_call_is_about_another_mistake():
    no_day = plain("no room on day 7: take another", kind=CaseKind.BASELINE)
    again, right = plain("no room on day 99"), plain("count!")
    assert explain([tool_evidence(no_day, again, right)]).names_parameter.of == 1
    assert explain([tool_evidence(no_day, accepted(), again)]).names_parameter.of == 1


def test_a_refusal_that_names_another_parameter_misleads_nobody_if_the_baseline_call_was_refused():
    """A server that reads its rules in order tells the next one once the first is not met."""
    sent = Violation("/day", "day", ("type",), was="x", sent=7)
    first, second = plain("omit day", kind=CaseKind.BASELINE), plain("count!", violation=sent)
    found = tool_evidence(first, second)
    assert (unnamed(found), explain([found]).names_parameter.of) == ([], 0)
    assert unnamed(tool_evidence(accepted(), second))


@pytest.mark.parametrize("kind", [CaseKind.VALID, CaseKind.AFTER])
def test_a_refusal_that_a_valid_call_got_too_misleads_nobody(kind):
    """The first call has used up what can be had once, such as a name."""
    taken = "the day is taken"
    found = tool_evidence(accepted(), plain(taken), plain(taken, kind=kind))
    assert (unnamed(found), explain([found]).names_parameter.of) == ([], 0)
    said = tool_evidence(accepted(), plain("bad request"), plain("bad request", kind=kind))
    assert explain([said]).names_parameter.of == 1


def test_who_names_the_parent_of_the_wrong_place_names_no_other_parameter():
    inner = Violation("/day/from/zone", "day.from.zone", ("enum",), was="x", sent="y")
    told = [plain(text, violation=inner) for text in ("invalid input at day.from", "bad count")]
    assert [unnamed(tool_evidence(call))[0][1] for call in told] == [(), ("count",)]


def test_of_refusals_that_do_not_name_the_parameter_a_few_of_each_keyword_are_kept():
    many = tool_evidence(*(plain(f"bad {n}") for n in range(30)))
    found = explain([many])
    assert found.names_parameter.of == 30
    assert len(found.unnamed) == 5


def test_the_explain_rate_needs_no_accepted_neighbour():
    assert explain([tool_evidence(plain("count"))]).names_parameter.of == 1


def test_without_a_refusal_there_is_no_explain_rate():
    found = explain([tool_evidence(accepted())])
    assert found.names_parameter.rate is None
    assert found.says_what_is_right.rate is None


def test_arguments_that_are_no_object_name_no_parameter_and_do_not_count():
    whole = refused(violation=None)
    assert explain([tool_evidence(whole)]).names_parameter.of == 0


def test_a_repair_step_that_was_not_sent_leaves_its_end_unseen_and_that_of_others_alone():
    one, other = refused(RIGHT), refused(RIGHT)
    unsent = case(CaseKind.REPAIR, neighbour=one.case.id, step=1)
    tool = tool_evidence(accepted(), one, other, step(other, "refused"), unsent=(unsent,))
    assert (repair_outcome(tool, one), repair_outcome(tool, other)) == (
        RepairOutcome.UNSEEN,
        RepairOutcome.STUCK,
    )


def test_a_case_that_was_not_sent_is_no_repair_of_one():
    broken = refused(RIGHT)
    unsent = (case(neighbour=broken.case.id),)
    tool = tool_evidence(accepted(), broken, step(broken, "refused"), unsent=unsent)
    assert repair_outcome(tool, broken) is RepairOutcome.STUCK


def test_a_step_that_got_no_answer_leaves_the_end_unseen():
    broken = refused(RIGHT)
    late = case(CaseKind.REPAIR, neighbour=broken.case.id, step=1)
    silent = called(web(0, answered=False, trouble=Trouble.TIMEOUT, of=late))
    assert came_of(broken, silent) is RepairOutcome.UNSEEN


def test_all_that_came_of_the_suggestions_is_counted_whatever_was_not_seen_before_it():
    unseen, one, two, stuck, other = (refused(RIGHT) for _ in range(5))
    wrong, silent = refused(error(suggested_value="99")), refused(error())
    unsent = case(CaseKind.REPAIR, neighbour=unseen.case.id, step=1)
    steps = (step(one, "accepted"), step(two, "refused"), step(two, "accepted", 2),
             step(stuck, "refused"), step(other, "state"))  # fmt: skip
    calls = (unseen, one, two, stuck, other, wrong, silent)
    found = repair([tool_evidence(accepted(), *calls, *steps, unsent=(unsent,))])
    assert (found.rate.hits, found.rate.of) == (2, 5)
    assert (found.stuck, found.wrong, found.none_given) == (1, 1, 1)
    assert found.steps == {1: 1, 2: 1}
    assert list(found.steps) == [1, 2]
    assert [each.keyword for each in found.advice] == ["maximum"]


def test_both_shares_of_the_explain_rate_are_told_by_the_keyword_that_was_broken():
    of_type = Violation("/count", "count", ("type", "maximum"), was=2, sent="x")
    unnamed = Violation("/count", "count", (), was=2, sent=99)
    calls = [called(web(400, {"detail": "wrong"}, of=case(violation=each)))
             for each in (of_type, unnamed)]  # fmt: skip
    good = called(web(400, {"detail": "`count` must be at most 9"}))
    found = explain([tool_evidence(good, *calls)])
    assert {k: (a.hits, a.of, b.hits, b.of) for k, (a, b) in found.by_keyword.items()} == {
        "maximum": (1, 1, 1, 1),
        "type": (0, 2, 0, 2),
    }
    assert (found.says_what_is_right.hits, found.says_what_is_right.of) == (1, 3)


def test_each_keyword_without_a_suggestion_is_advised_once_whichever_tool_it_was():
    least = Violation("/count", "count", ("minimum",), was=2, sent=-1)
    first = tool_evidence(accepted(), refused(error()), refused(RIGHT))
    second = tool_evidence(accepted(), refused(error(), violation=least), refused(error()))
    advised = [each.keyword for each in repair([first, second]).advice]
    assert sorted(advised) == sorted(set(advised))
    assert "maximum" in advised
    repaired = refused(RIGHT)
    none = repair([tool_evidence(accepted(), repaired, step(repaired, "accepted"))])
    assert none.advice == ()
