"""The HTTP run of a target: from its manifest or catalog, or from an OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.formats.catalog.normalize import Source
from conformance.formats.catalog.openapi import is_openapi, is_swagger
from conformance.formats.catalog.routes import apart, named, routed
from conformance.formats.schema.uri import urljoin, urlsplit
from conformance.formats.text.address import page_at
from conformance.formats.tool.declared import invocation_at
from conformance.formats.tool.tool import Invocation, Tool, Where
from conformance.kit.drive.channel import WITHHELD, Channel, Context
from conformance.kit.drive.discovery.look_around import look_around_http, pages
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.catalog import (
    CATALOG_PATH,
    MANIFEST,
    TOOLS,
    is_collection,
    listed,
)
from conformance.kit.evidence.declarations import Discovered, Reasons, judged_of, read_lists
from conformance.kit.evidence.declared_conformance import (
    WELL_KNOWN,
    WELL_KNOWN_PATH,
    is_discovery,
    link_in,
)
from conformance.kit.evidence.destructive import Warned, left_alone
from conformance.kit.evidence.listing import (
    each_alone,
    is_bare_list,
    listing,
    openapi_in,
    operations_of,
)
from conformance.kit.evidence.response import body_json
from conformance.kit.evidence.safety import off_limits
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run
from conformance.kit.model.settings import EVERY_OTHER_TOOL
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.http import HttpBinding, in_path
from conformance.spec.messages import message
from conformance.spec.vocabulary import OPENAPI_PLACE_PATH, OpenapiPlace


async def look(channel: Channel, url: str, step: Step) -> Exchange:
    """GET an address of the target, as a step of discovery."""
    request = spoken(channel.binding, HttpBinding).get(url)
    return await channel.send(request, script=LOOKED, step=step)


def leave_alone(
    tools: Sequence[Tool], documents: Sequence[Any], run: Run, context: Context
) -> None:
    """Put what a catalog or document calls destructive off limits: no later request reaches it."""
    context.off_limits.add(*off_limits(tools, run, context.settings))
    warned = Warned()
    for document in documents:
        warned.add(document)
    context.off_limits.add(*left_alone(warned, context.settings))


async def http_run(channel: Channel, run: Run, first: Exchange) -> Discovered | None:
    """Return the HTTP run: from a manifest or catalog, or without them from an OpenAPI document.

    A tool for which `--invoke` names a route is called there, whatever the documents say. A header
    of `--header` goes with each request, so it is not an input of a tool.
    """
    found = await _declared(channel, run, first)
    routes = channel.context.settings.invoke
    sent = frozenset(name.lower() for name, _ in channel.context.settings.headers)
    if found is None or not (routes or sent):
        return found

    def look(tools: Sequence[Tool]) -> Sequence[Tool]:
        called = [_invoked(tool, routes) for tool in tools] if routes else tools
        left = [_without(tool, sent) for tool in called]
        return apart(left) if routes else left

    return _once_more(found, look)


def _without(tool: Tool, sent: Collection[str]) -> Tool:
    """Return the tool without the inputs that are headers of every request of the session."""
    inputs = tool.invocation.inputs if tool.invocation is not None else ()
    given = {
        each.name for each in inputs if each.where is Where.HEADER and each.name.lower() in sent
    }
    if not given:
        return tool
    own = tool.input_schema
    properties = {name: own["properties"][name] for name in own["properties"] if name not in given}
    required = [name for name in own.get("required", ()) if name not in given]
    return replace(tool, input_schema={**own, "properties": properties, "required": required})


def _invoked(tool: Tool, routes: Mapping[str, tuple[str, str]]) -> Tool:
    given = next((routes[name] for name in tool.names if name in routes), None)
    if given is None and tool.invocation is None:
        given = routes.get(EVERY_OTHER_TOOL)
    if given is None:
        return tool
    method, path = given
    endpoint = path.replace("{tool}", in_path(tool.name))
    return replace(tool, invocation=invocation_at(method, endpoint, tool.input_schema))


async def _declared(channel: Channel, run: Run, first: Exchange) -> Discovered | None:
    """Return the HTTP run that the target's own documents describe."""
    is_named = channel.context.settings.openapi is not None
    found = None if is_named else await _http_at(channel, run)
    plain = not urlsplit(run.target).path.strip("/")
    if found is not None or not (is_named or plain or is_openapi(body_json(first))):
        return found
    return await openapi_at(channel, run, first)


async def _http_at(channel: Channel, run: Run) -> Discovered | None:
    """Return the HTTP run from the manifest, or from `/tools`."""
    speaker = spoken(channel.binding, HttpBinding)
    manifest = await look(channel, speaker.url(_MANIFEST), MANIFEST)
    exchanges = [manifest]
    discovery = await _discovery(channel, speaker) if manifest.trouble is None else None
    elsewhere = link_in(discovery, "manifest")
    if elsewhere not in (None, _MANIFEST):
        manifest = await look(channel, speaker.url(elsewhere), MANIFEST)
        exchanges.append(manifest)
    paths, unread = read_lists(_tool_paths(body_json(manifest)))
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
    judged, left_out = judged_of(items, channel.context.settings)
    read = listing(judged, Source.ATDF, documents)
    leave_alone(read.catalog.tools, documents, run, channel.context)
    if manifest.trouble is None:
        path = link_in(discovery, "toolset_catalog") or CATALOG_PATH
        unread += await look_around_http(channel, body_json(manifest), path)
    discovered = Discovered(
        run,
        tools=read.catalog.tools,
        problems=read.catalog.problems,
        documents=read.pages,
        exchanges=tuple(each for each in exchanges if each.id != WITHHELD),
        listed=bool(documents),
        tools_path=paths[0] if paths else "",
        left_out=(*left_out, *unread),
        faults=read.faults,
    )
    found = await _usual_document(channel, run) if discovered.tools else None
    if found is None and all("{" not in route.endpoint for route in _routes(discovered.tools)):
        return discovered
    known = operations_of(found[0])[0].tools if found is not None else ()
    return _once_more(discovered, lambda tools: apart(routed(tools, known)))


