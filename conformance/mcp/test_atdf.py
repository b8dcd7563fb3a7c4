"""ATDF's errors over MCP (MCP-ATDF)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.formats.text import rpc
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.tool_result import ERROR_META, envelope_in_content
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown

_REFUSALS = frozenset({rpc.INVALID_PARAMS, rpc.INTERNAL_ERROR})
"""The codes with which the protocol's own error refuses an input."""


def _failed(tool: ToolEvidence) -> Iterator[Call]:
    """The calls that were refused in a result: a JSON-RPC error is the protocol's own."""
    return (
        call
        for call in tool.calls
        if call.reading.result is not None and call.reading.result.get("isError") is True
    )


def _is_malformed(call: Call) -> bool:
    """Whether `arguments` itself was no object: then the protocol's own error is right."""
    return not isinstance(call.case.arguments, dict)


@clause("MCP-ATDF-001")
def test_a_failure_is_a_result_with_the_error_as_text(tool: ToolEvidence) -> Checks:
    """With isError, and with the envelope as JSON in a text block."""
    for call in _failed(tool):
        assert call.reading.result is not None
        if call.reading.envelope is None:
            continue  # no envelope anywhere: ATDF-ERR-015 speaks of it, or ATDF-ERR-001 if hollow
        if envelope_in_content(call.reading.result) is None:
            yield broken(call, "finding.mcp.no_envelope_text")
        else:
            yield holds()
    for call in tool.broken:
        result = call.reading.result
        code = call.reading.rpc_code
        as_protocol = code in _REFUSALS and not _is_malformed(call)
        if as_protocol and not tool.neighbour_accepted(call.case):
            yield unknown("kit.not_verified.baseline", call)
        elif as_protocol:
            yield broken(call, "finding.mcp.protocol_error", code=code)
        if result is None or result.get("isError", False) is not False:
            continue
        if envelope_in_content(result) is not None:
            yield broken(call, "finding.mcp.envelope_without_error")


@clause("MCP-ATDF-002")
def test_a_failure_carries_the_error_as_data(tool: ToolEvidence) -> Checks:
    """The same as in the text; without a text there is nothing to compare it with."""
    for call in _failed(tool):
        assert call.reading.result is not None
        meta = call.reading.result.get("_meta")
        carried = meta.get(ERROR_META) if isinstance(meta, dict) else None
        text = envelope_in_content(call.reading.result)
        if carried is None:
            yield broken(call, "finding.mcp.no_envelope_meta", path=f'$._meta["{ERROR_META}"]')
        elif text is not None and text.raw != carried:
            yield broken(call, "finding.mcp.envelopes_differ", path=f'$._meta["{ERROR_META}"]')
        else:
            yield holds()
