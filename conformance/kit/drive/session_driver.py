"""Drives a whole session: every full run, then all protocol runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, TypeVar

from conformance.kit.drive.budget import Shares
from conformance.kit.drive.channel import Channel, ConnectFailed, open_channel
from conformance.kit.drive.pacing import together
from conformance.kit.drive.play import drive_protocol
from conformance.kit.drive.progress import RunDriven
from conformance.kit.drive.run_driver import Gathered, RunDriver
from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.declarations import Declared, Discovered, why_unusable
from conformance.kit.evidence.evidence import RunEvidence, untried
from conformance.kit.evidence.safety import why_left_out
from conformance.kit.evidence.script import CONNECTION, LOOKED, scenario_id
from conformance.kit.model.fault import Fault, catching
from conformance.kit.model.run import Role, Run
from conformance.kit.transport.bindings import traits_of
from conformance.spec.vocabulary import RunKind

T = TypeVar("T")


@dataclass(slots=True)
class SessionDriver(Gathered):
    """Drives all runs. The evidence is complete after `drive`, and partial after an interrupt."""

    found: list[Discovered]
    declared: Mapping[str, Declared]
    ends: Callable[[], float] = lambda: inf
    """Returns when driving has to end, as a reading of time.monotonic(). It may become earlier."""

    async def drive(self) -> None:
        """Drive the full runs one after the other, then all protocol runs in parallel.

        If a server was too slow for many parallel calls, or opens one session at a time, protocol
        runs also go one after the other.
        """
        try:
            await self._all_runs()
        finally:
            self.plans.close()

    async def _all_runs(self) -> None:
        for discovered in self.found:
            self.evidence[discovered.run.id] = _known(discovered, self)
        self.progress.starts()
        await asyncio.sleep(0)
        sound = [one for one in self.found if self.evidence[one.run.id].fault is None]
        older = [one for one in sound if one.run.kind is RunKind.PROTOCOL]
        full = [one for one in sound if one.run.kind is RunKind.FULL]
        shares = Shares(time.monotonic(), len(full), older=bool(older))
        for discovered in full:
            ends = partial(shares.next(time.monotonic()), self.ends)
            await self._watched(discovered.run, RunDriver(self, discovered, ends).drive())
        in_processes = [one for one in older if traits_of(one.run).starts_process]
        await self._in_processes(in_processes)
        others = [one for one in older if one not in in_processes]
        in_order = self.narrow or self.context.sessions.single
        at_once = asyncio.Semaphore(1 if in_order else max(len(others), 1))
        await together(self._in_turn(one.run, at_once) for one in others)

    def has_sent(self, wanted: str) -> bool:
        """Return whether a case or a scenario was sent, given its id."""
        driven = self.evidence.values()
        sent = [call.case.id for one in driven for call in one.calls]
        sent += [
            scenario_id(one.run.id, each.step)
            for one in driven
            if one.run.role is Role.GATEWAY
            for each in one.exchanges
            if each.step is not None and each.script != LOOKED
        ]
        return any(id.names(wanted) for id in sent)

    async def _in_turn(self, run: Run, at_once: asyncio.Semaphore) -> None:
        async with at_once:
            channel = await self._watched(run, self._protocol(run, None))
            if channel is not None:
                await channel.close()

    async def _in_processes(self, older: list[Discovered]) -> None:
        """Drive protocol runs one after the other, on one process if the server accepts that."""
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

    async def _watched(self, run: Run, work: Coroutine[Any, Any, T]) -> T | None:
        """Drive a run, and report when it begins and ends."""
        sent = self.context.recorder.requests
        began, before = time.monotonic(), sent[run.id]
        self.progress.begins(run.id)
        done = await self._guarded(run, work)
        calls = sum(len(tool.calls) for tool in self.evidence[run.id].by_tool.values())
        took = time.monotonic() - began
        self.progress.ends(RunDriven(run.id, calls, sent[run.id] - before, took))
        return done

    async def _guarded(self, run: Run, work: Coroutine[Any, Any, T]) -> T | None:
        """Drive a run. A fault of the kit outside any tool or script costs only that run."""
        with catching() as caught:
            return await work
        if caught.fault is not None:
            self.faults.add("kit.session_failed", caught.fault)
            self._spoil(run, caught.fault)
        return None

    def _spoil(self, run: Run, fault: Fault) -> None:
        """Keep the tools and scripts of a run that were finished. A fault costs all others."""
        known = self.evidence[run.id]
        own = [script.name for script in self.scripts if script.runs_in(run)]
        unplayed = {name: fault for name in own if name not in known.scripts}
        tools = {
            name: tool if tool.calls and not tool.cut else replace(tool, fault=tool.fault or fault)
            for name, tool in known.by_tool.items()
        }
        driven = replace(known, by_tool=tools, faults={**unplayed, **known.faults})
        self.evidence[run.id] = replace(driven, cut=False, playing=False)

    def spoil_rest(self, fault: Fault) -> None:
        """Note in each run that was not driven to its end that a fault of the kit ended driving."""
        for one in self.found:
            known = self.evidence.setdefault(one.run.id, RunEvidence(one.run, fault=fault))
            if known.cut or known.playing:
                self._spoil(one.run, fault)

    async def _protocol(self, run: Run, shared: Channel | None) -> Channel | None:
        """Drive a protocol run, with arguments that the full run of its server saw accepted.

        It goes on with the process of the run before, if that accepts its handshake. Returns the
        channel that it used, still open.
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
        lent = alike[0].good_calls if alike else {}
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
    """Return whether a server stopped answering for good. A process can be started again."""
    if traits_of(evidence.run).starts_process or evidence.silenced or not evidence.connected:
        return evidence.silenced or not evidence.connected
    return any(tool.silenced for tool in evidence.by_tool.values())


def _known(discovered: Discovered, session: SessionDriver) -> RunEvidence:
    """Return what is known about a run before any tool is called. A fault of the kit costs it."""
    fault = session.declared[discovered.run.id].fault
    with catching() as caught:
        if fault is None:
            return _before(discovered, session)
    return RunEvidence(discovered.run, discovered.tools, fault=fault or caught.fault)


def _before(discovered: Discovered, session: SessionDriver) -> RunEvidence:
    """Return what is known about a run before any tool is called."""
    settings = session.context.settings
    judged = session.declared[discovered.run.id]
    by_tool = {
        tool.name: untried(
            tool,
            discovered.run,
            judged.by_tool.get(tool.name, ()),
            judged.faults.get(tool.name),
            partial(why_left_out, tool, discovered.run, settings),
        )
        for tool in discovered.tools
    } | {
        stub.name: untried(
            stub,
            discovered.run,
            judged.by_tool.get(stub.name, ()),
            judged.faults.get(stub.name),
            partial(why_unusable, stub.name, judged, settings.language),
        )
        for stub in judged.unusable
    }
    recorded = session.context.recorder.by_id.held
    own = tuple(e for e in recorded if e.run == discovered.run.id and e.script == LOOKED)
    families = tuple(discovered.capabilities.get("families", ()))
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
        offered=replace(offered(own, discovered.tools), families=families),
        tools_path=discovered.tools_path,
        left_out=discovered.left_out,
    )
