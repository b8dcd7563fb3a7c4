"""The calls that a gateway is tested with, and what the provider does in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import inf
from typing import Any, Final

from conformance.formats.provider.completion import Completion, ToolCall, Usage
from conformance.gateway.asked import ASKED, FORMED, OUTSIDE, TALK, TOOLS
from conformance.kit.cases.provider.model_calls import FAMILIES, Turns, model_call, pieces_of, says
from conformance.kit.cases.provider.turns import (
    Blocks,
    FailsInStream,
    Foreign,
    Layout,
    Leads,
    Redirects,
    Refuses,
    RefusesUntil,
    Says,
    Turn,
    Unreadable,
    Waits,
)
from conformance.kit.evidence.script import Send, Stage, Steps, Together, script
from conformance.kit.model.exchange import ModelCall
from conformance.kit.model.performance import Act, Barrier, End, Fin, Rst, Wait
from conformance.kit.model.run import Role
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.bindings import GATEWAYS
from conformance.kit.transport.gateway import GatewayBinding
from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName, TerminationReason

BESIDE: Final = 20
"""Calls that are made at the same time."""
CUT_CALL: Final = Completion(
    calls=(ToolCall("call_1", "get_weather", ('{"city":', ' "Monte')),),
    reason=TerminationReason.MAX_TOKENS,
)
"""An answer that the limit of tokens cuts inside the arguments of a call."""
_UNTIL: Final = 1.2
"""Seconds that an answer may wait for, to give a date."""
_NOTICED: Final = 1.0
"""Seconds in which a gateway notices that its client has left."""
ELSEWHERE: Final = "/elsewhere/"
"""Where no API of a provider is."""
LONGEST: Final = 10.0
"""Seconds of a declared limit that are waited for."""
USAGE: Final = Usage(input=31, output=17)
ARGUMENTS: Final = ('{"city":', ' "Montevideo"', "}")
ALL_FAIL, ALL_OVERLOADED, IN_STREAM = "all-fail", "all-overloaded", "streamed"
"""Steps of the fallback chain."""
ODD_REASON: Final = "model_was_tired"
ENDINGS: Final = ("no-reason", "fin", "rst", "error", "unreadable", "stall")
FOREIGN: Final[Mapping[str, Turn]] = {
    "html": Foreign(b"<html><body>Welcome</body></html>", "text/html"),
    "cut-json": Foreign(b'{"id": "x", "cho'),
    "empty": Foreign(b""),
    "no-answer": Foreign(b"{}"),
}
FOREIGN_STREAMS: Final[Mapping[str, Turn]] = {
    f"{name}-stream": FOREIGN[name] for name in ("html", "no-answer")
}
"""What is sent where a stream was asked for."""
SETTLE: Final = 0.5
"""Seconds in which a wrong retry would be seen."""


def _call(stage: Stage, entry: str, turns: Turns = says, **more: Any) -> ModelCall:
    binding = spoken(stage.binding, GatewayBinding)
    return model_call(binding, stage.declared, entry, turns, **more)


def _families(stage: Stage) -> tuple[ApiFamily, ...]:
    """The families whose providers are reached."""
    return tuple(ApiFamily(name) for name in stage.offered.families)


def _first(stage: Stage) -> ApiFamily:
    """The family on which all is tried that any one can show."""
    return _families(stage)[0]


def _played(name: str) -> Callable[[Callable[[Stage], Steps]], Callable[[Stage], Steps]]:
    """Mark a function as a script of gateways, under a name of its own."""
    return script(*GATEWAYS, fresh=True, role=Role.GATEWAY, name=name)


def _answer(nonce: str) -> Mapping[str, Turns]:
    """What a provider may say, for all ways in which a gateway has to hand it on."""
    pieces = pieces_of(nonce)
    calls = (
        ToolCall("call_1", "get_weather", ARGUMENTS),
        ToolCall("call_2", "get_weather", ('{"city": "Recife"}',)),
    )
    tools = Completion(pieces[:1], calls=calls, reason=TerminationReason.TOOL_USE, usage=USAGE)
    said: Mapping[str, Turn] = {
        "text": Says(Completion(pieces, usage=USAGE)),
        "tools": Says(tools),
        "thinking": Says(Completion(pieces, thinking=("Hm,", " well."), usage=USAGE)),
        "odd-reason": Says(Completion(pieces, raw_reason=ODD_REASON)),
        "cut-at-limit": Says(Completion(pieces, reason=TerminationReason.MAX_TOKENS)),
        "crlf": Says(Completion(pieces), Layout(line_end="\r\n", comments=True, bom=True)),
        "several-lines": Says(Completion(pieces), Layout(several_lines=True)),
        "split": Says(Completion(pieces), Layout(every=1)),
        "barrier": Says(Completion(pieces), then=(Barrier(nonce),)),
        "blocked": Blocks(Completion((), reason=TerminationReason.CONTENT_FILTER)),
        "cut-call": Says(CUT_CALL),
    }
    return {name: _always(turn) for name, turn in said.items()}


def _always(turn: Turn) -> Turns:
    return lambda _: (turn,)


STREAMED: Final = tuple(_answer(""))
WHOLE: Final = ("text", "tools", "thinking", "odd-reason", "cut-at-limit")
"""What says the same whether it is streamed or not."""


def _of(name: str) -> Turns:
    return lambda nonce: _answer(nonce)[name](nonce)


def _in_turn(stage: Stage, steps: Iterable[tuple[str, ApiFamily]], **more: Any) -> Steps:
    for name, family in steps:
        call = _call(stage, family.value, _of(name), **more)
        yield Send(call, Step(name, place=family.value))


@_played("gateway_streams")
def _streams(stage: Stage) -> Steps:
    yield from _in_turn(stage, product(STREAMED, _families(stage)), stream=True)
    counts = spoken(stage.binding, GatewayBinding).counts
    for family in _families(stage):
        call = _call(stage, family.value, _of("text"), stream=True, more=counts)
        yield Send(call, Step("usage", place=family.value))


def _alive(stage: Stage, family: ApiFamily, after: str) -> Send:
    """A call to a provider that works again."""
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
    """Many calls at the same time, half of them streamed; each provider waits for a moment."""

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


def _refusals(family: ApiFamily) -> Callable[[Stage], Steps]:
    @_played(f"gateway_refusals_{family.value}")
    def refusals(stage: Stage) -> Steps:
        if family not in _families(stage):
            return
        for error in RuntimeErrorName:
            call = _call(stage, family.value, _always(Refuses(error)))
            yield Send(call, Step(error.value, place=family.value))

    return refusals


_refusals_openai, _refusals_anthropic, _refusals_gemini = map(_refusals, FAMILIES)


def _breaks(ending: str, nonce: str) -> Turn:
    """A stream that breaks once the client has content, so that it is known to have some."""
    said = Completion(pieces_of(nonce))
    seen = Barrier(nonce)
    then: Mapping[str, tuple[Act, ...]] = {
        "no-reason": (seen, End()),
        "fin": (seen, Fin()),
        "rst": (seen, Rst()),
        "stall": (seen, Wait()),
    }
    if ending == "error":
        return FailsInStream(said, RuntimeErrorName.OVERLOADED)
    if ending == "unreadable":
        return Unreadable(said, before=(seen,))
    return Says(said, then=then[ending], rest=False)


def _declares(stage: Stage, timeout: str) -> bool:
    """Whether there is an end to wait for: without a declared timeout, any silence is right."""
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
                return (_breaks(ending, nonce),)

            call = _call(stage, family.value, turns, stream=True, settle=SETTLE)
            yield Send(call, Step(ending, place=family.value))
            yield _alive(stage, family, ending)

    return breaks


_breaks_openai, _breaks_anthropic, _breaks_gemini = map(_endings, FAMILIES)


@_played("gateway_foreign")
def _foreign(stage: Stage) -> Steps:
    family = _first(stage)
    for name, turn in FOREIGN.items():
        yield Send(_call(stage, family.value, _always(turn)), Step(name, place=family.value))
        yield _alive(stage, family, name)
    for name, turn in FOREIGN_STREAMS.items():
        call = _call(stage, family.value, _always(turn), stream=True)
        yield Send(call, Step(name, place=family.value))


@_played("gateway_silence")
def _silence(stage: Stage) -> Steps:
    if _declares(stage, "first_byte_ms"):
        silent = _call(stage, _first(stage).value, _always(Leads((Wait(),))))
        yield Send(silent, Step("silent", place=_first(stage).value))


def _first_byte(stage: Stage) -> float:
    """Seconds for which a gateway waits for an answer; endless if it does not declare any."""
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
    call = _call(stage, _first(stage).value, _always(asks_long), settle=SETTLE)
    yield Send(call, Step("retry-after-long", place=_first(stage).value))
    if "jitter" in stage.declared.get("retry", {}):
        yield Together(
            tuple(
                Send(
                    _call(stage, _first(stage).value, lambda nonce: (limited, *says(nonce))),
                    Step("jitter", place=_first(stage).value, number=n),
                )
                for n in range(1, BESIDE + 1)
            )
        )


def wait_of(declared: Mapping[str, Any]) -> float | None:
    """Seconds after which each attempt is refused, so that the retries pass the limit of a call.

    None where no limit is declared, or the declared retries never reach it.
    """
    timeouts, retry = declared.get("timeouts", {}), declared.get("retry", {})
    total = timeouts.get("total_ms", inf) / 1000
    wait = min(0.6 * total, 0.8 * timeouts.get("first_byte_ms", inf) / 1000)
    retries: int = retry.get("max_retries", 0)
    passes = total <= LONGEST and wait * (1 + retries) > total
    return wait if passes and "overloaded" in retry.get("retryable_errors", ()) else None


@_played("gateway_deadline")
def _deadline(stage: Stage) -> Steps:
    wait = wait_of(stage.declared)
    if wait is not None:
        late = Waits(Wait(wait), Refuses(RuntimeErrorName.OVERLOADED))
        call = _call(stage, _first(stage).value, _always(late), settle=SETTLE)
        yield Send(call, Step("deadline", place=_first(stage).value))


@_played("gateway_fallback")
def _fallback(stage: Stage) -> Steps:
    """Each error at the first provider; then an error at all of them."""
    order = stage.declared.get("fallback", {}).get("order", ())
    if not order:
        return
    elsewhere: Mapping[ApiFamily, Turns] = {ApiFamily(order[-1]): says}
    for error in RuntimeErrorName:
        call = _call(stage, "chain", _always(Refuses(error)), elsewhere=elsewhere)
        yield Send(call, Step(error.value))
    refused = _always(Refuses(RuntimeErrorName.AUTHENTICATION))
    streamed = _call(stage, "chain", refused, elsewhere=elsewhere, stream=True)
    yield Send(streamed, Step(IN_STREAM))
    yield Send(_call(stage, "chain", refused), Step(ALL_FAIL))
    overloaded = _always(Refuses(RuntimeErrorName.OVERLOADED))
    yield Send(_call(stage, "chain", overloaded), Step(ALL_OVERLOADED))
    whole = {**ASKED, **TALK}
    mapped = _call(stage, "chain", refused, elsewhere=elsewhere, more=whole)
    yield Send(mapped, Step("mapped"))


@_played("gateway_leaves")
def _leaves(stage: Stage) -> Steps:
    def stalls(nonce: str) -> tuple[Turn, ...]:
        return (Says(Completion(pieces_of(nonce)), then=(Wait(),), rest=False),)

    family = _first(stage).value
    streaming = _call(stage, family, stalls, stream=True, leave="content", settle=SETTLE)
    yield Send(streaming, Step("in-stream", place=family))
    waiting = _call(stage, family, _always(Leads((Wait(),))), leave="request", settle=SETTLE)
    yield Send(waiting, Step("before-answer", place=family))
    late = _always(Waits(Wait(_NOTICED), Refuses(RuntimeErrorName.OVERLOADED)))
    delay: float = (stage.declared.get("retry") or {}).get("initial_delay_ms", 0) / 1000
    settle = SETTLE + min(delay, _UNTIL)
    refused = _call(stage, family, late, leave="request", settle=settle)
    yield Send(refused, Step("before-refusal", place=family))
