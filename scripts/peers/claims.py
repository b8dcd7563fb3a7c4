"""Which faults a peer can see, and which of them it claims to test for.

A fault is *visible* to a peer if it shows over the peer's transport: plain HTTP for Schemathesis,
MCP over HTTP for the official kit. It is *claimed* if the peer's documentation names a check for
one of its clauses. Other faults do not count against the peer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Final

from fixtures.servers.faults import FAULTS
from fixtures.servers.faults.fault import Fault
from scripts.peers import official, schemathesis
from scripts.peers.install import ROOT

_BINDING: Final = {schemathesis.NAME: "http", official.NAME: "mcp"}
_SCHEMATHESIS: Final[Mapping[str, tuple[str, ...]]] = {
    "negative_data_rejection": ("ATDF-CALL-001", "ATDF-CALL-002", "ATDF-CALL-003"),
    "positive_data_acceptance": ("ATDF-CALL-004",),
    "not_a_server_error": ("ATDF-CALL-005", "ATDF-CALL-006"),
    "status_code_conformance": (
        "HTTP-DISC-001", "HTTP-DISC-004", "HTTP-DISC-005", "HTTP-ERR-001", "HTTP-ERR-002",
        "HTTP-RES-002",
    ),
    "content_type_conformance": ("HTTP-CALL-002", "HTTP-DISC-003", "HTTP-ERR-003"),
    "response_headers_conformance": ("HTTP-CORS-001", "RT-HTTP-002"),
    "response_schema_conformance": (
        "ATDF-ERR-015", "HTTP-DISC-002", "HTTP-RES-003", "RT-HTTP-001", "RT-RES-006",
    ),
    "unsupported_method": ("HTTP-ERR-006",),
}  # fmt: skip
"""The checks of Schemathesis, by its names, with the clauses that each covers.

It claims the clauses of schemas too, because it validates every answer against its schema.
"""
_OFFICIAL: Final[Mapping[str, tuple[str, ...]]] = {
    "wire-schema-valid": (
        "MCP-CALL-001", "MCP-LIST-001", "MCP-LIST-002", "MCP-RPC-001", "MCP-RPC-002",
        "MCP-RPC-003", "MCP-RPC-010",
    ),
    "server-initialize": ("MCP-LIFE-001", "MCP-SESS-001", "MCP-VER-001"),
    "server-session-lifecycle": ("MCP-SESS-003",),
    "server-stateless": (
        "MCP-ERR-001", "MCP-HTTP-005", "MCP-LIFE-002", "MCP-LIFE-005", "MCP-LOG-001",
        "MCP-META-001", "MCP-RPC-004", "MCP-RPC-005", "MCP-VER-004", "MCP-HEAD-001",
    ),
    "ping": ("MCP-PING-001",),
    "tools-list": ("MCP-LIST-004", "MCP-LIST-006"),
    "caching": ("MCP-LIST-008",),
    "dns-rebinding-protection": ("MCP-ORIG-001",),
    "http-header-validation": ("MCP-HEAD-002", "MCP-HEAD-003"),
    "http-custom-header-server-validation": ("MCP-HEAD-006",),
    "input-required-result": ("MCP-MRTR-001", "MCP-MRTR-002"),
}  # fmt: skip
"""The scenarios and checks of the official kit, by its names, with the clauses of each."""


WARDROBE_UNCLAIMED: Final = frozenset({"schema-of-no-kind", "title-missing"})
"""Faults of the plain REST service's document, which Schemathesis does not question."""


def visible(peer: str) -> list[Fault]:
    """Return the faults that show over a peer's transport."""
    return [fault for fault in FAULTS.values() if _BINDING[peer] in fault.bindings]


def claimed(peer: str, fault: Fault) -> bool:
    """Return whether a peer claims to test for one of the clauses that a fault breaks."""
    return any(clause in claimed_clauses(peer) for clause in fault.clauses)


@cache
def claimed_clauses(peer: str) -> frozenset[str]:
    """Return the clauses that a peer claims to check."""
    if peer == official.NAME:
        return frozenset(clause for each in _OFFICIAL.values() for clause in each)
    named = {clause for each in _SCHEMATHESIS.values() for clause in each}
    return frozenset(named | _of_schemas())


def _of_schemas() -> set[str]:
    """Return the clauses that a JSON Schema verifies."""
    found: set[str] = set()
    for file in (ROOT / "schema").glob("*/*/clauses.json"):
        for clause in json.loads(file.read_text(encoding="utf-8"))["clauses"]:
            if clause.get("verified") == "schema":
                found.add(clause["id"])
    return found
