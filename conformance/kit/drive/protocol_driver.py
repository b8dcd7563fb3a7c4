"""Drives a protocol run: its handshake, one good call, and the scripts that are about versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.kit.cases.naming import good_id
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.play import play
from conformance.kit.evidence.evidence import Call, RunEvidence, call_of
from conformance.kit.evidence.script import CONNECTION, INITIALIZE, Script
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.exchange import Exchange


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
            played = await play(
                replace(script, fresh=False) if opening else script,
                evidence.run,
                context,
                evidence.tools,
                dict(lent),
                shared=channel,
            )
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
