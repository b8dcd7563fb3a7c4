"""Reads and writes ARDF resources of type `tool`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.convert.portable import (
    Notes,
    Portable,
    inputs_of,
    places_of_inputs,
    rest_of,
    schema_of,
)
from conformance.formats.problem import Place
from conformance.formats.resource.resource import CONTENT, resource
from conformance.spec.vocabulary import ArdfBlock

_RESOURCE = frozenset(
    {
        "resource_id",
        "resource_type",
        "description",
        "when_to_use",
        "how_to_use",
        "metadata",
        "schema_version",
        "content",
    }
)
_CALLED = {"inputs", "input_schema", "outputs", "endpoint", "method"}


def read_resource(item: Mapping[str, Any], at: Place, notes: Notes) -> Portable:
    """Read a resource of type `tool`, in the form of the specification or in a dialect."""
    known = resource(item)
    block = known.block(ArdfBlock.INVOCATION)
    data: Mapping[str, Any] = block.data if block is not None else {"inputs": []}
    place = (*at, *(block.place if block is not None else ()))
    if known.dialects:
        whole = all(each is block for each in known.blocks)
        note = notes.change if whole else notes.lose
        note((*at, "content" if CONTENT in known.dialects else "how_to_use"))
    use = item.get("how_to_use", {})
    bare = set() if block is None or block.place != ("how_to_use",) else _CALLED
    for name in use.keys() - {"invocation"} - bare:
        notes.lose((*at, "how_to_use", name))
    for name in data.keys() - _CALLED if not bare else ():
        notes.lose((*place, name))
    where = {name: data[name] for name in ("endpoint", "method") if name in data}
    if where and "endpoint" not in where:
        notes.lose((*place, "method"))
    return Portable(
        name=item["resource_id"],
        description=item["description"],
        schema=schema_of(data, place, notes),
        places={
            (): at,
            ("name",): (*at, "resource_id"),
            ("outputs",): (*place, "outputs"),
            **{("invocation", name): (*place, name) for name in where},
            **places_of_inputs(data, place),
        },
        when_to_use=item.get("when_to_use"),
        outputs=data.get("outputs"),
        metadata=item.get("metadata"),
        invocation=where if "endpoint" in where else None,
        rest=rest_of(item, _RESOURCE, at, notes),
    )


def write_resource(tool: Portable, at: Place, notes: Notes) -> dict[str, Any]:
    """Return the resource for a tool."""
    description = tool.description or tool.when_to_use or tool.name
    if not tool.description:
        notes.make((*at, "description"))
    if tool.schema_version is not None:
        notes.lose(tool.place("schema_version"))
    made: dict[str, Any] = {
        "schema_version": "1.0.0",
        "resource_id": tool.name,
        "resource_type": "tool",
        "description": description,
    }
    if tool.when_to_use is not None:
        made["when_to_use"] = tool.when_to_use
    inputs, remains = inputs_of(tool.schema)
    called: dict[str, Any] = {"inputs": inputs}
    if remains:
        called["input_schema"] = remains
    if tool.outputs is not None:
        called["outputs"] = dict(tool.outputs)
    for name, value in (tool.invocation or {}).items():
        if name in ("endpoint", "method"):
            called[name] = value
        else:
            notes.lose(tool.place("invocation", name))
    made["how_to_use"] = {"invocation": called}
    if tool.metadata is not None:
        made["metadata"] = dict(tool.metadata)
    return made | dict(tool.rest)
