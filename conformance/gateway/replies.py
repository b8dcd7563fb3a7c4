"""The provider's replies in the calls that test a gateway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.formats.provider.completion import Completion, ToolCall, Usage
from conformance.kit.cases.provider.model_calls import Turns, mark_of, pieces_of
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
"""An answer that the token limit cuts inside the arguments of a tool call."""
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
"""Foreign replies to a call that asked for a stream."""


def always(turn: Turn) -> Turns:
    """Return the same turn for every call and every nonce."""
    return lambda _: (turn,)


def answers(nonce: str) -> Mapping[str, Turns]:
    """Return the provider's answers by name; a gateway has to forward each of them correctly."""
    pieces = pieces_of(nonce)
    calls = (
        ToolCall("call_1", "get_weather", ARGUMENTS),
        ToolCall("call_2", "get_weather", ('{"city": "Recife"}',)),
    )
    word, why = (mark_of(nonce),), TerminationReason.TOOL_USE
    tools = Completion(word, calls=calls, reason=why, usage=USAGE)
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
    """Return a stream that breaks only after the client has received content."""
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
