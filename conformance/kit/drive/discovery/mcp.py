"""The MCP runs of an endpoint: one of each era that it speaks, with its tools."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.text import rpc
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.discovery.look_around import look_around_mcp, pages
from conformance.kit.drive.discovery.versions import older
from conformance.kit.evidence.catalog import TOOLS_LIST
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.response import response_of
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import MODERN, Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.bindings import traits_of
from conformance.kit.transport.mcp import LEGACY_VERSIONS, McpBinding
from conformance.spec.vocabulary import Binding

_SILENCE = 3.0
"""Seconds in which a server that has answered one era answers the other. A server over HTTP has the
whole request timeout, because it refuses what it does not know.
"""


async def mcp_runs(
    binding: Binding, endpoint: str, target: str, context: Context
) -> tuple[list[Discovered], str]:
    """The modern and the legacy run, as far as they are spoken; if none is, why not.

    Nobody knows yet which of them there are: the ids are made of the endpoint, and replaced later.
    """
    legacy = Run(f"legacy {endpoint}", target, binding, endpoint, LEGACY_VERSIONS[-1])
    modern = replace(legacy, id=f"modern {endpoint}", version=MODERN)
    limit = None if traits_of(legacy).over_http else _SILENCE
    shaken = asyncio.create_task(_try_legacy(legacy, context))
    asked = asyncio.create_task(_try_modern(modern, context))
    try:
        old, reason = await shaken
        if old is not None:
            await asyncio.wait({asked}, timeout=limit)
        new = await asked if old is None or asked.done() else None
    finally:
        for task in (shaken, asked):
            if not task.done():
                task.cancel()
        await asyncio.gather(shaken, asked, return_exceptions=True)
    return [run for run in (new, old) if run is not None], reason


async def _try_legacy(run: Run, context: Context) -> tuple[Discovered | None, str]:
    """The legacy run of an endpoint, or why there is none."""
    versions = [version for version in LEGACY_VERSIONS if context.settings.speaks(version)]
    if not versions:
        return None, ""
    run = replace(run, version=versions[-1])
    try:
        channel = await open_channel(run, context)
    except ConnectFailed as failure:
        return None, failure.reason
    try:
        assert channel.opened is not None
        speaker = spoken(channel.binding, McpBinding)
        if not context.settings.speaks(speaker.version):
            return None, ""
        settled = replace(run, version=speaker.version)
        channel.binding = replace(speaker, run=settled)
        result = (response_of(channel.opened) or {}).get("result") or {}
        found = await _list_tools(channel, settled, result.get("capabilities"))
        return replace(found, agreed=await older(channel, settled)), ""
    finally:
        await channel.close()


async def _try_modern(run: Run, context: Context) -> Discovered | None:
    """The modern run of an endpoint, None if it does not speak that era."""
    if not context.settings.speaks(MODERN):
        return None
    try:
        channel = await open_channel(run, context, handshake=False)
    except ConnectFailed:
        return None
    try:
        exchange = await _ask_discover(channel)
        response = response_of(exchange) or {}
        result, error = response.get("result"), response.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        status = exchange.answer.status if exchange.answer else 0
        offers = isinstance(result, dict) and "supportedVersions" in result
        refuses = code in rpc.MODERN and (status == 400 or not channel.binding.traits.over_http)
        if not offers and not refuses and not await _lists_all_the_same(channel):
            return None
        versions = result.get("supportedVersions") if isinstance(result, dict) else None
        if isinstance(versions, list) and MODERN not in versions:
            return None
        capabilities = result.get("capabilities") if isinstance(result, dict) else None
        return await _list_tools(channel, run, capabilities)
    finally:
        await channel.close()


async def _ask_discover(channel: Channel) -> Exchange:
    speaker = spoken(channel.binding, McpBinding)
    request = speaker.request("server/discover", id=channel.fresh_id())
    return await channel.send(request, script=LOOKED, step=Step("server-discover"))


async def _lists_all_the_same(channel: Channel) -> bool:
    """Whether a server without `server/discover` lists its tools in the version asked for by name.

    Such a server breaks a clause of that version, which is checked only in a run.
    """
    if MODERN not in channel.context.settings.spec_versions:
        return False
    exchange = await channel.send(
        spoken(channel.binding, McpBinding).list_tools(id=channel.fresh_id()),
        script=LOOKED,
        step=Step("lists-without-discover"),
    )
    result = (response_of(exchange) or {}).get("result")
    return isinstance(result, dict) and isinstance(result.get("tools"), list)


async def _list_tools(channel: Channel, run: Run, capabilities: Any) -> Discovered:
    speaker = spoken(channel.binding, McpBinding)
    exchanges: list[Exchange] = []
    able = capabilities if isinstance(capabilities, dict) else {}
    if "resources" in able:
        await look_around_mcp(channel)
    if able and "tools" not in able:
        return Discovered(run, capabilities=able, listed=False)

    async def fetch(cursor: str | None, number: int) -> Exchange:
        params = {"cursor": cursor} if cursor is not None else {}
        request = speaker.request("tools/list", params, id=channel.fresh_id())
        step = Step(TOOLS_LIST, number=number)
        exchange = await channel.send(request, script=LOOKED, step=step)
        exchanges.append(exchange)
        return exchange

    found = await pages(fetch, lambda e: (response_of(e) or {}).get("result"))
    lists = [page.get("tools") for page in found]
    items = [one for each in lists if isinstance(each, list) for one in each]
    mirroring = speaker.traits.over_http and run.version >= MODERN
    catalog = tools_of({"tools": items}, Source.MCP, mirroring=mirroring)
    return Discovered(
        run,
        tools=catalog.tools,
        problems=catalog.problems,
        documents=tuple(found),
        capabilities=able,
        exchanges=tuple(exchanges),
        listed=bool(found),
    )
