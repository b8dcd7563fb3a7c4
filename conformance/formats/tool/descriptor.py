"""Reads the descriptor form of a tool as the catalog form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.spec.messages import message
from conformance.spec.vocabulary import JsonType

OTHER_TYPE = "other-type"
"""The dialect in which an input has a type that ATDF lacks. Such an input accepts any value."""


def is_descriptor(item: Mapping[str, Any]) -> bool:
    """Return whether a tool is in descriptor form, by the same test as the schema of a catalog."""
    if "tool_id" in item or "how_to_use" in item:
        return True
    return "id" in item and "name" not in item and "inputSchema" not in item


def name_of(item: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the member that names a tool in descriptor form, and its value (ATDF-DESC-001)."""
    member = "tool_id" if "tool_id" in item or "id" not in item else "id"
    return member, item.get(member)


def input_schema(
    item: Mapping[str, Any], place: Place, tool: str
) -> tuple[dict[str, Any] | None, list[Problem], list[str]]:
    """Return the input schema of a tool in descriptor form, its problems, and the dialects found.

    The properties come from `inputs[]`, everything else from `how_to_use.input_schema`. The schema
    is None if both are absent or one has the wrong type. An unreadable input is left out.
    """
    use = item.get("how_to_use")
    at = (*place, "how_to_use")
    if not isinstance(use, dict) or not ("inputs" in use or "input_schema" in use):
        said = message("documents.tool.no_inputs")
        return None, [problem(at, "ATDF-DESC-003", said, clause="ATDF-DESC-003", tool=tool)], []
    inputs = use.get("inputs", [])
    rest = use.get("input_schema", {})
    for member, value, kind in (("inputs", inputs, list), ("input_schema", rest, dict)):
        if not isinstance(value, kind):
            said = message("documents.tool.inputs_kind", member=member, value=shown(value))
            wrong = problem((*at, member), "type", said, clause="ATDF-DESC-003", tool=tool)
            return None, [wrong], []
    properties: dict[str, Any] = {}
    required: list[str] = []
    problems: list[Problem] = []
    dialects: list[str] = []
    for index, each in enumerate(inputs):
        here = (*at, "inputs", index)
        name = each.get("name") if isinstance(each, dict) else None
        if not isinstance(name, str) or not name:
            said = message("documents.tool.input_name", value=shown(name))
            problems.append(problem(here, "type", said, clause="ATDF-DESC-003", tool=tool))
        elif name in properties:
            said = message("documents.tool.input_twice", name=shown(name))
            twice = problem(here, "ATDF-DESC-005", said, clause="ATDF-DESC-005", tool=tool)
            problems.append(twice)
        else:
            properties[name], known = _property(each)
            dialects += [] if known else [OTHER_TYPE]
            if each.get("required") is True:
                required.append(name)
    return _joined(rest, properties, required), problems, dialects


def inputs_by_name(item: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the index in `inputs` at which each name first occurs."""
    use = item.get("how_to_use")
    inputs = use.get("inputs") if isinstance(use, dict) else None
    found: dict[str, int] = {}
    for index, each in enumerate(inputs if isinstance(inputs, list) else ()):
        name = each.get("name") if isinstance(each, dict) else None
        if isinstance(name, str):
            found.setdefault(name, index)
    return found


def origin(item: Mapping[str, Any], place: Place, inside: Place, named: Mapping[str, int]) -> Place:
    """Return where the part at `inside` of the generated input schema was declared.

    The tool is at `place`, and `named` is its `inputs_by_name`.
    """
    at = (*place, "how_to_use")
    index = named.get(str(inside[1])) if len(inside) > 1 and inside[0] == "properties" else None
    if index is None:
        return (*at, "input_schema", *inside)
    each = item["how_to_use"]["inputs"][index]
    own = each.get("schema")
    held = isinstance(own, dict) and set(inside[2:3]) <= own.keys()
    beside = not held and set(inside[2:3]) <= each.keys()
    return (*at, "inputs", index, *(() if beside else ("schema",)), *inside[2:])


def _property(each: Mapping[str, Any]) -> tuple[Any, bool]:
    """Return the schema of one input, and whether ATDF has its type."""
    own = each.get("schema")
    if isinstance(own, bool):
        return own, True
    schema = dict(own) if isinstance(own, dict) else {}
    kind = each.get("type")
    known = kind is None or kind in list(JsonType)
    if known and kind is not None:
        schema.setdefault("type", kind)
    if isinstance(each.get("description"), str):
        schema.setdefault("description", each["description"])
    return schema, known


def _joined(
    rest: Mapping[str, Any], properties: Mapping[str, Any], required: list[str]
) -> dict[str, Any]:
    schema = {"type": "object", **rest}
    declared = rest.get("properties", {})
    if isinstance(declared, dict):
        schema["properties"] = {**declared, **properties}
    named = rest.get("required", [])
    if isinstance(named, list):
        known = {each for each in named if isinstance(each, str)}
        names = [*named, *(each for each in required if each not in known)]
        schema.pop("required", None)
        if names:
            schema["required"] = names
    return schema
