"""Converts a document from one form to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from conformance.convert import errors
from conformance.convert.ardf import read_resource, write_resource
from conformance.convert.atdf import (
    read_catalog_tool,
    read_descriptor,
    write_catalog_tool,
    write_descriptor,
)
from conformance.convert.form import (
    FAILED,
    OPENAPI_VERSIONS,
    OURS,
    TAKEN,
    TARGETS,
    Form,
    document_of,
    form_of,
    member_of,
)
from conformance.convert.hints import error_to_hint, hint_to_error
from conformance.convert.mcp import FIELDS, flattened, read_mcp_tool, write_mcp_tool
from conformance.convert.mcp_others import OTHERS
from conformance.convert.openapi import read_openapi
from conformance.convert.openapi_components import TooLargeError
from conformance.convert.openapi_written import write_openapi
from conformance.convert.portable import Notes, Portable
from conformance.convert.shapes import misshapen
from conformance.convert.skills import write_skill
from conformance.convert.toolsets import read_toolset_tool
from conformance.formats.catalog.openapi_problems import incomplete
from conformance.formats.catalog.openapi_schema import MOST_IN_ALL
from conformance.formats.problem import Place, Problem, json_path, problem, shown
from conformance.formats.resource.resource import BARE, plain, resources
from conformance.formats.tool import descriptor
from conformance.formats.tool.meta import key_in
from conformance.formats.tool.providers import DECLARATIONS
from conformance.formats.validate.foreign import foreign
from conformance.formats.validate.recognize import Recognition, recognize
from conformance.formats.validate.validate import moved, validate
from conformance.spec.messages import message
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey, Requirement


@dataclass(frozen=True, slots=True)
class Converted:
    """The document in its new form.

    `lost`, `left_out` and `changed` are paths in the source, `made` are paths in the result.
    `unfollowed` are the lost references that lead to another file, or to a part without a name.
    `problems` say why there is no document (`data` is None), why some items of a list are left out,
    or what an OpenAPI description refers to and does not have.
    """

    data: Any
    lost: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()


_MOST_INCOMPLETE = 1_000
_MOST_ROUNDS = 20
"""The most rounds of leaving out items: the rest may need items that were left out before."""

Reader = Callable[[Mapping[str, Any], Place, Notes], Portable]
_WRITERS: Mapping[Form, Callable[[Portable, Place, Notes], dict[str, Any]]] = {
    Form.CATALOG: write_catalog_tool,
    Form.DESCRIPTOR: write_descriptor,
    Form.ARDF: write_resource,
    Form.MCP: write_mcp_tool,
    Form.A2A: write_skill,
    **{form: provider.write for form, provider in TAKEN.items()},
}
_LISTS = {
    Form.CATALOG: "tools",
    Form.DESCRIPTOR: "tools",
    Form.MCP: "tools",
    Form.ARDF: "resources",
    Form.GEMINI: DECLARATIONS,
    Form.A2A: "skills",
}
_HOMES: Final[Mapping[Form, Mapping[str, Place]]] = {
    Form.CATALOG: {"name": ("name",), "schema": ("inputSchema", "type"), "safe": ("safe",)},
    Form.DESCRIPTOR: {"name": ("tool_id",), "safe": ("safe",)},
    Form.ARDF: {"name": ("resource_id",), "safe": ("safe",)},
    Form.MCP: {
        "name": ("name",),
        "schema": ("inputSchema", "type"),
        "safe": ("_meta", META_KEY_NAME[MetaKey.ATDF], "safe"),
    },
    Form.OPENAI: {
        "name": ("function", "name"),
        "schema": ("function", "parameters", "type"),
        "description": ("function", "description"),
    },
    Form.ANTHROPIC: {"name": ("name",), "schema": ("input_schema", "type")},
    Form.GEMINI: {"name": ("name",), "schema": ("parametersJsonSchema", "type")},
    Form.A2A: {"name": ("id",)},
}
"""By form: where the result has each value that a reader had to make.

