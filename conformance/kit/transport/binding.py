"""A binding: how a target is spoken to. One class for each, listed in `bindings.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Protocol, Self, TypeVar

from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import Answer, Request, Trouble
from conformance.kit.model.performance import Moment
from conformance.kit.model.run import Role, Run
from conformance.kit.model.settings import Settings

B = TypeVar("B")
_FRAME: Final = " \t|+-"
"""What Python draws at the left of the errors of a group."""
_RAISED: Final = re.compile(r"(?:[\w.]*(?:Error|Exception)\b|panic:|thread '[^']*' panicked)")
_LAST_WORDS: Final = 400
"""Characters kept of such a line."""


@dataclass(frozen=True, slots=True)
class OwnTargets:
    """The targets that one binding alone reaches: they begin with `prefix`, before the endpoint.

    `unanswered` is the id of the message about a target where nobody speaks MCP.
    """

    prefix: str
    unanswered: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What sets a binding apart for those who do not send: read these, never the binding's name."""

    over_http: bool = False
    """Each request has an answer of its own, with a status and headers. Elsewhere all answers come
    on one stream, and late ones among later ones.
    """
    speaks_mcp: bool = True
    """Tools and resources are listed and called as MCP says."""
    starts_process: bool = False
    """The endpoint is a command. A connection is a process that the kit starts, and that the calls
    on it share.
    """
    since: str = ""
    """The first version of MCP that has this binding; empty if all have it."""
    most_calls: int | None = None
    """Calls that may be under way at the same time on one connection; None for any number."""
    role: Role = Role.SERVER
    """What its targets are tested as."""
    waits_when_busy: bool = True
    """A target that says 429 or 503 is asked again later. Elsewhere that is an answer to check."""
    scripts_together: bool = False
    """Scripts are played at the same time."""
    targets: OwnTargets | None = None
    """How targets begin that only this binding reaches; None for those that are URLs."""


Barred = Callable[[Request], bool]
"""Whether a request is never sent, whatever asks for it."""


class Binding(Protocol):
    """Says what a run has to say, as requests to send. A value: it holds no connection."""

    traits: ClassVar[Traits]

    @property
    def run(self) -> Run:
        """The run that it speaks for."""
        ...

    @classmethod
    def of(cls, run: Run, settings: Settings) -> Self:
        """The binding of a run, before anything was said."""
        ...

    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """A connection to the run's endpoint, not started yet. No redirect leads it to what is
        `barred`.
        """
        ...

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> Request:
        """The call of a tool with these arguments, whatever JSON value they are."""
        ...

    def list_tools(self, *, id: int | str = 1) -> Request:
        """The simplest request that every target answers."""
        ...

    def nothing(self) -> Request:
        """What stands for the request where a connection was only opened or closed."""
        ...

    def stays_at_target(self, tool: Tool) -> bool:
        """Whether a call of the tool goes to the target, and to no other host."""
        ...


def spoken(binding: Binding, kind: type[B]) -> B:
    """A binding as one of its kind; raises TypeError if it is of another."""
    if not isinstance(binding, kind):
        raise TypeError(f"{binding.run.id} does not speak the {kind.__name__}")
    return binding


def to_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8; a lone surrogate is written as its escape."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def to_text(value: Any) -> str:
    """A string as it is, everything else as JSON (query parameters, header mirrors)."""
    return value if isinstance(value, str) else to_bytes(value).decode("utf-8")


BODY_CAP = 10 * 1024 * 1024
"""Bytes read of one answer; the rest is left unread."""

VALUES_CAP = 96 * 1024 * 1024
"""Bytes that the values of an answer may take in memory; those under way on one connection share
it.
"""

MESSAGES_CAP = 2_000
"""Messages read of one stream: each clause looks at those of each answer."""

CUT_KEPT = 64 * 1024
"""Bytes kept of an answer that was longer: nothing is judged by it, and many come together."""


@dataclass(frozen=True, slots=True)
class Received:
    """What a request gave: an answer, or a trouble, or a part of an answer and a trouble."""

    answer: Answer | None
    trouble: Trouble | None
    elapsed: float
    detail: str = ""
    timeline: tuple[Moment, ...] = ()

    def cut(self, kept: int = CUT_KEPT) -> Received:
        """The same with the beginning of its answer alone, as too large to be read."""
        own = self.answer
        if own is None:
            return self
        heads = own.headers if sum(len(n) + len(v) for n, v in own.headers) <= kept else ()
        beginning = Answer(own.status, heads, own.body[:kept])
        return replace(self, answer=beginning, trouble=Trouble.TOO_LARGE)


@dataclass(frozen=True, slots=True)
class Process:
    """The process behind a connection: its exit code, None while it runs, and its last errors."""

    exit_code: int | None = None
    stderr: str = ""

    @property
    def raised(self) -> str:
        """The last line of its errors that names an exception; empty if there is none."""
        return next((line for line in self._lines if _RAISED.match(line)), "")[:_LAST_WORDS]

    @property
    def last_words(self) -> str:
        """The line of its last errors that says what happened; empty if there is none.

        It is the last one that names an exception, else the last one with a word. What is drawn
        around the errors of a group, and the notes below an error, say nothing.
        """
        words = (line for line in self._lines if any(map(str.isalnum, line)))
        return self.raised or next(words, "")[:_LAST_WORDS]

    @property
    def _lines(self) -> list[str]:
        """The lines of its errors, the last one first."""
        return [line.lstrip(_FRAME).rstrip() for line in reversed(self.stderr.splitlines())]


class Connection(Protocol):
    """One way to one target. Once started, it never raises for what the target does."""

    @property
    def is_open(self) -> bool:
        """Whether something that is sent may be answered."""
        ...

    @property
    def process(self) -> Process:
        """What is known of the process that was started; nothing where none was."""
        ...

    async def start(self) -> None:
        """Make ready to send; raises OSError or ValueError if a command cannot be run."""
        ...

    async def send(self, request: Request) -> Received:
        """Send `request` and read its answer, within the request timeout."""
        ...

    async def close(self, *, hangs: bool = False) -> Received:
        """End the connection; over stdio the answer's status is the process's exit code.

        One that `hangs` is given no time to end by itself.
        """
        ...
