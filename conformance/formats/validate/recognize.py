"""Recognizes which document a value is, by a table. The first matching line wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from conformance.formats.problem import Problem, problem, shown
from conformance.formats.resource.resource import resources
from conformance.formats.runtime.recognition import (
    EDITOR_LINE,
    POLICY_IN_ITS_KEY,
    RUNTIME_ROWS,
    RuntimeRow,
    manifest_dialects,
    policy_in,
)
from conformance.formats.tool.providers import are_functions
from conformance.spec.messages import Message, message

Condition = Callable[[Mapping[str, Any]], bool]
"""A test of values, for documents that the names of members do not decide."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the members that identify a document.

    `needs` has groups of names; the document must have at least one member of each group. `when` is
    a further condition, and `words` states it in short. `outranks` lists documents that may match
    too without making the input ambiguous.
    """

    spec: str
    document: str
    version: str
    needs: tuple[tuple[str, ...], ...]
    outranks: tuple[str, ...] = ()
    when: Condition | None = None
    words: str | None = None

    @property
    def rule(self) -> str:
        """The rule in short: `tool_id|id + how_to_use|description`."""
        named = ["|".join(group) for group in self.needs]
        return " + ".join([*named, *([self.words] if self.words else [])])

    def matches(self, members: Mapping[str, Any]) -> bool:
        """Return whether an object with these members is this document."""
        if not all(any(name in members for name in group) for group in self.needs):
            return False
        return self.when is None or self.when(members)


ENHANCED = ("metadata", "localization", "prerequisites", "examples", "feedback")
"""Any of these fields makes a descriptor an enhanced one."""


def is_enhanced(members: Mapping[str, Any]) -> bool:
    """Return whether a descriptor is enhanced: by a field, or by its version, 2.x or 0.2."""
    version = members.get("schema_version")
    labelled = isinstance(version, str) and version.startswith(("2.", "0.2"))
    return labelled or not members.keys().isdisjoint(ENHANCED)


def _objects(members: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return objects_in(members["resources"])


def _of_paths(members: Mapping[str, Any]) -> bool:
    """Return whether `resources` lists where collections are, as items with a type and a path."""
    return any({"type", "path"} <= each.keys() for each in _objects(members)) and not any(
        {"type", "path", "resource_type"} <= each.keys() for each in _objects(members)
    )


def _of_resources(members: Mapping[str, Any]) -> bool:
    """Return whether `resources` holds resources. An empty one counts as a collection too."""
    items = _objects(members)
    return not items or any({"resource_type", "resource_id"} & each.keys() for each in items)


def _has_own_tools(members: Mapping[str, Any]) -> bool:
    """Return whether `tools` is a catalog's list, and not the functions that a request of OpenAI
    declares.
    """
    return not are_functions(members["tools"])


def _is_declared(members: Mapping[str, Any]) -> bool:
    """Return whether `conformance` is a list of claims, in a document without `resources`."""
    return isinstance(members["conformance"], list) and "resources" not in members


_PLAIN_TOOLS = ("enhanced-descriptor", "descriptor", "tool")

TABLE: tuple[Row | RuntimeRow, ...] = (
    *RUNTIME_ROWS,
    Row(
        "ardf",
        "collection",
        "1.0",
        (("resources",),),
        (*_PLAIN_TOOLS, "resource"),
        _of_resources,
        "resources[].resource_type",
    ),
    Row(
        "ardf",
        "resource",
        "1.0",
        (("resource_id", "resource_type"),),
        _PLAIN_TOOLS,
        lambda members: "resources" not in members,
    ),
    Row(
        "ardf",
        "manifest",
        "1.0",
        (("resources",),),
        _PLAIN_TOOLS,
        _of_paths,
        "resources[].type + resources[].path",
    ),
    Row(
        "bindings",
        "discovery",
        "1.0",
        (("conformance",),),
        _PLAIN_TOOLS,
        _is_declared,
        "conformance[]",
    ),
    Row("atdf", "error", "1.0", (("errors",),), _PLAIN_TOOLS),
    Row("atdf", "enriched-response", "1.0", (("status",), ("data",)), _PLAIN_TOOLS),
    Row("atdf", "catalog", "1.0", (("tools",),), _PLAIN_TOOLS, _has_own_tools),
    Row(
        "atdf",
        "enhanced-descriptor",
        "2.0",
        (("tool_id", "id"), ("how_to_use", "description")),
        ("descriptor", "tool"),
        is_enhanced,
        f"schema_version 2.x|{'|'.join(ENHANCED)}",
    ),
    Row(
        "atdf",
        "descriptor",
        "1.0",
        (("tool_id", "id"), ("how_to_use", "description")),
        ("tool",),
    ),
    Row("atdf", "tool", "1.0", (("name",), ("inputSchema",))),
)

LEGACY_LABEL = "legacy-label"
"""The dialect in which `schema_version` is 0.1 or 0.2, the old names of 1.x and 2.x."""

_DESCRIPTORS = frozenset({"descriptor", "enhanced-descriptor"})
"""The documents that had these versions. In any other document, such a version is only wrong."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """What a value was recognized as. `rule` is the line of the table that matched."""

    spec: str
    document: str
    version: str
    rule: str
    dialects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the table, with the values that are the same for every document."""

    row: Row | RuntimeRow
    rule: str
    final: bool
    """Whether no later line can make the input ambiguous."""
    found: Recognition


