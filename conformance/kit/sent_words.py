"""What was sent, in words: a part of a sentence, said in the reader's language."""

from __future__ import annotations

from conformance.formats.messages import Message, is_message, message
from conformance.formats.problem import shown
from conformance.kit.case import Case, CaseKind

_BY_KIND = {
    CaseKind.BASELINE: "call.good",
    CaseKind.AFTER: "call.again",
    CaseKind.SECOND: "call.again",
    CaseKind.REPAIR: "call.repair",
}


def call_words(case: Case) -> Message:
    """A call of a tool: what makes it this one is the value at one place, or its arguments."""
    violation = case.violation
    of_branch = case.kind is CaseKind.BASELINE and case.neighbour is not None and violation is None
    if case.kind in _BY_KIND and not of_branch:  # of a tool's good calls that one is known
        return message(_BY_KIND[case.kind])
    if violation is None:
        return message("call.valid", arguments=shown(case.arguments))
    if violation.parameter is None:
        return message("call.arguments", sent=shown(case.arguments))
    if violation.sent_absent:
        return message("call.without", parameter=violation.parameter)
    return message("call.with", parameter=violation.parameter, sent=shown(violation.sent))


def step_words(step: str) -> Message:
    """A step of the scripts that send what is wrong in one way each; by its name, if need be."""
    id = f"step.{step}"
    return message(id) if is_message(id) else message("sent.step", step=step)
