"""Computes the delays of a retry policy, and checks whether a record follows the policy.

Serves RT-RTY-008 to RT-RTY-016.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.runtime.kinds import Broken, Rule
from conformance.formats.runtime.provider_errors import named
from conformance.spec.messages import message
from conformance.spec.vocabulary import (
    RUNTIME_ERROR_NAME_FALLBACKABLE,
    RUNTIME_ERROR_NAME_RETRYABLE,
    Jitter,
    RetryStrategy,
    RuntimeErrorName,
)

Members = Mapping[str, Any]

_GREATEST = 10**15
"""Longer delays, in milliseconds, count as this one:

JSON may have numbers that no float can hold.
"""


def delay(policy: Members, number: int) -> float:
    """Return the delay before retry `number`, from 0, in milliseconds and without jitter.

    `policy` has the fields of exponential backoff. The delay is at most `max_delay_ms`.
    """
    first, most, factor = (
        _number(policy[name]) or 0.0
        for name in ("initial_delay_ms", "max_delay_ms", "backoff_multiplier")
    )
    try:
        grown = first * factor**number
    except OverflowError:
        grown = math.inf if first else 0.0
    return min(grown, most)


@dataclass(frozen=True, slots=True)
class _Step:
    """An attempt that follows another. `number` counts the retries at one provider, from 0.

    `returns` tells whether a fallback goes back to a provider that was tried before.
    """

    index: int
    number: int
    fallback: bool
    name: RuntimeErrorName | None
    asked: float | None
    streamed: bool
    waited: float | None
    provider: Any
    returns: bool


def _steps(record: Members) -> Iterator[_Step]:
    listed = record.get("attempts")
    listed = listed if isinstance(listed, list) else []
    attempts = [each if isinstance(each, dict) else {} for each in listed]
    provider: Any = attempts[0].get("provider") if attempts else None
    number, tried = 0, {str(provider)}
    for index, (before, attempt) in enumerate(pairwise(attempts), 1):
        error = before.get("error")
        error = error if isinstance(error, dict) else {}
        now = attempt.get("provider", provider)
        fallback, provider = now != provider, now
        yield _Step(
            index,
            number,
            fallback,
            named(error.get("name")),
            _number(error.get("retry_after_ms")),
            before.get("streamed") is True,
            _number(attempt.get("waited_ms")),
            provider,
            fallback and str(provider) in tried,
        )
        tried.add(str(provider))
        number = 0 if fallback else number + 1


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(max(-_GREATEST, min(value, _GREATEST)))


def _policy(record: Members) -> Members:
    policy = record.get("policy")
    return policy if isinstance(policy, dict) else {}


def _usable(policy: Members) -> bool:
    numbers = ("initial_delay_ms", "max_delay_ms", "backoff_multiplier")
    return policy.get("strategy") == RetryStrategy.EXPONENTIAL_BACKOFF and all(
        _number(policy.get(name)) is not None for name in numbers
    )


def _range(policy: Members, number: int) -> tuple[float, float]:
    """Return the shortest and longest delay that a policy allows before a retry."""
    whole = delay(policy, number)
    jitter = policy.get("jitter")
    if jitter == Jitter.FULL:
        return 0.0, whole
    return (whole / 2 if jitter == Jitter.EQUAL else whole), whole


def _told(number: float) -> str:
    """Return a number as people write it: 1000 for 1000.0."""
    return shown(int(number) if float(number).is_integer() else number)


def _waits(record: Members) -> Iterator[Broken]:
    """Yield waits that the policy does not allow (RT-RTY-008)."""
    policy = _policy(record)
    for step in _steps(record) if _usable(policy) else ():
        if step.fallback or step.waited is None:
            continue
        least, most = _range(policy, step.number)
        if step.asked is not None and step.asked > least:
            continue  # the provider's `retry_after_ms` decides: RT-RTY-011
        near = (
            math.isclose(step.waited, least, abs_tol=1e-6),
            math.isclose(step.waited, most, abs_tol=1e-6),
        )
        if not (least <= step.waited <= most or any(near)):
            expected = _told(least) if least == most else f"{_told(least)}–{_told(most)}"
            said = message("documents.retry.wait", waited=_told(step.waited), expected=expected)
            yield ("attempts", step.index, "waited_ms"), said


def _retried(record: Members) -> Iterator[Broken]:
    """Yield retries after an error that is not retryable or not listed (RT-RTY-009)."""
    names = _policy(record).get("retryable_errors")
    listed = names if isinstance(names, list) else []
    allowed = {each for each in listed if isinstance(each, str)}
    for step in _steps(record):
        if step.fallback or step.name is None:
            continue
        if not RUNTIME_ERROR_NAME_RETRYABLE[step.name] or step.name not in allowed:
            said = message("documents.retry.not_retryable", name=shown(step.name))
            yield ("attempts", step.index), said


def _most(record: Members) -> Iterator[Broken]:
    """Yield retries beyond `max_retries` (RT-RTY-010)."""
    policy = _policy(record)
    limit = policy.get("max_retries")
    if policy.get("strategy") == RetryStrategy.NONE:
        limit = 0
    for step in _steps(record):
        if not step.fallback and type(limit) is int and step.number >= limit:
            said = message("documents.retry.too_many", number=step.number + 1, limit=limit)
            yield ("attempts", step.index), said


def _asked(record: Members) -> Iterator[Broken]:
    """Yield retries before the time that the provider asked for (RT-RTY-011)."""
    for step in _steps(record):
        if not step.fallback and step.asked is not None and (step.waited or 0) < step.asked:
            said = message(
                "documents.retry.too_soon", asked=_told(step.asked), waited=_told(step.waited or 0)
            )
            yield ("attempts", step.index, "waited_ms"), said


def _too_long(record: Members) -> Iterator[Broken]:
    """Yield retries at a provider that asked for more than `max_delay_ms` (RT-RTY-012)."""
    most = _number(_policy(record).get("max_delay_ms"))
    for step in _steps(record):
        if step.fallback or step.asked is None or most is None:
            continue
        if step.asked > most:
            said = message("documents.retry.too_long", asked=_told(step.asked), limit=_told(most))
            yield ("attempts", step.index), said


def _streamed(record: Members) -> Iterator[Broken]:
    """Yield retries after content was streamed (RT-RTY-013)."""
    for step in _steps(record):
        if step.streamed and not step.fallback:
            yield ("attempts", step.index), message("documents.retry.streamed")


def _fallback(record: Members) -> Iterator[Broken]:
    """Yield fallbacks after an error that is not fallbackable (RT-RTY-014)."""
    for step in _steps(record):
        name = step.name
        if step.fallback and name is not None and not RUNTIME_ERROR_NAME_FALLBACKABLE[name]:
            said = message("documents.retry.no_fallback", name=shown(name))
            yield ("attempts", step.index), said


def _fallback_streamed(record: Members) -> Iterator[Broken]:
    """Yield fallbacks after content was streamed (RT-RTY-015)."""
    for step in _steps(record):
        if step.streamed and step.fallback:
            said = message("documents.retry.fallback_streamed", provider=shown(step.provider))
            yield ("attempts", step.index, "provider"), said


def _returned(record: Members) -> Iterator[Broken]:
    """Yield fallbacks to a provider that was tried before (RT-RTY-016)."""
    for step in _steps(record):
        if step.returns:
            said = message("documents.retry.returned", provider=shown(step.provider))
            yield ("attempts", step.index, "provider"), said


RETRY_RULES: tuple[tuple[str, Rule], ...] = (
    ("RT-RTY-008", _waits),
    ("RT-RTY-009", _retried),
    ("RT-RTY-010", _most),
    ("RT-RTY-011", _asked),
    ("RT-RTY-012", _too_long),
    ("RT-RTY-013", _streamed),
    ("RT-RTY-014", _fallback),
    ("RT-RTY-015", _fallback_streamed),
    ("RT-RTY-016", _returned),
)
"""Each clause with the rule that serves it."""
