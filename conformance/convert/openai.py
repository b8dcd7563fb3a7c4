"""A function tool as model providers take it, in the nested and in the flat form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conformance.convert.portable import Notes, Portable
from conformance.formats.problem import Place

_ODD = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64
_READ = {"name", "description", "parameters"}


def is_function(item: Any) -> bool:
    """Whether a value is a function tool of either form."""
    if not isinstance(item, dict) or item.get("type") != "function":
        return False
    inner = item.get("function", item)
    return isinstance(inner, dict) and isinstance(inner.get("name"), str)


def read_function(item: Mapping[str, Any], at: Place, notes: Notes) -> Portable:
    """A function tool."""
    nested = isinstance(item.get("function"), dict)
    inner = item["function"] if nested else item
    here = (*at, "function") if nested else at
    for name in inner.keys() - _READ - {"type"}:
        notes.lose((*here, name))
    for name in item.keys() - {"type", "function"} if nested else ():
        notes.lose((*at, name))
    if not nested:
        notes.change(at)  # the nested form is written back
    parameters = inner.get("parameters")
    schema = parameters if isinstance(parameters, dict) else {}
    if schema.get("type") != "object":
        notes.make((*at, "parameters"))
    return Portable(
        name=inner["name"],
        description=inner.get("description"),
        schema={"type": "object", **{k: v for k, v in schema.items() if k != "type"}},
    )


def write_function(tool: Portable, at: Place, notes: Notes) -> dict[str, Any]:
    """The nested form; all but name, description and inputs is lost."""
    name = _ODD.sub("_", tool.name)[:_LONGEST]
    if name != tool.name:
        notes.lose((*at, "name"))
    for member in ("when_to_use", "outputs", "metadata", "invocation", "schema_version"):
        if getattr(tool, member) is not None:
            notes.lose((*at, member))
    for member in tool.rest:
        notes.lose((*at, member))
    inner: dict[str, Any] = {"name": name}
    if tool.description:
        inner["description"] = tool.description
    return {"type": "function", "function": inner | {"parameters": dict(tool.schema)}}
