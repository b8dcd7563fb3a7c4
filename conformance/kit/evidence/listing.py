"""Lists of tools, read so that a fault of the kit in one of them costs that tool alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from conformance.formats.catalog.normalize import NormalisedCatalog, Source, tools_of
from conformance.formats.catalog.openapi import METHODS, OpenApiCatalog, operations
from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.formats.text.json_text import Notation, read
from conformance.kit.evidence.response import json_in
from conformance.kit.model.exchange import Answer
from conformance.kit.model.fault import Fault, fault_of

T = TypeVar("T")
Item = TypeVar("Item")
Faults = Mapping[str, Fault]
"""What ended the look at a tool, by its name."""

_GONE: Final = object()
"""Stands for an item that is left out."""
_MOST_TOGETHER: Final = 8
"""Items at each of which a look may end only together with others: each is searched for."""


@dataclass(frozen=True, slots=True)
class Looked(Generic[T]):
    """What a look at a list gave, what was looked at by its place, and what was raised there."""

    found: T
    items: Mapping[int, Any]
    faults: Faults


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a list, its pages as they were read, and the tools at which the kit failed."""

    catalog: NormalisedCatalog
    pages: tuple[Any, ...]
    faults: Faults


def listing(
    items: Sequence[Any],
    source: Source,
    pages: Sequence[Any] = (),
    *,
    mirroring: bool = True,
    tasks: bool = False,
) -> Listing:
    """The tools of a list that came on these pages. One at which the kit fails is not among them;
    on the pages, another declaration takes its place.

    Where calls cannot be `tasks`, no tool has to be called as one, whatever it says.
    """

    def look(some: Sequence[Any]) -> NormalisedCatalog:
        return tools_of({"tools": list(some)}, source, mirroring=mirroring)

    looked = each_alone(items, look, label, stand_in)
    others = {id(item): looked.items.get(at, _GONE) for at, item in enumerate(items)}
    others = others if looked.faults else {}
    sound = (tool for tool in looked.found.tools if tool.name not in looked.faults)
    tools = tuple(sound if tasks else (replace(tool, task_required=False) for tool in sound))
    read = tuple(_with(page, others) for page in pages)
    return Listing(replace(looked.found, tools=tools), read, looked.faults)


def takes_tasks(capabilities: Any) -> bool:
    """Whether a server says that tools can be called as tasks at all."""
    place = capabilities
    for name in ("tasks", "requests", "tools", "call"):
        place = place.get(name) if isinstance(place, dict) else None
    return isinstance(place, dict)


def is_bare_list(document: Any) -> bool:
    """Whether a document is a list of tools with no catalog around it.

    A list of anything else is not a catalog: one item at least must be usable as a tool.
    """
    if not isinstance(document, list) or not all(isinstance(item, dict) for item in document):
        return False
    return bool(listing(document, Source.ATDF).catalog.tools)


def openapi_in(answer: Answer | None) -> Any:
    """The document, in JSON or YAML, that an answer holds; None where it holds none."""
    if answer is None or answer.status != 200:
        return None
    found = json_in(answer)
    page = "html" in (answer.header("content-type") or "")
    if found is not None or page or b"openapi" not in answer.body[:4096]:
        return found
    return read(answer.body, Notation.YAML).data


def operations_of(document: Mapping[str, Any]) -> tuple[OpenApiCatalog, Faults]:
    """The operations of an OpenAPI document; one at which the kit fails is left out."""
    paths = document.get("paths")
    listed: Mapping[str, Any] = paths if isinstance(paths, dict) else {}
    every = [(path, method) for path, item in listed.items() for method in _methods(item)]

    def look(some: Sequence[tuple[str, str]]) -> OpenApiCatalog:
        if list(some) == every:
            return operations(document)
        kept: dict[str, Any] = {}
        for path, method in some:
            shared = {name: each for name, each in listed[path].items() if name not in METHODS}
            own = {method: listed[path][method]} if method else {}
            kept[path] = {**kept.get(path, shared), **own}
        return operations({**document, "paths": kept})

    def name(item: tuple[str, str], _: int) -> str:
        path, method = item
        own = listed[path].get(method)
        given = own.get("operationId") if isinstance(own, dict) else None
        return given if isinstance(given, str) and given else f"{method.upper()} {path}".strip()

    looked = each_alone(every, look, name, None)
    return looked.found, looked.faults


def _methods(item: Any) -> list[str]:
    """The operations of a path; what a reference leads to is looked at as one."""
    if not isinstance(item, dict):
        return []
    return [method for method in METHODS if method in item] or [""]


def each_alone(
    items: Sequence[Item],
    look: Callable[[Sequence[Item]], T],
    name: Callable[[Item, int], str],
    instead: Callable[[str, Item], Item] | None,
) -> Looked[T]:
    """Look at a list; what raises at one of its items costs that item alone.

    `instead` gives what takes its place, under its `name`. Without one, or where that raises as
    well, nothing does.
    """
    sound = dict(enumerate(items))
    faults: dict[str, Fault] = {}
    try:
        return Looked(_looked(look, items), sound, faults)
    except Exception as error:
        last = error

    def leave_out(index: int, error: Exception) -> None:
        known = name(items[index], index)
        faults[known] = fault_of(error)
        del sound[index]
        if instead is not None:
            other = instead(known, items[index])
            with suppress(Exception):  # it is noted already
                _looked(look, [other])
                sound[index] = other

    for index, item in enumerate(items):
        try:
            _looked(look, [item])
        except Exception as error:
            leave_out(index, error)
    for _ in range(_MOST_TOGETHER):
        sound = dict(sorted(sound.items()))
        try:
            return Looked(_looked(look, [*sound.values()]), sound, faults)
        except Exception as error:
            last = error
        if not sound:
            break
        leave_out(_first_that_raises(sound, look), last)
    raise last


def _looked(look: Callable[[Sequence[Item]], T], items: Sequence[Item]) -> T:
    with ends_in_recursion_error():
        return look(items)


def _first_that_raises(items: Mapping[int, Item], look: Callable[[Sequence[Item]], T]) -> int:
    """The place of the first item at which a look raises that began with those before it."""
    places, each = list(items), list(items.values())
    sound, raising = 0, len(each)
    while raising - sound > 1:
        half = (sound + raising) // 2
        try:
            _looked(look, each[:half])
            sound = half
        except Exception:
            raising = half
    return places[raising - 1]


def label(item: Any, index: int) -> str:
    """A tool's raw name; its place in the list where it has none."""
    fields = item if isinstance(item, dict) else {}
    names = (fields.get(member) for member in ("name", "tool_id", "id"))
    return next((name for name in names if isinstance(name, str) and name), f"#{index + 1}")


def stand_in(name: str, item: Any) -> Any:
    """A tool of this name in which nothing is wrong; a resource where the item is one."""
    kind = item.get("resource_type") if isinstance(item, dict) else None
    own = {"resource_type": kind, "resource_id": item.get("resource_id", name)} if kind else {}
    return {"name": name, "description": name, "inputSchema": {"type": "object"}, **own}


def _with(page: Any, others: Mapping[int, Any]) -> Any:
    """A page with other items in the place of some."""
    if isinstance(page, list) and others:
        read = (others.get(id(item), item) for item in page)
        return [item for item in read if item is not _GONE]
    if not others or not isinstance(page, dict):
        return page
    changed = {
        name: _with(page[name], others)
        for name in ("tools", "resources")
        if isinstance(page.get(name), list)
    }
    return {**page, **changed}
