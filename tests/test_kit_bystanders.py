"""Calls that were under way when another call ended their process: nothing is laid to them."""

from dataclasses import replace

import pytest

from conformance.formats.vocabulary import Verdict
from conformance.kit.case import CaseKind
from conformance.kit.drive.bystanders import MOST_ASKED
from conformance.kit.drive.confirm import Repeats, confirmed
from conformance.kit.exchange import Trouble
from conformance.kit.judging import judge
from tests.kit_samples import STDIO, called, case, result, rpc, run_evidence, tool_evidence
from tests.test_kit_confirm import CRASHES, asked
from tests.test_kit_repeat import repeated, serving

__all__ = ("serving",)
HERE = replace(asked(CRASHES), run=STDIO.id)
REFUSED = result("count: at most 9", isError=True)


def answer(of, said=REFUSED):
    """What a case was answered; None for a process that ended."""
    one = replace(rpc(said or b"", of=of), run=STDIO)
    return one if said else replace(one, answer=None, trouble=Trouble.CLOSED)


def left(*counts):
    """The evidence of calls with these arguments that were left without an answer."""
    good = called(rpc(result("ok"), of=case(CaseKind.BASELINE, run=STDIO)))
    calls = [called(answer(case(run=STDIO, arguments={"count": n}), None)) for n in counts]
    return run_evidence(tool_evidence(good, *calls, run=STDIO), run=STDIO), calls


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
    assert (item.verdict, blamed(item)) == (Verdict.FAIL, [calls[guilty - 10].case.id])
    assert sent == [n for n in range(10, 16) for _ in range(2)]


def test_of_many_guilty_ones_three_are_asked_again_and_no_others_are_told(serving):
    evidence, calls = left(*range(10, 40))
    item, sent = standing(serving, evidence, ends_at(*range(10, 40)))
    assert (item.verdict, blamed(item)) == (Verdict.FAIL, [call.case.id for call in calls[:3]])
    assert sent == [10, 10, 11, 11, 12, 12]


def test_no_more_are_asked_than_can_be(serving):
    evidence, _ = left(*range(10, 60))
    item, sent = standing(serving, evidence, ends_at(59))
    assert len(sent) == 2 * MOST_ASKED
    assert item.verdict is Verdict.FLAKY


def test_a_tool_is_cleared_whose_calls_were_beside_those_of_another_that_ended_the_process(serving):
    evidence, calls = left(10, 11)
    repeats = Repeats({(STDIO.id, c.case.id): [answer(c.case)] * 2 for c in calls})
    item = judge(HERE, evidence)
    assert confirmed(HERE, item, evidence, repeats).verdict is Verdict.FLAKY
    other = answer(case(run=STDIO), None)
    repeats.cases[STDIO.id, "stdio/other/x"] = [other, other]
    assert confirmed(HERE, item, evidence, repeats).verdict is Verdict.PASS
    repeats.cases.pop((STDIO.id, calls[1].case.id))
    item = confirmed(HERE, item, evidence, repeats)
    assert item.verdict is Verdict.NOT_VERIFIED
    assert blamed(item) == [calls[0].case.id]


def test_of_a_server_that_is_gone_what_was_found_stands():
    evidence, _ = left(10, 11, 12, 13)
    item = judge(HERE, evidence)
    assert confirmed(HERE, item, evidence, Repeats(gone={STDIO.id})) == item
