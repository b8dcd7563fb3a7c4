"""An ARDF resource in the one form of the specification, whatever its dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.problem import Place
from conformance.formats.resource.content import Translation, content_kind, translated
from conformance.formats.tool import declared, descriptor
from conformance.spec.vocabulary import ARDF_CONTENT_BLOCK, ArdfBlock, ResourceType

CONTENT = "ardf-content"
"""The dialect with a block outside `how_to_use`: `content` with `type` and `data`."""

CONTENT_PLACE: Place = ("content", "data")
"""The place of that block, from the resource on."""

BARE = "bare-invocation"
"""The dialect in which `how_to_use` itself has inputs and outputs, as in a descriptor."""

BARE_MEMBERS = ("inputs", "input_schema", "outputs", "endpoint", "method")

_LISTS = ("tools", "policies", "resources")


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its name, its data, and the place of the data, from the resource on."""

    name: ArdfBlock
    data: Mapping[str, Any]
    place: Place
    translation: Translation = field(default_factory=lambda: Translation({}))
    """How the document writes the block, if it uses the dialect `ardf-content`."""

    @property
    def without_endpoint(self) -> bool:
        """Whether an `access` has no address."""
        return self.name is ArdfBlock.ACCESS and "endpoint" not in self.data

    def at(self, *inside: str | int) -> Place:
        """Return the place of a part of the block in the document, from the resource on."""
        for end in range(len(inside), 0, -1):
            written = self.translation.written.get(inside[:end])
            if written is not None:
                return (*self.place, *written, *inside[end:])
        return (*self.place, *inside)


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of a document. `blocks` has the blocks that are objects, without dialects."""

    place: Place
    item: Mapping[str, Any]
    blocks: tuple[Block, ...]
    dialects: tuple[str, ...]

    @property
    def id(self) -> str | None:
        """The resource's id, None if it is not a text."""
        found = self.item.get("resource_id")
        return found if isinstance(found, str) else None

    @property
    def type(self) -> ResourceType | None:
        """The type; None if it is not one of the nine."""
        found = self.item.get("resource_type")
        return ResourceType(found) if found in list(ResourceType) else None

    def at(self, *steps: str | int) -> Place:
        """Return a place inside the resource."""
        return (*self.place, *steps)

    def block(self, name: ArdfBlock) -> Block | None:
        """Return the block with this name, or None."""
        return next((each for each in self.blocks if each.name is name), None)


def resource(item: Mapping[str, Any], place: Place = ()) -> Resource:
    """Return the resource that `item` is, at `place` in its document."""
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
        own = translated(kind, item["content"]["data"])
        blocks.append(Block(ARDF_CONTENT_BLOCK[kind], own.data, CONTENT_PLACE, own))
        dialects.append(CONTENT)
    return Resource(place, item, tuple(blocks), tuple(dialects))


def plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resource without dialects: blocks in `how_to_use`, and examples with usual names.

    A `content` without the endpoint that its block requires has no such form, and stays.
    """
    known = resource(item)
    blocks = {
        each.name: each
        for each in known.blocks
        if each.place != CONTENT_PLACE or not each.without_endpoint
    }
    made = dict(item)
    if CONTENT in known.dialects and len(blocks) == len(known.blocks):
        del made["content"]
    use = item.get("how_to_use")
    if BARE in known.dialects or made.keys() != item.keys():
        kept = dict(use) if isinstance(use, dict) else {}
        if BARE in known.dialects:
            kept = {name: value for name, value in kept.items() if name not in BARE_MEMBERS}
        made["how_to_use"] = kept | {name.value: dict(each.data) for name, each in blocks.items()}
    if isinstance(item.get("examples"), list):
        made["examples"] = [declared.plain_example(each) for each in item["examples"]]
    return made


def resources(document: str, data: Mapping[str, Any]) -> list[Resource]:
    """Return the resources of a collection that are objects, or the one that a document is."""
    if document == "resource":
        return [resource(data)]
    listed = data.get("resources")
    return [
        resource(item, ("resources", index))
        for index, item in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(item, dict)
    ]


def input_schema(block: Block) -> dict[str, Any] | None:
    """Return the JSON Schema of an invocation's inputs or a content's variables, or None."""
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
    """Return where the part of `input_schema` at `inside` is declared, from the resource on."""
    listed = "inputs" if block.name is ArdfBlock.INVOCATION else "variables"
    if len(inside) > 1 and inside[0] == "properties":
        for index, each in enumerate(block.data[listed]):
            if isinstance(each, dict) and each.get("name") == inside[1]:
                return block.at(listed, index, "schema", *inside[2:])
    return block.at("input_schema", *inside)


def references(known: Resource) -> list[tuple[Place, str, str | None]]:
    """Return the references of a resource: the place, the id, and the required type or None."""
    found: list[tuple[Place, str, str | None]] = []
    lists = [(known.at("prerequisites"), known.item.get("prerequisites"))]
    composition = known.block(ArdfBlock.COMPOSITION)
    if composition is not None:
        for index, step in steps(composition):
            at: Place = ("steps", index, "resource_ref")
            if at not in composition.translation.types:
                found.append((known.at(*composition.at(*at)), step["resource_ref"], None))
        at = known.at(*composition.at("prerequisites"))
        lists.append((at, composition.data.get("prerequisites")))
    for block in known.blocks:
        for inside, id, type in block.translation.references:
            found.append((known.at(*block.at(*inside)), id, type))
    types = {"tools": "tool", "policies": "policy"}
    for place, needed in lists:
        for name in _LISTS if isinstance(needed, dict) else ():
            ids = needed.get(name) if isinstance(needed, dict) else None
            for index, each in enumerate(ids if isinstance(ids, list) else ()):
                if isinstance(each, str):
                    found.append(((*place, name, index), each, types.get(name)))
    return found


def steps(composition: Block) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the steps of a composition that refer to a resource, with their indexes."""
    listed = composition.data.get("steps")
    return [
        (index, each)
        for index, each in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and isinstance(each.get("resource_ref"), str)
    ]
