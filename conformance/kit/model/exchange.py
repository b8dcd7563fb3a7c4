"""What was sent and what came back, as data: every judgement rests on these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.kit.model.case import Case


class Transport(StrEnum):
    """How a request travels."""

    HTTP = "http"
    STDIO = "stdio"


class Trouble(StrEnum):
    """Why there is no whole answer."""

    TIMEOUT = "timeout"
    """Nothing, or not all, within the request timeout."""
    CLOSED = "closed"
    """The connection or the process ended before the answer did."""
    REFUSED = "refused"
    """No connection could be made."""
    TOO_LARGE = "too_large"
    """More than the cap; what was read is kept."""
    GARBLED = "garbled"
    """Not what the transport's rules allow: bad HTTP, bad compression."""
    REDIRECTED = "redirected"
    """A redirect to another host; not followed."""


SHORT = 16 * 1024
"""Bytes of a body that may be kept as values, too: nearly all answers to calls are shorter."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to send.

    HTTP: `method`, `url`, `headers` and `body`. stdio: `body` is one line without its end.
    `answer_to` is the JSON-RPC id of the message that ends the answer; None where none is
    expected: over stdio the reader then waits for `settle` seconds only, and so it does for what
    comes on a stream that a GET opened.
    """

    transport: Transport
    body: bytes = b""
    method: str = ""
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    answer_to: int | str | None = None
    settle: float = 0.2
    any_answer: bool = False
    """stdio: the first message of any id ends the answer (for malformed requests)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `status` is 0 over stdio. `body` holds the raw bytes (stdio: the lines).

    `messages` are the JSON-RPC messages of an SSE stream or of stdout, in order, decoded; empty of
    a long answer that came alone: as values it takes ten times as much memory as in `body`.
    `noise` are lines on stdout that are no JSON-RPC message (stdio only).
    """

    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    messages: tuple[Any, ...] = ()
    noise: tuple[str, ...] = ()

    def header(self, name: str) -> str | None:
        """The first value of a header, by its case-insensitive name; None if there is none."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer or trouble. `started` is seconds since the session began.

    `case` is set for a tool call, `script` and `step` for one of a script's. `confirms` is the id
    of the exchange that this one repeats, alone, or that it asks again with a simpler call.
    """

    id: int
    run: str
    request: Request
    answer: Answer | None
    trouble: Trouble | None
    started: float
    elapsed: float
    case: Case | None = None
    script: str | None = None
    step: str | None = None
    confirms: int | None = None
    trouble_detail: str = ""
