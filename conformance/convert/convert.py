"""How a document in one form becomes one in another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    OURS,
    TAKEN,
    TARGETS,
    Form,
    form_of,
    member_of,
)
from conformance.convert.functions import DECLARATIONS
from conformance.convert.hints import error_to_hint, hint_to_error
from conformance.convert.mcp import flattened, read_mcp_tool, write_mcp_tool
from conformance.convert.mcp_others import OTHERS
from conformance.convert.openapi import TooLargeError, read_openapi
from conformance.convert.openapi_written import write_openapi
from conformance.convert.portable import Notes, Portable
from conformance.convert.shapes import misshapen
from conformance.convert.skills import write_skill
from conformance.convert.toolsets import read_toolset_tool
from conformance.formats.catalog.openapi_schema import MOST_IN_ALL
from conformance.formats.problem import Place, Problem, json_path, problem, shown
from conformance.formats.resource.resource import BARE, plain, resources
from conformance.formats.tool import descriptor
from conformance.formats.validate.recognize import Recognition, recognise
from conformance.formats.validate.validate import validate
from conformance.spec.messages import message
from conformance.spec.vocabulary import Requirement


@dataclass(frozen=True, slots=True)
class Converted:
    """The document in its new form.

    Paths of `lost`, `left_out` and `changed` are in the source, of `made` in the result.
    `problems` say why there is no document, and then `data` is None; or why items of its list are
    not in it.
    """

    data: Any
    lost: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = ()


_MOST_ROUNDS = 20
"""How often items are left out because they need those that were left out before."""

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
_WHOLE = (Form.OPENAPI, Form.PROBLEM)
"""Forms of other specifications that are read as a whole."""
_ALONE = frozenset({Form.GEMINI, Form.A2A})
"""Forms whose list has nothing around it that another form has."""


def convert(data: Any, to: Form, source: Form | None = None) -> Converted:
    """A document in the form `to`; `source` says its own form where its keys do not.

    What breaks a MUST is not converted: what it means is not certain. Of a list, the other items
    are.
    """
    form = source or form_of(data)
    found, skipped = _unfit(data, form), frozenset[int]()
    if found:
        skipped, found = _without(data, form, found)
        if not skipped:
            return Converted(None, problems=tuple(found))
    if form is None or (form in FAILED) != (to in FAILED) or to not in TARGETS:
        said = message("convert.no_way", source=form or "?", target=to)
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
    lost, new, changed = (
        tuple(dict.fromkeys(each)) for each in (notes.lost, notes.made, notes.changed)
    )
    left_out = tuple(dict.fromkeys(notes.left_out))
    return Converted(made, lost, new, changed, tuple(found), left_out)


def _formless(data: Mapping[str, Any], to: Form) -> bool:
    """Whether a document is one resource of a type for which the form `to` has nothing."""
    kind = data.get("resource_type", "tool")
    known = "resources" in data or kind == "tool" or to is Form.ARDF
    return not known and not (to is Form.MCP and kind in OTHERS)


def _without(
    data: Any, form: Form | None, found: list[Problem]
) -> tuple[frozenset[int], list[Problem]]:
    """The items of a list to leave out so that the rest is valid, and why; none where it is not."""
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
    """What keeps a document from being converted: that it is not valid, where that can be told."""
    if form in _WHOLE:
        return _odd(form, (), data)
    if form in TAKEN or form is Form.MCP:
        member = member_of(data)
        at: Place = (member,) if member is not None else ()
        items = data if isinstance(data, list) else data[member] if member is not None else None
        if items is None:
            return _odd(form, (), data)
        return [each for n, item in enumerate(items) for each in _odd(form, (*at, n), item)]
    found = recognise(data)
    if isinstance(found, Recognition) and form is not None and found.document not in OURS[form]:
        return [problem((), "convert", message("convert.shape", form=form, place="$"))]
    return [each for each in validate(data) if each.requirement is Requirement.MUST]


def _odd(form: Form, at: Place, item: Any) -> list[Problem]:
    """The first place of an item that cannot be read, as a problem."""
    if form is Form.MCP and not _usable(item):
        return [problem(at, "convert", message("convert.no_mcp"))]
    looked = flattened(item) if form is Form.MCP else item
    for place in misshapen(form, looked):
        where = (*at, *place)
        said = message("convert.shape", form=form, place=shown(json_path(where)))
        return [problem(where, "convert", said)]
    return []


def _usable(tool: Any) -> bool:
    """Whether a value is a tool as an MCP server lists it."""
    return (
        isinstance(tool, dict)
        and isinstance(tool.get("name"), str)
        and isinstance(tool.get("inputSchema"), dict)
    )


def _failure(data: Any, form: Form, to: Form, notes: Notes) -> Any:
    if form is to:
        return data
    if form is Form.ENRICHED:
        data = errors.enriched_to_error(data, notes)
    elif form is Form.PROBLEM:
        data = errors.problem_to_error(data, notes)
    elif form is Form.HINT:
        data = hint_to_error(data, notes)
    if to is Form.ENRICHED:
        return errors.error_to_enriched(data, notes)
    if to is Form.HINT:
        return error_to_hint(data, notes)
    return errors.error_to_problem(data, notes) if to is Form.PROBLEM else data


def _tools(data: Any, form: Form, to: Form, notes: Notes, skipped: frozenset[int]) -> Any:
    if form is to is Form.ARDF:
        return _plain(data, notes, skipped)
    member = member_of(data)
    others: dict[str, list[Any]] = {}
    if form is Form.OPENAPI:
        tools = list(enumerate(read_openapi(data, notes)))
        around = {}
    elif member is not None or isinstance(data, list):
        items = data if isinstance(data, list) else data[member]
        at: Place = () if isinstance(data, list) else (str(member),)
        around = {k: v for k, v in data.items() if k != member} if isinstance(data, dict) else {}
        tools = []
        for index, item in enumerate(items):
            kind = _kind(item, form) if index not in skipped else None
            if kind == "tool":
                tools.append((index, _read(item, (*at, index), form, to, notes)))
            elif to is Form.MCP and str(kind) in OTHERS:
                name, write = OTHERS[str(kind)]
                others.setdefault(name, []).append(write(item, (*at, index), notes))
            elif index in skipped:
                notes.leave_out((*at, index))
            else:
                notes.lose((*at, index))
    elif _kind(data, form) != "tool":
        return OTHERS[data["resource_type"]][1](data, (), notes)
    else:
        tool = _read(data, (), form, to, notes)
        if to is not Form.OPENAPI:
            return _WRITERS[to](tool, (), notes)
        return write_openapi([((), tool)], {}, notes)
    return _listed(tools, member, to, {**others, **around}, notes)


def _kind(item: Mapping[str, Any], form: Form) -> Any:
    """What an item is. Only in ARDF does it say so: elsewhere, such a member means nothing."""
    return item.get("resource_type", "tool") if form is Form.ARDF else "tool"


def _listed(
    tools: Sequence[tuple[int, Portable]],
    member: str | None,
    to: Form,
    around: Mapping[str, Any],
    notes: Notes,
) -> Any:
    """The document of a list of tools, which stood in `member`, with what is `around` it."""
    if to is Form.OPENAPI:
        return write_openapi([((member or "tools", n), tool) for n, tool in tools], around, notes)
    target = _LISTS.get(to)
    if target is None or to in _ALONE:
        for name in around:
            notes.lose((name,))
    if target is None:
        return [_WRITERS[to](tool, (index,), notes) for index, tool in tools]
    made = [_WRITERS[to](tool, (target, index), notes) for index, tool in tools]
    return {target: made} if to in _ALONE else {target: made, **around}


def _plain(data: Any, notes: Notes, skipped: frozenset[int]) -> Any:
    """Resources of any type, without their dialects."""
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