`description` is listed only if it is not at the top.
"""
_WHOLE = (Form.OPENAPI, Form.PROBLEM, Form.FASTAPI)
"""Forms of other specifications that are read as a whole."""
_ALONE = frozenset({Form.GEMINI, Form.A2A})
"""Forms whose list has no members around it that other forms also have."""


def convert(data: Any, to: Form, source: Form | None = None, *, base: Place = ()) -> Converted:
    """Convert a document to the form `to`; `source` is its own form if its keys do not show it.

    A document that breaks a MUST is not converted, because its meaning is not certain. In a list,
    only the broken items are left out. `base` is the place of the document in the author's file,
    and the start of all source paths.
    """
    form = source or form_of(data)
    if form is not to and isinstance(data, dict):  # `$schema` names the schema of the old form
        data = {name: value for name, value in data.items() if name != "$schema"}
    found, skipped = _unfit(data, form), frozenset[int]()
    if found:
        skipped, found = _without(data, form, found)
        if not skipped:
            return Converted(None, problems=tuple(found))
    if form is None or (form in FAILED) != (to in FAILED) or to not in TARGETS:
        said = message("convert.no_way", source=form or document_of(data), target=to)
        return Converted(None, problems=(problem((), "convert", said),))
    notes = Notes()
    if form in FAILED:
        try:
            made = _failure(data, form, to, notes)
        except errors.NotConvertible as reason:
            at: Place = ("status",) if reason.id == "convert.success" else ("errors", 0)
            return Converted(None, problems=(problem(at, "convert", message(reason.id)),))
    elif form is Form.ARDF and _formless(data, to):
        said = message("convert.no_form", type=data["resource_type"], target=to)
        return Converted(None, problems=(problem(("resource_type",), "convert", said),))
    else:
        try:
            made = _tools(data, form, to, notes, skipped)
        except TooLargeError:
            said = message("convert.too_large", limit=MOST_IN_ALL)
            return Converted(None, problems=(problem((), "convert", said),))
        if form is Form.OPENAPI:
            found = list(islice(incomplete(data), _MOST_INCOMPLETE))
    absent = {place for each in found for place in (each.place, each.place[:-1])}
    return Converted(
        made,
        lost=_paths((each for each in notes.lost if each not in absent), base),
        made=_paths(notes.made, ()),
        changed=_paths(notes.changed, base),
        problems=tuple(found),
        left_out=_paths(notes.left_out, base),
        unfollowed=_paths((each for each in notes.unfollowed if each not in absent), base),
    )


def _paths(places: Iterable[Place], base: Place) -> tuple[str, ...]:
    """Return each place once, as a JSON path that starts at `base`."""
    return tuple(json_path((*base, *each)) for each in dict.fromkeys(places))


def _formless(data: Mapping[str, Any], to: Form) -> bool:
    """Return whether a document is a single resource of a type that the form `to` does not have."""
    kind = data.get("resource_type", "tool")
    known = "resources" in data or kind == "tool" or to is Form.ARDF
    return not known and not (to is Form.MCP and kind in OTHERS)


def _without(
    data: Any, form: Form | None, found: list[Problem]
) -> tuple[frozenset[int], list[Problem]]:
    """Return the items of a list that must be left out, and why; no items if that does not help."""
    member = member_of(data)
    items = data if isinstance(data, list) else data[member] if member is not None else []
    numbers = list(range(len(items)))
    said: list[Problem] = []
    for _ in range(_MOST_ROUNDS):
        if not (found and numbers):
            break
        places = [each.place if isinstance(data, list) else each.place[1:] for each in found]
        inside = all(isinstance(data, list) or each.place[:1] == (member,) for each in found)
        if not inside or not all(place and isinstance(place[0], int) for place in places):
            return frozenset(), [*said, *found]
        broken = {int(place[0]) for place in places}
        for each, place in zip(found, places, strict=True):
            at = () if isinstance(data, list) else (str(member),)
            where = (*at, numbers[int(place[0])], *place[1:])
            said.append(
                problem(where, each.keyword, each.message, clause=each.clause, tool=each.tool)
            )
        numbers = [number for index, number in enumerate(numbers) if index not in broken]
        kept = [items[number] for number in numbers]
        found = _unfit(kept if isinstance(data, list) else {**data, member: kept}, form)
    if found or not numbers:
        return frozenset(), [*said, *found]
    return frozenset(range(len(items))) - frozenset(numbers), said


def _unfit(data: Any, form: Form | None) -> list[Problem]:
    """Return why a document cannot be converted: what is invalid, as far as the kit checks it."""
    if form in _WHOLE:
        return _odd(form, (), data)
    if form in TAKEN or form is Form.MCP:
        member = member_of(data)
        at: Place = (member,) if member is not None else ()
        items = data if isinstance(data, list) else data[member] if member is not None else None
        if items is None:
            return _odd(form, (), data)
        return [each for n, item in enumerate(items) for each in _odd(form, (*at, n), item)]
    found = recognize(data)
    known = isinstance(found, Recognition) and form is not None and found.document in OURS[form]
    if form is not None and not known and (isinstance(found, Recognition) or foreign(data)):
        return [problem((), "convert", message("convert.shape", form=form, place="$"))]
    return [each for each in validate(data) if each.requirement is Requirement.MUST]


def _odd(form: Form, at: Place, item: Any) -> list[Problem]:
    """Return the first place of an item that cannot be read, as a problem."""
    if form is Form.MCP and not _usable(item):
        return [problem(at, "convert", message("convert.no_mcp"))]
    looked = flattened(item) if form is Form.MCP else item
    for place in misshapen(form, looked):
        where = (*at, *place)
        said = message("convert.shape", form=form, place=shown(json_path(where)))
        return [problem(where, "convert", said)]
    return [*moved(_unsound(item), at)] if form is Form.MCP else []


def _unsound(tool: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what breaks a MUST in the members of an MCP tool that MCP does not define."""
    if tool.keys() <= FIELDS and key_in(tool.get("_meta"), MetaKey.ATDF) is None:
        return
    for each in validate(tool, "tool"):
        own = each.place[:1] == ("_meta",) or FIELDS.isdisjoint(each.place[:1])
        if each.place and own and each.requirement is Requirement.MUST:
            yield each


