"""Reads and writes tools of the Model Context Protocol; `_meta` carries what has no field there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.convert.atdf import read_catalog_tool, write_catalog_tool
from conformance.convert.portable import Notes, Portable
from conformance.formats.problem import Place
from conformance.formats.tool.meta import key_in
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey

FIELDS = frozenset(
    {
        "name",
        "title",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
        "icons",
        "execution",
        "_meta",
    }
)
"""The members of a tool that any version of the protocol defines."""


def flattened(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool with the members in its `_meta` next to its own members."""
    meta = item.get("_meta")
    key = key_in(meta, MetaKey.ATDF)
    carried = meta[key] if isinstance(meta, dict) and key is not None else None
    return {**carried, **item} if isinstance(carried, dict) else dict(item)


def read_mcp_tool(item: Mapping[str, Any], at: Place, notes: Notes) -> Portable:
    """Read a tool as `tools/list` returns it."""
    flat = dict(item)
    meta = item.get("_meta")
    key = key_in(meta, MetaKey.ATDF)
    found: dict[str, Place] = {}
    made: set[str] = set()
    if isinstance(meta, dict) and key is not None and isinstance(meta[key], dict):
        carried = meta[key]
        for name in carried.keys() & item.keys():
            notes.lose((*at, "_meta", key, name))
        found = {name: (*at, "_meta", key, name) for name in carried.keys() - item.keys()}
        flat = {**carried, **flat}
        others = {name: value for name, value in meta.items() if name != key}
        del flat["_meta"]
        if others:
            flat["_meta"] = others
    if "outputSchema" in flat:
        if "outputs" in flat:
            notes.lose(found.get("outputs", (*at, "outputs")))
        flat["outputs"] = flat.pop("outputSchema")
        found["outputs"] = found.pop("outputSchema", (*at, "outputSchema"))
    if not flat.get("description") and isinstance(flat.get("title"), str):
        flat["description"] = flat["title"]
        made.add("description")
    if flat["inputSchema"].get("type") != "object":
        flat["inputSchema"] = {"type": "object", **flat["inputSchema"]}
        made.add("schema")
    return read_catalog_tool(flat, at, notes, found, frozenset(made))


def write_mcp_tool(tool: Portable, at: Place, notes: Notes) -> dict[str, Any]:
    """Return the tool as `tools/list` would. Nothing is lost, because `_meta` holds the rest."""
    flat = write_catalog_tool(tool, at, notes)
    outputs = flat.get("outputs")
    # The protocol requires results that are objects, so any other schema stays in `_meta`.
    if tool.outputs is not None and tool.outputs.keys() == {"schema"} and _of_object(outputs):
        flat["outputSchema"] = flat.pop("outputs")
    made = {name: value for name, value in flat.items() if name in FIELDS}
    carried = {name: value for name, value in flat.items() if name not in FIELDS}
    meta = made.get("_meta")
    if "_meta" in made and not isinstance(meta, dict):
        notes.lose(tool.place("_meta"))
        del made["_meta"]
    if carried:
        made["_meta"] = {
            **(meta if isinstance(meta, dict) else {}),
            META_KEY_NAME[MetaKey.ATDF]: carried,
        }
    return made


def _of_object(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "object"
