"""Finds the older versions of MCP that a server of the handshake era agrees to: each is a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.drive.channel import Channel, ConnectFailed, open_channel
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.response import response_of
from conformance.kit.evidence.safety import why_left_out
from conformance.kit.evidence.script import CONNECTION, LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.mcp import LEGACY_VERSIONS, McpBinding
from conformance.spec.vocabulary import RunKind

ELSEWHERE = "elsewhere"
"""The id of the run for exchanges that belong to no other run."""


async def with_older(channel: Channel, found: Discovered) -> Discovered:
    """Return the run with the older versions that the server agrees to, and its answers.

    Each version is asked for on this connection, which is closed then. If it is refused there, the
    kit asks again in a new process, if it starts one. A server may settle on a version only once.
    The connection comes first, because two processes may need what only one can have.
    """
    run = found.run
    settings, traits = channel.context.settings, channel.binding.traits
    asked = [v for v in LEGACY_VERSIONS if traits.since <= v < run.version and settings.speaks(v)]
    if channel.sessions.are_open and await _holds_one(channel):
        channel.context.sessions.single.add(run.endpoint)
    if settings.replay is not None:
        return found
    agreed: dict[str, Mapping[str, Any]] = {}
    for version in asked:
        exchange = await ask(channel, version)
        if (result := _agreement(exchange, version)) is not None:
            agreed[version] = result
        elif exchange.trouble is not None:
            break
    await channel.close()
    settles_again = True
    for version in asked if traits.starts_process else ():
        if version not in agreed and (alone := await _alone(channel, run, version)) is not None:
            agreed[version], settles_again = alone, False
    in_order = dict(sorted(agreed.items(), reverse=True))
    return replace(found, agreed=in_order, settles_again=settles_again)


async def ask(channel: Channel, version: str) -> Exchange:
    """Ask for a version with a handshake, on a connection that has begun already."""
    speaker = spoken(channel.binding, McpBinding)
    request = speaker.initialize(id=channel.fresh_id(), version=version)
    step = Step("initialize", version=version)
    return await channel.send(request, script=LOOKED, step=step)


async def _holds_one(channel: Channel) -> bool:
    """Return whether a server refuses another session, and opens it when the first has ended."""
    if await _opens_another(channel):
        return False
    await channel.sessions.end()
    return await _opens_another(channel)


async def _opens_another(channel: Channel) -> bool:
    request = spoken(channel.binding, McpBinding).initialize(id=channel.fresh_id())
    exchange = await channel.send(request, script=CONNECTION, step=Step("another-session"))
    return isinstance((response_of(exchange) or {}).get("result"), dict)


async def _alone(channel: Channel, run: Run, version: str) -> Mapping[str, Any] | None:
    try:
        own_run = replace(run, id=ELSEWHERE, version=version)
        own = await open_channel(own_run, channel.context)
    except ConnectFailed:
        return None
    try:
        assert own.opened is not None
        return _agreement(own.opened, version)
    finally:
        await own.close()


def _agreement(exchange: Exchange, version: str) -> Mapping[str, Any] | None:
    """Return the result of a handshake, if it agreed on the requested version."""
    result = (response_of(exchange) or {}).get("result")
    agreed = isinstance(result, dict) and result.get("protocolVersion") == version
    return result if agreed else None


def protocol_runs(found: list[Discovered], settings: Settings) -> list[Discovered]:
    """Return a protocol run for each older version that was agreed to, with the tool to call."""
    return [
        _protocol_run(one, version, result, settings)
        for one in found
        for version, result in one.agreed.items()
    ]


def _protocol_run(
    full: Discovered, version: str, result: Mapping[str, Any], settings: Settings
) -> Discovered:
    run = replace(full.run, version=version, kind=RunKind.PROTOCOL)
    harmless = [tool for tool in full.tools if _is_harmless(tool, run, settings)]
    capabilities = result.get("capabilities")
    return Discovered(
        run,
        tools=tuple(harmless[:1]),
        capabilities=capabilities if isinstance(capabilities, dict) else {},
        settles_again=full.settles_again,
    )


def _is_harmless(tool: Tool, run: Run, settings: Settings) -> bool:
    """Return whether a tool may be called once more: it changes nothing."""
    return tool.annotations.read_only is True and why_left_out(tool, run, settings) is None
