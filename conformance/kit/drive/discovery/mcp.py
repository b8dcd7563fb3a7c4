"""The MCP runs of an endpoint: one for each era that it speaks, with its tools."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from conformance.formats.catalog.normalize import Source
from conformance.formats.text import rpc
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.discovery.look_around import look_around_mcp, pages
from conformance.kit.drive.discovery.versions import ask, with_older
from conformance.kit.drive.unusable_target import Unopened, no_list
from conformance.kit.evidence.catalog import TOOLS_LIST
from conformance.kit.evidence.declarations import Discovered, judged_of
from conformance.kit.evidence.listing import listing, takes_tasks
from conformance.kit.evidence.response import response_of
from conformance.kit.evidence.script import INITIALIZE, LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import MODERN, Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.bindings import traits_of
from conformance.kit.transport.mcp import LEGACY_VERSIONS, McpBinding
from conformance.spec.vocabulary import Binding

T = TypeVar("T")

SILENCE = 5.0
"""Seconds that a process that answered one era may take to answer the other."""
_NEITHER = 30.0
"""Seconds that a process may take to answer one of the two eras.

Then another process is asked in the handshake era only: the first may hang at a message that it
does not know.
"""


async def mcp_runs(
    binding: Binding, endpoint: str, target: str, context: Context
) -> tuple[list[Discovered], Unopened | None]:
    """Return the modern and the legacy run, as far as they are spoken; if neither is, the reason.

    It is not known yet which of them exist: their ids come from the endpoint, and are replaced
    later.
    """
    legacy = Run(f"legacy {endpoint}", target, binding, endpoint, LEGACY_VERSIONS[-1])
    modern = replace(legacy, id=f"modern {endpoint}", version=MODERN)
    if traits_of(legacy).starts_process:
        return await _in_processes(legacy, modern, context)
    asked = asyncio.create_task(_try_modern(modern, context))
    try:
        old, reason = await _try_legacy(legacy, context)
        new = await asked
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
    return [run for run in (new, old) if run is not None], reason


async def _in_processes(
    legacy: Run, modern: Run, context: Context
) -> tuple[list[Discovered], Unopened | None]:
    """Return the same if each connection is a process: one at a time, and as few as possible.

    A process may hold what only one can have: a port, a lock, a database. The first process is
    asked in the modern era. If it refuses, it is asked in the handshake era, as MCP 2026-07-28 says
    for clients.
    """
    if not context.settings.speaks(MODERN):
        old, reason = await _try_legacy(legacy, context)
        return [old] if old is not None else [], reason
    try:
        channel = await open_channel(modern, context, handshake=False)
    except ConnectFailed as failure:
        return [], failure.why
    asked = asyncio.create_task(_ask_discover(channel))
    new = old = None
    try:
        await asyncio.wait({asked}, timeout=SILENCE)
        if not asked.done() and _legacy_versions(context):
            old = await _within(_NEITHER, _on_the_same(channel, legacy, context))
            await asyncio.wait({asked}, timeout=SILENCE)
        if asked.done():
            channel.speaks_for(modern)
            new = await _modern_of(asked.result(), channel)
        if asked.done() and old is None and new is None and not channel.process.listens:
            old = await _on_the_same(channel, legacy, context)
        if channel.process.listens:  # another process would answer no more, and not get the port
            return [], Unopened("", listens=channel.process.listens)
    except ConnectFailed as failure:
        return [], failure.why
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await channel.close()
    reason = None
    if new is not None:  # a slow server has answered both, but the handshake not first
        old = await _after_refusal(modern, legacy, context) or old
    elif old is None:
        old, reason = await _try_legacy(legacy, context)
    return [found for found in (new, old) if found is not None], reason


async def _within(seconds: float, work: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of `work`; None if it takes too long."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        return None


async def _on_the_same(channel: Channel, run: Run, context: Context) -> Discovered | None:
    """Return the legacy run on a process that was asked in the modern era; None if it refuses."""
    versions = _legacy_versions(context)
    if not versions or not channel.is_open:
        return None
    channel.speaks_for(replace(run, version=versions[-1]))
    await channel.tried_handshake()
    if channel.opened is None:
        return None
    try:
        found = await _legacy_of(channel, run, context)
    except ConnectFailed:
        return None
    lists = found is None or found.listed or "tools" not in found.capabilities
    return found if lists else None  # what came before the handshake may have confused it


async def _after_refusal(modern: Run, legacy: Run, context: Context) -> Discovered | None:
    """Return the legacy run of a server that speaks the modern era, in a new process.

    How the server answers a handshake is evidence of the modern run, too.
    """
    newest, versions = LEGACY_VERSIONS[-1], _legacy_versions(context)
    try:
        channel = await open_channel(modern, context, handshake=False)
    except ConnectFailed:
        return None
    try:
        speaker = replace(spoken(channel.binding, McpBinding), version=newest)
        request = speaker.initialize(id=channel.fresh_id())
        exchange = await channel.send(request, script=LOOKED, step=INITIALIZE)
        if newest in versions:
            channel.speaks_for(legacy)
            if not channel.adopt(exchange):
                return None
            await channel.say_initialized()
            return await _legacy_of(channel, legacy, context)
    except ConnectFailed:
        return None
    finally:
        await channel.close()
    return (await _try_legacy(legacy, context))[0]


def _legacy_versions(context: Context) -> list[str]:
    return [version for version in LEGACY_VERSIONS if context.settings.speaks(version)]


async def _try_legacy(run: Run, context: Context) -> tuple[Discovered | None, Unopened | None]:
    """Return the legacy run of an endpoint, or why there is none.

    A server may refuse a version that it does not know, where MCP asks it to offer another one.
    """
    reason = None
    for version in reversed(_legacy_versions(context)):
        asked = replace(run, version=version)
        try:
            channel = await open_channel(asked, context)
        except ConnectFailed as failure:
            reason = reason or failure.why
            if not _refuses_version(failure.exchange):
                break
            continue
        try:
            return await _legacy_of(channel, asked, context), None
        except ConnectFailed as failure:
            reason = reason or failure.why
            if not spoken(channel.binding, McpBinding).version < version:
                break  # else it may have ended because it was asked again on the same connection
        finally:
            await channel.close()
    return None, reason


def _refuses_version(exchange: Exchange | None) -> bool:
    """Return whether the server knows `initialize`, and answered it with an error."""
    error = (response_of(exchange) or {}).get("error") if exchange is not None else None
    return isinstance(error, dict) and error.get("code") != rpc.METHOD_NOT_FOUND


async def _legacy_of(channel: Channel, run: Run, context: Context) -> Discovered | None:
    """Return the legacy run on a connection that began with a handshake."""
    await _newest_of(channel, run.version, context)
    speaker = spoken(channel.binding, McpBinding)
    if not context.settings.speaks(speaker.version):
        return None
    settled = replace(run, version=speaker.version)
    channel.binding = replace(speaker, run=settled)
    assert channel.opened is not None
    result = (response_of(channel.opened) or {}).get("result") or {}
    found = await _list_tools(channel, settled, result.get("capabilities"))
    return await with_older(channel, found)


async def _newest_of(channel: Channel, asked: str, context: Context) -> None:
    """Use the newest version that the server agrees to.

    A server that does not know the requested version may offer any other version.
    """
    for version in reversed(_legacy_versions(context)):
        if not spoken(channel.binding, McpBinding).version < version < asked:
            continue
        exchange = await ask(channel, version)
        if channel.adopt(exchange):
            await channel.say_initialized()


async def _try_modern(run: Run, context: Context) -> Discovered | None:
    """Return the modern run of an endpoint; None if it does not speak that era."""
    if not context.settings.speaks(MODERN):
        return None
    try:
        channel = await open_channel(run, context, handshake=False)
    except ConnectFailed:
        return None
    try:
        return await _modern_of(await _ask_discover(channel), channel)
    finally:
        await channel.close()


async def _modern_of(exchange: Exchange, channel: Channel) -> Discovered | None:
    """Return the modern run that an answer to `server/discover` announces."""
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
    return await _list_tools(channel, channel.run, capabilities)


async def _ask_discover(channel: Channel) -> Exchange:
    speaker = spoken(channel.binding, McpBinding)
    request = speaker.request("server/discover", id=channel.fresh_id())
    return await channel.send(request, script=LOOKED, step=Step("server-discover"))


async def _lists_all_the_same(channel: Channel) -> bool:
    """Return whether a server without `server/discover` lists its tools in the requested version.

    Such a server breaks a clause of that version, and only a run can check the clause.
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
    """Return the run with its tools. Raises `ConnectFailed` if the process ended before that."""
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
    if not found and channel.process.exit_code is not None:
        raise ConnectFailed(no_list(channel.process))
    lists = [page.get("tools") for page in found]
    items = [one for each in lists if isinstance(each, list) for one in each]
    mirroring = speaker.traits.over_http and run.version >= MODERN
    judged, left_out = judged_of(items, channel.context.settings)
    tasks = takes_tasks(able)
    read = listing(judged, Source.MCP, found, mirroring=mirroring, tasks=tasks)
    return Discovered(
        run,
        tools=read.catalog.tools,
        problems=read.catalog.problems,
        documents=read.pages,
        capabilities=able,
        exchanges=tuple(exchanges),
        listed=bool(found),
        left_out=left_out,
        faults=read.faults,
    )
