"""Reads and writes the two forms of a tool in ATDF: the catalog form and the descriptor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.convert.portable import (
    AT_HOME,
    OWN,
    Notes,
    Portable,
    inputs_of,
    places_of_inputs,
    rest_of,
    schema_of,
)
from conformance.formats.problem import Place
from conformance.formats.tool import declared

_CATALOG = frozenset(
    {
        "name",
        "description",
        "when_to_use",
        "inputSchema",
        "outputs",
        "version",
        "tags",
        "metadata",
        "invocation",
        "schema_version",
    }
)
_DESCRIPTOR = frozenset(
    {
        "tool_id",
        "id",
        "description",
        "when_to_use",
        "how_to_use",
        "metadata",
        "invocation",
        "schema_version",
    }
)
_MOVED = ("version", "tags")


def read_catalog_tool(
    item: Mapping[str, Any],
    at: Place,
    notes: Notes,
    found: Mapping[str, Place] = AT_HOME,
    made: frozenset[str] = frozenset(),
) -> Portable:
    """Read a tool in catalog form; `found` has the places of members that are elsewhere."""
    metadata = item.get("metadata")
    home = found.get("metadata", (*at, "metadata"))
    if metadata is not None and not isinstance(metadata, dict):
        notes.lose(home)
        metadata = None
    places: dict[Place, Place] = {(): at, ("schema",): (*at, "inputSchema")}
    places |= {(name,): place for name, place in found.items()}
    for name in _MOVED:
        if metadata is not None and name in metadata:
            note = notes.lose if name in item else notes.change
            note((*home, name))
        if name in item:
            places["metadata", name] = found.get(name, (*at, name))
    beside = {name: item[name] for name in _MOVED if name in item}
    outputs = item.get("outputs")
    if declared.output_schema({"outputs": outputs}) is not None:
        places["outputs", "schema"] = found.get("outputs", (*at, "outputs"))
        outputs = {"schema": outputs}
    elif isinstance(outputs, dict) and outputs.keys() == {"schema"}:
        notes.change(found.get("outputs", (*at, "outputs")))
    whole = {**(metadata or {}), **beside}
    if metadata is not None and beside and not metadata.keys() - set(_MOVED):
        notes.change(home)
    return Portable(
        name=item["name"],
        description=item.get("description"),
        schema=item["inputSchema"],
        places=places,
        when_to_use=item.get("when_to_use"),
        outputs=outputs,
        metadata=whole if metadata is not None or beside else None,
        invocation=item.get("invocation"),
        schema_version=item.get("schema_version"),
        rest=rest_of(item, _CATALOG, at, notes, found),
        made=made,
    )


def write_catalog_tool(tool: Portable, at: Place, notes: Notes) -> dict[str, Any]:
    """Return the catalog form of a tool."""
    made: dict[str, Any] = {"name": tool.name, "description": _description(tool, at, notes)}
    if tool.when_to_use is not None:
        made["when_to_use"] = tool.when_to_use
    made["inputSchema"] = dict(tool.schema)
    if tool.outputs is not None:
        only_schema = tool.outputs.keys() == {"schema"}
        made["outputs"] = tool.outputs["schema"] if only_schema else dict(tool.outputs)
    metadata = tool.metadata
    if metadata is not None:
        made |= {name: metadata[name] for name in _MOVED if name in metadata}
        others = {name: value for name, value in metadata.items() if name not in _MOVED}
        if others or not metadata:
            made["metadata"] = others
    return made | _shared(tool, at, notes)


def read_descriptor(item: Mapping[str, Any], at: Place, notes: Notes) -> Portable:
    """Read a tool in descriptor form, basic or enhanced."""
    use = item["how_to_use"]
    here = (*at, "how_to_use")
    if "id" in item:
        notes.change((*at, "id"))
    for name in use.keys() - {"inputs", "input_schema", "outputs"}:
        notes.lose((*here, name))
    metadata = item.get("metadata")
    return Portable(
        name=item["tool_id"] if "tool_id" in item else item["id"],
        description=item["description"],
        schema=schema_of(use, here, notes),
        places={
            (): at,
            ("name",): (*at, "tool_id" if "tool_id" in item else "id"),
            ("outputs",): (*here, "outputs"),
            **places_of_inputs(use, here),
        },
        when_to_use=item["when_to_use"],
        outputs=use["outputs"],
        metadata=metadata,
        invocation=item.get("invocation"),
        schema_version=item.get("schema_version"),
        rest=rest_of(item, _DESCRIPTOR, at, notes),
    )


def write_descriptor(tool: Portable, at: Place, notes: Notes) -> dict[str, Any]:
    """Return the descriptor of a tool: the enhanced one if the tool has members for it."""
    made: dict[str, Any] = {"tool_id": tool.name, "description": _description(tool, at, notes)}
    if tool.when_to_use is None:
        notes.make((*at, "when_to_use"))
    made["when_to_use"] = tool.when_to_use or made["description"]
    inputs, remains = inputs_of(tool.schema)
    use: dict[str, Any] = {"inputs": inputs}
    if remains:
        use["input_schema"] = remains
    outputs = dict(tool.outputs or {})
    for name, value in (("success", made["description"]), ("failure", [])):
        if name not in outputs:
            outputs[name] = value
            notes.make((*at, "how_to_use", "outputs", name))
    use["outputs"] = outputs
    made["how_to_use"] = use
    if tool.metadata is not None:
        made["metadata"] = dict(tool.metadata)
    return made | _shared(tool, at, notes)


def _description(tool: Portable, at: Place, notes: Notes) -> str:
    if tool.description:
        return tool.description
    notes.make((*at, "description"))
    return tool.when_to_use or tool.name


def _shared(tool: Portable, at: Place, notes: Notes) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if tool.invocation is not None and "endpoint" in tool.invocation:
        made["invocation"] = dict(tool.invocation)
        if "method" not in tool.invocation:
            made["invocation"]["method"] = "POST"
            notes.make((*at, "invocation", "method"))
    if tool.schema_version is not None:
        made["schema_version"] = tool.schema_version
    return made | {name: value for name, value in tool.rest.items() if name not in OWN}
