"""What was sent and what came back, as data: every judgement rests on these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from conformance.kit.model.case import Case
from conformance.kit.model.performance import Moment, Performance
from conformance.kit.model.step import Taken
from conformance.kit.model.written import LONG, Body, Foreign, Form, Values


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


_TEXT, _VALUE = 3, 64
"""Bytes of memory for a byte of JSON, and for each value in it: a list of three bytes takes 72."""


def weight(body: bytes) -> int:
    """About how many bytes a body takes in memory as the values that it is JSON of."""
    values = body.count(b",") + body.count(b"[") + body.count(b"{") + body.count(b":")
    return _TEXT * len(body) + _VALUE * values


def _held(values: tuple[Any, ...]) -> int:
    """About how many bytes some values take in memory."""
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
"""Bytes of a body that may be kept as values, too: nearly all answers to calls are shorter."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request over HTTP. `answer_to` is the JSON-RPC id that it asks with; None without one.

    A stream that a GET opened stays open: it is read for `settle` seconds. `any_answer` ends any
    other stream with its first message (for malformed requests).
    """

    method: str = ""
    url: Foreign = ""
    headers: tuple[tuple[Foreign, Foreign], ...] = ()
    body: Body = b""
    answer_to: int | str | None = None
    settle: float = 0.2
    any_answer: bool = False
    transport: Literal["http", "gateway"] = "http"
    over_http: ClassVar[bool] = True
    """Its answer has a status and headers of its own."""

    def with_headers(self, more: tuple[tuple[str, str], ...]) -> Self:
        """Give the same with these headers, in place of those of the same names."""
        names = {name.lower() for name, _ in more}
        kept = tuple(each for each in self.headers if each[0].lower() not in names)
        return replace(self, headers=(*kept, *more))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is sent: the step only opened or closed a connection."""
        return not self.method

    @property
    def is_rpc(self) -> bool:
        """Whether the answer is a JSON-RPC message."""
        return self.answer_to is not None


@dataclass(frozen=True, slots=True)
class StdioRequest:
    """A line for a process's standard input: a message in `body`, without the end of the line.

    `answer_to` is the id of the message that ends the answer. Without one, the reader waits for
    `settle` seconds, or with `any_answer` until the first message of any id.
    """

    body: Body = b""
    answer_to: int | str | None = None
    settle: float = 0.2
    any_answer: bool = False
    transport: Literal["stdio"] = "stdio"
    over_http: ClassVar[bool] = False
    headers: ClassVar[tuple[tuple[str, str], ...]] = ()

    def with_headers(self, _: tuple[tuple[str, str], ...]) -> Self:
        """Give the same: a line has no headers."""
        return self

    @property
    def is_empty(self) -> bool:
        """Whether nothing is sent: the step only opened or closed a connection."""
        return not self.body

    @property
    def is_rpc(self) -> bool:
        """Whether the answer is a JSON-RPC message: nothing else belongs on a standard output."""
        return True


@dataclass(frozen=True, slots=True)
class ModelCall(HttpRequest):
    """A call of a model through a gateway, whose provider the kit plays as well.

    Whatever reaches the provider with the `nonce` belongs to this call. `mark` is a text that its
    content begins with. `leave` says when the client closes its connection: at its first
    `content`, or when the provider has the `request`. `settle`: the seconds for which both ends
    are watched after the answer. The `performance` is not recorded: the timeline has what was done.
    """

    nonce: str = ""
    mark: str = ""
    leave: Literal["", "content", "request"] = ""
    performance: Annotated[Performance | None, Form(lambda _, __: None, lambda _: None)] = None
    transport: Literal["gateway"] = "gateway"


Request = HttpRequest | StdioRequest | ModelCall
"""One thing to send. `transport` names its form in recorded files."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `status` is 0 over stdio. `body` holds the raw bytes (stdio: the lines).

    `messages` are the JSON-RPC messages of an SSE stream or of stdout, in order, decoded; empty of
    a long answer that came alone: as values it takes ten times as much memory as in `body`.
    `noise` are lines on stdout other than JSON-RPC messages (stdio only). `late` are answers to
    requests before this one, which were no longer waited for (stdio only).
    """

    status: int = 0
    headers: tuple[tuple[Foreign, Foreign], ...] = ()
    body: Body = b""
    messages: Values = ()
    noise: tuple[Foreign, ...] = ()
    late: Values = ()

    @property
    def weight(self) -> int:
        """About how many bytes it takes in memory, with its body as bytes and as values."""
        return weight(self.body) * (2 if self.messages else 1) + self.beside

    @property
    def beside(self) -> int:
        """About how many bytes of it are not its body's."""
        found = sum(len(name) + len(value) for name, value in self.headers)
        found += sum(map(len, self.noise))
        if self.late or not (self.status or len(self.messages) == 1):
            # Over HTTP, the messages are those of the body.
            found += _held((*(() if self.status else self.messages), *self.late))
        return found

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
    step: Taken | None = None
    confirms: int | None = None
    trouble_detail: Foreign = ""
    timeline: tuple[Moment, ...] = ()
    """What both ends saw of a model call, in order."""

    @property
    def over_http(self) -> bool:
        """Whether the answer has a status and headers of its own."""
        return self.request.over_http

    @property
    def http(self) -> HttpRequest:
        """The request of an exchange over HTTP; raises TypeError for any other."""
        if not isinstance(self.request, HttpRequest):
            raise TypeError(f"exchange {self.id} was not sent over HTTP")
        return self.request
