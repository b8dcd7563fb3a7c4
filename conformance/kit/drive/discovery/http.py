"""The HTTP run of a target: its manifest or catalog, else the operations of an OpenAPI document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.catalog.openapi import is_openapi, operations
from conformance.formats.text.json_text import Notation, read
from conformance.kit.drive.channel import Channel
from conformance.kit.drive.discovery.look_around import look_around_http, pages
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.catalog import MANIFEST, TOOLS, is_bare_list, is_collection, listed
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.evidence.response import body_json
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.http import HttpBinding
from conformance.spec.messages import message


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


USUAL = ("/openapi.json", "/api-docs", "/v3/api-docs", "/swagger.json")
"""Where frameworks serve the document."""


async def openapi_at(channel: Channel, run: Run, first: Exchange) -> Discovered | None:
    """The run of an OpenAPI document at the target itself, where `--openapi` says, or as usual.

    Raises TargetUnusable if `--openapi` names what is none.
    """
    given = channel.context.settings.openapi
    if given is None and is_openapi(body_json(first)):
        return _run(run, body_json(first), run.endpoint)
    for path in (given,) if given is not None else USUAL:
        url = urljoin(run.endpoint + "/", path)
        document = await _document(channel, url)
        if is_openapi(document):
            return _run(run, document, url)
    if given is not None:
        raise TargetUnusable(message("kit.target.no_openapi", target=run.target, path=given))
    return None


async def _document(channel: Channel, url: str) -> Any:
    """The document at an address, in JSON or YAML; None where there is none."""
    request = spoken(channel.binding, HttpBinding).get(url)
    step = Step("openapi", place=url)
    exchange = await channel.send(request, script=LOOKED, step=step)
    if exchange.answer is None or exchange.answer.status != 200:
        return None
    found = body_json(exchange)
    if found is not None or b"openapi" not in exchange.answer.body[:4096]:
        return found
    return read(exchange.answer.body, Notation.YAML).data


def _run(http: Run, document: Any, url: str) -> Discovered:
    catalog = operations(document)
    origin = urlsplit(http.endpoint)
    endpoint = f"{origin.scheme}://{origin.netloc}"
    own = replace(http, endpoint=endpoint, openapi=True)
    return Discovered(
        own,
        tools=catalog.tools,
        problems=catalog.problems,
        documents=(document,),
        tools_path=url,
        left_out=catalog.left_out,
    )
