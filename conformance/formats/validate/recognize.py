"""Which document a value is: a table, of which the first match wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.formats.problem import Problem, problem, shown
from conformance.formats.resource.resource import resources
from conformance.formats.runtime.rows import RUNTIME_ROWS, RuntimeRow, manifest_dialects
from conformance.spec.messages import message

Condition = Callable[[Mapping[str, Any]], bool]
"""Looks at values, where the names of members do not decide."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the members by which a document is known.

    `needs` has groups of names: of each group at least one is a member of the document. `when`
    is a further condition, and `words` says it in short. `outranks` are documents that may match
    too, without making the input ambiguous.
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
        """Whether an object with these members is this document."""
        if not all(any(name in members for name in group) for group in self.needs):
            return False
        return self.when is None or self.when(members)


ENHANCED = ("metadata", "localization", "prerequisites", "examples", "feedback")
"""The fields of which any makes a descriptor an enhanced one."""


def is_enhanced(members: Mapping[str, Any]) -> bool:
    """Whether a descriptor is an enhanced one: by a field, or by its version, 2.x or 0.2."""
    version = members.get("schema_version")
    labelled = isinstance(version, str) and version.startswith(("2.", "0.2"))
    return labelled or not members.keys().isdisjoint(ENHANCED)


def _objects(members: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = members["resources"]
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _of_paths(members: Mapping[str, Any]) -> bool:
    """Whether `resources` says where collections are: each item a type and a path."""
    return any({"type", "path"} <= each.keys() for each in _objects(members)) and not any(
        {"type", "path", "resource_type"} <= each.keys() for each in _objects(members)
    )


def _of_resources(members: Mapping[str, Any]) -> bool:
    """Whether `resources` holds resources; one without items is taken for a collection too."""
    items = _objects(members)
    return not items or any({"resource_type", "resource_id"} & each.keys() for each in items)


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
    Row("atdf", "error", "1.0", (("errors",),), _PLAIN_TOOLS),
    Row("atdf", "enriched-response", "1.0", (("status",), ("data",)), _PLAIN_TOOLS),
    Row("atdf", "catalog", "1.0", (("tools",),), _PLAIN_TOOLS),
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


@dataclass(frozen=True, slots=True)
class Recognition:
    """What a value was recognised as. `rule` is the line of the table that decided."""

    spec: str
    document: str
    version: str
    rule: str
    dialects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the table with what is the same for every document: worked out once."""

    row: Row | RuntimeRow
    rule: str
    final: bool
    """Whether no later line can make the input ambiguous."""
    found: Recognition


def _lines() -> tuple[tuple[_Line, ...], Mapping[str, tuple[int, ...]]]:
    """The lines, and by the name of a member the numbers of the lines that it may lead to."""
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


_NO_OBJECT, _NO_DOCUMENT = "documents.unknown.kind", "documents.unknown"
UNKNOWN = frozenset({_NO_OBJECT, _NO_DOCUMENT})
"""The messages that say that a value is no document."""


def recognise(data: Any) -> Recognition | Problem:
    """The document that a decoded JSON value is; a Problem if it is none or could be two."""
    if not isinstance(data, dict):
        said = message(_NO_OBJECT, value=shown(data), looked_for=_looked_for())
        return problem((), "document", said)
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
    if first is None:
        said = message(_NO_DOCUMENT, looked_for=_looked_for())
        return problem((), "document", said)
    dialects = _dialects(first.row.document, data)
    return replace(first.found, dialects=dialects) if dialects else first.found


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
    found = {LEGACY_LABEL: None} if data.get("schema_version") in ("0.1", "0.2") else {}
    if document in ("resource", "collection"):
        found |= {name: None for each in resources(document, data) for name in each.dialects}
    elif document == "provider-manifest":
        found |= dict.fromkeys(manifest_dialects(data))
    return tuple(found)


def row_of(document: str) -> Row | RuntimeRow:
    """The line of the table for a document; raises KeyError, saying which names there are."""
    for row in TABLE:
        if row.document == document:
            return row
    raise KeyError(f"{document!r} is none of {', '.join(row.document for row in TABLE)}")


def _looked_for() -> str:
    return "; ".join(f"{row.document}: {row.rule}" for row in TABLE)
