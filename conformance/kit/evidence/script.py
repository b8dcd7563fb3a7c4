"""Scripts: pure generators of a chapter that say what to send next, and receive what came.

`exchange = yield Send(request, Step("name"))` sends a request, and `Together` sends many at the
same time. `Open` makes a new connection, and does the handshake if `handshake` is true. `Close`
ends the connection, and `Restart` does both. The driver does all input and output.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.catalog import Offered
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Exchange, Request
from conformance.kit.model.run import Role, Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import Binding, spoken
from conformance.kit.transport.bindings import traits_of
from conformance.kit.transport.http import HttpBinding
from conformance.kit.transport.mcp import McpBinding
from conformance.spec import vocabulary
from conformance.spec.vocabulary import Era, RunKind

LOOKED = "discovery"
"""The name under which discovery's exchanges are kept, as if a script had made them."""
CONNECTION = "connection"
LIVENESS = "liveness"
"""The names for handshakes, and for lists that the kit requests to see whether a server answers."""
UNPLAYED = frozenset({"", LOOKED, CONNECTION, LIVENESS})
"""The names of exchanges that no script sent. They cannot be played again."""

CLOSE = Step("close")
INITIALIZE = Step("initialize")

MOST_ITEMS = 2000
"""The most items that a script asks for one by one."""

MOST_PAGES = 1000
"""The most pages of one list that discovery follows. A longer list counts as endless."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request, `after` so many seconds; its exchange is recorded under the step."""

    request: Request
    step: Step
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Together:
    """Send all of these at the same time. The script receives the exchange of the last one."""

    sends: tuple[Send, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """Open a connection. If `handshake` is False, the script does the legacy handshake."""

    handshake: bool = True


@dataclass(frozen=True, slots=True)
class Close:
    """End the connection. The exchange shows how it ended (stdio: the exit)."""

    step: Step = CLOSE


@dataclass(frozen=True, slots=True)
class Restart:
    """Close and open again."""

    handshake: bool = True


Action = Send | Together | Open | Close | Restart
Steps = Generator[Action, Exchange, None]


@dataclass(frozen=True, slots=True)
class Stage:
    """What a script may know: the run, how to make requests, and the tools with their baseline
    calls.

    `good_calls` maps the names of tools that may be called to arguments that were accepted.
    """

    binding: Binding
    tools: tuple[Tool, ...]
    good_calls: dict[str, Any]
    tools_path: str = ""
    """The path where an HTTP target lists its tools, from its manifest; empty if there is none."""
    offered: Offered = field(default_factory=Offered)
    """What the target offers in addition to tools."""
    may_call: frozenset[str] = frozenset()
    """Tools that the kit may call, including those that have to be called as tasks."""
    declared: Mapping[str, Any] = field(default_factory=dict)
    """What the user declared about a gateway."""

    @property
    def run(self) -> Run:
        """The run in which the script is played."""
        return self.binding.run

    def speaker(self) -> McpBinding[Request]:
        """Return the binding as one of MCP. Raises `TypeError` if it is another."""
        return spoken(self.binding, McpBinding)

    def web(self) -> HttpBinding:
        """Return the binding as the HTTP binding. Raises `TypeError` if it is another."""
        return spoken(self.binding, HttpBinding)


ScriptFunction = Callable[[Stage], Steps]


@dataclass(frozen=True, slots=True)
class Script:
    """A script and where it runs. If `fresh`, it has a new connection; `handshake` is as in `Open`.

    Starting a process takes a second or more, so where a connection is a process, scripts share it.
    A script that `opens` is played first on the run's process. Its `Close` comes when all others
    were played there. A fresh script that `shares` is played on that process as well. A script that
    comes `last` leaves the process in a state in which others would prove nothing.
    """

    name: str
    function: ScriptFunction
    bindings: frozenset[vocabulary.Binding]
    eras: frozenset[Era]
    fresh: bool = False
    handshake: bool = True
    protocol: bool = False
    """Whether it is also played in runs that test only the protocol."""
    opens: bool = False
    shares: bool = False
    last: bool = False
    role: Role = Role.SERVER

    def shares_connection(self, run: Run) -> bool:
        """Return whether it can be played on a connection that was used before."""
        starts_process = traits_of(run).starts_process
        return starts_process and (self.shares or not self.fresh)

    def runs_in(self, run: Run) -> bool:
        """Return whether this script belongs to a run."""
        if run.kind is RunKind.PROTOCOL and not self.protocol:
            return False
        if run.role is not self.role:
            return False
        return run.binding in self.bindings and (run.era is None or run.era in self.eras)


def scenario_id(run: str, step: Step) -> CaseId:
    """Return a gateway scenario's id for `--replay`: all steps of one name, in every script."""
    return CaseId(run, name=step.name)


def sends_of(script: Script, stage: Stage) -> Iterator[Send]:
    """Return all requests of a script that waits for no answer."""
    return (send for action in script.function(stage) for send in _sends(action))


def _sends(action: Action) -> tuple[Send, ...]:
    """Return the requests of an action."""
    if isinstance(action, Together):
        return action.sends
    return (action,) if isinstance(action, Send) else ()


def of_one_scenario(script: Script, wanted: str) -> Script:
    """Return a gateways' script that sends only one scenario, which waits for no other's answer."""

    def function(stage: Stage) -> Steps:
        for action in script.function(stage):
            ids = ((scenario_id(stage.run.id, each.step), each) for each in _sends(action))
            kept = tuple(each for id, each in ids if id.names(wanted))
            if kept:
                yield Together(kept)

    return replace(script, function=function)


def script(
    *bindings: vocabulary.Binding,
    eras: tuple[Era, ...] = tuple(Era),
    fresh: bool = False,
    handshake: bool = True,
    protocol: bool = False,
    opens: bool = False,
    shares: bool = False,
    last: bool = False,
    role: Role = Role.SERVER,
    name: str = "",
) -> Callable[[ScriptFunction], ScriptFunction]:
    """Mark a function of a chapter's `scripts.py` as a script. Its name is that of the function.

    Functions that are made in a loop need a `name`.
    """

    def mark(function: ScriptFunction) -> ScriptFunction:
        where = frozenset(bindings), frozenset(eras)
        made = Script(
            name or function.__name__,
            function,
            *where,
            fresh,
            handshake,
            protocol,
            opens,
            shares,
            last,
            role,
        )
        function.__script__ = made  # type: ignore[attr-defined]  # a mark for the plugin
        return function

    return mark
