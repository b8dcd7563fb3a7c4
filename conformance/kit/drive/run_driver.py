"""Drives one run: its baseline calls, its scripts, and then all its cases.

Cheap and certain work comes first, and each part has its share of the time.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.phases import Plans
from conformance.kit.cases.seen_values import SeenValues
from conformance.kit.drive.budget import until
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.pacing import together
from conformance.kit.drive.play import Playing, adopted, play, stage_of
from conformance.kit.drive.progress import Progress
from conformance.kit.drive.tool_driver import ToolRun
from conformance.kit.drive.tool_turns import Turns
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence
from conformance.kit.evidence.safety import turn_of
from conformance.kit.evidence.script import CONNECTION, Script
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.fault import Fault, FaultLog, catching
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import traits_of
from conformance.spec.vocabulary import Era

_BASELINES = 0.3
_EARLY = 0.6
_TOOLS = 0.8
_TOOLS_FIRST = 0.65
"""Shares of a run's time at which early baseline calls, early scripts, and cases end.

If no scripts came early, the cases end at the last one, which leaves more time for the scripts.
"""


@dataclass(slots=True)
class Gathered:
    """What the drivers of a session share, and what they have gathered so far."""

    context: Context
    scripts: list[Script]
    evidence: dict[str, RunEvidence] = field(default_factory=dict, kw_only=True)
    progress: Progress = field(default_factory=Progress, kw_only=True)
    plans: Plans = field(default_factory=Plans, kw_only=True)
    faults: FaultLog = field(default_factory=FaultLog, kw_only=True)
    narrow: set[str] = field(default_factory=set, kw_only=True)
    """The runs whose server was too slow for the requested number of parallel calls."""
    mute: set[tuple[str, str]] = field(default_factory=set, kw_only=True)
    """The tools that answered no call of a run within --request-timeout, by endpoint and name."""
    cut: bool = field(default=False, kw_only=True)
    """Whether some part was cut short because its share of the time was over."""


class RunDriver:
    """Drives one run. `ends` returns when the run has to end."""

    def __init__(
        self, session: Gathered, discovered: Discovered, ends: Callable[[], float]
    ) -> None:
        self._session = session
        self._run = discovered.run
        self._ends = ends
        self._began = time.monotonic()
        self._early_played = True
        self._by_tool = dict(self._evidence.by_tool)
        self._keep(by_tool=self._by_tool)
        self._good = self._evidence.good_calls

    async def drive(self) -> None:
        """Call the tools and play the scripts. If the connection is lost, the rest is not done.

        If a connection is a process, only one runs at a time. A script that needs its own process
        is played after the run's process has ended. All other scripts come after the baseline
        calls, which they repeat. If some tools have to be called last, the scripts come after
        those.
        """
        context = self._session.context
        scripts = [script for script in self._session.scripts if script.runs_in(self._run)]
        shared = [script for script in scripts if script.shares_connection(self._run)]
        opener = next((s for s in scripts if s.opens and self._in_process), None)
        alone = [script for script in scripts if script not in (opener, *shared)]
        turns = self._turns()
        early = [s for s in (shared if self._in_process else alone) if not s.last]
        single = self._run.endpoint in context.sessions.single  # the calls would lose their session
        early = early if len(turns) <= 1 and not single else []
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
            shared, alone = (
                sorted((s for s in some if s not in early), key=lambda script: script.last)
                for some in (shared, alone)
            )

            async def late() -> None:
                if channel.silent and self._in_process:
                    await channel.renew()
                if not channel.silent:
                    await self._scripts(shared, channel)
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
        """Play the script that opens the process, up to its Close.

        Return False if it agrees on no version.
        """
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
        """Play the rest of the opening script, on a process that answers, and end the process."""
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
        """Return the tools to call, in groups: those that change much come last."""
        waiting = [e.tool for e in self._evidence.by_tool.values() if e.left_out is None]
        turns = sorted({turn_of(tool) for tool in waiting})
        return [[tool for tool in waiting if turn_of(tool) == turn] for turn in turns]

    async def _all_tools(
        self, channel: Channel, turns: list[list[Tool]], early: list[Script]
    ) -> bool:
        """Call all tools and play the early scripts. Return whether all calls were made in time."""
        session = self._session
        series, progress = session.context.recorder.series, session.progress
        seen = SeenValues()

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
                runs = [
                    ToolRun(channel, tool, progress, series(), session.plans, seen)
                    for tool in tools
                ]
                shown = None if tell is None else partial(self._tell, tell)
                await Turns(runs, self._take, between, shown).take(self._at(_BASELINES))

        if not turns:
            await between()
            return True
        share = _TOOLS if early else _TOOLS_FIRST
        return await self._until(in_turns(), partial(self._at, share))

    async def _until(self, work: Coroutine[Any, Any, None], ends: Callable[[], float]) -> bool:
        """Do `work` until its share of the time is over. Return whether it was finished."""
        try:
            await until(work, ends)
        except TimeoutError:
            self._session.cut = True
            return False
        return True

    def _at(self, share: float) -> float:
        """Return when this share of the run's time is over."""
        ends = self._ends()
        return ends if ends == inf else self._began + share * (ends - self._began)

    async def _tell(self, tell: Callable[[str, str], Awaitable[None]], run: ToolRun) -> None:
        await tell(self._run.id, run.tool.name)

    def _take(self, run: ToolRun, done: bool, fault: Fault | None = None) -> None:
        """Keep a tool's evidence. If all its calls are made, put them away."""
        problems = self._by_tool[run.tool.name].problems
        with catching() as caught:
            driven = run.evidence() if done else run.so_far()
            self._good |= driven.good_call  # before its calls are put away
            if driven.calls and all(_is_late(call) for call in driven.calls):
                self._session.mute.add((self._run.endpoint, run.tool.name))
            recorder = self._session.context.recorder
            calls = recorder.put_calls_away(driven.calls, run.tool) if done else driven.calls
            driven = replace(driven, calls=calls)
        if caught.fault is not None:
            driven, fault = ToolEvidence(self._run, run.tool), fault or caught.fault
        self._by_tool[run.tool.name] = replace(driven, problems=problems, fault=fault)

    async def _scripts(self, scripts: Iterable[Script], channel: Channel) -> None:
        good = dict(self._good)
        tools = self._evidence.tools

        async def one(script: Script) -> None:
            if script.shares_connection(self._run):
                await channel.revive()  # a script would learn nothing from a process that has ended
            with catching(ConnectFailed) as caught:
                exchanges = await play(
                    script,
                    self._run,
                    self._session.context,
                    tools,
                    good,
                    tools_path=self._evidence.tools_path,
                    offered=self._evidence.offered,
                    shared=channel,
                )
                self._keep(scripts={**self._evidence.scripts, script.name: exchanges})
            if caught.fault is not None:
                self._keep(faults={**self._evidence.faults, script.name: caught.fault})

        if traits_of(self._run).scripts_together:
            await together(one(script) for script in scripts)
            return
        for script in scripts:
            await one(script)


def _is_late(call: Call) -> bool:
    return call.exchange.trouble is Trouble.TIMEOUT
