"""The calls that test a gateway, and what the provider does in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import product
from math import inf
from typing import Any, Final

from conformance.formats.provider.completion import Completion
from conformance.gateway.asked import ASKED, FORMED, OUTSIDE, TALK, TOOLS
from conformance.gateway.replies import (
    FOREIGN,
    FOREIGN_STREAMS,
    STREAMED,
    always,
    answers,
    broken_stream,
)
from conformance.gateway.timeline import closed_late, gaps, may_be_late, most_retries
from conformance.kit.cases.provider.model_calls import FAMILIES, Turns, model_call, pieces_of, says
from conformance.kit.cases.provider.turns import (
    Leads,
    Redirects,
    Refuses,
    RefusesUntil,
    Says,
    Turn,
    Waits,
)
from conformance.kit.evidence.script import Send, Stage, Steps, Together, script
from conformance.kit.model.exchange import Exchange, ModelCall
from conformance.kit.model.performance import Wait
from conformance.kit.model.run import Role
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.bindings import GATEWAYS
from conformance.kit.transport.gateway import GatewayBinding
from conformance.spec.vocabulary import (
    RUNTIME_ERROR_NAME_FALLBACKABLE,
    RUNTIME_ERROR_NAME_RETRYABLE,
    ApiFamily,
    RuntimeErrorName,
)

BESIDE: Final = 20
"""How many calls are made at the same time."""
_UNTIL: Final = 1.2
"""Upper limit, in seconds, of the provider's delay before a date, and of an awaited retry delay."""
_TRIES: Final = 2
"""How often a call is repeated if it was late."""
_ALONE: Final = 6
"""The most single calls that are made to see jitter."""
_NOTICED: Final = 1.0
"""Seconds in which a gateway has to notice that its client has left."""
ELSEWHERE: Final = "/elsewhere/"
"""A path that belongs to no provider's API."""
LONGEST: Final = 10.0
"""The longest declared limit, in seconds, that the kit waits for."""
ALL_FAIL, ALL_OVERLOADED, IN_STREAM = "all-fail", "all-overloaded", "streamed"
"""Steps of the script about fallback."""
ENDINGS: Final = ("no-reason", "fin", "rst", "error", "unreadable", "stall")
SETTLE: Final = 0.5
"""Seconds after a call in which a wrong retry would be seen."""


def _call(stage: Stage, entry: str, turns: Turns = says, **more: Any) -> ModelCall:
    binding = spoken(stage.binding, GatewayBinding)
    return model_call(binding, stage.declared, entry, turns, **more)


def _families(stage: Stage) -> tuple[ApiFamily, ...]:
    """Return the API families whose providers the gateway reaches."""
    return tuple(ApiFamily(name) for name in stage.offered.families)


def _first(stage: Stage) -> ApiFamily:
    """Return the API family for tests that need only one."""
    return _families(stage)[0]


def _played(name: str) -> Callable[[Callable[[Stage], Steps]], Callable[[Stage], Steps]]:
    """Mark a function as a script for gateways, with this name."""
    return script(*GATEWAYS, fresh=True, role=Role.GATEWAY, name=name)


WHOLE: Final = ("text", "tools", "thinking", "odd-reason", "cut-at-limit")
"""Answers with the same content, streamed or not."""


def _of(name: str) -> Turns:
    return lambda nonce: answers(nonce)[name](nonce)


def _in_turn(stage: Stage, steps: Iterable[tuple[str, ApiFamily]], **more: Any) -> Steps:
    for name, family in steps:

        def made(name: str = name, family: ApiFamily = family) -> ModelCall:
            return _call(stage, family.value, _of(name), **more)

        yield from in_time(stage, made, Step(name, place=family.value), once=True)


@_played("gateway_streams")
def _streams(stage: Stage) -> Steps:
    yield from _in_turn(stage, product(STREAMED, _families(stage)), stream=True)
    counts = spoken(stage.binding, GatewayBinding).counts
    for family in _families(stage):
        call = _call(stage, family.value, _of("text"), stream=True, more=counts)
        yield Send(call, Step("usage", place=family.value))


