"""What a reviewer at a standards body asks for stands somewhere: a section of a page, or a clause.

Each row names what was asked for, the sections (`page#anchor`, in English) and the clauses that
show it. What a test alone shows has its own: `test_neighbors.py`, `test_library.py`,
`test_ages.py`, `test_whole.py`, and the planted faults.
"""

from __future__ import annotations

import pytest

from conformance.spec.clauses import clauses
from tests.root import ROOT

POINTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "security and privacy": (
        (
            "about/considerations#atdf",
            "about/considerations#ardf",
            "about/considerations#runtime",
            "about/considerations#bindings",
            "about/considerations#privacy",
        ),
        ("ATDF-ERR-013", "RT-INJ-002"),
    ),
    "declared conformance": (
        ("bindings/http#declare", "bindings/mcp#declare"),
        ("DECL-CLS-001", "DECL-DOC-001", "SRV-PATH-001"),
    ),
    "discovery": (("bindings/http#declare",), ("DECL-LINK-001", "HTTP-DISC-001")),
    "names in MCP": (("about/registries#meta-keys",), ("MCP-ATDF-003",)),
    "media types": (("about/registries#media-types",), ("HTTP-ERR-003", "MCP-RES-001")),
    "error types": (("about/registries#error-types",), ("ATDF-ERR-002",)),
    "versions": (
        ("about/versions#status", "about/versions#names", "about/versions#numbers"),
        ("ATDF-DESC-007", "ARDF-RES-002"),
    ),
    "extensions": (("about/extensions#members", "about/extensions#events"), ()),
    "retry and streams": (("runtime/concepts#retry",), ("RT-RTY-008", "RT-RTY-011")),
    "a call again later": ((), ("ATDF-ERR-019", "HTTP-ERR-002")),
    "neighbors": (
        (
            "about/neighbors#opentelemetry",
            "about/neighbors#trace-context",
            "about/neighbors#cloudevents",
            "about/neighbors#arazzo",
            "about/neighbors#a2a",
            "about/neighbors#ag-ui",
        ),
        (),
    ),
    "holes": (
        ("atdf/concepts#lossless",),
        ("RT-BND-002", "RT-BND-007", "ATDF-ENH-002", "ATDF-ENH-007", "ATDF-TOOL-007"),
    ),
    "what an implementer could not learn": (
        ("bindings/http#runtime", "bindings/mcp#tool", "bindings/mcp#resources",
         "conformance/answers#unasked"),
        ("ATDF-TOOL-002", "MCP-RES-002", "MCP-ATDF-002"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("point", POINTS)
def test_each_point_of_a_reviewer_is_shown(point):
    sections, ids = POINTS[point]
    for section in sections:
        page, _, anchor = section.partition("#")
        text = (ROOT / "docs" / "en" / f"{page}.md").read_text(encoding="utf-8")
        assert f"{{ #{anchor} }}" in text, section
    for id in ids:
        assert id in clauses()


def test_each_clause_says_why_and_since_when():
    for clause in clauses().values():
        assert clause.why, clause.id


def test_what_nobody_checks_has_a_reason():
    excluded = [clause for clause in clauses().values() if clause.excluded is not None]
    assert excluded
    assert all(clause.excluded["en"] for clause in excluded)
