"""What a target offers in addition to tools: ARDF resources and a toolset catalog.

It is read only from discovery's exchanges, so that a recorded session gives the same result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from conformance.formats.problem import Place
from conformance.formats.text.json_text import told_in
from conformance.formats.tool.meta import held
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.declared_conformance import WELL_KNOWN, is_discovery
from conformance.kit.evidence.response import body_json, response_of
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.spec.vocabulary import MetaKey, Offer, ResourceType

MEDIA_TYPE = "application/vnd.ardf+json"
"""The media type of an MCP resource that is an ARDF resource."""

CATALOG_PATH = "/tool_schemas.json"
"""The path of a target's toolset catalog, over HTTP."""

MANIFEST = Step("manifest")
CATALOG = Step("toolset-catalog")
"""The steps of discovery that ask for the manifest and the toolset catalog, over HTTP."""

TOOLS = "collection"
RESOURCES = "resources"
"""The names of discovery's steps for the pages of a collection: tools, and other resources.
"""

TOOLS_LIST = "tools-list"
RESOURCES_LIST = "resources-list"
"""The names of the same steps over MCP."""

READ = "resource"
"""The name of discovery's steps that read one MCP resource each; a step also has its URI."""


@dataclass(frozen=True, slots=True)
class Found:
    """An ARDF resource, the exchange that shows it, and its place in the answer.

    `collection` is the path of its collection, over HTTP.
    """

    data: Any
    exchange: Exchange
    place: Place = ()
    collection: str = ""

    @property
    def id(self) -> str | None:
        """The resource's id; None if it has none."""
        known = self.data.get("resource_id") if isinstance(self.data, dict) else None
        return known if isinstance(known, str) else None

    @property
    def type(self) -> str | None:
        """The type that the resource gives itself, known or not."""
        known = self.data.get("resource_type") if isinstance(self.data, dict) else None
        return known if isinstance(known, str) else None


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection over HTTP: its path, its type in the manifest, and its pages."""

    path: str
    type: str | None
    pages: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """Everything that is offered in addition to tools. `whole` is False if a part could not be
    read.

    `entries` are the entries of the toolset catalog, by the raw name of their tool. `families` are
    those of the providers that a gateway reaches.
    """

    collections: tuple[Collection, ...] = ()
    resources: tuple[Found, ...] = ()
    whole: bool = True
    catalog: Any = None
    catalog_at: Exchange | None = None
    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    families: tuple[str, ...] = ()
    discovery: Any = None
    """The discovery document, over HTTP; None if there is none."""
    discovery_at: Exchange | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The number of resources of each known type."""
        found = Counter(each.type for each in self.resources)
        return {kind.value: found[kind.value] for kind in ResourceType if found[kind.value]}

    @property
    def names(self) -> dict[Offer, tuple[str, ...]]:
        """The offers, each with the names of the tools that it concerns."""
        found: dict[Offer, tuple[str, ...]] = {}
        if self.resources or self.collections:
            found[Offer.RESOURCES] = ()
        if self.catalog is not None:
            found[Offer.TOOLSETS] = tuple(self.entries)
        return found


def offered(looked: Iterable[Exchange], tools: Sequence[Tool]) -> Offered:
    """Return what discovery's exchanges and the tools show."""
    steps = {each.step: each for each in looked if each.step is not None}
    collections = _collections(steps)
    listed = [
        found for each in collections for page in each.pages for found in _on_page(page, each.path)
    ]
    listed += _in_tools(steps)
    listed += [Found(_text_of(each), each) for step, each in steps.items() if step.name == READ]
    catalog, at = _catalog(steps, tools)
    entries = _entries(catalog, tools)
    whole = all(_is_last(body_json(each.pages[-1])) for each in collections)
    whole = whole and _all_read(steps) and {*_announced(steps)} <= {one.path for one in collections}
    discovery, discovery_at = _discovery(steps)
    return Offered(
        collections,
        tuple(listed),
        whole,
        catalog,
        at,
        entries,
        discovery=discovery,
        discovery_at=discovery_at,
    )


def members(document: Any, name: str) -> list[Any]:
    """Return a list in a document; empty if there is none."""
    listed = document.get(name) if isinstance(document, dict) else None
    return listed if isinstance(listed, list) else []


def is_collection(document: Any) -> bool:
    """Return whether a page lists ARDF resources, judging only by its items."""
    listed = members(document, "resources")
    return any(isinstance(each, dict) and "resource_type" in each for each in listed)


def other_collections(manifest: Any) -> dict[str, str | None]:
    """Return a manifest's paths to other resources than tools, each with the type of these
    resources.
    """
    found: dict[str, str | None] = {}
    for entry in members(manifest, "resources"):
        fields = entry if isinstance(entry, dict) else {}
        path, kind = fields.get("path"), fields.get("type")
        if not isinstance(path, str) or not path.startswith("/") or path.startswith("//"):
            continue
        if kind != ResourceType.TOOL:
            found.setdefault(path, kind if isinstance(kind, str) else None)
    return found


def listed_resources(result: Any) -> list[str]:
    """Return the URIs of the ARDF resources in a result of `resources/list`, each once."""
    uris = [
        each["uri"]
        for each in members(result, "resources")
        if isinstance(each, dict)
        and each.get("mimeType") == MEDIA_TYPE
        and isinstance(each.get("uri"), str)
    ]
    return list(dict.fromkeys(uris))


