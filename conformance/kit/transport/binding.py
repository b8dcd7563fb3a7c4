"""A binding: how a target is spoken to. One class for each, listed in `bindings.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar

from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import Request
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.connection import Connection

B = TypeVar("B")


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
    targets: OwnTargets | None = None
    """How targets begin that only this binding reaches; None for those that are URLs."""


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

    def connect(self, settings: Settings) -> Connection:
        """A connection to the run's endpoint, not started yet."""
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
