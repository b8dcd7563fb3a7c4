"""Drives a whole session: every run's tools, then its scripts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.formats.problem import Problem
from conformance.formats.tool.tool import Tool
from conformance.kit.cases.phases import Plans
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.pacing import together
from conformance.kit.drive.play import drive_protocol, play
from conformance.kit.drive.tool_driver import Progress, RunDriven, ToolRun
from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.declarations import Declared, Discovered, worst
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.evidence.recorder import Series
from conformance.kit.evidence.safety import turn_of, why_left_out
from conformance.kit.evidence.script import CONNECTION, LOOKED, Script
from conformance.kit.model.fault import fault_of
from conformance.kit.model.run import Run
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import RunKind

_TOOLS_AT_ONCE = 4
FIRST_TOOL_AHEAD = 2.0
"""Seconds for which the first tool of a session goes alone, so that something can be told soon."""


@dataclass(slots=True)
class SessionDriver:
    """What has been gathered so far: complete after `drive`, a part of it after an interrupt."""

    found: list[Discovered]
    declared: Mapping[str, Declared]
    scripts: list[Script]
    context: Context
    progress: Progress = field(default_factory=Progress)
    evidence: dict[str, RunEvidence] = field(default_factory=dict)
    plans: Plans = field(default_factory=Plans)
    narrow: set[str] = field(default_factory=set)
    """The runs whose server was too slow for as many calls at once as were asked for."""

    async def drive(self) -> None:
        """Drive every full run, one after the other, then all protocol runs, side by side.

        Those go one after the other, too, where a server was too slow for many calls at once.
        """
        for discovered in self.found:
            self.evidence[discovered.run.id] = _before(discovered, self)
        self.progress.starts()
        await asyncio.sleep(0)
        for discovered in self.found:
            if discovered.run.kind is RunKind.FULL:
                await self._watched(discovered.run.id, RunDriver(self, discovered).drive())
        older = [d.run for d in self.found if d.run.kind is RunKind.PROTOCOL]
        at_once = asyncio.Semaphore(1 if self.narrow else max(len(older), 1))
        await together(self._in_turn(run, at_once) for run in older)

    async def _in_turn(self, run: Run, at_once: asyncio.Semaphore) -> None:
        async with at_once:
            await self._watched(run.id, self._protocol(run))

    async def _watched(self, run: str, work: Coroutine[Any, Any, None]) -> None:
        """Drive a run, and say when that begins and ends."""
        sent = self.context.recorder.requests
        began, before = time.monotonic(), sent[run]
        self.progress.begins(run)
        await work
        calls = sum(len(tool.calls) for tool in self.evidence[run].by_tool.values())
        took = time.monotonic() - began
        self.progress.ends(RunDriven(run, calls, sent[run] - before, took))

    async def _protocol(self, run: Run) -> None:
        """A protocol run, with what the full run of its server was seen to accept."""
        alike = [
            one
            for one in self.evidence.values()
            if one.run.kind is RunKind.FULL
            and one.run.era is run.era
            and (one.run.endpoint, one.run.binding) == (run.endpoint, run.binding)
        ]
        if any(one.silenced or not one.connected for one in alike):
            return  # nothing more is sent to a server that stopped answering
        lent = good_calls(alike[0]) if alike else {}
        before = self.evidence[run.id]
        self.evidence[run.id] = await drive_protocol(before, self.scripts, self.context, lent)


def _before(discovered: Discovered, session: SessionDriver) -> RunEvidence:
    """What is known of a run before any tool is called."""
    settings = session.context.settings
    judged = session.declared[discovered.run.id]
    by_tool = {
        tool.name: ToolEvidence(
            discovered.run,
            tool,
            left_out=why_left_out(tool, discovered.run, settings),
            problems=judged.by_tool.get(tool.name, ()),
        )
        for tool in discovered.tools
    } | {
        stub.name: ToolEvidence(
            discovered.run,
            stub,
            left_out=_unusable(judged.by_tool.get(stub.name, ()), settings.language),
            problems=judged.by_tool.get(stub.name, ()),
        )
        for stub in judged.unusable
    }
    recorded = session.context.recorder.by_id.held
    own = tuple(e for e in recorded if e.run == discovered.run.id and e.script == LOOKED)
    return RunEvidence(
        discovered.run,
        discovered.tools,
        judged.catalog,
        discovered.documents,
        by_tool=by_tool,
        scripts={LOOKED: own},
        capabilities=discovered.capabilities,
        cut=True,
        credentials=settings.credentials,
        offered=offered(own, discovered.tools),
        left_out=discovered.left_out,
    )


def _unusable(problems: tuple[Problem, ...], language: str) -> Message:
    """Why a declaration cannot be used: its worst problem in words, and where."""
    first = worst(problems)
    if first is None:
        return message("kit.left_out.unusable_name")
    words = first.message.words(language).rstrip(".")
    return message("kit.left_out.unusable", reason=words, place=first.path)


class RunDriver:
    """One run's drive."""

    def __init__(self, session: SessionDriver, discovered: Discovered) -> None:
        self._session = session
        self._run = discovered.run
        self._tools_path = discovered.tools_path
        self._tools_at_once = asyncio.Semaphore(_TOOLS_AT_ONCE)
        self._by_tool = dict(self._evidence.by_tool)
        self._keep(by_tool=self._by_tool)

    async def drive(self) -> None:
        """The tools, then the scripts; what a dead connection leaves undone stays undone."""
        context = self._session.context
        try:
            channel = await open_channel(self._run, context)
        except ConnectFailed as failure:
            steps = (failure.exchange,) if failure.exchange is not None else ()
            self._keep(connected=False, cut=False, scripts={CONNECTION: steps})
            return
        try:
            await channel.started()
            waiting = [e for e in self._evidence.by_tool.values() if e.left_out is None]
            numbered = [(one.tool, context.recorder.series()) for one in waiting]
            for turn in sorted({turn_of(tool) for tool, _ in numbered}):
                await self._tools(channel, [n for n in numbered if turn_of(n[0]) == turn])
            if channel.silent and channel.binding.traits.starts_process:
                await channel.renew()
            if not channel.silent:
                await self._scripts(channel)
            self._keep(cut=False, silenced=channel.silent)
        except ConnectFailed:
            self._keep(cut=False, silenced=True)
        finally:
            if channel.width.is_narrow:
                self._session.narrow.add(self._run.id)
            await channel.close()

    @property
    def _evidence(self) -> RunEvidence:
        return self._session.evidence[self._run.id]

    def _keep(self, **changes: Any) -> None:
        self._session.evidence[self._run.id] = replace(self._evidence, **changes)

    async def _tools(self, channel: Channel, numbered: list[tuple[Tool, Series]]) -> None:
        """All tools, some at once; what the first of all shows is told as soon as it is done."""
        progress = self._session.progress
        tell, progress.first = (progress.first, None) if numbered else (None, progress.first)
        if tell is None:
            await together(self._tool(channel, *each) for each in numbered)
            return
        done = asyncio.Event()
        waited = asyncio.get_running_loop().call_later(FIRST_TOOL_AHEAD, done.set)

        async def first(tool: Tool, numbers: Series) -> None:
            try:
                await self._tool(channel, tool, numbers)
                await tell(self._run.id, tool.name)
            finally:
                waited.cancel()
                done.set()

        async def later(tool: Tool, numbers: Series) -> None:
            await done.wait()
            await self._tool(channel, tool, numbers)

        ahead, *others = numbered
        await together((first(*ahead), *(later(*each) for each in others)))

    async def _tool(self, channel: Channel, tool: Tool, numbers: Series) -> None:
        async with self._tools_at_once:
            driver = ToolRun(channel, tool, self._session.progress, numbers, self._session.plans)
            try:
                driven = await driver.drive()
            except asyncio.CancelledError:
                self._take(tool, driver.so_far())
                raise
            except (ConnectFailed, OSError):
                raise  # the server has gone, or the disk is full: that is no single tool's
            except Exception as error:
                driven = replace(driver.so_far(), cut=False, fault=fault_of(error))
        self._take(tool, driven)

    def _take(self, tool: Tool, driven: ToolEvidence) -> None:
        before = self._by_tool[tool.name]
        calls = self._session.context.recorder.put_calls_away(driven.calls, tool)
        self._by_tool[tool.name] = replace(driven, calls=calls, problems=before.problems)

    async def _scripts(self, channel: Channel) -> None:
        good = good_calls(self._evidence)
        tools = self._evidence.tools
        for script in self._session.scripts:
            if not script.runs_in(self._run):
                continue
            await channel.revive()  # of a process that a call ended, a script would learn nothing
            try:
                exchanges = await play(
                    script,
                    self._run,
                    self._session.context,
                    tools,
                    good,
                    tools_path=self._tools_path,
                    offered=self._evidence.offered,
                    shared=channel,
                )
            except (ConnectFailed, OSError):
                raise
            except Exception as error:
                self._keep(faults={**self._evidence.faults, script.name: fault_of(error)})
                continue
            self._keep(scripts={**self._evidence.scripts, script.name: exchanges})


def good_calls(evidence: RunEvidence) -> dict[str, Any]:
    """Arguments that were accepted, by tool."""
    accepted: dict[str, Any] = dict(evidence.lent)
    for name, tool in evidence.by_tool.items():
        baseline = tool.baseline
        if baseline is not None and baseline.reading.accepted:
            accepted[name] = baseline.case.arguments
    return accepted
