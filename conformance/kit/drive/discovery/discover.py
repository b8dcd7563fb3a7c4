"""Ask a target what it is and what it offers: its runs, each with its catalog."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlsplit

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.catalog.openapi import is_openapi
from conformance.formats.text import rpc
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.discovery.look_around import look_around_http, look_around_mcp
from conformance.kit.drive.discovery.openapi import openapi_at
from conformance.kit.drive.discovery.pages import pages
from conformance.kit.drive.discovery.versions import older
from conformance.kit.drive.discovery.versions import settled as settled_at
from conformance.kit.drive.tasks import together
from conformance.kit.drive.unusable_target import TargetUnusable, why_dead, why_nothing
from conformance.kit.evidence.catalog import is_collection
from conformance.kit.evidence.discovered import Discovered
from conformance.kit.evidence.listed import is_bare_list, listed
from conformance.kit.evidence.response import body_json, response_of
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import MODERN, Run
from conformance.kit.transport.http import HttpSpeaker
from conformance.kit.transport.mcp import LEGACY_VERSIONS, McpSpeaker
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Binding

STDIO = "stdio:"
_SILENCE = 3.0
"""Seconds in which a server that has answered one era answers the other, over stdio."""


async def discover(target: str, context: Context) -> list[Discovered]:
    """The runs of a target, each with its catalog; raises TargetUnusable."""
    if target.startswith(STDIO):
        return await _discover_stdio(target, context)
    return await _discover_http(target, context)


async def _discover_stdio(target: str, context: Context) -> list[Discovered]:
    command = target.removeprefix(STDIO).strip()
    legacy = Run("stdio", target, Binding.STDIO, command, LEGACY_VERSIONS[-1])
    modern = Run("stdio", target, Binding.STDIO, command, MODERN)
    shaken = asyncio.create_task(_try_legacy(legacy, context))
    asked = asyncio.create_task(_try_modern(modern, context))
    found: list[Discovered] = []
    try:
        old, reason = await shaken
        if old is not None:
            await asyncio.wait({asked}, timeout=_SILENCE)
        new = await asked if old is None or asked.done() else None
    finally:
        for task in (shaken, asked):
            if not task.done():
                task.cancel()
        await asyncio.gather(shaken, asked, return_exceptions=True)
    if new is not None:
        found.append(new)
    if old is not None:
        found.append(old)
    if not found:
        if no_version := _no_version(target, context):
            raise TargetUnusable(no_version)
        raise TargetUnusable(
            message("kit.target.stdio_failed", target=target, reason=reason or "no answer")
        )
    return found


def _no_version(target: str, context: Context) -> Message | None:
    """That none of the versions asked for is spoken, if any was answered at all.

    How a process ended is no answer: a command that starts no server speaks of no version.
    """
    wanted = context.settings.spec_versions
    asked = (e for e in context.recorder.by_id.held if e.request.body or e.request.method)
    answers = (each.answer for each in asked if each.answer is not None)
    answered = any(each.status or each.messages or each.body for each in answers)
    if not wanted or not answered:
        return None
    return message("kit.target.no_version", target=target, versions=", ".join(wanted))


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
        assert channel.mcp is not None and channel.opened is not None
        if not context.settings.speaks(channel.mcp.version):
            return None, ""
        settled = settled_at(run, channel.mcp.version)
        channel.run = settled
        channel.mcp = McpSpeaker(settled, settled.version).after_handshake(
            settled.version, channel.mcp.session_id
        )
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
    settled = settled_at(run, MODERN)
    channel.run = settled
    channel.mcp = McpSpeaker(settled, MODERN)
    try:
        exchange = await _ask_discover(channel)
        response = response_of(exchange) or {}
        result, error = response.get("result"), response.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        status = exchange.answer.status if exchange.answer else 0
        offers = isinstance(result, dict) and "supportedVersions" in result
        refuses = code in rpc.MODERN and (run.binding is Binding.STDIO or status == 400)
        if not offers and not refuses:
            return None
        versions = result.get("supportedVersions") if isinstance(result, dict) else None
        if isinstance(versions, list) and MODERN not in versions:
            return None
        capabilities = result.get("capabilities") if isinstance(result, dict) else None
        return await _list_tools(channel, settled, capabilities)
    finally:
        await channel.close()


async def _ask_discover(channel: Channel) -> Exchange:
    assert channel.mcp is not None
    request = channel.mcp.request("server/discover", id=channel.fresh_id())
    return await channel.send(request, script=LOOKED, step="server-discover")


async def _list_tools(channel: Channel, run: Run, capabilities: Any) -> Discovered:
    speaker = channel.mcp
    assert speaker is not None
    exchanges: list[Exchange] = []
    able = capabilities if isinstance(capabilities, dict) else {}
    if "resources" in able:
        await look_around_mcp(channel)
    if able and "tools" not in able:
        return Discovered(run, capabilities=able, listed=False)

    async def fetch(cursor: str | None, number: int) -> Exchange:
        params = {"cursor": cursor} if cursor is not None else {}
        request = speaker.request("tools/list", params, id=channel.fresh_id())
        exchange = await channel.send(request, script=LOOKED, step=f"tools-list-{number}")
        exchanges.append(exchange)
        return exchange

    found = await pages(fetch, lambda e: (response_of(e) or {}).get("result"))
    items = [one for page in found for one in _items(page.get("tools"))]
    mirroring = run.binding is Binding.MCP and run.version >= MODERN
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


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


async def _discover_http(target: str, context: Context) -> list[Discovered]:
    parts = urlsplit(target)
    base = target.rstrip("/")
    probe = Run("http", target, Binding.HTTP, base)
    channel = await open_channel(probe, context)
    try:
        first = await _look(channel, base, "itself")
        dead = why_dead(target, first)
        if dead is not None:
            raise TargetUnusable(dead)
        endpoints = [base] if parts.path.strip("/") else [base + "/mcp", base + "/"]
        asks = context.settings.asks_for
        asked = [_mcp_at(endpoint, target, context) for endpoint in endpoints if asks("mcp")]
        # A GET that is not answered may be a stream; MCP is still asked, which is a POST.
        speaks = asks("http") and first.trouble is None
        http = await _http_of(channel, probe, first) if speaks else None
        spoken = await together(asked)
    finally:
        await channel.close()
    mcp = next((runs for runs in spoken if runs), [])
    found = [*([http] if http is not None else []), *mcp]
    if not found:
        raise TargetUnusable(_why_nothing(target, first, context))
    return found


def _why_nothing(target: str, first: Exchange, context: Context) -> Message:
    if first.answer is not None and (no_version := _no_version(target, context)):
        return no_version
    names = {name.lower() for name, _ in context.settings.headers}
    of_target = [e for e in context.recorder.by_id.held if e.id >= first.id]
    return why_nothing(
        target,
        first,
        of_target,
        authorized="authorization" in names,
        language=context.settings.language,
    )


async def _look(channel: Channel, url: str, step: str) -> Exchange:
    assert channel.http is not None
    return await channel.send(channel.http.get(url), script=LOOKED, step=step)


async def _mcp_at(endpoint: str, target: str, context: Context) -> list[Discovered]:
    modern = Run("mcp", target, Binding.MCP, endpoint, MODERN)
    legacy = Run("mcp", target, Binding.MCP, endpoint, LEGACY_VERSIONS[-1])
    new, (old, _) = await asyncio.gather(_try_modern(modern, context), _try_legacy(legacy, context))
    return [run for run in (new, old) if run is not None]


async def _http_of(channel: Channel, run: Run, first: Exchange) -> Discovered | None:
    """The HTTP run: of a manifest or catalog, else of an OpenAPI document, which may be named."""
    named = channel.context.settings.openapi is not None
    found = None if named else await _http_at(channel, run)
    plain = not urlsplit(run.target).path.strip("/")
    if found is not None or not (named or plain or is_openapi(body_json(first))):
        return found
    return await openapi_at(channel, run, first)


async def _http_at(channel: Channel, run: Run) -> Discovered | None:
    """The HTTP binding's run: by its manifest, else by `/tools`."""
    speaker = channel.http
    assert speaker is not None
    manifest = await _look(channel, speaker.url("/manifest"), "manifest")
    paths = _tool_paths(body_json(manifest))
    exchanges = [manifest]
    documents: list[Any] = []
    for path in paths or ["/tools"]:
        exchanges_of_path, pages_of_path = await _collection(channel, speaker, path)
        exchanges += exchanges_of_path
        documents += pages_of_path
    items = [one for page in documents for one in listed(page)]
    looks_like_one = bool(paths) or any(
        isinstance(page, list) or isinstance(page.get("tools"), list) or is_collection(page)
        for page in documents
    )
    if not looks_like_one:
        return None
    if manifest.trouble is None:
        await look_around_http(channel, body_json(manifest))
    catalog = tools_of({"tools": items}, Source.ATDF)
    return Discovered(
        run,
        tools=catalog.tools,
        problems=catalog.problems,
        documents=tuple(documents),
        exchanges=tuple(exchanges),
        listed=bool(documents),
        tools_path=paths[0] if paths else "",
    )


async def _collection(
    channel: Channel, speaker: HttpSpeaker, path: str
) -> tuple[list[Exchange], list[Any]]:
    exchanges: list[Exchange] = []

    async def fetch(cursor: str | None, number: int) -> Exchange:
        asked = f"{path}?cursor={quote(cursor, safe='')}" if cursor is not None else path
        exchange = await _look(channel, speaker.url(asked), f"collection{path}-{number}")
        exchanges.append(exchange)
        return exchange

    found: list[Any] = list(await pages(fetch, body_json))
    if not found and is_bare_list(bare := body_json(exchanges[0])):
        found.append(bare)  # no catalog, but its tools can be judged all the same
    return exchanges, found


def _tool_paths(manifest: Any) -> list[str]:
    resources = manifest.get("resources") if isinstance(manifest, dict) else None
    found = [r for r in _items(resources) if isinstance(r, dict) and r.get("type") == "tool"]
    return [r["path"] for r in found if isinstance(r.get("path"), str)]
