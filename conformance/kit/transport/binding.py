"""A binding: how the kit speaks to a target.

There is one class for each; `bindings.py` lists them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Protocol, Self, TypeVar

from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import Answer, Request, Trouble, beside_body, is_wide
from conformance.kit.model.performance import Moment
from conformance.kit.model.run import Role, Run
from conformance.kit.model.settings import Settings

B = TypeVar("B")
_FRAME: Final = " \t|+-"
"""The characters that Python draws to the left of the lines of an exception group."""
_RAISED: Final = re.compile(
    r"(?:[\w.]*(?:Error|Exception)\b(?!\()|panic:|thread '[^']*'(?: \(\d+\))? panicked"
    r"|[^:]{1,80}: [\w.]*(?:Error|Exception): )"  # a program catches it, and says what it was doing
)
_BARE: Final = re.compile(r"(?:\S+|thread '.*):")
"""An exception without words of its own: Rust writes them on the next line, as some programs do."""
_LONGEST_HEAD: Final = 256 * 1024
"""The most characters of the address and the headers of a call. Servers read less, and a client
copies them several times.
"""
_SENDABLE: Final = re.compile(r"([!-~]([\t -~]*[!-~])?)?")
"""The value of a header that a client can send."""
_LAST_WORDS: Final = 400
"""The most characters that are kept of such a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What differs between bindings. Other modules read these traits, never the binding's name."""

    over_http: bool = False
    """Each request has its own answer, with a status and headers. Otherwise all answers share one
    stream, and a late answer comes among later ones.
    """
    speaks_mcp: bool = True
    """The target lists and calls its tools and resources with MCP's messages."""
    starts_process: bool = False
    """The endpoint is a command. A connection is a process that the kit starts; calls on it share
    it.
    """
    since: str = ""
    """The first version of MCP that has this binding; empty if all have it."""
    most_calls: int | None = None
    """The most concurrent calls on one connection; None for any number."""
    role: Role = Role.SERVER
    """The role in which its targets are tested."""
    waits_when_busy: bool = True
    """The kit retries later after a 429 or 503. Otherwise these are answers to check."""
    scripts_together: bool = False
    """The kit plays several scripts at the same time."""
    prefix: str | None = None
    """What is before the endpoint in targets that only this binding reaches; None if its targets
    are URLs.
    """


Barred = Callable[[Request], bool]
"""Returns whether a request must never be sent, whatever asks for it."""


class Binding(Protocol):
    """Makes the requests of a run. A binding is a value, and holds no connection."""

    traits: ClassVar[Traits]

    @property
    def run(self) -> Run:
        """The run whose requests it makes."""
        ...

    @classmethod
    def of(cls, run: Run, settings: Settings) -> Self:
        """Return the binding of a run, as it is before the first request."""
        ...

    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """Return a connection to the run's endpoint, not started yet.

        It follows no redirect to a request that is `barred`.
        """
        ...

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> Request:
        """Return the call of a tool with these arguments, which may be any JSON value."""
        ...

    def list_tools(self, *, id: int | str = 1) -> Request:
        """Return the simplest request that every target answers."""
        ...

    def nothing(self) -> Request:
        """Return the request that represents the opening or closing of a connection."""
        ...

    def stays_at_target(self, tool: Tool) -> bool:
        """Return whether a call of the tool goes to the target, and to no other host."""
        ...


def spoken(binding: Binding, kind: type[B]) -> B:
    """Return a binding as one of this kind. Raises `TypeError` if it is of another kind."""
    if not isinstance(binding, kind):
        raise TypeError(f"{binding.run.id} does not speak the {kind.__name__}")
    return binding


def to_bytes(value: Any) -> bytes:
    """Return compact JSON in UTF-8; a lone surrogate is written as its escape."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def to_text(value: Any) -> str:
    """Return a string as it is, and any other value as JSON (query parameters, header mirrors)."""
    return value if isinstance(value, str) else to_bytes(value).decode("utf-8")


BODY_CAP = 10 * 1024 * 1024
"""The most bytes that are read of one answer."""

WIDE_CAP = BODY_CAP // 2
"""The same for an answer with a wide character: see `is_wide`."""

VALUES_CAP = 96 * 1024 * 1024
"""The most bytes of memory for the values of an answer.

