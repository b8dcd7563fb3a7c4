"""Reads any catalog into tools of one shape. An unusable tool becomes a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.resource.resource import plain, resource
from conformance.formats.schema.schemas import schema_faults
from conformance.formats.tool import declared, descriptor
from conformance.formats.tool.headers import header_paths
from conformance.formats.tool.tool import LONGEST_NAME, Tool, ToolForm, is_name
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import ArdfBlock, ResourceType

NO_TYPE = "no-type"
"""The dialect in which an input schema leaves out `type: object`."""


_MEMBER = {
    ToolForm.CATALOG: "name",
    ToolForm.MCP: "name",
    ToolForm.ARDF: "resource_id",
}

NAMING = ("name", "tool_id", "id", "resource_id")
"""The members that may name an item."""


class Source(StrEnum):
    """The origin of a list of tools."""

    ATDF = "atdf"
    """A catalog, from a file or the HTTP binding."""
    MCP = "mcp"
    """The result of `tools/list`, or the tools of all its pages."""


@dataclass(frozen=True, slots=True)
class NormalisedCatalog:
    """The usable tools in order, and the problems of all tools.

    A problem's `tool` is the raw name, if there is one. That tool is still among `tools` if only a
    part of it (an example, an input) had to be left out.
    """

    tools: tuple[Tool, ...]
    problems: tuple[Problem, ...]


def tools_of(data: Any, source: Source, *, mirroring: bool = True) -> NormalisedCatalog:
    """Return the tools of a catalog, a collection, a list, or one tool; never raises for bad data.

    Items may mix both tool forms and ARDF resources. Resources of another type than `tool` are
    skipped. Of two tools with one name the first is kept, with the more careful hints of both: a
    call by that name may reach either. `mirroring` is False where MCP's `x-mcp-header` has no
    meaning (stdio, and versions before 2026-07-28). Otherwise an MCP tool with an invalid
    annotation is left out, as clients must.
    """
    at: Place
    lists = [each for each in ("tools", "resources") if isinstance(data, dict) and each in data]
    if lists:
        listed, at = data[lists[0]], (lists[0],)
    elif isinstance(data, dict):
        made, problems = _tool(data, (), source, mirroring)
        return NormalisedCatalog((made,) if made else (), tuple(problems))
    else:
        listed, at = data, ()
    if not isinstance(listed, list):
        if at:
            said = message("documents.catalog.no_list", member=at[0], value=shown(listed))
        else:
            said = message("documents.catalog.no_catalog", value=shown(listed))
        return NormalisedCatalog((), (problem(at, "type", said, clause="ATDF-CAT-001"),))
    tools: dict[str, Tool] = {}
    found: list[Problem] = []
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for index, item in enumerate(listed):
        place = (*at, index)
        if _other_resource(item):
            continue
        tool, problems = _tool(item, place, source, mirroring)
        found += problems
        for name in names_of(item):
            alike.setdefault(name, []).append(item)
        if tool is not None and tool.name in tools:
            said = message("documents.catalog.name_twice", name=shown(tool.name))
            member = _MEMBER.get(tool.form) or descriptor.name_of(item)[0]
            at_name = (*place, member)
            twice = problem(at_name, "ATDF-CAT-002", said, clause="ATDF-CAT-002", tool=tool.name)
            found.append(twice)
        elif tool is not None:
            tools[tool.name] = tool
    kept = (_as_careful(each, alike.get(name, ())) for name, each in tools.items())
    return NormalisedCatalog(tuple(kept), tuple(found))


def _as_careful(tool: Tool, items: Sequence[Mapping[str, Any]]) -> Tool:
    """Return the tool with the most careful hints of all items with its name."""
    if len(items) < 2:
        return tool
    hints, safe = declared.as_careful(tool.annotations, tool.safe, items)
    return replace(tool, annotations=hints, safe=safe)


def names_of(item: Any) -> set[str]:
    """Return the names by which an item may be called, usable or not."""
    given = (item.get(member) for member in NAMING) if isinstance(item, dict) else ()
    return {name for name in given if isinstance(name, str)}


def _tool(
    item: Any, place: Place, source: Source, mirroring: bool
) -> tuple[Tool | None, list[Problem]]:
    if not isinstance(item, dict):
        said = message("documents.tool.no_object", value=shown(item))
        return None, [problem(place, "type", said, clause="ATDF-CAT-001")]
    if source is Source.ATDF and item.get("resource_type") == ResourceType.TOOL:
        return _resource(item, place)
    described = source is Source.ATDF and descriptor.is_descriptor(item)
    member, value = descriptor.name_of(item) if described else ("name", item.get("name"))
    name = _name(value, member)
    if isinstance(name, Message):
        clause = "ATDF-DESC-001" if described else "ATDF-TOOL-001"
        at, keyword = ((*place, member), "type") if member in item else (place, "required")
        return None, [problem(at, keyword, name, clause=clause)]
    if described:
        return _described(item, place, name)
    if source is Source.ATDF:
        return _listed(item, place, name, ToolForm.CATALOG)
    tool, problems = _listed(item, place, name, ToolForm.MCP)
    return _mirrored(tool, problems, place) if tool and mirroring else (tool, problems)


def _other_resource(item: Any) -> bool:
    return isinstance(item, dict) and item.get("resource_type", "tool") != ResourceType.TOOL


def _resource(item: Mapping[str, Any], place: Place) -> tuple[Tool | None, list[Problem]]:
    """Return the tool of an ARDF resource; problems have their places in the resource."""
    name = _name(item.get("resource_id"), "resource_id")
    if isinstance(name, Message):
        absent = "resource_id" not in item
        at, keyword = (place, "required") if absent else ((*place, "resource_id"), "type")
        return None, [problem(at, keyword, name, clause="ARDF-RES-003")]
    tool, problems = _described(resource_as_descriptor(item), place, name)
    block = resource(item).block(ArdfBlock.INVOCATION)
    inside = block.place if block is not None else ("how_to_use",)
    use = (*place, "how_to_use")
    moved = [
        problem(
            (*place, *inside, *each.place[len(use) :])
            if each.place[: len(use)] == use
            else each.place,
            each.keyword,
            each.message,
            clause=each.clause,
            tool=name,
        )
        for each in problems
    ]
    if tool is None:
        return None, moved
    return replace(tool, form=ToolForm.ARDF, raw=item, claims_atdf=True), moved


def _mirrored(
    tool: Tool, problems: list[Problem], place: Place
) -> tuple[Tool | None, list[Problem]]:
    """Return the tool with its header parameters; None if an annotation is invalid."""
    headers, fault = header_paths(tool.input_schema)
    if fault is not None:
        at = (*place, "inputSchema", *fault.place)
        return None, [problem(at, "x-mcp-header", fault.message, tool=tool.name)]
    return replace(
        tool,
        header_parameters=tuple((names[0], suffix) for names, suffix in headers if not names[1:]),
        nested_header_parameters=tuple(each for each in headers if each[0][1:]),
    ), problems


def _name(value: object, member: str) -> str | Message:
    """Return the name of a tool, or the message why it is not one."""
    if not isinstance(value, str) or not value:
        return message("documents.tool.name_no_text", member=member, value=shown(value))
    if len(value) > LONGEST_NAME:
        return message("documents.tool.name_long", length=len(value), limit=LONGEST_NAME)
    if not is_name(value):
        return message("documents.tool.name_surrogate", member=member, value=shown(value))
    return value


def _described(
    item: Mapping[str, Any], place: Place, name: str
) -> tuple[Tool | None, list[Problem]]:
    schema, problems, dialects = descriptor.input_schema(item, place, name)
    if schema is None:
        return None, problems
    faults = schema_faults(schema)
    named = descriptor.inputs_by_name(item) if faults else {}
    unusable = [
        problem(
            descriptor.origin(item, place, each.place, named),
            each.clause,
            each.message,
            clause=each.clause,
            tool=name,
        )
        for each in faults
    ]
    if unusable:
        return None, problems + unusable
    tool, more = declared.tool(item, place, name, ToolForm.DESCRIPTOR, schema)
    return replace(tool, dialects=(*tool.dialects, *dialects)), problems + more


def _listed(
    item: Mapping[str, Any], place: Place, name: str, form: ToolForm
) -> tuple[Tool | None, list[Problem]]:
    schema = item.get("inputSchema")
    at = (*place, "inputSchema")
    if not isinstance(schema, dict):
        absent = "inputSchema" not in item
        word = "documents.tool.schema_absent" if absent else "documents.tool.schema_kind"
        said = message(word) if absent else message(word, value=shown(schema))
        keyword, where = ("required", place) if absent else ("type", at)
        return None, [problem(where, keyword, said, clause="ATDF-TOOL-003", tool=name)]
    if schema.get("type", "object") != "object":
        said = message("documents.tool.schema_type", type=shown(schema["type"]))
        return None, [problem((*at, "type"), "const", said, clause="ATDF-TOOL-003", tool=name)]
    unusable = [
        problem((*at, *each.place), each.clause, each.message, clause=each.clause, tool=name)
        for each in schema_faults(schema)
    ]
    if unusable:
        return None, unusable
    tool, problems = declared.tool(item, place, name, form, {"type": "object", **schema})
    if "type" not in schema:
        tool = replace(tool, dialects=(*tool.dialects, NO_TYPE))
    return tool, problems


_CALL = ("endpoint", "method")
_ONLY_THERE = ("resource_id", "resource_type", "schema_version", "how_to_use", "content")


def resource_as_descriptor(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an equal descriptor; members that it has no field for keep their names."""
    block = resource(item).block(ArdfBlock.INVOCATION)
    called = dict(block.data) if block is not None else {}
    made: dict[str, Any] = {"tool_id": item.get("resource_id")}
    made |= {name: value for name, value in plain(item).items() if name not in _ONLY_THERE}
    if block is not None:
        made["how_to_use"] = {name: each for name, each in called.items() if name not in _CALL}
        where = {name: called[name] for name in _CALL if name in called}
        made |= {"invocation": where} if where else {}
    return made
