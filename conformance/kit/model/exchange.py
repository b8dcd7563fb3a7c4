"""What was sent and what came back, as data. All verdicts depend on these alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from conformance.kit.model.case import Case
from conformance.kit.model.performance import HEADER, Moment, Performance
from conformance.kit.model.step import Taken
from conformance.kit.model.written import LONG, Body, Foreign, Form, Seconds, Values


class Trouble(StrEnum):
    """Why there is no complete answer."""

    TIMEOUT = "timeout"
    """The answer was not complete within the request timeout."""
    CLOSED = "closed"
    """The connection or the process ended before the answer did."""
    REFUSED = "refused"
    """No connection could be made."""
    TOO_LARGE = "too_large"
    """The answer was longer than the limit. What was read is kept."""
    GARBLED = "garbled"
    """The answer breaks the rules of the transport: bad HTTP, bad compression."""
    REDIRECTED = "redirected"
    """A redirect to another host, which was not followed."""


_TEXT, _WIDE_TEXT, _VALUE = 3, 9, 64
"""Bytes of memory for a byte of JSON, also in a wide text, and for each value in it: a list of
three bytes takes 72.
"""
_WIDE = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")
"""The beginning of a character of four bytes in UTF-8, or of its escape in JSON."""


def is_wide(body: bytes) -> bool:
    """Return whether a body has a wide character, such as an emoji.

    For a text with one, Python takes four bytes of memory for each character.
    """
    return _WIDE.search(body) is not None


def weight(body: bytes) -> int:
    """Estimate the bytes that a body takes in memory after it is parsed as JSON."""
    values = body.count(b",") + body.count(b"[") + body.count(b"{") + body.count(b":")
    return (_WIDE_TEXT if is_wide(body) else _TEXT) * len(body) + _VALUE * values


def _held(values: tuple[Any, ...]) -> int:
    """Estimate the bytes that some values take in memory."""
    waiting, found = list(values), 0
    while waiting:
        value = waiting.pop()
        found += _VALUE
        if isinstance(value, str):
            found += len(value)
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
    return found


SHORT = LONG
"""The most bytes of a body that is also kept as parsed values. Nearly all answers are shorter."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request over HTTP. `answer_to` is its JSON-RPC id, or None.

    A stream that a GET opened stays open; it is read for `settle` seconds. With `any_answer`, any
    other stream ends with its first message, as the id of a malformed request is unknown.
    """

    method: Foreign = ""
    url: Foreign = ""
    headers: tuple[tuple[Foreign, Foreign], ...] = ()
    body: Body = b""
    answer_to: int | str | None = None
    settle: Seconds = 0.2
    any_answer: bool = False
    transport: Literal["http", "gateway"] = "http"
    over_http: ClassVar[bool] = True
    """Whether the answer has a status and headers."""

    def with_headers(self, more: tuple[tuple[str, str], ...]) -> Self:
        """Return a copy with these headers, which replace those of the same names."""
        names = {name.lower() for name, _ in more}
        kept = tuple(each for each in self.headers if each[0].lower() not in names)
        return replace(self, headers=(*kept, *more))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is sent, because the step only opened or closed a connection."""
        return not self.method

    @property
    def is_rpc(self) -> bool:
        """Whether the answer is a JSON-RPC message."""
        return self.answer_to is not None


@dataclass(frozen=True, slots=True)
class StdioRequest:
    """A line for the standard input of a process: a message in `body`, without the newline.

    `answer_to` is the id of the message that ends the answer. Without one, the reader waits for
    `settle` seconds, or with `any_answer` until the first message.
    """

    body: Body = b""
    answer_to: int | str | None = None
    settle: Seconds = 0.2
    any_answer: bool = False
    transport: Literal["stdio"] = "stdio"
    over_http: ClassVar[bool] = False
    headers: ClassVar[tuple[tuple[str, str], ...]] = ()

    def with_headers(self, _: tuple[tuple[str, str], ...]) -> Self:
        """Return the request itself: a line has no headers."""
        return self

    @property
    def is_empty(self) -> bool:
        """Whether nothing is sent, because the step only opened or closed a connection."""
        return not self.body

    @property
    def is_rpc(self) -> bool:
        """Whether the answer is a JSON-RPC message: nothing else is allowed on standard output."""
        return True


@dataclass(frozen=True, slots=True)
class ModelCall(HttpRequest):
    """A model call through a gateway, for which the kit also plays the provider.

    Every request at the provider with this `nonce` belongs to this call. `mark` is the text at the
    beginning of its content. `leave` says when the client closes its connection: at its first
    `content`, or when the provider has the `request`. Both ends are watched for `settle` seconds
    after the answer. The `performance` is not recorded, because the timeline shows what was done.
    """

    nonce: str = ""
    mark: str = ""
    leave: Literal["", "content", "request"] = ""
    performance: Annotated[Performance | None, Form(lambda _, __: None, lambda _: None)] = None
    transport: Literal["gateway"] = "gateway"


Request = HttpRequest | StdioRequest | ModelCall
"""Something to send. `transport` names its type in recorded files."""


def beside_body(request: Request) -> int:
    """Return the characters of the address and the headers of a request, which may be long."""
    address = len(request.url) if isinstance(request, HttpRequest) else 0
    return address + sum(len(name) + len(value) for name, value in request.headers)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `status` is 0 over stdio. `body` holds the raw bytes (stdio: the lines).

    `messages` are the decoded JSON-RPC messages of an SSE stream or of stdout, in order. They are
    empty for a single long answer, because parsed values take ten times the memory. `noise` are
    lines on stdout that are not JSON-RPC messages (stdio only). `late` are answers to earlier
    requests that had timed out (stdio only).
    """

    status: int = 0
    headers: tuple[tuple[Foreign, Foreign], ...] = ()
    body: Body = b""
    messages: Values = ()
    noise: tuple[Foreign, ...] = ()
    late: Values = ()

    @property
    def weight(self) -> int:
        """The estimated bytes that it takes in memory, with its body as bytes and as values."""
        return weight(self.body) * (2 if self.messages else 1) + self.beside

    @property
    def beside(self) -> int:
        """The estimated bytes that it takes in memory without its body."""
        found = sum(HEADER + len(name) + len(value) for name, value in self.headers)
        found += sum(map(len, self.noise))
        if self.late or not (self.status or len(self.messages) == 1):
            # Over HTTP, the messages are in the body too.
            found += _held((*(() if self.status else self.messages), *self.late))
        return found

    def header(self, name: str) -> str | None:
        """Return the first value of a header, or None. The name is case-insensitive."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, or what prevented an answer.

    `started` is in seconds since the session began. `case` is set for a tool call, `script` and
    `step` for a request of a script. `confirms` is the id of the exchange that this one repeats
    alone, or repeats with a simpler call.
    """

    id: int
    run: str
    request: Request
    answer: Answer | None
    trouble: Trouble | None
    started: Seconds
    elapsed: Seconds
    case: Case | None = None
    script: str | None = None
    step: Taken | None = None
    confirms: int | None = None
    trouble_detail: Foreign = ""
    timeline: tuple[Moment, ...] = ()
    """What both ends saw of a model call, in order."""

    @property
    def over_http(self) -> bool:
        """Whether the answer has a status and headers."""
        return self.request.over_http

    @property
    def http(self) -> HttpRequest:
        """The request of an exchange over HTTP. Raises `TypeError` for any other."""
        if not isinstance(self.request, HttpRequest):
            raise TypeError(f"exchange {self.id} was not sent over HTTP")
        return self.request