def _routes(tools: Sequence[Tool]) -> Iterator[Invocation]:
    return (tool.invocation for tool in tools if tool.invocation is not None)


def _once_more(found: Discovered, look: Callable[[Sequence[Tool]], Sequence[Tool]]) -> Discovered:
    """Return the run with the tools that `look` makes. A tool at which the kit fails is dropped."""
    looked = each_alone(found.tools, look, lambda tool, _: tool.name, None)
    return replace(found, tools=tuple(looked.found), faults={**found.faults, **looked.faults})


async def _discovery(channel: Channel, speaker: HttpBinding) -> Any:
    """Return what the target says about itself at the well-known path; None if it says nothing."""
    found = body_json(await look(channel, speaker.url(WELL_KNOWN_PATH), WELL_KNOWN))
    return found if is_discovery(found) else None


async def _collection(
    channel: Channel, speaker: HttpBinding, path: str
) -> tuple[list[Exchange], list[Any]]:
    exchanges: list[Exchange] = []

    async def fetch(cursor: str | None, number: int) -> Exchange:
        step = Step(TOOLS, place=path, number=number)
        exchange = await look(channel, speaker.url(page_at(path, cursor)), step)
        exchanges.append(exchange)
        return exchange

    found: list[Any] = list(await pages(fetch, body_json))
    if not found and is_bare_list(bare := body_json(exchanges[0])):
        found.append(bare)  # not a catalog, but its tools can be checked all the same
    return exchanges, found


def _tool_paths(manifest: Any) -> list[str]:
    resources = manifest.get("resources") if isinstance(manifest, dict) else None
    found = resources if isinstance(resources, list) else []
    found = [r for r in found if isinstance(r, dict) and r.get("type") == "tool"]
    return [r["path"] for r in found if isinstance(r.get("path"), str)]


_MANIFEST = "/manifest"


async def openapi_at(channel: Channel, run: Run, first: Exchange) -> Discovered | None:
    """Return the run of an OpenAPI document: where `--openapi` says, at the target, or as usual.

    Raises `TargetUnusable` if `--openapi` names something else.
    """
    given = channel.context.settings.openapi
    if given is None and is_openapi(body_json(first)):
        return await _run(channel, run, body_json(first), run.endpoint)
    if given is None:
        found = await _usual_document(channel, run)
        return await _run(channel, run, *found) if found is not None else None
    url = urljoin(run.endpoint + "/", given)
    document = await _document(channel, url)
    if is_swagger(document):
        raise TargetUnusable(message("kit.target.swagger", url=url))
    if not is_openapi(document):
        raise TargetUnusable(message("kit.target.no_openapi", target=run.target, path=given))
    return await _run(channel, run, document, url)


async def _usual_document(channel: Channel, run: Run) -> tuple[Any, str] | None:
    """Return the OpenAPI document where frameworks serve it, and its address."""
    for place in OpenapiPlace:
        url = urljoin(run.endpoint + "/", OPENAPI_PLACE_PATH[place])
        document = await _document(channel, url)
        if is_openapi(document):
            return document, url
    return None


async def _document(channel: Channel, url: str) -> Any:
    """Return the document at an address, from JSON or YAML; None if there is none."""
    request = spoken(channel.binding, HttpBinding).get(url)
    step = Step("openapi", place=url)
    exchange = await channel.send(request, script=LOOKED, step=step)
    return openapi_in(exchange.answer)


async def _run(channel: Channel, http: Run, document: Any, url: str) -> Discovered:
    """Return the run of a document. If there is also a catalog, it gives the tools more names."""
    catalog, faults = operations_of(document)
    origin = urlsplit(http.endpoint)
    endpoint = f"{origin.scheme}://{origin.netloc}"
    own = replace(http, endpoint=endpoint, openapi=True)
    leave_alone(catalog.tools, (document,), own, channel.context)
    beside, unread = await _beside(channel, endpoint)
    others = listing(beside, Source.ATDF).catalog.tools
    found = Discovered(
        own,
        tools=catalog.tools,
        problems=catalog.problems,
        documents=(document,),
        tools_path=url,
        left_out=(*catalog.left_out, *unread),
        faults=faults,
    )
    return _once_more(found, lambda tools: named(tools, others))


async def _beside(channel: Channel, endpoint: str) -> tuple[list[Any], Reasons]:
    """Return all that a server's catalog lists, and why further lists are left out.

    A destructive tool of an OpenAPI document may be marked only there.
    """
    manifest = body_json(await look(channel, f"{endpoint}{_MANIFEST}", Step("names")))
    found: list[Any] = []
    paths, unread = read_lists(_tool_paths(manifest))
    for path in paths or ["/tools"]:

        async def fetch(cursor: str | None, number: int, path: str = path) -> Exchange:
            step = Step("names", place=path, number=number)
            return await look(channel, urljoin(f"{endpoint}/", page_at(path, cursor)), step)

        found += [one for page in await pages(fetch, _page) for one in listed(page)]
    return found, unread


def _page(exchange: Exchange) -> Any:
    """Return a page of a catalog. A list without a catalog around it counts as one."""
    document = body_json(exchange)
    return {"tools": document} if isinstance(document, list) else document
