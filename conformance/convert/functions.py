"""Reads and writes tools for the APIs of model providers: OpenAI, Anthropic and Gemini."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.convert.portable import Notes, Portable
from conformance.formats.catalog.openapi_schema import modern
from conformance.formats.problem import Place
from conformance.formats.schema.positions import positions
from conformance.formats.tool.providers import TELLS

_ODD = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64


def _read_openai(item: Mapping[str, Any], at: Place, notes: Notes) -> Portable:
    """Read a function tool of OpenAI."""
    nested = isinstance(item.get("function"), dict)
    inner = item["function"] if nested else item
    here = (*at, "function") if nested else at
    if nested:
        notes.lose_all(item, at, {"type", "function"})
    else:
        notes.change(at)  # it will be written back in the nested form
    return _read(inner, "parameters", {"type"}, here, notes)


def _write_openai(tool: Portable, _: Place, notes: Notes) -> dict[str, Any]:
    """Write the nested form; everything except name, description and inputs is lost."""
    return {"type": "function", "function": _written(tool, "parameters", notes)}


def _read_anthropic(item: Mapping[str, Any], at: Place, notes: Notes) -> Portable:
    """Read a tool of Anthropic."""
    if item.get("type") == "custom":
        notes.change((*at, "type"))  # a tool without a type means the same
    return _read(item, "input_schema", {"type"}, at, notes)


def _write_anthropic(tool: Portable, _: Place, notes: Notes) -> dict[str, Any]:
    """Write a tool of Anthropic; everything except name, description and inputs is lost."""
    return _written(tool, "input_schema", notes)


def _read_gemini(item: Mapping[str, Any], at: Place, notes: Notes) -> Portable:
    """Read a function declaration of Gemini, with a JSON Schema or with Gemini's own schema."""
    own = "parametersJsonSchema" not in item and isinstance(item.get("parameters"), dict)
    if own:
        notes.change((*at, "parameters"))
        item = {**item, "parameters": _modern(item["parameters"])}
    member = "parameters" if own else "parametersJsonSchema"
    return _read(item, member, set(), at, notes)


def _write_gemini(tool: Portable, _: Place, notes: Notes) -> dict[str, Any]:
    """Write a function declaration; everything except name, description and inputs is lost."""
    made = _written(tool, "parametersJsonSchema", notes)
    if made["name"][:1].isdigit() or made["name"][:1] == "-":
        made["name"] = f"_{made['name']}"[:_LONGEST]
        if "name" not in tool.made:
            notes.lose(tool.place("name"))
    return made


def _read(
    item: Mapping[str, Any], member: str, known: set[str], at: Place, notes: Notes
) -> Portable:
    notes.lose_all(item, at, {"name", "description", member, *known})
    held = item.get(member)
    schema = held if isinstance(held, dict) else {}
    return Portable(
        name=item["name"],
        description=item.get("description"),
        schema={"type": "object", **{k: v for k, v in schema.items() if k != "type"}},
        places={(): at, ("schema",): (*at, member)},
        made=frozenset() if schema.get("type") == "object" else frozenset({"schema"}),
    )


def _written(tool: Portable, member: str, notes: Notes) -> dict[str, Any]:
    name = _ODD.sub("_", tool.name)[:_LONGEST]
    if name != tool.name and "name" not in tool.made:
        notes.lose(tool.place("name"))
    notes.lose_other(tool, said={"schema"})
    said = {"description": tool.description} if tool.description else {}
    return {"name": name, **said, member: dict(tool.schema)}


def _modern(schema: Any) -> Any:
    """Convert a schema with types in capitals and `nullable` to a JSON Schema."""
    made = modern(schema)
    node: Any
    for _, _, node in positions(made):
        kinds = node.get("type")
        if isinstance(kinds, str):
            node["type"] = kinds.lower()
        elif isinstance(kinds, list):
            node["type"] = [str(kind).lower() for kind in kinds]
    return made


@dataclass(frozen=True, slots=True)
class Provider:
    """How to recognize, read and write a provider's tools."""

    tells: Callable[[Any], bool]
    read: Callable[[Mapping[str, Any], Place, Notes], Portable]
    write: Callable[[Portable, Place, Notes], dict[str, Any]]


PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": Provider(TELLS["openai"], _read_openai, _write_openai),
    "anthropic": Provider(TELLS["anthropic"], _read_anthropic, _write_anthropic),
    "gemini": Provider(TELLS["gemini"], _read_gemini, _write_gemini),
}
