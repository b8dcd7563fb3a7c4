"""Plays a chapter's scripts: sends what they yield, hands back what came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.naming import good_id
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.evidence.catalog import Offered
from conformance.kit.evidence.evidence import Call, RunEvidence, call_of
from conformance.kit.evidence.safety import why_left_out
from conformance.kit.evidence.script import (
    CONNECTION,
    INITIALIZE,
    Action,
    Close,
    Open,
    Restart,
    Script,
    Send,
    Stage,
)
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.fault import fault_of
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import Received

_MOST_STEPS = 5_000
_OPEN = Step("open")


class _Player:
    """One script on one channel."""

    def __init__(
        self, script: Script, channel: Channel, confirms: Mapping[Step, Exchange] | None
    ) -> None:
        self._script = script
        self.channel = channel
        self._confirms = confirms or {}
        self.exchanges: list[Exchange] = []

    async def act(self, action: Action) -> Exchange:
        """Do what the script says; the exchange that it is handed."""
        if isinstance(action, Send):
            before = self._confirms.get(action.step)
            exchange = await self.channel.send(
                action.request,
                script=self._script.name,
                step=action.step,
                confirms=before.id if before else None,
            )
        elif isinstance(action, Close):
            closed = await self.channel.close(script=self._script.name, step=action.step)
            exchange = closed or self._nothing(action.step)
        else:
            exchange = await self._open(action)
        self.exchanges.append(exchange)
        return exchange

    async def _open(self, action: Open | Restart) -> Exchange:
        await self.channel.close()
        run, context = self.channel.run, self.channel.context
        try:
            self.channel = await open_channel(run, context, handshake=action.handshake)
        except ConnectFailed as failure:
            return failure.exchange or self._nothing(_OPEN, failure.reason)
        return self.channel.opened or self._nothing(_OPEN)

    def _nothing(self, step: Step, reason: str = "") -> Exchange:
        """An exchange for a step that sent nothing; a reason makes it a trouble."""
        trouble = Trouble.REFUSED if reason else None
        received = Received(None, trouble, 0.0, reason)
        return self.channel.nothing_sent(received, script=self._script.name, step=step)


async def play(
    script: Script,
    run: Run,
    context: Context,
    tools: tuple[Tool, ...],
    good_calls: Mapping[str, Any],
    *,
    tools_path: str = "",
    offered: Offered | None = None,
    shared: Channel | None = None,
    confirms: Mapping[Step, Exchange] | None = None,
) -> tuple[Exchange, ...]:
    """A script's exchanges, in order; empty if no connection could be opened for it.

    `shared` is the channel of the run's other scripts; a `fresh` script gets its own. `confirms`
    maps a step to the exchange that this playing repeats.
    """
    own = script.fresh or shared is None
    try:
        channel = await open_channel(run, context, handshake=script.handshake) if own else shared
    except ConnectFailed as failure:
        return (failure.exchange,) if failure.exchange is not None else ()
    assert channel is not None
    stage = Stage(
        channel.binding,
        tools,
        dict(good_calls),
        tools_path=tools_path,
        offered=offered or Offered(),
        may_call=frozenset(t.name for t in tools if _may_call(t, run, context)),
    )
    player = _Player(script, channel, confirms)
    steps = script.function(stage)
    try:
        action = next(steps, None)
        for _ in range(_MOST_STEPS):
            if action is None:
                break
            exchange = await player.act(action)
            try:
                action = steps.send(exchange)
            except StopIteration:
                break
    finally:
        steps.close()
        if own:
            await player.channel.close()
    return tuple(player.exchanges)


def _may_call(tool: Tool, run: Run, context: Context) -> bool:
    """Whether a tool may be called, once it is no hindrance that it asks for a task."""
    return why_left_out(replace(tool, task_required=False), run, context.settings) is None


async def drive_protocol(
    before: RunEvidence, scripts: Iterable[Script], context: Context, lent: Mapping[str, Any]
) -> RunEvidence:
    """The evidence of a protocol run; `lent` are arguments accepted in the full run, by tool.

    The first script that shakes hands does so on the connection that the call then uses: a start
    of a process is what costs most here.
    """
    evidence = replace(before, lent=lent)
    try:
        channel = await open_channel(evidence.run, context, handshake=False)
    except ConnectFailed as failure:
        steps = (failure.exchange,) if failure.exchange is not None else ()
        return replace(evidence, connected=False, cut=False, scripts={CONNECTION: steps})
    try:
        for script in scripts:
            if not script.runs_in(evidence.run):
                continue
            opening = channel.opened is None and not script.handshake
            try:
                played = await play(
                    replace(script, fresh=False) if opening else script,
                    evidence.run,
                    context,
                    evidence.tools,
                    dict(lent),
                    shared=channel,
                )
            except (ConnectFailed, OSError):
                raise
            except Exception as error:
                faults = {**evidence.faults, script.name: fault_of(error)}
                evidence = replace(evidence, faults=faults)
                continue
            evidence = replace(evidence, scripts={**evidence.scripts, script.name: played})
            if opening:
                evidence = await _called(evidence, channel, played)
        return replace(evidence, cut=False)
    except ConnectFailed:
        return replace(evidence, cut=False, silenced=True)
    finally:
        await channel.close()


async def _called(
    evidence: RunEvidence, channel: Channel, played: tuple[Exchange, ...]
) -> RunEvidence:
    """The same with a good call of the one tool, if the handshake came to an end."""
    if not any(exchange.step == INITIALIZE and channel.adopt(exchange) for exchange in played):
        return evidence
    by_tool = dict(evidence.by_tool)
    for tool in evidence.tools:
        if tool.name not in evidence.lent:
            continue
        case = Case(
            id=good_id(evidence.run.id, tool.name, CaseKind.BASELINE, 1),
            kind=CaseKind.BASELINE,
            scenario="baseline",
            arguments=evidence.lent[tool.name],
            expects=Expectation.ACCEPT,
        )
        call: Call = call_of(await channel.call(tool, case), tool)
        calls = channel.context.recorder.put_calls_away((call,), tool)
        by_tool[tool.name] = replace(by_tool[tool.name], calls=calls)
    return replace(evidence, by_tool=by_tool)
