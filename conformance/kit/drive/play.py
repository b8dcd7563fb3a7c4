"""Plays a chapter's scripts: sends what they yield, and hands the answers back to them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.naming import good_id
from conformance.kit.drive.channel import (
    WITHHELD,
    Channel,
    ConnectFailed,
    Context,
    open_channel,
)
from conformance.kit.drive.pacing import together
from conformance.kit.evidence.catalog import Offered
from conformance.kit.evidence.evidence import Call, RunEvidence, call_of
from conformance.kit.evidence.safety import may_be_called
from conformance.kit.evidence.script import (
    CLOSE,
    INITIALIZE,
    Action,
    Close,
    Open,
    Restart,
    Script,
    Send,
    Stage,
    Together,
)
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.fault import catching
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import Received

_MOST_STEPS = 5_000
_OPEN = Step("open")


class Playing:
    """One script that is played on one channel."""

    def __init__(
        self,
        script: Script,
        channel: Channel,
        stage: Stage,
        confirms: Mapping[Step, Exchange] | None = None,
    ) -> None:
        self.name = script.name
        self._channel = channel
        self._confirms = confirms or {}
        self._steps = script.function(stage)
        self._action = next(self._steps, None)
        self._left = _MOST_STEPS
        self._withheld: dict[Step, Exchange] = {}
        self.exchanges: list[Exchange] = []

    async def play(self, *, to_close: bool = False) -> None:
        """Play the script to its end; with `to_close` only to its Close, which is not done then."""
        while self._action is not None and self._left:
            if to_close and isinstance(self._action, Close):
                return
            self._left -= 1
            done = await self._act(self._action)
            self.exchanges += (each for each in done if each.id != WITHHELD)
            try:
                self._action = self._steps.send(done[-1])
            except StopIteration:
                self._action = None

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return self._action is None or not self._left

    @property
    def ends_in_silence(self) -> bool:
        """Whether a process did not answer the last step, and would answer no other script."""
        silent = bool(self.exchanges) and self.exchanges[-1].trouble is Trouble.TIMEOUT
        return silent and self._channel.binding.traits.starts_process

    def end(self) -> None:
        """Let the script clean up."""
        self._steps.close()

    async def _act(self, action: Action) -> list[Exchange]:
        if isinstance(action, Together):
            return await together(self._send(each) for each in action.sends)
        if isinstance(action, Send):
            return [await self._send(action)]
        return [await self._connect(action)]

    async def _send(self, action: Send) -> Exchange:
        """Send a request, unless it is off limits.

        A step that is off limits leaves no evidence, nor does the check after it that the server
        still answers.
        """
        unmarked = replace(action.step, mark=None)
        if unmarked in self._withheld:
            return self._withheld[unmarked]
        if action.after:
            await asyncio.sleep(action.after)
        before = self._confirms.get(action.step)
        exchange = await self._channel.send(
            action.request,
            script=self.name,
            step=action.step,
            confirms=before.id if before else None,
        )
        if exchange.id == WITHHELD:
            self._withheld[unmarked] = exchange
        return exchange

    async def _connect(self, action: Open | Close | Restart) -> Exchange:
        channel, step = self._channel, CLOSE
        if isinstance(action, Close):
            step = action.step
            closed = await channel.close(script=self.name, step=step)
            return closed or self._nothing(step)
        await channel.close()
        channel.handshake = action.handshake
        try:
            await channel.open()
        except ConnectFailed as failure:
            return failure.exchange or self._nothing(
                _OPEN, failure.why.words(channel.context.settings.language)
            )
        return channel.opened or self._nothing(_OPEN)

    def _nothing(self, step: Step, reason: str = "") -> Exchange:
        """Record a step that sent nothing; a reason makes it a trouble."""
        trouble = Trouble.REFUSED if reason else None
        received = Received(None, trouble, 0.0, reason)
        return self._channel.nothing_sent(received, script=self.name, step=step)


def stage_of(
    channel: Channel,
    tools: tuple[Tool, ...],
    good_calls: Mapping[str, Any],
    *,
    tools_path: str = "",
    offered: Offered | None = None,
) -> Stage:
    """Return what a script may know that is played on a channel."""
    run, context = channel.run, channel.context
    return Stage(
        channel.binding,
        tools,
        dict(good_calls),
        tools_path=tools_path,
        offered=offered or Offered(),
        declared=context.settings.gateway_policy,
        may_call=frozenset(t.name for t in tools if may_be_called(t, run, context.settings)),
    )


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
    """Play a script and return its exchanges, in order; empty if nothing could be sent.

    `shared` is the channel of the run's other scripts. A script that cannot share it gets its own.
    `confirms` maps a step to the exchange that this playing repeats.
    """
    own = shared is None or not (script.shares_connection(run) or not script.fresh)
    if shared is not None and shared.sessions.is_single and own:
        await shared.close()
    elif shared is not None and shared.binding.traits.over_http:
        await shared.revive()
    try:
        channel = await open_channel(run, context, handshake=script.handshake) if own else shared
    except ConnectFailed as failure:
        return (failure.exchange,) if failure.exchange is not None else ()
    assert channel is not None
    before = channel.handshake
    stage = stage_of(channel, tools, good_calls, tools_path=tools_path, offered=offered)
    playing = Playing(script, channel, stage, confirms)
    try:
        await playing.play()
    finally:
        playing.end()
        if own or channel.handshake != before or playing.ends_in_silence:
            await channel.close()
        channel.handshake = before
    return tuple(playing.exchanges)


async def drive_protocol(
    before: RunEvidence, scripts: Iterable[Script], channel: Channel, lent: Mapping[str, Any]
) -> RunEvidence:
    """Return the evidence of a protocol run. `lent` has the accepted arguments of the full run.

    The first script that shakes hands does so on the connection that the call then uses: starting a
    process is what costs most here.
    """
    evidence, shaken = replace(before, lent=lent), False
    try:
        for script in sorted(scripts, key=lambda script: script.last):
            if not script.runs_in(evidence.run):
                continue
            opening = not shaken and not script.handshake
            with catching(ConnectFailed) as caught:
                played = await play(
                    replace(script, fresh=False) if opening else script,
                    evidence.run,
                    channel.context,
                    evidence.tools,
                    dict(lent),
                    shared=channel,
                )
            if caught.fault is not None:
                faults = {**evidence.faults, script.name: caught.fault}
                evidence = replace(evidence, faults=faults)
                continue
            evidence = replace(evidence, scripts={**evidence.scripts, script.name: played})
            if opening and adopted(channel, played):
                shaken = True
                evidence = await _called(evidence, channel)
                channel.handshake = (
                    channel.sessions.is_single
                )  # it is closed for each script with its own
    except ConnectFailed:
        return replace(evidence, cut=False, playing=False, silenced=True)
    return replace(evidence, cut=False, playing=False)


def adopted(channel: Channel, played: Iterable[Exchange]) -> bool:
    """Return whether a channel goes on with the version on which a script's handshake agreed."""
    return any(exchange.step == INITIALIZE and channel.adopt(exchange) for exchange in played)


async def _called(evidence: RunEvidence, channel: Channel) -> RunEvidence:
    """Return the evidence with a baseline call of the one tool."""
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