def _usable(tool: Any) -> bool:
    """Return whether a value is a tool in the form in which an MCP server lists it."""
    return (
        isinstance(tool, dict)
        and isinstance(tool.get("name"), str)
        and isinstance(tool.get("inputSchema"), dict)
    )


def _failure(data: Any, form: Form, to: Form, notes: Notes) -> Any:
    """Convert a failed call, through the ATDF error if neither form is that."""
    if form is to:
        return data
    first, second = Notes(), Notes()
    error = _READ_FAILURE[form](data, first) if form in _READ_FAILURE else data
    made = _WRITTEN_FAILURE[to](error, second) if to in _WRITTEN_FAILURE else error
    added = set(first.made)
    notes.lost += first.lost + errors.known(second.lost, form, data, added)
    notes.changed += first.changed + errors.known(second.changed, form, data, added)
    notes.made += errors.known(first.made, to, made) + second.made
    return made


_READ_FAILURE: Final[Mapping[Form, Callable[[Any, Notes], Any]]] = {
    Form.ENRICHED: errors.enriched_to_error,
    Form.PROBLEM: errors.problem_to_error,
    Form.FASTAPI: errors.fastapi_to_error,
    Form.HINT: hint_to_error,
}
_WRITTEN_FAILURE: Final[Mapping[Form, Callable[[Any, Notes], Any]]] = {
    Form.ENRICHED: errors.error_to_enriched,
    Form.HINT: error_to_hint,
    Form.PROBLEM: errors.error_to_problem,
}