Concurrent calls on a connection share it.
"""

MESSAGES_CAP = 2_000
"""The most messages that are read of one stream. Each clause looks at all messages of an answer."""

MOST_HEADERS = 100
"""The most headers that are kept of such an answer."""

CUT_KEPT = 64 * 1024
"""The most bytes that are kept of a longer answer. No verdict needs them, and they add up."""


def cap_of(part: bytes, cap: int = BODY_CAP) -> int:
    """Return the most bytes that are read of an answer with this part; `cap` is that of others."""
    return WIDE_CAP if is_wide(part) else cap


@dataclass(frozen=True, slots=True)
class Received:
    """The result of a request: an answer, a trouble, or part of an answer and a trouble."""

    answer: Answer | None
    trouble: Trouble | None
    elapsed: float
    detail: str = ""
    timeline: tuple[Moment, ...] = ()

    def cut(self, kept: int = CUT_KEPT) -> Received:
        """Return the result with only the beginning of its answer, marked as too large."""
        own = self.answer
        if own is None:
            return self
        few = len(own.headers) <= MOST_HEADERS
        short = few and sum(len(n) + len(v) for n, v in own.headers) <= kept
        heads = own.headers if short else ()
        beginning = Answer(own.status, heads, own.body[:kept])
        return replace(self, answer=beginning, trouble=Trouble.TOO_LARGE)


@dataclass(frozen=True, slots=True)
class Process:
    """The process of a connection: its exit code (None while it runs) and the end of its stderr.

    `listens` is the address at which it listens, if it has not written any message.
    """

    exit_code: int | None = None
    stderr: str = ""
    listens: str = ""

    @property
    def raised(self) -> str:
        """The last line of stderr that names an exception; empty if there is none.

        If nothing follows the name, the next line belongs to it.
        """
        behind = ""
        for line in self._lines:
            if _RAISED.match(line):
                said = f"{line} {behind}" if _BARE.fullmatch(line) else line
                return said.rstrip()[:_LAST_WORDS]
            behind = line or behind
        return ""

    @property
    def last_words(self) -> str:
        """The line of stderr that says what happened; empty if there is none.

        It is the last line that names an exception, or otherwise the last line with a letter or
        digit. The frame around an exception group, and the notes below an error, say nothing.
        """
        words = (line for line in self._lines if any(map(str.isalnum, line)))
        return self.raised or next(words, "")[:_LAST_WORDS]

    @property
    def _lines(self) -> list[str]:
        """The lines of stderr, the last one first."""
        return [line.lstrip(_FRAME).rstrip() for line in reversed(self.stderr.splitlines())]


class Connection(Protocol):
    """A connection to one target. Once started, it raises nothing for what the target does."""

    @property
    def is_open(self) -> bool:
        """Whether a request that is sent now may be answered."""
        ...

    @property
    def process(self) -> Process:
        """What is known of the started process; empty if none was started."""
        ...

    async def start(self) -> None:
        """Get ready to send. Raises `OSError` or `ValueError` if a command cannot be run."""
        ...

    async def send(self, request: Request) -> Received:
        """Send `request` and read its answer, within the request timeout."""
        ...

    async def close(self, *, hangs: bool = False) -> Received:
        """End the connection. Over stdio, the status of the result is the process's exit code.

        A connection that `hangs` gets almost no time to end by itself.
        """
        ...


def has_sendable_head(request: Request) -> bool:
    """Return whether a client can send the address and the headers of a call.

    Their values may come from an answer of a server, with any characters.
    """
    values = (value for _, value in request.headers)
    return beside_body(request) <= _LONGEST_HEAD and all(map(_SENDABLE.fullmatch, values))
