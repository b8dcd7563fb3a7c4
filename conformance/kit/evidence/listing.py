"""Reads lists of tools so that a fault of the kit in one tool costs only that tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from conformance.formats.catalog.normalize import NormalisedCatalog, Source, tools_of
from conformance.formats.catalog.openapi import METHODS, OpenApiCatalog, operations
from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.formats.text.json_text import Notation, read
from conformance.kit.evidence.body import json_in
from conformance.kit.model.exchange import Answer
from conformance.kit.model.fault import Fault, fault_of

T = TypeVar("T")
Item = TypeVar("Item")
Faults = Mapping[str, Fault]
"""The faults that ended the reading of tools, by the tool's name."""

_GONE: Final = object()
"""Marks an item that is left out."""
_MOST_TOGETHER: Final = 8
"""The most items to search for that raise an error only together with others."""


@dataclass(frozen=True, slots=True)
class Looked(Generic[T]):
    """The result for a list, the items that it comes from, by index, and the faults by name."""

    found: T
    items: Mapping[int, Any]
    faults: Faults


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a list, its pages as they were read, and the kit's faults by tool."""

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
    """Return the tools of a list that came on these pages.

    A tool that causes a fault of the kit is left out. On the pages, a stand-in replaces its
    declaration. If calls cannot be `tasks`, no tool requires one, whatever it declares.
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
    """Return whether a server says that tools can be called as tasks."""
    place = capabilities
    for name in ("tasks", "requests", "tools", "call"):
        place = place.get(name) if isinstance(place, dict) else None
    return isinstance(place, dict)


def is_bare_list(document: Any) -> bool:
    """Return whether a document is a list of tools without a catalog around it.

    At least one item must be usable as a tool. Otherwise it is a list of something else.
    """
    if not isinstance(document, list) or not all(isinstance(item, dict) for item in document):
        return False
    return bool(listing(document, Source.ATDF).catalog.tools)


def openapi_in(answer: Answer | None) -> Any:
    """Return the document, in JSON or YAML, of an answer; None if there is none."""
    if answer is None or answer.status != 200:
        return None
    found = json_in(answer)
    page = "html" in (answer.header("content-type") or "")
    if found is not None or page or b"openapi" not in answer.body[:4096]:
        return found
    return read(answer.body, Notation.YAML).data


def operations_of(document: Mapping[str, Any]) -> tuple[OpenApiCatalog, Faults]:
    """Return the operations of an OpenAPI document, without those that cause a fault of the kit."""
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
    """Return the methods of a path. A path without methods, such as a reference, has one empty
    method.
    """
    if not isinstance(item, dict):
        return []
    return [method for method in METHODS if method in item] or [""]


def each_alone(
    items: Sequence[Item],
    look: Callable[[Sequence[Item]], T],
    name: Callable[[Item, int], str],
    instead: Callable[[str, Item], Item] | None,
) -> Looked[T]:
    """Look at a list. If an item raises an error, only that item is lost.

    `instead` returns the replacement for such an item, given its `name`. Without `instead`, or if
    the replacement raises an error as well, there is none.
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
            with suppress(Exception):  # the fault is recorded already
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
    """Return the key of the first item that makes `look` fail together with those before it."""
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
    """Return a tool's raw name, or its number in the list if it has none."""
    fields = item if isinstance(item, dict) else {}
    names = (fields.get(member) for member in ("name", "tool_id", "id"))
    return next((name for name in names if isinstance(name, str) and name), f"#{index + 1}")


def stand_in(name: str, item: Any) -> Any:
    """Return a valid tool of this name; a resource if the item is one."""
    kind = item.get("resource_type") if isinstance(item, dict) else None
    own = {"resource_type": kind, "resource_id": item.get("resource_id", name)} if kind else {}
    return {"name": name, "description": name, "inputSchema": {"type": "object"}, **own}


def _with(page: Any, others: Mapping[int, Any]) -> Any:
    """Return a page with some items replaced."""
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
