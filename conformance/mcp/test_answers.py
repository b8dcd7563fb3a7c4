"""The modern era's rules for every answer: codes, types, log messages (MCP-RPC, -ERR, -LOG)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.formats.problem import shown
from conformance.formats.text import rpc
from conformance.kit.evidence.declared_conformance import EXTENSION
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown
from conformance.mcp.seen import (
    answered,
    code_of,
    data_of,
    is_request,
    messages_of,
    method_of,
    own_version,
    result_of,
    shown_member,
    status_of,
)

_RESERVED = range(-32099, -32019)
_RESULT_TYPES = frozenset({"complete", "input_required"})


@clause("MCP-RPC-009")
def test_no_undefined_code_is_sent(run: RunEvidence) -> Checks:
    """No answer has an undefined code of the reserved range, or one of the two retired codes."""
    for exchange in _modern(run):
        code = code_of(exchange)
        if code is None:
            continue
        if code in rpc.RETIRED or (code in _RESERVED and code not in rpc.MODERN):
            yield broken(exchange, "finding.mcp.undefined_code", code=code)
        else:
            yield holds()


@clause("MCP-RPC-010")
def test_a_result_says_its_type(run: RunEvidence) -> Checks:
    """`resultType` is `complete` or `input_required`. An extension may define another type."""
    named = run.capabilities.get("extensions")
    extended = isinstance(named, dict) and bool(named.keys() - {EXTENSION})
    for exchange in _modern(run):
        result = result_of(exchange)
        if result is None or not is_request(exchange):
            continue
        kind = result.get("resultType")
        if isinstance(kind, str) and kind in _RESULT_TYPES:
            yield holds()
        elif isinstance(kind, str) and extended:
            yield unknown("finding.mcp.result_type_extended", exchange, type=shown(kind))
        else:
            found = shown_member(result, "resultType")
            yield broken(
                exchange, "finding.mcp.result_type", method=method_of(exchange), type=found
            )


@clause("MCP-ERR-001")
def test_a_missing_capability_is_named(run: RunEvidence) -> Checks:
    """Each error -32021 names the required capabilities and, over HTTP, has the status 400."""
    for exchange in _modern(run):
        if code_of(exchange) != rpc.MISSING_CAPABILITY:
            continue
        if not isinstance(data_of(exchange).get("requiredCapabilities"), dict):
            yield broken(exchange, "finding.mcp.capabilities_unnamed")
        elif exchange.over_http and status_of(exchange) != 400:
            yield broken(
                exchange,
                "finding.mcp.other_answer",
                request=method_of(exchange),
                answer=answered(exchange),
                wanted=f"HTTP 400, error {rpc.MISSING_CAPABILITY}",
            )
        else:
            yield holds()


@clause("MCP-LOG-001")
def test_no_log_message_comes_unasked(run: RunEvidence) -> Checks:
    """No answer has a log message, because the kit never asks for one."""
    for exchange in _modern(run):
        logged = [
            message
            for message in messages_of(exchange)
            if isinstance(message, dict) and message.get("method") == "notifications/message"
        ]
        for _ in logged:
            yield broken(exchange, "finding.mcp.log", method=method_of(exchange) or "—")
        if not logged:
            yield holds()


def _modern(run: RunEvidence) -> Iterator[Exchange]:
    return (exchange for exchange in run.exchanges if own_version(run.run, exchange))
