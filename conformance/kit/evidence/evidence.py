"""The evidence for judges: a run's catalog, calls and script exchanges, as data."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from conformance.formats.problem import Problem
from conformance.formats.tool.tool import Tool
from conformance.kit.cases.baseline import GIVEN
from conformance.kit.evidence.catalog import Offered
from conformance.kit.evidence.response import Reading, breaks_path, read
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.fault import Fault, Faulty, fault_of
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Missing, RunKind

_OF_A_ROUTER = frozenset({404, 405, 414})
"""Statuses for a path that is unknown, is only known with another method, or is too long."""


class NotRecorded(Exception):
    """A check needs a script that was not played, or that an older kit did not have yet."""


Scripts = Mapping[str, tuple[Exchange, ...]]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Call:
    """A tool call: what was meant, what was sent and answered, and what the answer means.

    Calls compare by identity, so that judges can cache what they work out about them.
    """

    case: Case
    exchange: Exchange
    tool: Tool
    held: Reading | None = None
    """The value of `reading`, once it was used."""

    @property
    def reading(self) -> Reading:
        """The meaning of the answer."""
        if self.held is None:
            object.__setattr__(self, "held", read(self.exchange, self.tool))
        assert self.held is not None
        return self.held

    @property
    def finds_no_path(self) -> bool:
        """Whether a wrong value in the path led to nothing that the server knows."""
        status = self.reading.status
        return status in _OF_A_ROUTER and breaks_path(self.exchange, self.tool)


def call_of(exchange: Exchange, tool: Tool) -> Call:
    """Return the call of an exchange, which must have a case."""
    assert exchange.case is not None
    return Call(exchange.case, exchange, tool, read(exchange, tool))


def call_again(exchange: Exchange, tool: Tool) -> Call:
    """Return a call that was known before. Its answer is read only when `reading` is used."""
    assert exchange.case is not None
    return Call(exchange.case, exchange, tool)


def _played(
    script: str,
    scripts: Scripts,
    known: frozenset[str] | None,
    faults: Mapping[str, Fault],
    *,
    playing: bool,
) -> tuple[Exchange, ...]:
    if script in faults:
        raise Faulty(faults[script])
    unknown = known is not None and script not in known
    if script not in scripts and (playing or unknown):
        raise NotRecorded(script)
    return scripts.get(script, ())


@dataclass(frozen=True)  # no slots: judges' repeated lookups are cached on the instance
class ToolEvidence:
    """All that is known of one tool in one run.

    `calls` are in the order in which they were sent. They may be read from a file each time, so the
    caches here keep their indexes. `left_out` says why the tool was not called. `cut` says that the
    session ended before all calls were made, and `silenced` that the server stopped answering
    before.

    `unsent` are the cases that were given up because the calls take too long. Other reasons are
    answers that are too large in total (`heavy`), and too many calls that failed because something
    around the server is missing (`lacking`).
    """

    run: Run
    tool: Tool
    calls: Sequence[Call] = ()
    left_out: Message | None = None
    unsent: tuple[Case, ...] = ()
    unplanned: str = ""
    """Why no case could be made from the tool's schema; empty if some were made."""
    cut: bool = False
    claims_atdf: bool = False
    problems: tuple[Problem, ...] = ()
    """The problems of the tool's declaration, clause by clause."""
    silent_after: frozenset[str] = frozenset()
    """The ids of the cases after which the server did not even answer a list."""
    silenced: bool = False
    heavy: bool = False
    lacking: bool = False
    sampled: bool = False
    """Whether the most telling cases were all sent, even if the session ended before the others."""
    scripts: Scripts = field(default_factory=dict)
    """The exchanges of the run's scripts. Some scripts call a tool in ways that no case does."""
    playing: bool = False
    """The same as in the run."""
    known_scripts: frozenset[str] | None = None
    """The same as in the run."""
    fault: Fault | None = None
    """The fault of the kit that ended the tool's calls before all were made; None if there was
    none.

    A tool that was left out has a fault if the kit failed while it read the declaration.
    """
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """The same as in the run."""
    entry: Mapping[str, Any] | None = None
    """The tool's entry in the toolset catalog."""
    beside: ToolEvidence | None = None
    """The evidence of the same tool over another binding of the same server."""
    around: RunEvidence | None = None
    """The evidence of the run, for a judge."""

    def of(self, *kinds: CaseKind) -> Iterator[Call]:
        """Return the calls of these kinds."""
        return (call for call in self.calls if call.case.kind in kinds)

    @property
    def broken(self) -> Iterator[Call]:
        """The calls that are broken on purpose."""
        return self.of(CaseKind.BROKEN)

    @property
    def valid(self) -> Iterator[Call]:
        """The calls that a correct server does not refuse as invalid."""
        return (
            call
            for call in self.of(CaseKind.BASELINE, CaseKind.VALID)
            if call.case.expects is Expectation.ACCEPT
        )

    @property
    def baseline(self) -> Call | None:
        """The tool's accepted baseline call; else the user's own, one that failed because something
        is missing around the server, or the last one tried, if any.
        """
        return self.calls[self._baseline] if self._baseline is not None else None

    @cached_property
    def _baseline(self) -> int | None:
        tried = [
            (place, call)
            for place, call in enumerate(self.calls)
            if call.case.kind is CaseKind.BASELINE and not call.case.neighbour
        ]
        accepted = [place for place, call in tried if call.reading.accepted]
        given = [place for place, call in tried if call.case.scenario == GIVEN]
        missing = [place for place, call in tried if call.reading.missing is not None]
        return next(iter(accepted or given or missing or [place for place, _ in tried[-1:]]), None)

    @property
    def good_call(self) -> dict[str, Any]:
        """The accepted arguments, under the tool's name; empty if none were accepted."""
        known = self.baseline
        if known is None or not known.reading.accepted:
            return {}
        return {self.tool.name: known.case.arguments}

    def neighbour_accepted(self, case: Case) -> bool:
        """Return whether the call from which `case` deviates was accepted."""
        if case.neighbour is None:
            return self.baseline is not None and self.baseline.reading.accepted
        return case.neighbour in self._accepted_baselines

    def lacking_at(self, call: Call) -> tuple[Missing, str] | None:
        """Return what the server lacked at a call; None if its mistake explains the answer.

        It does if the call without the mistake was accepted, and nothing is missing at the end. A
        limit of calls may be reached at any call.
        """
        missing = call.reading.missing
        if missing is None or missing[0] is Missing.QUOTA or call.case.kind is not CaseKind.BROKEN:
            return missing
        at_the_end = any(each.reading.missing for each in self.of(CaseKind.AFTER))
        return missing if at_the_end or not self.neighbour_accepted(call.case) else None

    def refused_neighbour(self, case: Case) -> Call | None:
        """Return the call from which `case` deviates, if it was made and not accepted; otherwise
        None.
        """
        if self.neighbour_accepted(case):
            return None
        if case.neighbour is None:
            return self.baseline
        tried = (call for call in self.of(CaseKind.BASELINE) if call.case.id == case.neighbour)
        return next(tried, None)

    def good_case(self, case: Case) -> Case | None:
        """Return the accepted baseline case next to a valid case.

        None for a broken case, whose violation already names the place.
        """
        if case.violation is not None:
            return None
        if case.neighbour is not None and case.neighbour in self._accepted_baselines:
            return self.calls[self._accepted_baselines[case.neighbour]].case
        known = self.baseline
        return known.case if known is not None and known.reading.accepted else None

    def played(self, script: str) -> tuple[Exchange, ...]:
        """Return a script's exchanges; empty if it was not run.

        Raises `NotRecorded` and `Faulty`.
        """
        return _played(script, self.scripts, self.known_scripts, self.faults, playing=self.playing)

    def repairs_of(self, case_id: CaseId) -> list[Call]:
        """Return the repair steps that began with this case, in order."""
        return [self.calls[place] for place in self._repairs.get(case_id, ())]

    @cached_property
    def _accepted_baselines(self) -> dict[CaseId, int]:
        """The indexes of the accepted baseline calls, by the ids of their cases."""
        return {
            call.case.id: place
            for place, call in enumerate(self.calls)
            if call.case.kind is CaseKind.BASELINE and call.reading.accepted
        }

    @cached_property
    def _repairs(self) -> dict[CaseId | None, list[int]]:
        steps: dict[CaseId | None, list[int]] = {}
        for place, call in enumerate(self.calls):
            if call.case.kind is CaseKind.REPAIR:
                steps.setdefault(call.case.neighbour, []).append(place)
        return steps

    def instead(self, exchanges: Mapping[str, Exchange]) -> ToolEvidence:
        """Return the same evidence with other exchanges for the cases with these ids."""
        calls = []
        for call in self.calls:
            other = exchanges.get(call.case.id.text)
            calls.append(call if other is None else call_of(other, call.tool))
        return replace(self, calls=tuple(calls))


