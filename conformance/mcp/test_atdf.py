"""ATDF's errors over MCP (MCP-ATDF)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.formats.text import rpc
from conformance.formats.tool.meta import held, key_in
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.tool_result import envelope_in_content
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey

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


def _place(meta: Any) -> str:
    key = key_in(meta, MetaKey.ERROR) or META_KEY_NAME[MetaKey.ERROR]
    return f'$._meta["{key}"]'


@clause("MCP-ATDF-002")
def test_a_failure_carries_the_error_as_data(tool: ToolEvidence) -> Checks:
    """The same as in the text; without a text there is nothing to compare it with."""
    for call in _failed(tool):
        assert call.reading.result is not None
        meta = call.reading.result.get("_meta")
        carried, path = held(meta, MetaKey.ERROR), _place(meta)
        text = envelope_in_content(call.reading.result)
        if carried is None:
            yield broken(call, "finding.mcp.no_envelope_meta", path=path)
        elif text is not None and text.raw != carried:
            yield broken(call, "finding.mcp.envelopes_differ", path=path)
        else:
            yield holds()


@clause("MCP-ATDF-003")
def test_keys_of_meta_have_the_names_of_the_specification(tool: ToolEvidence) -> Checks:
    """Of the declared tool, and of each result; the earlier names are understood."""
    places: list[tuple[Call | None, Any]] = [(None, tool.tool.raw.get("_meta"))]
    places += [(call, (call.reading.result or {}).get("_meta")) for call in tool.calls]
    for call, meta in places:
        for key in MetaKey:
            name = key_in(meta, key)
            if name is None:
                continue
            if name == META_KEY_NAME[key]:
                yield holds()
            else:
                yield broken(call, "finding.mcp.earlier_key", key=name, right=META_KEY_NAME[key])
