"""The declarations of tools, in both forms (ATDF-TOOL, ATDF-DESC)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.verdicts.checks import Checks, by_rules, family
from conformance.spec.clauses import Clause, When
from conformance.spec.vocabulary import Family


@family(Family.TOOL)
def test_the_declaration(tool: ToolEvidence, clause: Clause) -> Checks:
    """A tool's declaration follows the rules. Clauses for descriptors apply only to descriptors."""
    if clause.document == "descriptor" and tool.tool.form is not ToolForm.DESCRIPTOR:
        return
    yield from by_rules(None, tool.problems, clause.id, counts=_has(tool.tool, clause.when))


def _has(tool: Tool, when: When) -> bool:
    """Return whether a tool has the fields or keywords of a clause, where any form keeps them."""
    if when.always or any(name in place for place in _places(tool.raw) for name in when.has):
        return True
    return bool(when.schema_uses) and _uses(tool.input_schema, when.schema_uses)


def _places(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the tool itself, and the objects in which the forms have the same fields."""
    yield raw
    for member in ("_meta", "metadata", "how_to_use"):
        inner = raw.get(member)
        if isinstance(inner, dict):
            yield inner
            yield from (each for each in inner.values() if isinstance(each, dict))


def _uses(schema: Any, keywords: tuple[str, ...]) -> bool:
    """Return whether a schema, or a schema inside it, has one of these keywords."""
    if isinstance(schema, list):
        return any(_uses(each, keywords) for each in schema)
    if not isinstance(schema, dict):
        return False
    return any(word in schema for word in keywords) or _uses([*schema.values()], keywords)