def untried(
    tool: Tool,
    run: Run,
    problems: tuple[Problem, ...],
    fault: Fault | None,
    why: Callable[[], Message | None],
) -> ToolEvidence:
    """Return what is known of a tool that was not called yet.

    `why` returns the reason to leave the tool out, or None. A tool that causes a fault of the kit
    is left out, too.
    """
    left_out = None
    if fault is None:
        try:
            left_out = why()
        except Exception as error:
            fault = fault_of(error)
    if fault is not None:
        left_out = message("kit.left_out.fault")
    return ToolEvidence(run, tool, left_out=left_out, problems=problems, fault=fault)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class RunEvidence:
    """All that is known of one run. `scripts` maps a script's name to its exchanges, in order."""

    run: Run
    tools: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()
    """The problems of the catalog that concern no single tool, clause by clause."""
    documents: tuple[Any, ...] = ()
    by_tool: Mapping[str, ToolEvidence] = field(default_factory=dict)
    scripts: Scripts = field(default_factory=dict)
    known_scripts: frozenset[str] | None = None
    """The scripts of the kit that recorded the session; None while the session goes on."""
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """The faults of the kit that ended scripts, by the script's name."""
    playing: bool = False
    """Whether some script was not played yet. It shows nothing, not even that a clause does not
    apply.
    """
    claims_atdf: bool = False
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    connected: bool = True
    cut: bool = False
    silenced: bool = False
    """Whether the server stopped answering, so that scripts were not played to their end."""
    credentials: tuple[str, ...] = ()
    left_out: tuple[tuple[str, Message], ...] = ()
    """What is declared but cannot be called as a tool, with the reason."""
    lent: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that were accepted in the full run of the same server, by tool."""
    offered: Offered = field(default_factory=Offered)
    tools_path: str = ""
    """The path or the address of the list of tools over HTTP; empty for the usual one."""
    fault: Fault | None = None
    """The fault of the kit because of which nothing in the run can be judged."""

    def played(self, script: str) -> tuple[Exchange, ...]:
        """Return a script's exchanges; empty if it was not run.

        Raises `NotRecorded` and `Faulty`.
        """
        return _played(script, self.scripts, self.known_scripts, self.faults, playing=self.playing)

    def steps(self, script: str) -> dict[Step, Exchange]:
        """Return a script's exchanges by their step. Raises `NotRecorded` and `Faulty`."""
        return {e.step: e for e in self.played(script) if e.step is not None}

    def step(self, script: str, name: str) -> Exchange | None:
        """Return the exchange of a step that has only a name; None if the step was not taken."""
        return self.steps(script).get(Step(name))

    @property
    def good_calls(self) -> dict[str, Any]:
        """The accepted arguments, by tool."""
        accepted = dict(self.lent)
        for tool in self.by_tool.values():
            accepted |= tool.good_call
        return accepted

    @property
    def calls(self) -> Iterator[Call]:
        """Every call of every tool."""
        for tool in self.by_tool.values():
            yield from tool.calls

    @property
    def exchanges(self) -> Iterator[Exchange]:
        """Every exchange of the run that is evidence: calls first, then scripts."""
        for call in self.calls:
            yield call.exchange
        for steps in self.scripts.values():
            yield from steps

    def instead(
        self, cases: Mapping[str, Exchange], scripts: Mapping[str, tuple[Exchange, ...]]
    ) -> RunEvidence:
        """Return the same evidence with other exchanges for some cases and scripts.

        The other tools are not copied, so the cost is the same with a hundred thousand tools.
        """
        concerned = {exchange.case.tool for exchange in cases.values() if exchange.case is not None}
        others = {name: self.by_tool[name].instead(cases) for name in concerned}
        known = cast("dict[str, ToolEvidence]", self.by_tool)  # it is only read
        by_tool = ChainMap(others, known) if others else known
        return replace(self, by_tool=by_tool, scripts={**self.scripts, **scripts})


def side_by_side(evidence: Mapping[str, RunEvidence]) -> dict[str, RunEvidence]:
    """Return the evidence, with each tool's evidence from the first run over another binding.

    Only full runs are compared, each with an earlier one, so that a difference is reported once.
    Operations of an OpenAPI document have other names and places.
    """
    found: dict[str, RunEvidence] = {}
    before: list[RunEvidence] = []
    for name, one in evidence.items():
        found[name] = one
        if one.run.kind is not RunKind.FULL or one.run.openapi:
            continue
        other = next((each for each in before if each.run.binding is not one.run.binding), None)
        before.append(one)
        if other is not None:
            by_tool = {
                tool: replace(own, beside=other.by_tool.get(tool))
                for tool, own in one.by_tool.items()
            }
            found[name] = replace(one, by_tool=by_tool)
    return found