def _collections(steps: Mapping[Step, Exchange]) -> tuple[Collection, ...]:
    types = _announced(steps)
    pages: dict[str, list[Exchange]] = {}
    for step, each in steps.items():
        if step.name == RESOURCES:
            pages.setdefault(step.place, []).append(each)
    return tuple(
        Collection(path, types.get(path), tuple(own))
        for path, own in pages.items()
        if path in types or is_collection(body_json(own[0]))
    )


def has_manifest(steps: Mapping[Step, Exchange]) -> bool:
    """Return whether the path of the manifest is answered with JSON and 200.

    An application may answer every path with a page.
    """
    asked = steps.get(MANIFEST)
    if asked is None or asked.answer is None or asked.answer.status != HTTPStatus.OK:
        return False
    return isinstance(body_json(asked), dict | list)


def _announced(steps: Mapping[Step, Exchange]) -> dict[str, str | None]:
    """Return the collections that the manifest names; empty if there is no manifest."""
    manifest = steps.get(MANIFEST)
    return other_collections(body_json(manifest)) if manifest is not None else {}


def _in_tools(steps: Mapping[Step, Exchange]) -> list[Found]:
    """Return the resources in lists of tools that are ARDF collections."""
    return [
        found
        for step, each in steps.items()
        if step.name == TOOLS and is_collection(body_json(each))
        for found in _on_page(each, step.place)
    ]


def _on_page(page: Exchange, path: str) -> list[Found]:
    listed = members(body_json(page), "resources")
    return [Found(each, page, ("resources", n), path) for n, each in enumerate(listed)]


def _is_last(page: Any) -> bool:
    """Return whether a page could be read and is the last one."""
    return isinstance(page, dict) and not page.get("nextCursor")


def _all_read(steps: Mapping[Step, Exchange]) -> bool:
    """Return whether every MCP resource that is listed as an ARDF resource was read."""
    lists = [each for step, each in steps.items() if step.name == RESOURCES_LIST]
    results = [(response_of(each) or {}).get("result") for each in lists]
    listed = {uri for result in results for uri in listed_resources(result)}
    whole = not results or _is_last(results[-1])
    return whole and all(Step(READ, place=uri) in steps for uri in listed)


def _text_of(read: Exchange) -> Any:
    """Return the resource in an answer to `resources/read`; None if it is not JSON."""
    for content in members((response_of(read) or {}).get("result"), "contents"):
        text = content.get("text") if isinstance(content, dict) else None
        try:
            return told_in(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            return None
    return None


def _catalog(steps: Mapping[Step, Exchange], tools: Sequence[Tool]) -> tuple[Any, Exchange | None]:
    """Return the toolset catalog: the one at its path, or the entries that tools carry."""
    at = steps.get(CATALOG)
    document = body_json(at) if at is not None and _is_found(at) else None
    if _is_catalog(document):
        return document, at
    carried = [entry for tool in tools if (entry := _carried(tool)) is not None]
    return ({"tools": carried}, None) if carried else (None, None)


def _discovery(steps: Mapping[Step, Exchange]) -> tuple[Any, Exchange | None]:
    at = steps.get(WELL_KNOWN)
    document = body_json(at) if at is not None and _is_found(at) else None
    return (document, at) if is_discovery(document) else (None, None)


def _is_found(exchange: Exchange) -> bool:
    return exchange.answer is not None and 200 <= exchange.answer.status < 300


def _is_catalog(document: Any) -> bool:
    """Return whether a document is meant as a toolset catalog: some tool has a toolset or an id."""
    tools = members(document, "tools")
    return any(isinstance(each, dict) and {"toolset", "id"} & each.keys() for each in tools)


def _carried(tool: Tool) -> Any:
    """Return a tool's own entry. Schemas that it leaves out come from the tool."""
    meta = tool.raw.get("_meta") if tool.form is ToolForm.MCP else None
    entry = held(meta, MetaKey.TOOLSET)
    if not isinstance(entry, dict):
        return entry
    filled = {"payload": tool.raw.get("inputSchema"), "result": tool.raw.get("outputSchema")}
    made = {name: {"schema": schema} for name, schema in filled.items() if schema is not None}
    return {"description": tool.description or "", **made, **entry}


def _entries(catalog: Any, tools: Sequence[Tool]) -> dict[str, Mapping[str, Any]]:
    """Return each tool's entry: the only one whose id, or its last part, is the tool's name."""
    listed = [
        each
        for each in members(catalog, "tools")
        if isinstance(each, dict) and isinstance(each.get("id"), str)
    ]
    found: dict[str, Mapping[str, Any]] = {}
    by_id: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    by_end: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for each in listed:
        by_id[each["id"]].append(each)
        by_end[each["id"].rpartition(".")[2]].append(each)
    for tool in tools:
        fitting = by_id.get(tool.name) or by_end.get(tool.name, [])
        if len(fitting) == 1:
            found[tool.name] = fitting[0]
    return found


def listed(page: Any) -> list[Any]:
    """Return the items of a page: tools, or the resources of an ARDF collection, which may be
    tools.
    """
    if isinstance(page, list):
        return page
    members = page if isinstance(page, dict) else {}
    found = members.get("resources" if is_collection(page) else "tools")
    return found if isinstance(found, list) else []
