"""Finds what is wrong with a catalog, and which tools it concerns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.formats.catalog.normalize import names_of
from conformance.formats.problem import Problem
from conformance.formats.tool.meta import lifted
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.formats.validate.rules import absent_tools
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.catalog import is_collection, listed
from conformance.kit.evidence.listing import Faults, each_alone, label, stand_in
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.fault import Fault
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.bindings import traits_of
from conformance.spec.messages import Message, message

_ONE_OF_MANY = {"nextCursor": ""}
_PLACE = re.compile(r"\$\.tools\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Declared:
    """The problems of a run's declarations: those of each tool, and those of the catalog itself.

    `unusable` are stand-ins for tools that could not be used, so that they are judged too. `faults`
    are faults of the kit, by the tool whose declaration it read.
    """

    by_tool: Mapping[str, tuple[Problem, ...]]
    catalog: tuple[Problem, ...]
    unusable: tuple[Tool, ...]
    faults: Faults = field(default_factory=dict)
    fault: Fault | None = None
    """The fault of the kit because of which nothing is known of the run's declarations."""


def declared(discovered: Discovered) -> Declared:
    """Validate every page of the catalog, and assign each problem to its tool or to the catalog."""
    if discovered.run.openapi:
        return _of_operations(discovered)
    usable = {tool.name for tool in discovered.tools}
    by_tool: dict[str, list[Problem]] = {}
    catalog: list[Problem] = []
    stubs: dict[str, Tool] = {}
    faults = dict(discovered.faults)
    known = _known(discovered)
    first = 0
    for page in discovered.documents:
        if is_collection(page):
            continue  # it has the form of ARDF, whose chapter judges it
        problems, seen, failed = _looked(page, discovered, known, first)
        items = list(seen.items())
        faults |= failed
        for problem in problems:
            place = _PLACE.match(problem.path)
            if place is None or problem.clause is None or "-CAT-" in problem.clause:
                catalog.append(problem)
                continue
            index, item = items[int(place.group(1))]
            by_tool.setdefault(label(item, first + index), []).append(problem)
        for index, item in items:
            name = label(item, first + index)
            if name not in usable:
                stubs[name] = _stub(name, item)
        first += len(listed(page))
    stubs |= {name: _stub(name) for name in faults if name not in usable and name not in stubs}
    sound = {name: tuple(found) for name, found in by_tool.items() if name not in faults}
    return Declared(sound, tuple(catalog), tuple(stubs.values()), faults)


def _looked(
    page: Any, discovered: Discovered, known: frozenset[str] | None, first: int
) -> tuple[list[Problem], Mapping[int, Any], Faults]:
    """Return a page's problems, the items that were read by index, and the faults of the kit."""

    def look(items: Sequence[Any]) -> list[Problem]:
        seen = _as_catalog(page, items, discovered)
        found = list(validate(seen, "catalog"))
        if known is not None and isinstance(seen, dict):
            found += absent_tools(seen, known)
        return found

    def name(item: Any, index: int) -> str:
        return label(item, first + index)

    looked = each_alone(listed(page), look, name, stand_in)
    bare = validate(list(looked.items.values()), "catalog") if isinstance(page, list) else ()
    return [*bare, *looked.found], looked.items, looked.faults


def _stub(name: str, item: Any = None) -> Tool:
    return Tool(name, {}, ToolForm.CATALOG, item if isinstance(item, dict) else {})


SCHEMA_CLAUSES = ("ATDF-TOOL-003", "ATDF-TOOL-004", "ATDF-TOOL-005")
"""Clauses about an input schema. A problem with one of them is why a tool cannot be called."""


def worst(problems: Iterable[Problem]) -> Problem | None:
    """Return the problem that prevents the use of a tool; None if there is no problem."""
    return min(problems, key=lambda p: p.clause not in SCHEMA_CLAUSES, default=None)


def why_unusable(name: str, judged: Declared, language: str) -> Message:
    """Return why a declaration cannot be used: its worst problem in words, and the place."""
    first = worst(judged.by_tool.get(name, ()))
    if first is None:
        return message("kit.left_out.unusable_name")
    words = first.message.words(language).rstrip(".")
    return message("kit.left_out.unusable", reason=words, place=first.path)


def unusable_by(judged: Declared) -> tuple[str, ...]:
    """Return, for each tool that cannot be used, the clause that says why."""
    found = [worst(judged.by_tool.get(tool.name, ())) for tool in judged.unusable]
    clauses = [problem.clause if problem is not None else None for problem in found]
    return tuple(clause or SCHEMA_CLAUSES[0] for clause in clauses)


def _of_operations(discovered: Discovered) -> Declared:
    """Return the problems of an OpenAPI document, found while its operations were read."""
    by_tool: dict[str, tuple[Problem, ...]] = {}
    for problem in discovered.problems:
        if problem.tool is not None:
            by_tool[problem.tool] = (*by_tool.get(problem.tool, ()), problem)
    usable = {tool.name for tool in discovered.tools}
    return Declared(
        by_tool,
        tuple(p for p in discovered.problems if p.tool is None),
        tuple(_stub(name) for name in discovered.faults if name not in usable),
        discovered.faults,
    )


def _as_catalog(page: Any, items: Sequence[Any], discovered: Discovered) -> Any:
    """Return a page as an ATDF catalog. Over MCP, the members of `_meta` move next to the others.

    Any page may be one of many, and what its tools need may be on another.
    """
    if traits_of(discovered.run).speaks_mcp:
        return {"tools": [lifted(item) for item in items], **_ONE_OF_MANY}
    if isinstance(page, list):
        return {"tools": list(items), **_ONE_OF_MANY}
    if not isinstance(page, dict):
        return page
    return {**page, **({"tools": list(items)} if listed(page) else {}), **_ONE_OF_MANY}


