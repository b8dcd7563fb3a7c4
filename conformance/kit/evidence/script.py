"""Scripts: pure generators of a chapter that say what to send next, and are handed what came.

`exchange = yield Send(request, Step("name"))`; `Together` sends many at the same time. `Open` makes
a new connection (and, with `handshake`, shakes hands on it), `Close` ends it, `Restart` does both.
The driver does all I/O.
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
"""The same for handshakes, and for the lists that are asked for to see whether a server answers."""
UNPLAYED = frozenset({"", LOOKED, CONNECTION, LIVENESS})
"""What no script sent, and what can therefore not be played again."""

CLOSE = Step("close")
INITIALIZE = Step("initialize")

MOST_ITEMS = 2000
"""Items that a script asks for one by one."""

MOST_PAGES = 1000
"""Pages of one list that discovery follows: one that goes on behind them does not end."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send this; the exchange is recorded under the step."""

    request: Request
    step: Step


@dataclass(frozen=True, slots=True)
class Together:
    """Send all of these at the same time; the script is handed the exchange of the last one."""

    sends: tuple[Send, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """Open a connection; `handshake` False leaves the legacy handshake to the script."""

    handshake: bool = True


@dataclass(frozen=True, slots=True)
class Close:
    """End the connection; the exchange tells how it went (stdio: the exit)."""

    step: Step = CLOSE


@dataclass(frozen=True, slots=True)
class Restart:
    """Close and open again."""

    handshake: bool = True


Action = Send | Together | Open | Close | Restart
Steps = Generator[Action, Exchange, None]


@dataclass(frozen=True, slots=True)
class Stage:
    """What a script may know: the run, how to say things, and the tools with a baseline call each.

    `good_calls` maps the names of tools that may be called to arguments that were accepted.
    """

    binding: Binding
    tools: tuple[Tool, ...]
    good_calls: dict[str, Any]
    tools_path: str = ""
    """Where an HTTP target lists its tools, as its manifest said; empty if it did not."""
    offered: Offered = field(default_factory=Offered)
    """What the target offers in addition to tools."""
    may_call: frozenset[str] = frozenset()
    """Tools that the kit may call, those included that have to be called as tasks."""
    declared: Mapping[str, Any] = field(default_factory=dict)
    """What the user declared of a gateway."""

    @property
    def run(self) -> Run:
        """The run that it is played in."""
        return self.binding.run

    def speaker(self) -> McpBinding[Request]:
        """What says MCP; raises TypeError in a script of the wrong binding."""
        return spoken(self.binding, McpBinding)

    def web(self) -> HttpBinding:
        """What says the HTTP binding; raises TypeError in a script of the wrong binding."""
        return spoken(self.binding, HttpBinding)


ScriptFunction = Callable[[Stage], Steps]


@dataclass(frozen=True, slots=True)
class Script:
    """A script and where it runs. `fresh`: on a connection of its own; `handshake` as in Open.

    A start of a process costs a second or more. So where a connection is one, a script that `opens`
    is played first of all on the process of the run, up to its Close, which comes when all else was
    played there. A fresh one that `shares` is played on that process as well. What comes `last`
    leaves the process in a state in which other scripts would prove nothing.
    """

    name: str
    function: ScriptFunction
    bindings: frozenset[vocabulary.Binding]
    eras: frozenset[Era]
    fresh: bool = False
    handshake: bool = True
    protocol: bool = False
    """Whether it is also played in runs that speak the protocol alone."""
    opens: bool = False
    shares: bool = False
    last: bool = False
    role: Role = Role.SERVER

    def shares_connection(self, run: Run) -> bool:
        """Whether it can be played on a connection that was used before."""
        starts_process = traits_of(run).starts_process
        return starts_process and (self.shares or not self.fresh)

    def runs_in(self, run: Run) -> bool:
        """Whether this script belongs to that run."""
        if run.kind is RunKind.PROTOCOL and not self.protocol:
            return False
        if run.role is not self.role:
            return False
        return run.binding in self.bindings and (run.era is None or run.era in self.eras)


def scenario_id(run: str, step: Step) -> CaseId:
    """What `--replay` takes for a scenario of a gateway: all steps of one name, in every script."""
    return CaseId(run, name=step.name)


def sends_of(script: Script, stage: Stage) -> Iterator[Send]:
    """All that a script sends, if it waits for no answer."""
    return (send for action in script.function(stage) for send in _sends(action))


def _sends(action: Action) -> tuple[Send, ...]:
    """What an action sends."""
    if isinstance(action, Together):
        return action.sends
    return (action,) if isinstance(action, Send) else ()


def of_one_scenario(script: Script, wanted: str) -> Script:
    """A script of gateways with the sends of one scenario alone: it waits for no other's answer."""

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
    """Mark a function of a chapter's `scripts.py` as a script, named as the function is.

    Functions that are made in a loop are named one by one.
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
