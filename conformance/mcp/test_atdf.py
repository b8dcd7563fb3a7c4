"""ATDF's errors over MCP (MCP-ATDF)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.formats.schema.equality import same
from conformance.formats.text import rpc
from conformance.formats.tool.meta import held, key_in
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.tool_result import envelope_in_content
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown
from conformance.spec.messages import message
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey

_REFUSALS = frozenset({rpc.INVALID_PARAMS, rpc.INTERNAL_ERROR})
"""The protocol's own codes for a refused input."""


def _failed(tool: ToolEvidence) -> Iterator[Call]:
    """Yield the calls that were refused in a result, not with the protocol's JSON-RPC error."""
    return (
        call
        for call in tool.calls
        if call.reading.result is not None and call.reading.result.get("isError") is True
    )


def _is_malformed(call: Call) -> bool:
    """Return whether `arguments` was not an object, so that the protocol's own error is right."""
    return not isinstance(call.case.arguments, dict)


@clause("MCP-ATDF-001")
def test_a_failure_is_a_result_with_the_error_as_text(tool: ToolEvidence) -> Checks:
    """A refusal is a result with `isError`, and with the envelope as JSON in a text block."""
    for call in _failed(tool):
        assert call.reading.result is not None
        if call.reading.envelope is None:
            continue  # no envelope: ATDF-ERR-015 reports it, or ATDF-ERR-001 if it is hollow
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
    """The envelope in `_meta` equals the one in the text.

    Without a text it only has to be there.
    """
    for call in _failed(tool):
        assert call.reading.result is not None
        meta = call.reading.result.get("_meta")
        carried, path = held(meta, MetaKey.ERROR), _place(meta)
        text = envelope_in_content(call.reading.result)
        if carried is None:
            yield broken(call, "finding.mcp.no_envelope_meta", path=path)
        elif text is not None and not same(text.raw, carried):
            yield broken(call, "finding.mcp.envelopes_differ", path=path)
        else:
            yield holds()


@clause("MCP-ATDF-003")
def test_keys_of_meta_have_the_names_of_the_specification(tool: ToolEvidence) -> Checks:
    """The keys in `_meta` of the tool and of each result have their current names.

    The kit also reads earlier names, and reports them here.
    """
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
                of = message("finding.mcp.of_result" if call else "finding.mcp.of_tool")
                said: dict[str, Any] = {"key": name, "right": META_KEY_NAME[key], "of": of}
                yield broken(call, "finding.mcp.earlier_key", **said)