def _alive(stage: Stage, family: ApiFamily, after: str) -> Send:
    """Return a call to a provider that works again."""
    step = Step(after, place=family.value, mark=Mark.ALIVE)
    return Send(_call(stage, family.value), step)


@_played("gateway_answers")
def _answers(stage: Stage) -> Steps:
    yield from _in_turn(stage, product((*WHOLE, "blocked"), _families(stage)))


@_played("gateway_parameters")
def _parameters(stage: Stage) -> Steps:
    for family in _families(stage):
        yield Send(_call(stage, family.value, more=ASKED), Step("inside", place=family.value))
    for name, wrong in OUTSIDE.items():
        yield Send(_call(stage, _first(stage).value, more=wrong), Step(name))


@_played("gateway_tools")
def _tools(stage: Stage) -> Steps:
    asked: Mapping[str, Mapping[str, Any]] = {
        "tools": {"tools": TOOLS, "tool_choice": "required"},
        "form": {"response_format": FORMED},
        "results": TALK,
    }
    for (name, more), family in product(asked.items(), _families(stage)):
        yield Send(_call(stage, family.value, more=more), Step(name, place=family.value))


@_played("gateway_redirects")
def _redirects(stage: Stage) -> Steps:
    def sent_away(nonce: str) -> tuple[Turn, ...]:
        return (Redirects(f"{ELSEWHERE}{nonce}"),)

    for family in _families(stage):
        call = _call(stage, family.value, sent_away)
        yield Send(call, Step("redirect", place=family.value))


@_played("gateway_beside")
def _beside(stage: Stage) -> Steps:
    """Make many calls at the same time, half of them streamed.

    The provider delays each answer a little.
    """

    def later(nonce: str) -> tuple[Turn, ...]:
        return tuple(Waits(Wait(0.2), turn) for turn in says(nonce))

    family = _first(stage).value
    yield Together(
        tuple(
            Send(
                _call(stage, family, later, stream=n % 2 == 0, more={"max_tokens": 64}),
                Step("beside", place=family, number=n),
            )
            for n in range(1, BESIDE + 1)
        )
    )


def in_time(stage: Stage, made: Callable[[], ModelCall], step: Step, *, once: bool) -> Steps:
    """Make a call that the provider answers without a delay; repeat it if it is late anyway."""
    return _while(lambda exchange: may_be_late(stage.declared, exchange, once=once), made, step)


def left(made: Callable[[], ModelCall], step: Step) -> Steps:
    """Make a call that the client leaves; repeat it if the gateway continues for too long."""
    return _while(closed_late, made, step)


def _while(late: Callable[[Exchange], bool], made: Callable[[], ModelCall], step: Step) -> Steps:
    exchange: Exchange | None = yield Send(made(), step)
    for _ in range(_TRIES):
        # There is no answer if the script is only listed.
        if exchange is None or not late(exchange):
            return
        exchange = yield Send(made(), replace(step, mark=Mark.AGAIN))


def _refusals(family: ApiFamily) -> Callable[[Stage], Steps]:
    @_played(f"gateway_refusals_{family.value}")
    def refusals(stage: Stage) -> Steps:
        if family not in _families(stage):
            return
        for error in RuntimeErrorName:

            def made(error: RuntimeErrorName = error) -> ModelCall:
                return _call(stage, family.value, always(Refuses(error)))

            step = Step(error.value, place=family.value)
            once = not RUNTIME_ERROR_NAME_RETRYABLE[error]
            yield from in_time(stage, made, step, once=once)

    return refusals


_refusals_openai, _refusals_anthropic, _refusals_gemini = map(_refusals, FAMILIES)


