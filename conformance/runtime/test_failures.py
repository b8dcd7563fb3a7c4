"""Failures: the tool error and the retry hint (RT-TERR, RT-HINT, RT-MCP-001)."""

from __future__ import annotations

from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.evidence.response import ERROR_META
from conformance.kit.verdicts.checks import Checks, broken, clause, holds
from conformance.runtime.records import HINT_META, as_object, judged, not_called, records


@clause("RT-TERR-001")
def test_a_tool_error_has_a_message(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-TERR-001", when="error")


@clause("RT-TERR-002")
def test_no_message_of_a_tool_error_is_empty(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-TERR-002", when="error")


@clause("RT-HINT-001")
def test_a_retry_hint_has_reason_and_tool(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-HINT-001", when="retry_hint")


@clause("RT-HINT-002")
def test_a_retry_hint_has_a_known_reason(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-HINT-002", when="retry_hint")


@clause("RT-HINT-003")
def test_missing_fields_are_named(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-HINT-003", when="retry_hint")


@clause("RT-HINT-004")
def test_the_example_input_is_valid(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-HINT-004", when="retry_hint")


@clause("RT-HINT-005")
def test_missing_fields_are_missing_and_required(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-HINT-005", when="retry_hint")


@clause("RT-HINT-006")
def test_the_prior_input_is_what_was_sent(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-HINT-006", when="retry_hint")


@clause("RT-MCP-001")
def test_error_and_hint_stand_in_their_places(tool: ToolEvidence) -> Checks:
    """Of results that say that the call failed."""
    if tool.left_out is not None:
        yield not_called(tool.left_out)
        return
    for record in records(tool):
        result = as_object(record.reading.result)
        if result.get("isError") is not True:
            continue
        meta = as_object(result.get("_meta"))
        places = (
            result,
            as_object(result.get("structuredContent")),
            as_object(meta.get(ERROR_META)),
        )
        if not isinstance(meta.get(ERROR_META), dict):
            yield broken(
                record.at, "finding.runtime.no_error_meta", path=f'$._meta["{ERROR_META}"]'
            )
        elif any("retry_hint" in place for place in places):
            yield broken(record.at, "finding.runtime.hint_elsewhere", place=HINT_META)
        else:
            yield holds()
