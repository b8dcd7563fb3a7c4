"""An ARDF resource in the one form of the specification, whatever dialect wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.formats.problem import Place
from conformance.formats.tool import declared, descriptor
from conformance.spec.vocabulary import (
    ARDF_CONTENT_BLOCK,
    ARDF_CONTENT_RESOURCE_TYPE,
    ARDF_CONTENT_WRITTEN,
    ArdfBlock,
    ArdfContent,
    ResourceType,
)

CONTENT = "ardf-content"
"""The dialect in which a block stands outside `how_to_use`: `content` with `type` and `data`."""

BARE = "bare-invocation"
"""The dialect in which inputs and outputs stand in `how_to_use` itself, as in a descriptor."""

BARE_MEMBERS = ("inputs", "input_schema", "outputs", "endpoint", "method")

_LISTS = ("tools", "policies", "resources")


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its name, what it holds, and where that stands, from the resource on."""

    name: ArdfBlock
    data: Mapping[str, Any]
    place: Place


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of a document. `blocks` are those that are objects, dialects resolved."""

    place: Place
    item: Mapping[str, Any]
    blocks: tuple[Block, ...]
    dialects: tuple[str, ...]

    @property
    def id(self) -> str | None:
        """The resource's id, None where it is no text."""
        found = self.item.get("resource_id")
        return found if isinstance(found, str) else None

    @property
    def type(self) -> ResourceType | None:
        """The type, None where it is none of the nine."""
        found = self.item.get("resource_type")
        return ResourceType(found) if found in list(ResourceType) else None

    def at(self, *steps: str | int) -> Place:
        """A place inside the resource."""
        return (*self.place, *steps)

    def block(self, name: ArdfBlock) -> Block | None:
        """The block of that name; None where there is none."""
        return next((each for each in self.blocks if each.name is name), None)


def resource(item: Mapping[str, Any], place: Place = ()) -> Resource:
    """The resource that `item` is, at `place` in its document."""
    use = item.get("how_to_use")
    blocks = []
    dialects = []
    if isinstance(use, dict):
        for name in ArdfBlock:
            if isinstance(use.get(name), dict):
                blocks.append(Block(name, use[name], ("how_to_use", name.value)))
        bare = {name: use[name] for name in BARE_MEMBERS if name in use}
        if "inputs" in bare and ArdfBlock.INVOCATION not in use:
            blocks.append(Block(ArdfBlock.INVOCATION, bare, ("how_to_use",)))
            dialects.append(BARE)
    kind = content_kind(item)
    if kind is not None and isinstance(item["content"].get("data"), dict):
        data = item["content"]["data"]
        blocks.append(Block(ARDF_CONTENT_BLOCK[kind], data, ("content", "data")))
        dialects.append(CONTENT)
    return Resource(place, item, tuple(blocks), tuple(dialects))


def content_kind(item: Mapping[str, Any]) -> ArdfContent | None:
    """The kind of a `content` beside `how_to_use`, if it is one of the resource's type."""
    content = item.get("content")
    written = content.get("type") if isinstance(content, dict) else None
    for kind in ArdfContent:
        if ARDF_CONTENT_WRITTEN[kind] == written:
            return kind if ARDF_CONTENT_RESOURCE_TYPE[kind] == item.get("resource_type") else None
    return None


def plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """The resource without dialects: each block in `how_to_use`, examples under their own names."""
    made = {name: value for name, value in item.items() if name != "content"}
    known = resource(item)
    if "content" in item and CONTENT not in known.dialects:
        made["content"] = item["content"]
    use = item.get("how_to_use")
    if known.dialects:
        kept = dict(use) if isinstance(use, dict) else {}
        if BARE in known.dialects:
            kept = {name: value for name, value in kept.items() if name not in BARE_MEMBERS}
        made["how_to_use"] = kept | {each.name.value: dict(each.data) for each in known.blocks}
    if isinstance(item.get("examples"), list):
        made["examples"] = [declared.plain_example(each) for each in item["examples"]]
    return made


def resources(document: str, data: Mapping[str, Any]) -> list[Resource]:
    """The resources of a collection, or the one that a document is; skips what is no object."""
    if document == "resource":
        return [resource(data)]
    listed = data.get("resources")
    return [
        resource(item, ("resources", index))
        for index, item in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(item, dict)
    ]


def input_schema(block: Block) -> dict[str, Any] | None:
    """The JSON Schema of an invocation's inputs, or of a content's variables; None without any."""
    if block.name is ArdfBlock.INVOCATION:
        inputs, rest = block.data.get("inputs"), block.data.get("input_schema", {})
    else:
        inputs, rest = block.data.get("variables"), {}
    if not isinstance(inputs, list) or not isinstance(rest, dict):
        return None
    return descriptor.input_schema(
        {"how_to_use": {"inputs": inputs, "input_schema": rest}}, (), ""
    )[0]


def origin(block: Block, inside: Place) -> Place:
    """Where the part of `input_schema` at `inside` is declared, from the resource on."""
    listed = "inputs" if block.name is ArdfBlock.INVOCATION else "variables"
    if len(inside) > 1 and inside[0] == "properties":
        for index, each in enumerate(block.data[listed]):
            if isinstance(each, dict) and each.get("name") == inside[1]:
                return (*block.place, listed, index, "schema", *inside[2:])
    return (*block.place, "input_schema", *inside)


def references(known: Resource) -> list[tuple[Place, str, str | None]]:
    """What a resource refers to: the place, the id, and the type that it has to be of, if one."""
    found: list[tuple[Place, str, str | None]] = []
    lists = [(known.at("prerequisites"), known.item.get("prerequisites"))]
    composition = known.block(ArdfBlock.COMPOSITION)
    if composition is not None:
        at = known.at(*composition.place)
        for index, step in steps(composition):
            found.append(((*at, "steps", index, "resource_ref"), step["resource_ref"], None))
        lists.append(((*at, "prerequisites"), composition.data.get("prerequisites")))
    types = {"tools": "tool", "policies": "policy"}
    for place, needed in lists:
        for name in _LISTS if isinstance(needed, dict) else ():
            ids = needed.get(name) if isinstance(needed, dict) else None
            for index, each in enumerate(ids if isinstance(ids, list) else ()):
                if isinstance(each, str):
                    found.append(((*place, name, index), each, types.get(name)))
    return found


def steps(composition: Block) -> list[tuple[int, Mapping[str, Any]]]:
    """The steps of a composition that refer to something, each with its index."""
    listed = composition.data.get("steps")
    return [
        (index, each)
        for index, each in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and isinstance(each.get("resource_ref"), str)
    ]
