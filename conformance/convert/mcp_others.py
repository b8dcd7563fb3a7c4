"""Writes resources that are not tools as an MCP server lists them: prompts and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.convert.portable import Notes
from conformance.formats.problem import Place
from conformance.formats.resource.resource import Resource, plain, resource
from conformance.spec.vocabulary import META_KEY_NAME, ArdfBlock, MetaKey

Writer = Callable[[Mapping[str, Any], Place, Place, Notes], dict[str, Any]]
"""Takes a resource, its place in the source, its place in the result, and the notes."""


def write_prompt(item: Mapping[str, Any], at: Place, _: Place, notes: Notes) -> dict[str, Any]:
    """Return the prompt as `prompts/list` would."""
    known = _read(item, at, notes)
    content = known.block(ArdfBlock.CONTENT)
    variables = content.data.get("variables", []) if content is not None else []
    made: dict[str, Any] = {
        "name": item["resource_id"],
        "description": item["description"],
        "arguments": [_argument(each) for each in variables],
    }
    return made | _meta(known)


def write_document(
    item: Mapping[str, Any], at: Place, there: Place, notes: Notes
) -> dict[str, Any]:
    """Return the document or the data set as `resources/list` would."""
    known = _read(item, at, notes)
    access = known.block(ArdfBlock.ACCESS)
    data = access.data if access is not None else {}
    made = {
        "uri": data.get("endpoint", f"ardf:{item['resource_id']}"),
        "name": item["resource_id"],
        "description": item["description"],
    }
    if "endpoint" not in data:
        notes.make((*there, "uri"))
    kind = data.get("format")
    if isinstance(kind, str) and "/" in kind:
        made["mimeType"] = kind
    return made | _meta(known)


OTHERS: Mapping[str, tuple[str, Writer]] = {
    "prompt": ("prompts", write_prompt),
    "document": ("resources", write_document),
    "dataset": ("resources", write_document),
}
"""By resource type: the list of the server that has it, and its writer."""


def _read(item: Mapping[str, Any], at: Place, notes: Notes) -> Resource:
    written = plain(item)
    for name in ("content", "how_to_use"):
        if item.get(name) != written.get(name) and name in item:
            notes.change((*at, name))
    return resource(written)


def _argument(variable: Mapping[str, Any]) -> dict[str, Any]:
    named = ("name", "description", "required")
    return {name: variable[name] for name in named if name in variable}


def _meta(known: Resource) -> dict[str, Any]:
    carried = {
        name: value
        for name, value in known.item.items()
        if name not in ("resource_id", "description")
    }
    return {"_meta": {META_KEY_NAME[MetaKey.ARDF]: carried}}
