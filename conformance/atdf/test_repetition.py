"""A valid call is accepted again: a second time, and after all broken calls (ATDF-CALL)."""

from __future__ import annotations

from conformance.formats.tool.errors import types_of
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.model.case import CaseKind
from conformance.kit.verdicts.checks import (
    Checks,
    broken,
    clause,
    holds,
    lacks_something,
    other_refusal,
    unknown,
)
from conformance.kit.verdicts.disturbance import is_disturbed
from conformance.spec.vocabulary import ErrorCategory, ErrorType, Outcome

_MAY_COME_ANY_TIME = types_of(ErrorCategory.ACCESS) | {
    ErrorType.RATE_LIMITED,
    ErrorType.TEMPORARILY_UNAVAILABLE,
    ErrorType.TIMEOUT,
}


@clause("ATDF-CALL-008")
def test_a_good_call_is_still_accepted_afterwards(tool: ToolEvidence) -> Checks:
    """After the cases, the baseline call is accepted again.

    A refusal without an envelope does not count, because the state may have changed.
    """
    for call in tool.of(CaseKind.AFTER):
        if call.reading.accepted:
            yield holds()
        elif is_disturbed(tool.calls):
            continue  # only calls at the same time made it fail
        elif call.reading.envelope is not None and call.reading.outcome is Outcome.INPUT_REFUSED:
            yield broken(call, "finding.call.refused_afterwards")


@clause("ATDF-CALL-009")
def test_a_call_that_changes_nothing_can_be_made_twice(tool: ToolEvidence) -> Checks:
    """The second call of a safe or read-only tool is accepted, too.

    A limit of rate or rights may stop any call. A failure of the server is not a refusal:
    ATDF-CALL-005 reports it.
    """
    for call in tool.of(CaseKind.SECOND):
        envelope = call.reading.envelope
        types = {error.type for error in envelope.errors} if envelope is not None else set()
        if call.reading.accepted:
            yield holds()
        elif call.reading.outcome is Outcome.SERVER_FAULT:
            yield unknown("kit.not_verified.second_failed", call)
        elif call.exchange.trouble is None and types - _MAY_COME_ANY_TIME:
            yield broken(call, "finding.call.second_refused", said=_promised(tool.tool))
        elif call.reading.missing is not None:
            yield lacks_something(call)
        else:
            yield other_refusal(call)


def _promised(tool: Tool) -> str:
    """Return the words of a tool's declaration that promise that it changes nothing."""
    if tool.form is ToolForm.OPENAPI:
        return "GET"
    return "`readOnlyHint: true`" if tool.annotations.read_only is True else "`safe: true`"