def _tools(data: Any, form: Form, to: Form, notes: Notes, skipped: frozenset[int]) -> Any:
    if form is to is Form.ARDF:
        return _plain(data, notes, skipped)
    if form is Form.OPENAPI:
        tools, info = read_openapi(data, notes), data.get("info")
        if to in OPENAPI_VERSIONS and isinstance(info, dict):
            return write_openapi(tools, info, notes, OPENAPI_VERSIONS[to], ("info",))
        if "info" in data:
            notes.lose(("info",))
        return _listed(tools, to, {}, notes)
    member = member_of(data)
    if member is None and not isinstance(data, list):
        return _single(data, form, to, notes)
    items = data if isinstance(data, list) else data[member]
    at: Place = () if isinstance(data, list) else (str(member),)
    around = {k: v for k, v in data.items() if k != member} if isinstance(data, dict) else {}
    tools = []
    others: dict[str, list[Any]] = {}
    for index, item in enumerate(items):
        kind = _kind(item, form) if index not in skipped else None
        if kind == "tool":
            tools.append(_read(item, (*at, index), form, to, notes))
        elif to is Form.MCP and str(kind) in OTHERS:
            name, write = OTHERS[str(kind)]
            made = others.setdefault(name, [])
            made.append(write(item, (*at, index), (name, len(made)), notes))
        elif index in skipped:
            notes.leave_out((*at, index))
        else:
            notes.lose((*at, index))
    return _listed(tools, to, around, notes, others)


def _kind(item: Mapping[str, Any], form: Form) -> Any:
    """Return the type of an item.

    Only ARDF has types; in other forms, that member means nothing.
    """
    return item.get("resource_type", "tool") if form is Form.ARDF else "tool"


def _single(data: Mapping[str, Any], form: Form, to: Form, notes: Notes) -> Any:
    """Convert a document that is not a list."""
    if _kind(data, form) != "tool":
        return OTHERS[data["resource_type"]][1](data, (), (), notes)
    tool = _read(data, (), form, to, notes)
    if to in OPENAPI_VERSIONS:
        return write_openapi([tool], {}, notes, OPENAPI_VERSIONS[to])
    return _write(tool, to, (), notes)


def _listed(
    tools: Sequence[Portable],
    to: Form,
    around: Mapping[str, Any],
    notes: Notes,
    others: Mapping[str, Any] | None = None,
) -> Any:
    """Return the document of a list of tools, with the lists of `others` and what is `around`."""
    if to in OPENAPI_VERSIONS:
        return write_openapi(tools, around, notes, OPENAPI_VERSIONS[to])
    target = _LISTS.get(to)
    if target is None or to in _ALONE:
        for name in around:
            notes.lose((name,))
    at: Place = () if target is None else (target,)
    made = [_write(tool, to, (*at, index), notes) for index, tool in enumerate(tools)]
    if target is None:
        return made
    return {target: made} if to in _ALONE else {target: made, **(others or {}), **around}


def _write(tool: Portable, to: Form, at: Place, notes: Notes) -> dict[str, Any]:
    """Return a tool in its new form; `at` is its place in the result."""
    homes: Mapping[str, Place] = {"description": ("description",), **_HOMES[to]}
    for name in sorted(tool.made & homes.keys()):
        notes.make((*at, *homes[name]))
    return _WRITERS[to](tool, at, notes)


def _plain(data: Any, notes: Notes, skipped: frozenset[int]) -> Any:
    """Return resources of any type without their dialects."""
    document = "resource" if "resources" not in data else "collection"
    for number in skipped:
        notes.leave_out(("resources", number))
    listed = [each for each in resources(document, data) if not skipped & {*each.place[1:]}]
    for known in listed:
        for name in ("content", "how_to_use") if known.dialects else ():
            if name in known.item and name not in plain(known.item):
                notes.change(known.at(name))
                for block in known.blocks:
                    for inside in block.translation.filled:
                        notes.make(known.at("how_to_use", block.name.value, *inside))
        if known.dialects == (BARE,):
            notes.change(known.at("how_to_use"))
    if document == "resource":
        return plain(data)
    return {**data, "resources": [plain(each.item) for each in listed]}


def _read(item: Mapping[str, Any], at: Place, form: Form, to: Form, notes: Notes) -> Portable:
    if form is Form.TOOLSETS:
        return read_toolset_tool(item, at, notes, carried=to is Form.MCP)
    return _reader(item, form)(item, at, notes)


def _reader(item: Mapping[str, Any], form: Form) -> Reader:
    if form in TAKEN:
        return TAKEN[form].read
    if form is Form.MCP:
        return read_mcp_tool
    if form is Form.ARDF:
        return read_resource
    return read_descriptor if descriptor.is_descriptor(item) else read_catalog_tool
