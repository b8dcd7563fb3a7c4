"""A call that was late on a busy machine is made again, and proves nothing if it is late again."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from conformance.gateway.scripts import in_time, left
from conformance.gateway.timeline import is_late
from conformance.kit.evidence.script import Send
from conformance.kit.model.exchange import Answer
from conformance.kit.model.performance import Moment
from conformance.kit.model.run import Role, Run
from conformance.kit.model.step import Mark, Step
from conformance.kit.verdicts.checks import load
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import Binding, Seen, Verdict
from tests.kit.report.test_timeline import EXCHANGE
from tests.kit.samples import run_evidence

POLICY = {"timeouts": {"first_byte_ms": 1500, "total_ms": 2000}}
STEP = Step("not_found", place="openai")
RUN = Run("gateway", "t", Binding.OPENAI, "http://127.0.0.1:1", "", role=Role.GATEWAY)


def refused(elapsed, *, times=1, told="timeout", step=STEP, head=None):
    """A call that the provider refused with `not_found`, and what the client was told; `head` says
    when the first attempt was refused.
    """
    arrived = tuple(
        Moment(Seen.ARRIVED, at, number, path="/openai/v1/chat/completions", body=b'{"model": "m"}')
        for number, at in enumerate((0.01, elapsed - 0.1)[:times], start=1)
    )
    if head is not None:
        arrived = (arrived[0], Moment(Seen.HEAD, head, 1, "404"), *arrived[1:])
    error = {"error": {"message": "no", "type": told, "code": told, "name": told}}
    answer = Answer(504, (("content-type", "application/json"),), json.dumps(error).encode())
    return replace(EXCHANGE, timeline=arrived, answer=answer, elapsed=elapsed, step=step)


@pytest.mark.parametrize(
    ("exchange", "policy", "late"),
    [
        (refused(1.6), POLICY, True),
        (refused(1.6, told="not_found", times=2), POLICY, True),
        (refused(1.6, told="not_found"), POLICY, False),
        (refused(0.3, times=2), POLICY, False),
        (refused(1.6), {}, False),
        (refused(1.7, told="not_found", times=2, head=1.59), POLICY, True),
        (refused(2.6, told="not_found", times=2, head=0.02), POLICY, False),
        (refused(2.6, times=2, head=0.02), POLICY, True),
    ],
    ids=[
        "told a timeout",
        "asked again",
        "told the error",
        "in time",
        "nothing declared",
        "refused late",
        "asked again after a wait",
        "told a timeout after a wait",
    ],
)
def test_a_call_is_late_where_it_may_have_met_a_declared_timeout(exchange, policy, late):
    assert is_late(policy, exchange, once=True) is late


def in_time_of(step):
    return in_time(SimpleNamespace(declared=POLICY), lambda: EXCHANGE.request, step, once=True)


def left_by(step):
    return left(lambda: EXCHANGE.request, step)


def steps_taken(*exchanges, of=in_time_of, step=STEP):
    """The steps of a call, each answered with one of these."""
    steps = of(step)
    given, sent = iter((None, *exchanges)), []
    for exchange in given:
        try:
            made = steps.send(exchange)
        except StopIteration:
            break
        assert isinstance(made, Send)
        sent.append(made.step)
    return sent


def test_a_late_call_is_made_again_and_no_more_than_twice():
    again = replace(STEP, mark=Mark.AGAIN)
    assert steps_taken(refused(0.1)) == [STEP]
    assert steps_taken(refused(1.6), refused(0.1)) == [STEP, again]
    assert steps_taken(*[refused(1.6)] * 5) == [STEP, again, again]
    waited = refused(2.6, times=2, told="not_found", head=0.02)  # it may have slept as well
    assert steps_taken(*[waited] * 5) == [STEP, again, again]


LEAVES = Step("in-stream", place="openai")


def closed(after, *, step=LEAVES, seen=Seen.LEFT):
    """A call that the client left, and whose request ended so many seconds later."""
    moments = (
        Moment(Seen.ARRIVED, 0.1, 1, path="/openai/v1/chat/completions", body=b"{}"),
        Moment(Seen.CLIENT_LEFT, 0.5),
        *(() if after is None else (Moment(seen, 0.5 + after, 1),)),
    )
    return replace(EXCHANGE, timeline=moments, answer=None, step=step)


@pytest.mark.parametrize(
    "late",
    [closed(1.2), closed(None), closed(0.2, seen=Seen.ENDED)],
    ids=["late", "never", "whole"],
)
def test_a_call_that_was_closed_late_is_made_again(late):
    again = replace(LEAVES, mark=Mark.AGAIN)
    assert steps_taken(closed(0.2), of=left_by, step=LEAVES) == [LEAVES]
    assert steps_taken(late, closed(0.2), of=left_by, step=LEAVES) == [LEAVES, again]
    assert steps_taken(*[late] * 5, of=left_by, step=LEAVES) == [LEAVES, again, again]


def test_a_gateway_that_was_slow_once_closed_in_time():
    again = replace(LEAVES, mark=Mark.AGAIN)
    leaves = "gateway_leaves"
    both = judged("GW-CAN-001", closed(1.2), closed(0.2, step=again), script=leaves)
    assert both.verdict is Verdict.PASS
    twice = judged("GW-CAN-001", closed(1.2), closed(1.2, step=again), script=leaves)
    assert twice.verdict is Verdict.FAIL


def judged(clause, *exchanges, policy=POLICY, script="gateway_refusals_openai"):
    (test,) = (test for test, own in load("conformance.gateway").tests if own.id == clause)
    evidence = run_evidence(run=RUN, scripts={script: exchanges})
    offered = {"policy": policy, "families": ("openai",)}
    evidence = replace(evidence, capabilities=offered)
    return judge(Question(test, clauses()[clause], RUN.id), evidence)


@pytest.mark.parametrize("clause", ["GW-ERR-001", "GW-RTY-001"])
def test_a_call_that_is_late_each_time_proves_nothing(clause):
    item = judged(clause, refused(1.6, times=2))
    assert item.verdict is Verdict.NOT_VERIFIED
    assert {found.message.id for found in item.findings} == {"kit.not_verified.busy"}
    assert judged(clause, refused(0.4, times=2)).verdict is Verdict.FAIL


@pytest.mark.parametrize("clause", ["GW-ERR-001", "GW-RTY-001"])
def test_the_call_that_was_made_again_counts(clause):
    again = refused(0.1, told="not_found", step=replace(STEP, mark=Mark.AGAIN))
    assert judged(clause, refused(1.6, times=2), again).verdict is Verdict.PASS


@pytest.mark.parametrize(("elapsed", "verdict"), [(1.6, "not_verified"), (0.4, "fail")])
def test_a_refusal_that_the_kit_saw_late_tells_no_wait(elapsed, verdict):
    declared = {**POLICY, "retry": {"initial_delay_ms": 100, "max_retries": 2}}
    heads = Moment(Seen.HEAD, elapsed - 0.106, 1, "429")
    made = refused(elapsed, times=2, told="rate_limited", step=replace(STEP, name="rate_limited"))
    made = replace(made, timeline=(made.timeline[0], heads, made.timeline[1]))
    assert judged("GW-RTY-003", made, policy=declared).verdict.value == verdict


def test_a_long_wait_of_the_gateway_excuses_no_wrong_attempt():
    again = refused(2.6, times=2, told="not_found", head=0.02)
    assert judged("GW-RTY-001", again).verdict is Verdict.FAIL


def test_a_long_wait_of_the_gateway_excuses_no_wait_that_is_too_short():
    declared = {**POLICY, "retry": {"initial_delay_ms": 4000, "max_retries": 2}}
    made = refused(
        2.6, times=2, told="rate_limited", step=replace(STEP, name="rate_limited"), head=0.02
    )
    assert judged("GW-RTY-003", made, policy=declared).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("strategy", "verdict"), [("none", Verdict.FAIL), ("exponential_backoff", Verdict.PASS)]
)
def test_a_policy_without_retries_allows_none_whatever_number_it_has(strategy, verdict):
    declared = {**POLICY, "retry": {"strategy": strategy, "max_retries": 2}}
    made = refused(0.1, times=2, told="rate_limited", step=replace(STEP, name="rate_limited"))
    assert judged("GW-RTY-002", made, policy=declared).verdict is verdict
