"""What a tool declares about its own behavior (MCP-ANN)."""

from __future__ import annotations

from conformance.formats.problem import quoted
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.model.case import CaseKind
from conformance.kit.verdicts.checks import (
    Checks,
    absent,
    broken,
    clause,
    holds,
    lacks_something,
    other_refusal,
    unknown,
)
from conformance.spec.vocabulary import Outcome


@clause("MCP-ANN-001")
def test_a_read_only_call_can_be_made_again(tool: ToolEvidence) -> Checks:
    """The second call of a read-only tool is not refused as invalid input.

    Other refusals prove nothing: limits and rights may stop any call.
    """
    if tool.tool.annotations.read_only is not True:
        yield absent("finding.mcp.not_read_only")
        return
    seconds = list(tool.of(CaseKind.SECOND))
    if not seconds:
        yield unknown("kit.not_verified.baseline")
    for call in seconds:
        if call.reading.accepted:
            yield holds()
        elif call.reading.outcome is Outcome.INPUT_REFUSED:
            yield broken(call, "finding.mcp.second_refused", text=quoted(call.reading.said, 200))
        elif call.reading.missing is not None:
            yield lacks_something(call)
        else:
            yield other_refusal(call)
