"""When a gateway may ask a provider again, and when it must not (GW-RTY, GW-CAN)."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from conformance.formats.problem import shown
from conformance.gateway.scripts import BESIDE, ENDINGS, wait_of
from conformance.gateway.test_errors import refused
from conformance.gateway.timeline import (
    arrivals,
    body,
    came_late,
    closed_late,
    each_family,
    first,
    gaps,
    header,
    is_held_up,
    is_late,
    most_retries,
    nonce,
    not_arrived,
    of_streams,
    policy,
    reached,
    undeclared,
)
from conformance.gateway.told import told, waits_told
from conformance.kit.cases.provider.model_calls import pieces_of
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Mark, Step
from conformance.kit.verdicts.checks import Check, Checks, absent, broken, clause, holds, unknown
from conformance.spec.vocabulary import (
    RUNTIME_ERROR_NAME_RETRYABLE,
    ApiFamily,
    RuntimeErrorName,
    Seen,
)

_FAMILIES = ("openai", "anthropic", "gemini")
_RETRIES = "gateway_retries"
_CLOCK = 0.005
"""Seconds by which two clocks may differ."""
_SLACK = 0.25
"""Seconds by which an attempt may exceed a limit."""
_BESIDE = range(1, BESIDE + 1)
_MARKS = None, Mark.ALONE
_IDEMPOTENCY = "idempotency-key"
_ASKED = 1.0
"""Seconds that the provider asks a client to wait."""
_AN_HOUR, _ROUND = 3600.0, 100.0
"""A long wait, and by how much the time that the client receives may differ, both in seconds."""
_OF_DELAY = {"full": 0.0, "equal": 0.5}
"""The least share of the delay that each kind of jitter leaves."""


@clause("GW-RTY-001")
def test_what_is_not_retryable_is_asked_once(run: RunEvidence) -> Checks:
    final = [e for e in RuntimeErrorName if not RUNTIME_ERROR_NAME_RETRYABLE[e]]
    for family, error, exchange, _, _ in refused(run, final):
        count = len(arrivals(exchange))
        if not count:
            yield not_arrived(exchange)
        elif count > 1 and is_late(run.capabilities.get("policy", {}), exchange, once=True):
            yield came_late(exchange)
        elif count > 1:
            values: dict[str, Any] = {"family": family, "error": error.value, "count": count}
            yield broken(exchange, "finding.gateway.retried", **values)
        else:
            yield holds()


@clause("GW-RTY-002")
def test_no_provider_is_asked_more_often_than_declared(run: RunEvidence) -> Checks:
    if missing := undeclared(run, "retry"):
        yield missing
        return
    most = 1 + most_retries(policy(run, "retry"))
    again = [e for e in RuntimeErrorName if RUNTIME_ERROR_NAME_RETRYABLE[e]]
    for family, error, exchange, _, _ in refused(run, again):
        count = len(arrivals(exchange))
        if not count:
            yield not_arrived(exchange)
        elif count > most:
            values: dict[str, Any] = {
                "family": family,
                "error": error.value,
                "count": count,
                "most": most,
            }
            yield broken(exchange, "finding.gateway.too_often", **values)
        else:
            yield holds()


@clause("GW-RTY-003")
def test_between_attempts_lies_the_declared_delay(run: RunEvidence) -> Checks:
    retry = policy(run, "retry")
    if missing := undeclared(run, "retry.initial_delay_ms"):
        yield missing
        return
    least = _OF_DELAY.get(str(retry.get("jitter")), 1.0)
    again = [e for e in RuntimeErrorName if RUNTIME_ERROR_NAME_RETRYABLE[e]]
    for _, _, exchange, _, _ in refused(run, again):
        for number, gap in enumerate(gaps(exchange)):
            grown = retry["initial_delay_ms"] * retry.get("backoff_multiplier", 1) ** number
            wanted = min(grown, retry.get("max_delay_ms", grown)) / 1000
            yield _waited(run, exchange, gap, least * wanted)


@clause("GW-RTY-004")
def test_a_provider_that_asks_to_wait_is_waited_for(run: RunEvidence) -> Checks:
    names = "retry-after", "retry-after-stream", "retry-after-date"
    for _, name, exchange in each_family(run, _RETRIES, *names):
        if not arrivals(exchange):
            yield not_arrived(exchange)
        asked = "<HTTP-date>" if name == "retry-after-date" else round(_ASKED)
        for gap in gaps(exchange):
            yield _waited(run, exchange, gap, _ASKED, "too_soon_asked", asked=asked)


def _waited(
    run: RunEvidence,
    exchange: Exchange,
    gap: float,
    wanted: float,
    words: str = "too_soon",
    **more: Any,
) -> Check:
    """Check that the gateway waited long enough.

    In a slow call, the kit may see the refusal late.
    """
    if gap + _CLOCK < wanted:
        if is_held_up(run.capabilities.get("policy", {}), exchange):
            return came_late(exchange)
        values: dict[str, Any] = {"gap": round(gap * 1000), "wanted": round(wanted * 1000)}
        return broken(exchange, f"finding.gateway.{words}", **values, **more)
    return holds()


@clause("GW-RTY-005")
def test_a_wait_that_is_too_long_is_told(run: RunEvidence) -> Checks:
    for _, _, exchange in each_family(run, _RETRIES, "retry-after-long"):
        answer = told(exchange)
        if answer is None or exchange.answer is None or not arrivals(exchange):
            yield not_arrived(exchange)
        elif len(arrivals(exchange)) > 1:
            yield broken(exchange, "finding.gateway.long_retried", count=len(arrivals(exchange)))
        elif not (told_waits := list(waits_told(exchange.answer, answer))):
            yield broken(exchange, "finding.gateway.wait_untold")
        elif all(abs(wait - _AN_HOUR) > _ROUND for wait in told_waits):
            seconds = round(max(told_waits))
            yield broken(exchange, "finding.gateway.wait_wrong", seconds=seconds)
        else:
            yield holds()


@clause("GW-RTY-006")
@of_streams
def test_after_content_nothing_is_tried_again(run: RunEvidence) -> Checks:
    for family in _FAMILIES:
        for _, _, exchange in each_family(run, f"gateway_breaks_{family}", *ENDINGS):
            content = first(exchange, Seen.CLIENT_CONTENT)
            if content is None:
                yield unknown("kit.not_verified.no_content_yet", exchange)
            elif any(each.at > content.at for each in arrivals(exchange)):
                count = len(arrivals(exchange))
                yield broken(exchange, "finding.gateway.tried_after_content", count=count)
            else:
                yield holds()


@clause("GW-RTY-007")
def test_an_answer_after_retries_holds_each_piece_once(run: RunEvidence) -> Checks:
    for _, _, exchange in each_family(run, _RETRIES, "flaky", "flaky-stream"):
        answer = told(exchange)
        if len(arrivals(exchange)) == 1:
            yield unknown("kit.not_verified.asked_once", exchange)
        elif answer is None or not arrivals(exchange) or not answer.succeeded:
            yield not_arrived(exchange)
        elif answer.content != "".join(pieces_of(nonce(exchange))):
            yield broken(exchange, "finding.gateway.pieces", found=shown(answer.content))
        else:
            yield holds()


@clause("GW-RTY-008")
def test_no_attempt_begins_after_the_limit_of_the_call(run: RunEvidence) -> Checks:
    total = policy(run, "timeouts").get("total_ms", inf)
    for _, _, exchange in each_family(run, "gateway_deadline", "deadline"):
        seen = arrivals(exchange)
        if not seen:
            yield not_arrived(exchange)
        elif (late := seen[-1].at - seen[0].at) > total / 1000 + _SLACK:
            values: dict[str, Any] = {"late": round(late * 1000), "limit": total}
            yield broken(exchange, "finding.gateway.after_limit", **values)
        else:
            yield holds()
    if missing := undeclared(run, "timeouts.total_ms"):
        yield missing
    elif wait_of(run.capabilities.get("policy", {})) is None:
        yield unknown("kit.not_verified.limit_far")


@clause("GW-RTY-009")
def test_declared_jitter_spreads_the_attempts(run: RunEvidence) -> Checks:
    retry = policy(run, "retry")
    steps, family = run.steps(_RETRIES), reached(run)[0]
    asked = (Step("jitter", place=family, number=n, mark=m) for m in _MARKS for n in _BESIDE)
    calls = [steps[each] for each in asked if each in steps]
    first_gaps = [gap for each in calls for gap in gaps(each)[:1]]
    delay, least = (retry.get("initial_delay_ms") or 0) / 1000, min(first_gaps, default=0.0)
    if missing := undeclared(run, "retry.jitter"):
        yield missing
    elif not delay:
        yield absent("finding.gateway.nothing_to_spread")
    elif not calls:
        yield unknown("kit.not_verified.no_answer")
    elif len(first_gaps) < len(calls):
        yield not_arrived(calls[0])
    elif least + _CLOCK >= delay > _CLOCK:
        shortest, declared = round(least * 1000), round(delay * 1000)
        yield broken(calls[0], "finding.gateway.no_jitter", least=shortest, delay=declared)
    else:
        yield holds()


@clause("GW-REQ-006")
def test_all_attempts_ask_the_same(run: RunEvidence) -> Checks:
    for family, exchange in _tried_again(run):
        first, *others = map(body, arrivals(exchange))
        if any(each != first for each in others):
            yield broken(exchange, "finding.gateway.other_body", family=family)
        else:
            yield holds()


@clause("GW-REQ-007")
def test_all_attempts_have_one_key(run: RunEvidence) -> Checks:
    for family, exchange in _tried_again(run):
        keys = {header(each, _IDEMPOTENCY) for each in arrivals(exchange)}
        if family != ApiFamily.OPENAI:
            continue
        if keys == {""} or len(keys) > 1:
            words = "no_idempotency_key" if keys == {""} else "other_idempotency_key"
            yield broken(exchange, f"finding.gateway.{words}", family=family)
        else:
            yield holds()


def _tried_again(run: RunEvidence) -> Iterator[tuple[str, Exchange]]:
    """Yield the calls for which a provider got several attempts."""
    again = [e for e in RuntimeErrorName if RUNTIME_ERROR_NAME_RETRYABLE[e]]
    for family, _, exchange, _, _ in refused(run, again):
        if len(arrivals(exchange)) > 1:
            yield family, exchange


@clause("GW-CAN-001")
def test_a_client_that_leaves_ends_the_providers_work(run: RunEvidence) -> Checks:
    for _, _, exchange in each_family(run, "gateway_leaves", "in-stream", "before-answer"):
        if first(exchange, Seen.CLIENT_LEFT) is None or not arrivals(exchange):
            yield not_arrived(exchange)
        elif closed_late(exchange):
            yield broken(exchange, "finding.gateway.not_closed")
        else:
            yield holds()


@clause("GW-CAN-002")
def test_nobody_is_asked_after_the_client_has_left(run: RunEvidence) -> Checks:
    names = "in-stream", "before-answer", "before-refusal"
    for _, _, exchange in each_family(run, "gateway_leaves", *names):
        left = first(exchange, Seen.CLIENT_LEFT)
        if left is None:
            yield not_arrived(exchange)
        elif any(each.at > left.at + _CLOCK for each in arrivals(exchange)):
            yield broken(exchange, "finding.gateway.asked_after_leaving")
        else:
            yield holds()
