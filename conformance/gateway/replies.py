"""What the provider replies in the calls that a gateway is tested with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.formats.provider.completion import Completion, ToolCall, Usage
from conformance.kit.cases.provider.model_calls import Turns, pieces_of
from conformance.kit.cases.provider.turns import (
    Blocks,
    FailsInStream,
    Foreign,
    Layout,
    Says,
    Turn,
    Unreadable,
)
from conformance.kit.model.performance import Act, Barrier, End, Fin, Rst, Wait
from conformance.spec.vocabulary import RuntimeErrorName, TerminationReason

CUT_CALL: Final = Completion(
    calls=(ToolCall("call_1", "get_weather", ('{"city":', ' "Monte')),),
    reason=TerminationReason.MAX_TOKENS,
)
"""An answer that the limit of tokens cuts inside the arguments of a call."""
USAGE: Final = Usage(input=31, output=17)
ARGUMENTS: Final = ('{"city":', ' "Montevideo"', "}")
ODD_REASON: Final = "model_was_tired"
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


def always(turn: Turn) -> Turns:
    """The same in each call, whatever its nonce is."""
    return lambda _: (turn,)


def answers(nonce: str) -> Mapping[str, Turns]:
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
    return {name: always(turn) for name, turn in said.items()}


def broken_stream(ending: str, nonce: str) -> Turn:
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


STREAMED: Final = tuple(answers(""))