def _lines() -> tuple[tuple[_Line, ...], Mapping[str, tuple[int, ...]]]:
    """Return the lines, and for each member's name the indexes of the lines to try."""
    lines = []
    leads: dict[str, list[int]] = {}
    for number, row in enumerate(TABLE):
        rule = row.rule
        found = Recognition(row.spec, row.document, row.version, rule)
        lines.append(_Line(row, rule, isinstance(row, RuntimeRow), found))
        for name in row.needs[0]:
            leads.setdefault(name, []).append(number)
    return tuple(lines), {name: tuple(numbers) for name, numbers in leads.items()}


_LINES, _LEADS = _lines()


_NO_OBJECT, NO_DOCUMENT = "documents.unknown.kind", "documents.unknown"
_EMPTY = "documents.unknown.empty"
_INSIDE, _LACKS, _FOREIGN, _RULE, _MISSPELLED, _OPENAPI, _AGENT_CARD = _HOW = tuple(
    f"documents.unknown.{how}"
    for how in ("inside", "lacks", "foreign", "rule", "misspelled", "openapi", "agent_card")
)
UNRECOGNIZED = frozenset({_NO_OBJECT, NO_DOCUMENT, _EMPTY, *_HOW})
"""The messages for a value that no line of the table matches."""
CLOSEST = frozenset({_NO_OBJECT, NO_DOCUMENT, _LACKS, _FOREIGN, _RULE})
"""Those that only compare a value with documents."""
_COMPARED, _SHORTEST = 20, 4
"""The most members that are compared with known names, and the shortest such name in letters."""
_NAMES, _NAME = 5, 40
"""The most names that a sentence lists, and the most characters of each."""


def recognize(data: Any) -> Recognition | Problem:
    """Return the document that a decoded JSON value is; a Problem if it is none or ambiguous."""
    if not isinstance(data, dict):
        return problem((), "document", message(_NO_OBJECT, value=shown(data)))
    first: _Line | None = None
    numbers = {number for name in data if name in _LEADS for number in _LEADS[name]}
    for number in sorted(numbers):
        line = _LINES[number]
        if (first is None or line.row.document not in _outranked(first)) and line.row.matches(data):
            if first is not None:
                return _ambiguous(first, line)
            first = line
            if line.final:
                break
    if first is None and policy_in(data) is not None:
        known = row_of("retry-policy")
        rule = f"retry_policy: {known.rule}"
        return Recognition(known.spec, known.document, known.version, rule, (POLICY_IN_ITS_KEY,))
    if first is None:
        return problem((), "document", _unknown(data))
    dialects = _dialects(first.row.document, data)
    return replace(first.found, dialects=dialects) if dialects else first.found


