"""Calls that were under way when another call ended their process: nothing is laid to them."""

from dataclasses import replace

import pytest

from conformance.kit.confirm.confirm import MOST_ASKED, Repeats
from conformance.kit.confirm.confirmed import confirmed
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Trouble
from conformance.kit.verdicts.judge import judge
from conformance.spec.vocabulary import Verdict
from tests.kit.confirm.test_confirm import CRASHES, asked
from tests.kit.confirm.test_repeat import repeated, serving
from tests.kit.samples import STDIO, TOOL, called, case, result, rpc, run_evidence, tool_evidence

__all__ = ("serving",)
HERE = replace(asked(CRASHES), run=STDIO.id)
REFUSED = result("count: at most 9", isError=True)


def answer(of, said=REFUSED):
    """What a case was answered; None for a process that ended."""
    one = replace(rpc(said or b"", of=of), run=STDIO)
    return one if said else replace(one, answer=None, trouble=Trouble.CLOSED)


OTHER = "stdio/other/x"
"""A call of another tool."""


def left(*counts, alone=(), other=None):
    """The evidence of calls with these arguments that one process left without an answer, the
    first process of the run; `alone` are those that ended it so. `other` is where a call of another
    tool was left.
    """
    good = called(rpc(result("ok"), of=case(CaseKind.BASELINE, run=STDIO)))
    calls = [called(answer(case(run=STDIO, arguments={"count": n}), None)) for n in counts]
    own = tool_evidence(
        good,
        *calls,
        run=STDIO,
        ended_in={call.case.id.text: 1 for call in calls},
        ended_alone=frozenset(c.case.id.text for c in calls if c.case.arguments["count"] in alone),
    )
    beside = tool_evidence(
        tool=replace(TOOL, name="other"), run=STDIO, ended_in={OTHER: other} if other else {}
    )
    return run_evidence(own, beside, run=STDIO), calls


ENDED = [answer(case(run=STDIO), None)] * 2
"""A call that was sent again, and ended its process each time."""


def answered(calls):
    """All of them sent again, and answered."""
    return Repeats({(STDIO.id, c.case.id.text): [answer(c.case)] * 2 for c in calls})


def ends_at(*guilty):
    """A process that ends at these, and refuses the others."""
    return lambda given: Trouble.CLOSED if given["count"] in guilty else REFUSED["result"]


def standing(serving, evidence, says):
    """The item as it stands, and what was sent again."""
    server = serving(says)
    repeats = repeated(evidence, HERE)
    item = confirmed(HERE, judge(HERE, evidence), evidence, repeats)
    return item, [given["count"] for _, given in server.calls]


def blamed(item):
    return [finding.case for finding in item.findings]


@pytest.mark.parametrize("guilty", [10, 13, 15])
def test_the_one_that_ended_the_process_is_found_among_those_that_were_under_way(serving, guilty):
    evidence, calls = left(*range(10, 16))
    item, sent = standing(serving, evidence, ends_at(guilty))
    assert (item.verdict, blamed(item)) == (Verdict.FAIL, [calls[guilty - 10].case.id.text])
    assert sent == [n for n in range(10, 16) for _ in range(2)]


def test_of_many_guilty_ones_three_are_asked_again_and_no_others_are_told(serving):
    evidence, calls = left(*range(10, 40))
    item, sent = standing(serving, evidence, ends_at(*range(10, 40)))
    assert (item.verdict, blamed(item)) == (Verdict.FAIL, [call.case.id.text for call in calls[:3]])
    assert sent == [10, 10, 11, 11, 12, 12]


def test_no_more_are_asked_than_can_be(serving):
    evidence, _ = left(*range(10, 60))
    item, sent = standing(serving, evidence, ends_at(59))
    assert len(sent) == 2 * MOST_ASKED
    assert item.verdict is Verdict.NOT_VERIFIED
    assert [f.message.id for f in item.findings] == ["kit.not_verified.beside_the_ended"]


def test_a_tool_is_cleared_whose_calls_were_beside_those_of_another_that_ended_the_process():
    evidence, calls = left(10, 11, other=1)
    repeats = answered(calls)
    item = judge(HERE, evidence)
    assert confirmed(HERE, item, evidence, repeats).verdict is Verdict.FLAKY
    repeats.cases[STDIO.id, OTHER] = ENDED
    assert confirmed(HERE, item, evidence, repeats).verdict is Verdict.PASS
    repeats.cases.pop((STDIO.id, calls[1].case.id.text))
    item = confirmed(HERE, item, evidence, repeats)
    assert item.verdict is Verdict.NOT_VERIFIED
    assert blamed(item) == [calls[0].case.id.text]


def test_a_tool_is_not_cleared_by_another_that_ended_another_process():
    evidence, calls = left(10, 11, other=2)
    repeats = answered(calls)
    repeats.cases[STDIO.id, OTHER] = ENDED
    assert confirmed(HERE, judge(HERE, evidence), evidence, repeats).verdict is Verdict.FLAKY


def test_a_call_that_once_ended_its_process_alone_is_no_bystander():
    evidence, calls = left(10, 11, alone=(11,), other=1)
    repeats = answered(calls)
    repeats.cases[STDIO.id, OTHER] = ENDED
    assert confirmed(HERE, judge(HERE, evidence), evidence, repeats).verdict is Verdict.FLAKY


@pytest.mark.parametrize("alone", [OTHER, "stdio/other/y"])
def test_a_call_that_was_not_sent_again_is_known_by_those_of_its_tool(alone):
    evidence, calls = left(10, 11, other=1)
    other = replace(evidence.by_tool["other"], ended_in={OTHER: 1, "stdio/other/y": 2})

    def verdict(repeats, ended):
        own = {**evidence.by_tool, "other": replace(other, ended_alone=frozenset(ended))}
        item = judge(HERE, evidence)
        return confirmed(HERE, item, replace(evidence, by_tool=own), repeats).verdict

    assert verdict(answered(calls), ()) is Verdict.FLAKY
    assert verdict(answered(calls), [alone]) is Verdict.PASS
    repeats = answered(calls)
    repeats.cases[STDIO.id, OTHER] = [answer(case(run=STDIO))] * 2
    assert verdict(repeats, [alone]) is (Verdict.PASS if alone == OTHER else Verdict.FLAKY)


def test_of_a_server_that_is_gone_what_was_found_stands():
    evidence, _ = left(10, 11, 12, 13)
    item = judge(HERE, evidence)
    assert confirmed(HERE, item, evidence, Repeats(gone={STDIO.id})) == item