def _declares(stage: Stage, timeout: str) -> bool:
    """Return whether a timeout is declared. Without one, a gateway may be silent forever."""
    timeouts = stage.declared.get("timeouts")
    return isinstance(timeouts, dict) and bool(timeouts.get(timeout))


def _endings(family: ApiFamily) -> Callable[[Stage], Steps]:
    @_played(f"gateway_breaks_{family.value}")
    def breaks(stage: Stage) -> Steps:
        if family not in _families(stage):
            return
        for ending in ENDINGS:
            if ending == "stall" and not _declares(stage, "stall_ms"):
                continue

            def turns(nonce: str, ending: str = ending) -> tuple[Turn, ...]:
                return (broken_stream(ending, nonce),)

            call = _call(stage, family.value, turns, stream=True, settle=SETTLE)
            yield Send(call, Step(ending, place=family.value))
            yield _alive(stage, family, ending)

    return breaks


_breaks_openai, _breaks_anthropic, _breaks_gemini = map(_endings, FAMILIES)


@_played("gateway_foreign")
def _foreign(stage: Stage) -> Steps:
    family = _first(stage)
    for name, turn in FOREIGN.items():

        def made(turn: Turn = turn) -> ModelCall:
            return _call(stage, family.value, always(turn))

        yield from in_time(stage, made, Step(name, place=family.value), once=False)
        yield _alive(stage, family, name)
    for name, turn in FOREIGN_STREAMS.items():

        def streamed(turn: Turn = turn) -> ModelCall:
            return _call(stage, family.value, always(turn), stream=True)

        yield from in_time(stage, streamed, Step(name, place=family.value), once=False)


@_played("gateway_silence")
def _silence(stage: Stage) -> Steps:
    if _declares(stage, "first_byte_ms"):
        silent = _call(stage, _first(stage).value, always(Leads((Wait(),))))
        yield Send(silent, Step("silent", place=_first(stage).value))


def _first_byte(stage: Stage) -> float:
    """Return how many seconds a gateway waits for an answer; infinity if undeclared."""
    timeouts = stage.declared.get("timeouts") or {}
    declared: float = timeouts.get("first_byte_ms", inf)
    return declared / 1000


@_played("gateway_retries")
def _retries(stage: Stage) -> Steps:
    limited = Refuses(RuntimeErrorName.RATE_LIMITED)
    asks = Refuses(RuntimeErrorName.RATE_LIMITED, {"retry-after": "1"})
    asks_long = Refuses(RuntimeErrorName.RATE_LIMITED, {"retry-after": "3600"})
    before: Mapping[str, tuple[Turn, ...]] = {"flaky": (limited,), "retry-after": (asks,)}
    for name, turns in before.items():

        def flaky(nonce: str, turns: tuple[Turn, ...] = turns) -> tuple[Turn, ...]:
            return (*turns, *says(nonce))

        for streamed in (False, True):
            kind = f"{name}-stream" if streamed else name
            call = _call(stage, _first(stage).value, flaky, stream=streamed)
            yield Send(call, Step(kind, place=_first(stage).value))
    if _first_byte(stage) > _UNTIL:

        def until(nonce: str) -> tuple[Turn, ...]:
            return (RefusesUntil(RuntimeErrorName.RATE_LIMITED), *says(nonce))

        dated = _call(stage, _first(stage).value, until)
        yield Send(dated, Step("retry-after-date", place=_first(stage).value))
    call = _call(stage, _first(stage).value, always(asks_long), settle=SETTLE)
    yield Send(call, Step("retry-after-long", place=_first(stage).value))
    retry = stage.declared.get("retry") or {}
    if "jitter" in retry and retry.get("initial_delay_ms"):  # without a delay, jitter has no effect
        yield Together(
            tuple(
                Send(
                    _call(stage, _first(stage).value, lambda nonce: (limited, *says(nonce))),
                    Step("jitter", place=_first(stage).value, number=n),
                )
                for n in range(1, BESIDE + 1)
            )
        )
        yield from _alone(stage, limited)