def _known(discovered: Discovered) -> frozenset[str] | None:
    """Return the names of all tools that the target lists; None if it may have more."""
    pages = discovered.documents
    if is_cut(discovered.left_out):
        return None
    if any(isinstance(page, dict) and page.get("nextCursor") for page in pages[-1:]):
        return None
    items = [item for page in pages for item in listed(page)]
    return frozenset(label(item, index) for index, item in enumerate(items))


MOST_TOOLS = 2_000
"""The most tools of a run that are judged. Each costs memory and time for every clause about tools,
even if the session ends before its calls.
"""

TOO_MANY = "kit.left_out.too_many"
"""Why further tools are left out. Without them, the kit cannot determine a level."""

MOST_LISTS = 100
"""The most lists of tools in a manifest that are read. Each may have many pages."""

MOST_COLLECTIONS = 1_000
"""The most collections of other resources in a manifest that are read."""

_TOO_MANY_LISTS = "kit.left_out.too_many_lists"
_TOO_MANY_COLLECTIONS = "kit.left_out.too_many_collections"
_CUTS = frozenset({TOO_MANY, _TOO_MANY_LISTS, _TOO_MANY_COLLECTIONS})
Reasons = tuple[tuple[str, Message], ...]
"""The names of what is not judged, each with the reason."""


def why_cut(reasons: Iterable[Message]) -> Message | None:
    """Return the reason that shows that some tools or resources may not have been read."""
    return next((each for each in reasons if each.id in _CUTS), None)


def is_cut(left_out: Reasons) -> bool:
    """Return whether the target may have tools or resources that were not read."""
    return why_cut(reason for _, reason in left_out) is not None


def read_lists(paths: Sequence[str]) -> tuple[Sequence[str], Reasons]:
    """Return the lists of tools to read, each once, and a note if there are more."""
    return _read(paths, MOST_LISTS, _TOO_MANY_LISTS)


def read_collections(paths: Iterable[str]) -> tuple[Sequence[str], Reasons]:
    """Return the collections of other resources to read, and a note if there are more."""
    return _read(paths, MOST_COLLECTIONS, _TOO_MANY_COLLECTIONS)


def _read(paths: Iterable[str], most: int, id: str) -> tuple[Sequence[str], Reasons]:
    named = list(dict.fromkeys(paths))
    more = len(named) - most
    return named[:most], ((f"+{more}", message(id, most=most, more=more)),) if more > 0 else ()


@dataclass(frozen=True, slots=True)
class Discovered:
    """A run, and what the target offers in it.

    `documents` are the catalog's pages as they came. `problems` were found while they were read.
    `capabilities` is what the server says that it can do (MCP). `agreed` are the older versions of
    MCP that it agreed to, each with the result of its handshake. `settles_again` says whether it
    agreed to each on a connection that had settled on another.
    """

    run: Run
    tools: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()
    documents: tuple[Any, ...] = ()
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    listed: bool = True
    tools_path: str = ""
    left_out: tuple[tuple[str, Message], ...] = ()
    """What is declared and is not a tool, such as some operations of OpenAPI, with the reason."""
    agreed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    settles_again: bool = False
    faults: Faults = field(default_factory=dict)
    """The faults of the kit while it read a declaration, by tool."""


def judged_of(
    items: Sequence[Any], settings: Settings
) -> tuple[Sequence[Any], tuple[tuple[str, Message], ...]]:
    """Return the items of a list that can be judged, and why the others are left out.

    They are chosen by name, because reading a schema takes a millisecond or two. Those that the
    command line selects come first. All items with a chosen name, or without a name, are kept.
    """
    names = dict.fromkeys(name for item in items for name in sorted(names_of(item))[:1])
    if len(names) <= MOST_TOOLS:
        return items, ()
    chosen = set(_first(names, settings))
    kept = [item for item in items if not (own := names_of(item)) or own & chosen]
    return kept, _too_many(len(names) - MOST_TOOLS)


def bounded(found: Discovered, settings: Settings) -> Discovered:
    """Return the same with no more tools than can be judged, and how many are left out."""
    left_out, tools = found.left_out, {tool.name: tool for tool in found.tools}
    if len(tools) > MOST_TOOLS:
        left_out = (*left_out, *_too_many(len(tools) - MOST_TOOLS))
        tools = {name: tools[name] for name in _first(tools, settings)}
        names = set(tools)
    elif any(reason.id == TOO_MANY for _, reason in left_out):
        names = {*tools, *(each.tool for each in found.problems if each.tool is not None)}
    else:
        return found
    return replace(
        found,
        tools=tuple(tools.values()),
        problems=tuple(p for p in found.problems if p.tool is None or p.tool in names),
        documents=tuple(_bounded(page, names) for page in found.documents),
        left_out=left_out,
    )


def _first(names: Iterable[str], settings: Settings) -> list[str]:
    """Return as many names as can be judged; those that the command line selects come first."""
    return sorted(names, key=lambda name: not settings.selects(name))[:MOST_TOOLS]


def _too_many(more: int) -> tuple[tuple[str, Message], ...]:
    return ((f"+{more}", message(TOO_MANY, most=MOST_TOOLS, more=more)),)


def _bounded(page: Any, names: set[str]) -> Any:
    if isinstance(page, list):
        return [one for one in page if _name(one) in names]
    listed = page.get("tools") if isinstance(page, dict) else None
    if not isinstance(listed, list):
        return page
    kept = [one for one in listed if isinstance(one, dict) and _name(one) in names]
    return {**page, "tools": kept}


def _name(item: Mapping[str, Any]) -> Any:
    found = (item.get(member) for member in ("name", "tool_id", "id"))
    return next((name for name in found if isinstance(name, str)), None)
