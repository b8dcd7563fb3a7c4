"""Which document a value is: the table of section 2 of the specifications, first match wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.formats.messages import message
from conformance.formats.problem import Problem, problem, shown
from conformance.formats.runtime_rows import RUNTIME_ROWS, RuntimeRow


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the members by which a document is known.

    `needs` has groups of names: of each group at least one is a member of the document.
    `outranks` are documents that may match too, without making the input ambiguous.
    """

    spec: str
    document: str
    version: str
    needs: tuple[tuple[str, ...], ...]
    outranks: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The rule in short: `tool_id|id + how_to_use|description`."""
        return " + ".join("|".join(group) for group in self.needs)

    def matches(self, members: Mapping[str, Any]) -> bool:
        """Whether an object with these members is this document."""
        return all(any(name in members for name in group) for group in self.needs)


TABLE: tuple[Row | RuntimeRow, ...] = (
    *RUNTIME_ROWS,
    Row("atdf", "error", "1.0", (("errors",),), ("descriptor", "tool")),
    Row("atdf", "catalog", "1.0", (("tools",),), ("descriptor", "tool")),
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


def recognise(data: Any) -> Recognition | Problem:
    """The document that a decoded JSON value is; a Problem if it is none or could be two."""
    if not isinstance(data, dict):
        said = message("documents.unknown.kind", value=shown(data), looked_for=_looked_for())
        return problem((), "document", said)
    matching = [row for row in TABLE if row.matches(data)]
    if not matching:
        said = message("documents.unknown", looked_for=_looked_for())
        return problem((), "document", said)
    first, *others = matching
    rivals = [
        row
        for row in others
        if not isinstance(first, RuntimeRow) and row.document not in first.outranks
    ]
    if rivals:
        said = message(
            "documents.ambiguous",
            one=first.document,
            rule=first.rule,
            other=rivals[0].document,
            other_rule=rivals[0].rule,
        )
        return problem((), "document", said)
    dialects = (LEGACY_LABEL,) if data.get("schema_version") in ("0.1", "0.2") else ()
    return Recognition(first.spec, first.document, first.version, first.rule, dialects)


def row_of(document: str) -> Row | RuntimeRow:
    """The line of the table for a document; raises KeyError, saying which names there are."""
    for row in TABLE:
        if row.document == document:
            return row
    raise KeyError(f"{document!r} is none of {', '.join(row.document for row in TABLE)}")


def _looked_for() -> str:
    return "; ".join(f"{row.document}: {row.rule}" for row in TABLE)