def _alone(stage: Stage, limited: Turn) -> Steps:
    """Make the same calls one at a time, until one shows jitter. Concurrent calls are all late."""
    family = _first(stage).value
    delay: float = stage.declared["retry"]["initial_delay_ms"] / 1000
    for n in range(1, _ALONE + 1):
        call = _call(stage, family, lambda nonce: (limited, *says(nonce)))
        exchange = yield Send(call, Step("jitter", place=family, number=n, mark=Mark.ALONE))
        if min(gaps(exchange), default=0.0) < delay:
            return


def wait_of(declared: Mapping[str, Any]) -> float | None:
    """Return the delay of each refusal, in seconds, with which retries exceed a call's limit.

    None if no limit is declared, or the declared retries never reach it.
    """
    timeouts, retry = declared.get("timeouts", {}), declared.get("retry", {})
    total = timeouts.get("total_ms", inf) / 1000
    wait = min(0.6 * total, 0.8 * timeouts.get("first_byte_ms", inf) / 1000)
    passes = total <= LONGEST and wait * (1 + most_retries(retry)) > total
    return wait if passes and "overloaded" in retry.get("retryable_errors", ()) else None


@_played("gateway_deadline")
def _deadline(stage: Stage) -> Steps:
    wait = wait_of(stage.declared)
    if wait is not None:
        late = Waits(Wait(wait), Refuses(RuntimeErrorName.OVERLOADED))
        call = _call(stage, _first(stage).value, always(late), settle=SETTLE)
        yield Send(call, Step("deadline", place=_first(stage).value))


@_played("gateway_fallback")
def _fallback(stage: Stage) -> Steps:
    """Fail the first provider with each error; then fail all providers."""
    order = stage.declared.get("fallback", {}).get("order", ())
    if not order:
        return
    elsewhere: Mapping[ApiFamily, Turns] = {ApiFamily(order[-1]): says}
    for error in RuntimeErrorName:

        def made(error: RuntimeErrorName = error) -> ModelCall:
            return _call(stage, "chain", always(Refuses(error)), elsewhere=elsewhere)

        once = not RUNTIME_ERROR_NAME_FALLBACKABLE[error]
        yield from in_time(stage, made, Step(error.value), once=once)
    refused = always(Refuses(RuntimeErrorName.AUTHENTICATION))
    streamed = _call(stage, "chain", refused, elsewhere=elsewhere, stream=True)
    yield Send(streamed, Step(IN_STREAM))
    yield Send(_call(stage, "chain", refused), Step(ALL_FAIL))
    overloaded = always(Refuses(RuntimeErrorName.OVERLOADED))
    yield Send(_call(stage, "chain", overloaded), Step(ALL_OVERLOADED))
    whole = {**ASKED, **TALK}
    mapped = _call(stage, "chain", refused, elsewhere=elsewhere, more=whole)
    yield Send(mapped, Step("mapped"))


@_played("gateway_leaves")
def _leaves(stage: Stage) -> Steps:
    def stalls(nonce: str) -> tuple[Turn, ...]:
        return (Says(Completion(pieces_of(nonce)), then=(Wait(),), rest=False),)

    family = _first(stage).value

    def streaming() -> ModelCall:
        return _call(stage, family, stalls, stream=True, leave="content", settle=SETTLE)

    def waiting() -> ModelCall:
        return _call(stage, family, always(Leads((Wait(),))), leave="request", settle=SETTLE)

    yield from left(streaming, Step("in-stream", place=family))
    yield from left(waiting, Step("before-answer", place=family))
    late = always(Waits(Wait(_NOTICED), Refuses(RuntimeErrorName.OVERLOADED)))
    delay: float = (stage.declared.get("retry") or {}).get("initial_delay_ms", 0) / 1000
    settle = SETTLE + min(delay, _UNTIL)
    refused = _call(stage, family, late, leave="request", settle=settle)
    yield Send(refused, Step("before-refusal", place=family))
