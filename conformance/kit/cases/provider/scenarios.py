"""The named scenarios of the fake provider: what it does at the first attempt, the second, …"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from conformance.formats.provider.completion import Completion, Face, ToolCall, Usage
from conformance.kit.cases.provider.turns import (
    Blocks,
    FailsInStream,
    Foreign,
    Layout,
    Leads,
    Refuses,
    Says,
    Scene,
    Turn,
    Unreadable,
    Waits,
)
from conformance.kit.model.performance import Act, End, Fin, Rst, Wait
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import RuntimeErrorName, TerminationReason


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script for the attempts of one call. The last turn also answers all later attempts."""

    name: str
    about: Message
    turns: tuple[Turn, ...]

    def acts(self, attempt: int, scene: Scene) -> Iterable[Act]:
        """Return what is done in answer to an attempt. The first is number 1."""
        return self.turns[min(attempt, len(self.turns)) - 1].acts(scene)


def turns_over(scenario: Scenario, attempt: int) -> bool:
    """Return whether the scenario has played its last turn."""
    return attempt >= len(scenario.turns)


HELLO: Final = Completion(("Hello", " from the", " fake provider."))
CALLS: Final = Completion(
    pieces=("I look it up.",),
    calls=(
        ToolCall("call_1", "get_weather", ('{"city":', ' "Montevideo"', "}")),
        ToolCall("call_2", "get_weather", ('{"city":', ' "Recife"', "}")),
    ),
    reason=TerminationReason.TOOL_USE,
)
_ERRORS: Final = RuntimeErrorName
_FLAKY: Final = {
    429: _ERRORS.RATE_LIMITED,
    500: _ERRORS.SERVER_ERROR,
    503: _ERRORS.OVERLOADED,
    504: _ERRORS.TIMEOUT,
}
_SAID: Final = Says(HELLO)


def _scenarios() -> list[Scenario]:
    thinking = Completion(("The answer is 4.",), thinking=("Two and", " two."))
    made = [
        _scenario("text", (_SAID,)),
        _scenario("tool-calls", (Says(CALLS),)),
        _scenario("thinking", (Says(thinking),)),
        _scenario("slow", (Says(HELLO, pause=0.3),)),
    ]
    for status, error in _FLAKY.items():
        for times in (1, 2, 3):
            said = message(f"provider.scenario.flaky-{times}", status=status)
            turns: tuple[Turn, ...] = (*([Refuses(error)] * times), _SAID)
            made.append(Scenario(f"flaky-{status}-{times}", said, turns))
    for error in RuntimeErrorName:
        said = message("provider.scenario.error", error=error.value)
        made.append(Scenario(f"error-{error.value}", said, (Refuses(error),)))
    asks = Refuses(_ERRORS.RATE_LIMITED, {"retry-after": "2"})
    asks_long = Refuses(_ERRORS.RATE_LIMITED, {"retry-after": "3600"})
    made += [
        _scenario("retry-after", (asks, _SAID)),
        _scenario("retry-after-long", (asks_long,)),
    ]
    return [*made, *_broken_streams(), *_unusual_streams(), *_foreign()]


def _scenario(name: str, turns: tuple[Turn, ...]) -> Scenario:
    return Scenario(name, message(f"provider.scenario.{name}"), turns)


def _broken_streams() -> list[Scenario]:
    ends: tuple[tuple[str, tuple[Act, ...]], ...] = (
        ("stall", (Wait(),)),
        ("cut-no-reason", (End(),)),
        ("cut-fin", (Fin(),)),
        ("cut-rst", (Wait(0.05), Rst())),
    )
    made = [_scenario(name, (Says(HELLO, then=then, rest=False),)) for name, then in ends]
    fails = FailsInStream(HELLO, _ERRORS.OVERLOADED)
    return [
        _scenario("silent", (Leads((Wait(),)),)),
        *made,
        _scenario("unreadable-frame", (Unreadable(HELLO),)),
        _scenario("error-in-stream", (fails,)),
        _scenario("closed-first-1", (Leads((Fin(),)), _SAID)),
    ]  # fmt: skip


def _unusual_streams() -> list[Scenario]:
    odd = Completion(HELLO.pieces, raw_reason="model_was_tired")
    filtered = Completion((), reason=TerminationReason.CONTENT_FILTER)
    long = Completion(HELLO.pieces, reason=TerminationReason.MAX_TOKENS, usage=Usage(12, 3))
    layout = Layout(line_end="\r\n", comments=True, bom=True, several_lines=True)
    return [
        _scenario("split-bytes", (Says(HELLO, Layout(every=1)),)),
        _scenario("odd-sse", (Says(HELLO, layout),)),
        _scenario("unknown-reason", (Says(odd),)),
        _scenario("max-tokens", (Says(long),)),
        _scenario("blocked-prompt", (Blocks(filtered),)),
        _scenario("slow-start", (Waits(Wait(2), _SAID),)),
    ]


def _foreign() -> list[Scenario]:
    html = Foreign(b"<html><body>Welcome to the Wi-Fi</body></html>", "text/html")
    return [
        _scenario("html-200", (html,)),
        _scenario("cut-json-200", (Foreign(b'{"id": '),)),
        _scenario("empty-200", (Foreign(b""),)),
        _scenario("no-choice-200", (Foreign(b"{}"),)),
        _scenario("html-502", (Foreign(b"<h1>Bad Gateway</h1>", "text/html", 502),)),
    ]  # fmt: skip


SCENARIOS: Final[Mapping[str, Scenario]] = {each.name: each for each in _scenarios()}
"""All named scenarios, in the order in which they are shown."""


_MOST_CALLS: Final = 10_000
"""The most calls whose attempts are counted at the same time."""


class Attempts:
    """Counts the attempts of each call: requests with the same face, model and user message.

    The next such request after the last turn starts the scenario again. So does one that comes
    after very many other calls.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._count: OrderedDict[bytes, int] = OrderedDict()

    def next(self, face: Face, scene: Scene) -> int:
        """Return the number of this attempt, from 1."""
        said = "\0".join((face.name, scene.asked.model, scene.asked.user))
        call = sha256(said.encode("utf-8", "surrogatepass")).digest()
        number = self._count.pop(call, 0) + 1
        if not turns_over(self._scenario, number):
            self._count[call] = number
        if len(self._count) > _MOST_CALLS:
            self._count.popitem(last=False)
        return number
