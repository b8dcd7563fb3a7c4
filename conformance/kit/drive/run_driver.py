"""Drives a whole session: every run's baseline calls, its scripts, and then all its cases.

What is cheap and certain comes first, and each part has its share of the time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, TypeVar

from conformance.formats.problem import Problem
from conformance.formats.tool.tool import Tool
from conformance.kit.cases.phases import Plans
from conformance.kit.drive.budget import Shares, until
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.pacing import together
from conformance.kit.drive.play import Playing, adopted, drive_protocol, play, stage_of
from conformance.kit.drive.progress import Progress, RunDriven
from conformance.kit.drive.tool_driver import ToolRun
from conformance.kit.drive.turns import Turns
from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.declarations import Declared, Discovered, worst
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.evidence.safety import turn_of, why_left_out
from conformance.kit.evidence.script import CONNECTION, LOOKED, Script
from conformance.kit.model.fault import Fault, fault_of
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import traits_of
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Era, RunKind

T = TypeVar("T")

_BASELINES = 0.3
_EARLY = 0.6
_TOOLS = 0.8
_TOOLS_FIRST = 0.65
"""Shares of a run's time after which no other tool begins, the early scripts have had theirs, and
the cases, which leave more to the scripts where none of those came early.
"""


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
    ends: Callable[[], float] = lambda: inf
    """When driving has to end, as a reading of time.monotonic(). It may come nearer."""
    cut: bool = False
    """Whether some part was cut short, since its share of the time was over."""

    async def drive(self) -> None:
        """Drive every full run, one after the other, then all protocol runs, side by side.

        Those go one after the other, too, where a server was too slow for many calls at once.
        """
        for discovered in self.found:
            self.evidence[discovered.run.id] = _before(discovered, self)
        self.progress.starts()
        await asyncio.sleep(0)
        older = [one for one in self.found if one.run.kind is RunKind.PROTOCOL]
        full = [one for one in self.found if one.run.kind is RunKind.FULL]
        shares = Shares(time.monotonic(), len(full), older=bool(older))
        for discovered in full:
            ends = partial(shares.next(time.monotonic()), self.ends)
            await self._watched(discovered.run, RunDriver(self, discovered, ends).drive())
        in_processes = [one for one in older if traits_of(one.run).starts_process]
        await self._in_processes(in_processes)
        others = [one for one in older if one not in in_processes]
        at_once = asyncio.Semaphore(1 if self.narrow else max(len(others), 1))
        await together(self._in_turn(one.run, at_once) for one in others)

    async def _in_turn(self, run: Run, at_once: asyncio.Semaphore) -> None:
        async with at_once:
            channel = await self._watched(run, self._protocol(run, None))
            if channel is not None:
                await channel.close()

    async def _in_processes(self, older: list[Discovered]) -> None:
        """Protocol runs one after the other, on one process where the server takes that."""
        channel: Channel | None = None
        try:
            for one in older:
                same = channel is not None and channel.run.endpoint == one.run.endpoint
                if channel is not None and not (same and one.settles_again):
                    await channel.close()
                    channel = None
                channel = await self._watched(one.run, self._protocol(one.run, channel))
        finally:
            if channel is not None:
                await channel.close()

    async def _watched(self, run: Run, work: Coroutine[Any, Any, T]) -> T:
        """Drive a run, and say when that begins and ends."""
        sent = self.context.recorder.requests
        began, before = time.monotonic(), sent[run.id]
        self.progress.begins(run.id)
        done = await work
        calls = sum(len(tool.calls) for tool in self.evidence[run.id].by_tool.values())
        took = time.monotonic() - began
        self.progress.ends(RunDriven(run.id, calls, sent[run.id] - before, took))
        return done

    async def _protocol(self, run: Run, shared: Channel | None) -> Channel | None:
        """A protocol run, with what the full run of its server was seen to accept.

        It goes on with the process of the run before, if that takes its handshake; gives the
        channel that it used, open.
        """
        alike = [
            one
            for one in self.evidence.values()
            if one.run.kind is RunKind.FULL
            and one.run.era is run.era
            and (one.run.endpoint, one.run.binding) == (run.endpoint, run.binding)
        ]
        if any(_is_gone(one) for one in alike):
            return shared  # nothing more is sent to a server that stopped answering
        lent = good_calls(alike[0]) if alike else {}
        before = self.evidence[run.id]
        if shared is not None:
            shared.speaks_for(run)
            driven = await drive_protocol(before, self.scripts, shared, lent)
            if shared.opened is not None and not driven.silenced:
                self.evidence[run.id] = driven
                return shared
            await shared.close()
        try:
            channel = await open_channel(run, self.context, handshake=False)
        except ConnectFailed as failure:
            steps = (failure.exchange,) if failure.exchange is not None else ()
            closed = replace(before, lent=lent, connected=False, cut=False, playing=False)
            self.evidence[run.id] = replace(closed, scripts={CONNECTION: steps})
            return None
        try:
            self.evidence[run.id] = await drive_protocol(before, self.scripts, channel, lent)
        except asyncio.CancelledError:
            await channel.close()
            raise
        return channel


def _is_gone(evidence: RunEvidence) -> bool:
    """Whether a server stopped answering for good: a process can be started anew."""
    if traits_of(evidence.run).starts_process or evidence.silenced or not evidence.connected:
        return evidence.silenced or not evidence.connected
    return any(tool.silenced for tool in evidence.by_tool.values())


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
        playing=True,
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
    """One run's drive. `ends` is when it has to end."""

    def __init__(
        self, session: SessionDriver, discovered: Discovered, ends: Callable[[], float]
    ) -> None:
        self._session = session
        self._run = discovered.run
        self._tools_path = discovered.tools_path
        self._ends = ends
        self._began = time.monotonic()
        self._early_played = True
        self._by_tool = dict(self._evidence.by_tool)
        self._keep(by_tool=self._by_tool)

    async def drive(self) -> None:
        """The tools and the scripts; what a dead connection leaves undone stays undone.

        Where a connection is a process, one runs at a time. A script that needs one of its own is
        played when the run's has ended. All other scripts come after the baseline calls, which they
        repeat; where some tools have to be called after all others, after those.
        """
        context = self._session.context
        scripts = [script for script in self._session.scripts if script.runs_in(self._run)]
        shared = [script for script in scripts if script.shares_connection(self._run)]
        opener = next((s for s in scripts if s.opens and self._in_process), None)
        alone = [script for script in scripts if script not in (opener, *shared)]
        turns = self._turns()
        early = [s for s in (shared if self._in_process else alone) if not s.last]
        early = early if len(turns) <= 1 else []
        try:
            shakes = opener is None or opener.handshake
            channel = await open_channel(self._run, context, handshake=shakes)
        except ConnectFailed as failure:
            steps = (failure.exchange,) if failure.exchange is not None else ()
            self._keep(connected=False, cut=False, playing=False, scripts={CONNECTION: steps})
            return
        opening = None
        try:
            if opener is None:
                await channel.started()
            else:
                stage = stage_of(channel, self._evidence.tools, {}, offered=self._evidence.offered)
                opening = Playing(opener, channel, stage)
                if not await self._opened(opening, channel):
                    self._keep(connected=False, cut=False, playing=False)
                    return
            whole = await self._all_tools(channel, turns, early)
            shared, alone = ([s for s in some if s not in early] for some in (shared, alone))

            async def late() -> None:
                if channel.silent and self._in_process:
                    await channel.renew()
                if not channel.silent:
                    await self._scripts(sorted(shared, key=lambda script: script.last), channel)
                    await self._closed(opening, channel)
                    await self._scripts(alone, channel)
                elif shared or alone:
                    self._keep(silenced=True)

            played = await self._until(late(), self._ends) and self._early_played
            self._keep(cut=not (whole and played), playing=not played)
        except ConnectFailed:
            self._keep(cut=False, playing=False, silenced=True)
        finally:
            if opening is not None:
                opening.end()
            if channel.width.is_narrow:
                self._session.narrow.add(self._run.id)
            await channel.close()

    async def _opened(self, opening: Playing, channel: Channel) -> bool:
        """Play what opens the process, up to its Close; False if that settles on no version."""
        await opening.play(to_close=True)
        self._played(opening)
        if not channel.handshake and self._run.era is Era.LEGACY:
            if not adopted(channel, opening.exchanges):
                return False
            channel.handshake = True
        if any(exchange.trouble is not None for exchange in opening.exchanges):
            await channel.renew()
        return True

    async def _closed(self, opening: Playing | None, channel: Channel) -> None:
        """Play the rest of what opened the process, on one that answers, and end it."""
        if opening is not None and not opening.is_over:
            if not await channel.answers_a_list(Step("before-end")):
                await channel.renew()
            await opening.play()
            self._played(opening)
        if self._in_process:
            await channel.close()

    def _played(self, playing: Playing) -> None:
        played = {playing.name: tuple(playing.exchanges)}
        self._keep(scripts={**self._evidence.scripts, **played})

    @property
    def _in_process(self) -> bool:
        return traits_of(self._run).starts_process

    @property
    def _evidence(self) -> RunEvidence:
        return self._session.evidence[self._run.id]

    def _keep(self, **changes: Any) -> None:
        self._session.evidence[self._run.id] = replace(self._evidence, **changes)

    def _turns(self) -> list[list[Tool]]:
        """The tools that are called, those that change much last."""
        waiting = [e.tool for e in self._evidence.by_tool.values() if e.left_out is None]
        turns = sorted({turn_of(tool) for tool in waiting})
        return [[tool for tool in waiting if turn_of(tool) == turn] for turn in turns]

    async def _all_tools(
        self, channel: Channel, turns: list[list[Tool]], early: list[Script]
    ) -> bool:
        """All tools, and the early scripts. Gives whether all calls were made in time."""
        session = self._session
        series, progress = session.context.recorder.series, session.progress

        async def between() -> None:
            self._early_played = False
            try:
                work = self._scripts(early, channel)
                self._early_played = await self._until(work, partial(self._at, _EARLY))
            except ConnectFailed:
                self._keep(silenced=True)

        async def in_turns() -> None:
            for tools in turns:
                tell, progress.first = progress.first, None
                runs = [ToolRun(channel, tool, progress, series(), session.plans) for tool in tools]
                shown = None if tell is None else partial(self._tell, tell)
                await Turns(runs, self._take, between, shown).take(self._at(_BASELINES))

        if not turns:
            await between()
            return True
        share = _TOOLS if early else _TOOLS_FIRST
        return await self._until(in_turns(), partial(self._at, share))

    async def _until(self, work: Coroutine[Any, Any, None], ends: Callable[[], float]) -> bool:
        """Do this until its share of the time is over. Gives whether it was done."""
        try:
            await until(work, ends)
        except TimeoutError:
            self._session.cut = True
            return False
        return True

    def _at(self, share: float) -> float:
        """When so much of the run's time is over."""
        ends = self._ends()
        return ends if ends == inf else self._began + share * (ends - self._began)

    async def _tell(self, tell: Callable[[str, str], Awaitable[None]], run: ToolRun) -> None:
        await tell(self._run.id, run.tool.name)

    def _take(self, run: ToolRun, done: bool, fault: Fault | None = None) -> None:
        """Keep a tool's evidence; what is put away is a tool's whose calls are all made."""
        driven = run.evidence() if done else run.so_far()
        recorder = self._session.context.recorder
        calls = recorder.put_calls_away(driven.calls, run.tool) if done else driven.calls
        problems = self._by_tool[run.tool.name].problems
        self._by_tool[run.tool.name] = replace(driven, calls=calls, problems=problems, fault=fault)

    async def _scripts(self, scripts: Iterable[Script], channel: Channel) -> None:
        good = good_calls(self._evidence)
        tools = self._evidence.tools

        async def one(script: Script) -> None:
            if script.shares_connection(self._run):
                await channel.revive()  # a script would learn nothing of a process that has ended
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
                return
            self._keep(scripts={**self._evidence.scripts, script.name: exchanges})

        if traits_of(self._run).scripts_together:
            await together(one(script) for script in scripts)
            return
        for script in scripts:
            await one(script)


def good_calls(evidence: RunEvidence) -> dict[str, Any]:
    """Arguments that were accepted, by tool."""
    accepted: dict[str, Any] = dict(evidence.lent)
    for name, tool in evidence.by_tool.items():
        baseline = tool.baseline
        if baseline is not None and baseline.reading.accepted:
            accepted[name] = baseline.case.arguments
    return accepted
