"""The HTTP run of a target: its manifest or catalog, else the operations of an OpenAPI document."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.catalog.openapi import is_openapi
from conformance.kit.drive.channel import Channel
from conformance.kit.drive.discovery.look_around import look_around_http
from conformance.kit.drive.discovery.openapi import openapi_at
from conformance.kit.drive.discovery.pages import pages
from conformance.kit.evidence.catalog import MANIFEST, TOOLS, is_collection
from conformance.kit.evidence.discovered import Discovered
from conformance.kit.evidence.listed import is_bare_list, listed
from conformance.kit.evidence.response import body_json
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.http import HttpBinding


async def look(channel: Channel, url: str, step: Step) -> Exchange:
    """GET an address of the target, as a step of discovery."""
    request = spoken(channel.binding, HttpBinding).get(url)
    return await channel.send(request, script=LOOKED, step=step)


async def http_run(channel: Channel, run: Run, first: Exchange) -> Discovered | None:
    """The HTTP run: of a manifest or catalog, else of an OpenAPI document, which may be named."""
    named = channel.context.settings.openapi is not None
    found = None if named else await _http_at(channel, run)
    plain = not urlsplit(run.target).path.strip("/")
    if found is not None or not (named or plain or is_openapi(body_json(first))):
        return found
    return await openapi_at(channel, run, first)


async def _http_at(channel: Channel, run: Run) -> Discovered | None:
    """The HTTP binding's run: by its manifest, else by `/tools`."""
    speaker = spoken(channel.binding, HttpBinding)
    manifest = await look(channel, speaker.url("/manifest"), MANIFEST)
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
    channel: Channel, speaker: HttpBinding, path: str
) -> tuple[list[Exchange], list[Any]]:
    exchanges: list[Exchange] = []

    async def fetch(cursor: str | None, number: int) -> Exchange:
        asked = f"{path}?cursor={quote(cursor, safe='')}" if cursor is not None else path
        step = Step(TOOLS, place=path, number=number)
        exchange = await look(channel, speaker.url(asked), step)
        exchanges.append(exchange)
        return exchange

    found: list[Any] = list(await pages(fetch, body_json))
    if not found and is_bare_list(bare := body_json(exchanges[0])):
        found.append(bare)  # no catalog, but its tools can be judged all the same
    return exchanges, found


def _tool_paths(manifest: Any) -> list[str]:
    resources = manifest.get("resources") if isinstance(manifest, dict) else None
    found = resources if isinstance(resources, list) else []
    found = [r for r in found if isinstance(r, dict) and r.get("type") == "tool"]
    return [r["path"] for r in found if isinstance(r.get("path"), str)]
