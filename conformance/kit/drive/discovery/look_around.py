"""Asks a target what it offers in addition to tools: ARDF resources, and a toolset catalog."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from conformance.formats.text.address import page_at
from conformance.kit.drive.channel import Channel
from conformance.kit.evidence.catalog import (
    CATALOG,
    READ,
    RESOURCES,
    RESOURCES_LIST,
    listed_resources,
    other_collections,
)
from conformance.kit.evidence.declarations import Reasons, read_collections
from conformance.kit.evidence.response import body_json, response_of
from conformance.kit.evidence.script import LOOKED, MOST_PAGES
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.http import HttpBinding
from conformance.kit.transport.mcp import McpBinding
from conformance.spec.vocabulary import RESOURCE_TYPE_PATH, ResourceType

_MOST_READ = 2000
"""The most resources that are read one by one over MCP. With more, not all count as read."""

USUAL = tuple(
    dict.fromkeys(
        RESOURCE_TYPE_PATH[each]
        for each in ResourceType
        if each is not ResourceType.TOOL and RESOURCE_TYPE_PATH[each]
    )
)
"""Where a target without a manifest may list resources other than tools."""


async def look_around_http(channel: Channel, manifest: Any, catalog: str) -> Reasons:
    """Ask for the toolset catalog and the collections of other resources, in parallel.

    The result says whether the manifest names more collections than that.
    """
    announced = isinstance(manifest, dict)
    paths, unread = read_collections(other_collections(manifest) if announced else USUAL)
    get = spoken(channel.binding, HttpBinding).get

    async def ask(path: str, step: Step) -> Exchange:
        return await channel.send(get(path), script=LOOKED, step=step)

    await asyncio.gather(ask(catalog, CATALOG), *(_walk(ask, path) for path in paths))
    return unread


async def _walk(ask: Callable[[str, Step], Awaitable[Exchange]], path: str) -> None:
    async def fetch(cursor: str | None, number: int) -> Exchange:
        return await ask(page_at(path, cursor), Step(RESOURCES, place=path, number=number))

    await pages(fetch, body_json)


async def look_around_mcp(channel: Channel) -> None:
    """List the resources, and read those with ARDF's media type."""
    speaker = spoken(channel.binding, McpBinding)
    uris: list[str] = []

    async def fetch(cursor: str | None, number: int) -> Exchange:
        params = {"cursor": cursor} if cursor is not None else {}
        request = speaker.request("resources/list", params, id=channel.fresh_id())
        step = Step(RESOURCES_LIST, number=number)
        exchange = await channel.send(request, script=LOOKED, step=step)
        uris.extend(listed_resources((response_of(exchange) or {}).get("result")))
        return exchange

    await pages(fetch, lambda e: (response_of(e) or {}).get("result"))
    for uri in dict.fromkeys(uris[:_MOST_READ]):
        request = speaker.request("resources/read", {"uri": uri}, id=channel.fresh_id())
        await channel.send(request, script=LOOKED, step=Step(READ, place=uri))


async def pages(
    fetch: Callable[[str | None, int], Awaitable[Exchange]],
    page_of: Callable[[Exchange], Any],
) -> list[dict[str, Any]]:
    """Return the pages of a list: call `fetch(cursor, number)` until one has no next cursor.

    A repeated cursor ends the list: following it would never end.
    """
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str] = set()
    for number in range(1, MOST_PAGES + 1):
        page = page_of(await fetch(cursor, number))
        if not isinstance(page, dict):
            break
        found.append(page)
        following = page.get("nextCursor")
        if not isinstance(following, str) or not following or following in seen:
            break
        seen.add(following)
        cursor = following
    return found
