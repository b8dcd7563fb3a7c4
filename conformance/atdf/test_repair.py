"""Suggestions are valid, differ from what was sent, and remove the error (ATDF-ERR)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.formats.problem import shown
from conformance.formats.schema.equality import same
from conformance.formats.tool.errors import ErrorView
from conformance.kit.cases.expectations import is_cut
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.repair.notations import meant
from conformance.kit.repair.suggestions import Naming, Suggestion, names_place
from conformance.kit.schema.places import ABSENT
from conformance.kit.verdicts.checks import Checks, broken, clause, followed_by, holds, unknown
from conformance.kit.verdicts.rates import RepairOutcome, repair_outcome, repairable, suggestions
from conformance.spec.vocabulary import Outcome


def _suggestions(tool: ToolEvidence) -> Iterator[tuple[Call, ErrorView, Suggestion]]:
    """Yield every suggestion for a broken call that was refused as input."""
    for call in tool.broken:
        if call.reading.outcome is Outcome.INPUT_REFUSED:
            for error, suggestion in suggestions(call):
                yield call, error, suggestion


@clause("ATDF-ERR-009")
def test_a_suggestion_is_valid_for_its_parameter(tool: ToolEvidence) -> Checks:
    """Each suggestion is valid for its parameter, as a string or as the JSON in that string."""
    for call, error, checked in _suggestions(tool):
        if checked.unknown:
            yield unknown("documents.schema.endless", call)
        elif checked.valid:
            yield holds()
        else:
            yield broken(
                call,
                "finding.suggestion.invalid",
                suggested=shown(error.suggested_value),
                parameter=error.parameter_name or "arguments",
            )


@clause("ATDF-ERR-010")
def test_a_suggestion_removes_the_error(tool: ToolEvidence) -> Checks:
    """After the first step of the repair, the server must not blame the same place again."""
    for call in tool.broken:
        steps = tool.repairs_of(call.case.id)
        violation = call.case.violation
        if not steps or violation is None or not suggestions(call):
            continue  # a repair by a retry hint shows nothing about suggestions
        first = steps[0]
        envelope = first.reading.envelope
        again = envelope is not None and first.reading.outcome is Outcome.INPUT_REFUSED
        followed = {error.parameter_name for error, _ in suggestions(call)}
        blamed = [
            error
            for error in (envelope.errors if envelope is not None and again else ())
            if error.parameter_name in followed
            and names_place(violation, error.parameter_name) is Naming.EXACT
        ]
        if blamed and all(suggestion.valid for _, suggestion in suggestions(call)):
            named = blamed[0].parameter_name
            sent = (e.suggested_value for e, _ in suggestions(call) if e.parameter_name == named)
            yield broken(
                first,
                "finding.suggestion.error_stays",
                suggested=shown(next(sent)),
                detail=shown(blamed[0].raw.get("detail")),
            )
        else:
            yield holds()


@clause("ATDF-ERR-011")
def test_a_suggestion_is_not_what_was_refused(tool: ToolEvidence) -> Checks:
    """A suggestion differs from the refused value, which would be refused again."""
    for call, error, checked in _suggestions(tool):
        if checked.refused:
            yield broken(call, "finding.suggestion.same", suggested=shown(error.suggested_value))
        else:
            yield holds()


@clause("ATDF-ERR-018")
def test_a_suggestion_keeps_what_was_meant(tool: ToolEvidence) -> Checks:
    """A suggestion has the meaning of the sent value. An agent would follow a wrong one, too."""
    for call, error, checked in _suggestions(tool):
        violation, value = call.case.violation, meant(call.case, tool.tool)
        if violation is None or value is ABSENT or checked.pointer != violation.pointer:
            continue
        if not checked.valid or same(checked.value, value):
            yield holds()  # another clause reports invalid suggestions
        else:
            yield broken(
                call,
                "finding.suggestion.other_meaning",
                sent=shown(violation.sent),
                meant=shown(value),
                suggested=shown(error.suggested_value),
            )


@clause("ATDF-ERR-012")
def test_an_agent_can_repair_the_call(tool: ToolEvidence) -> Checks:
    """Each call is repaired wherever the schema alone determines a valid value (repair rate)."""
    tried = [(call, repair_outcome(tool, call)) for call in repairable(tool)]
    if tried and all(outcome is RepairOutcome.STATE for _, outcome in tried):
        yield unknown("kit.not_verified.repair_state", tried[0][0])
    for call, outcome in tried:
        violation = call.case.violation
        parameter = call.case.parameter
        if outcome is RepairOutcome.REPAIRED:
            yield holds()
        elif outcome is RepairOutcome.NONE_GIVEN:
            broke = violation.keywords if violation is not None else ()
            by_cut = bool(broke) and is_cut(broke)
            id = "finding.suggestion.none_cut" if by_cut else "finding.suggestion.none"
            yield broken(call, id, parameter=parameter)
        elif outcome is RepairOutcome.UNSEEN:
            yield unknown("kit.not_verified.no_answer", call)
        elif outcome is RepairOutcome.STUCK:
            steps = tool.repairs_of(call.case.id)
            stuck = broken(call, "finding.suggestion.stuck", parameter=parameter)
            yield followed_by(stuck, steps)