def objects_in(listed: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; none if the value is not a list."""
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _outranked(line: _Line) -> tuple[str, ...]:
    return line.row.outranks if isinstance(line.row, Row) else ()


def _ambiguous(first: _Line, rival: _Line) -> Problem:
    said = message(
        "documents.ambiguous",
        one=first.row.document,
        rule=first.rule,
        other=rival.row.document,
        other_rule=rival.rule,
    )
    return problem((), "document", said)


def _dialects(document: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    labelled = document in _DESCRIPTORS and data.get("schema_version") in ("0.1", "0.2")
    found = {LEGACY_LABEL: None} if labelled else {}
    if document in ("resource", "collection"):
        found |= {name: None for each in resources(document, data) for name in each.dialects}
    elif document == "provider-manifest":
        found |= dict.fromkeys(manifest_dialects(data))
    return tuple(found)


def row_of(document: str) -> Row | RuntimeRow:
    """Return the line of the table for a document. Raises KeyError with the known names."""
    for row in TABLE:
        if row.document == document:
            return row
    raise KeyError(f"{document!r} is none of {', '.join(row.document for row in TABLE)}")


def _unknown(data: Mapping[str, Any]) -> Message:
    """Return why an object is not a document: what it holds, or what it lacks.

    The message is about the closest document: the one of whose required members the object has the
    largest share. A tie goes to the one that allows more of the other members, then to the later
    one.
    """
    if not data:
        return message(_EMPTY)
    if "swagger" in data or (isinstance(data.get("openapi"), str) and "paths" in data):
        return message(_OPENAPI, version=shown(data.get("openapi", data.get("swagger")), _NAME))
    if isinstance(data.get("skills"), list) and isinstance(data.get("capabilities"), dict):
        return message(_AGENT_CARD)
    for name, value in data.items():
        if isinstance(value, dict) and isinstance(inside := _found_in(value), str):
            return message(_INSIDE, name=shown(name, _NAME), document=inside)
    closest = max(
        (row for row in TABLE if any(_has(data, group) for group in row.needs)),
        key=lambda row: (_share(row, data), -len(_foreign(row, data)), TABLE.index(row)),
        default=None,
    )
    if closest is None:
        return _misspelled(data) or message(NO_DOCUMENT, names=_listed(data))
    if missing := ["|".join(group) for group in closest.needs if not _has(data, group)]:
        lacks = message(_LACKS, document=closest.document, missing=_listed(missing))
        return _misspelled(data) or lacks
    if foreign := _foreign(closest, data):
        return message(_FOREIGN, document=closest.document, names=_listed(foreign))
    return message(_RULE, document=closest.document, rule=closest.rule)


def _misspelled(data: Mapping[str, Any]) -> Message | None:
    """Return a message that names the misspelled member of a document; None if there is none."""
    for name in islice(data, _COMPARED):
        others = {other: value for other, value in data.items() if other != name}
        for row in TABLE:
            for known in (known for group in row.needs for known in group):
                if one_slip(name.lower(), known.lower()) and row.matches(
                    {**others, known: data[name]}
                ):
                    words = {"name": shown(name, _NAME), "known": known}
                    return message(_MISSPELLED, document=row.document, **words)
    return None


def one_slip(name: str, known: str) -> bool:
    """Return whether a name is the known one with a letter missing, added, wrong or swapped."""
    if abs(len(name) - len(known)) > 1 or len(known) < _SHORTEST:
        return False
    pairs = enumerate(zip(name, known, strict=False))
    alike = next((at for at, (a, b) in pairs if a != b), min(len(name), len(known)))
    one, other = name[alike:], known[alike:]
    swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return swapped or other in (one, one[1:]) or other[1:] in (one, one[1:])


def _found_in(value: Mapping[str, Any]) -> str | None:
    return next((row.document for row in TABLE if row.matches(value)), None)


def _has(data: Mapping[str, Any], group: tuple[str, ...]) -> bool:
    return any(name in data for name in group)


def _share(row: Row | RuntimeRow, data: Mapping[str, Any]) -> float:
    return sum(_has(data, group) for group in row.needs) / len(row.needs)


def _foreign(row: Row | RuntimeRow, data: Mapping[str, Any]) -> list[str]:
    """Return the members that the document does not allow."""
    known = row.known if isinstance(row, RuntimeRow) else None
    return [name for name in data if known is not None and name not in {*known, EDITOR_LINE}]


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = [f"… (+{len(every) - _NAMES})"] if len(every) > _NAMES else []
    return ", ".join([*(shown(name, _NAME) for name in every[:_NAMES]), *more])
