"""Calls: invalid ones are refused, valid ones are accepted, and the server survives (ATDF-CALL)."""

from __future__ import annotations

from http import HTTPStatus

from conformance.atdf.traces import is_of_sent_code, trace_in
from conformance.formats.problem import quoted, shown
from conformance.kit.cases.deviations import WHOLE_FLOAT
from conformance.kit.cases.expectations import formats_at, rests_on_meaning
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.response import OF_A_MOMENT, STOP_ANY_CALL
from conformance.kit.model.case import CaseKind, Expectation, Strictness, Violation
from conformance.kit.model.exchange import Trouble
from conformance.kit.schema.string_formats import has_no_offset
from conformance.kit.transport.bindings import traits_of
from conformance.kit.verdicts.checks import (
    Check,
    Checks,
    broken,
    clause,
    disturbed,
    holds,
    lacks_something,
    no_good_call,
    other_refusal,
    unknown,
)
from conformance.kit.verdicts.disturbance import cause_of, is_disturbed
from conformance.kit.verdicts.explanations import explains
from conformance.kit.verdicts.sent_words import call_shown
from conformance.spec.messages import Message, codes, listed, message
from conformance.spec.vocabulary import ErrorType, Outcome

_JUDGED = frozenset({Outcome.ACCEPTED, Outcome.INPUT_REFUSED})


@clause("ATDF-CALL-001")
def test_an_invalid_input_is_refused(tool: ToolEvidence) -> Checks:
    """Each broken call that no lossless conversion makes valid is refused."""
    yield from _refused(tool, frozenset({Strictness.STRICT, Strictness.MALFORMED}))


@clause("ATDF-CALL-002")
def test_a_near_miss_is_refused(tool: ToolEvidence) -> Checks:
    """Near misses are refused, and so are extra properties on closed objects."""
    yield from _refused(tool, frozenset({Strictness.NEAR_MISS, Strictness.CLOSED}))


@clause("ATDF-CALL-003")
def test_a_broken_format_is_refused(tool: ToolEvidence) -> Checks:
    """Strings that break one of ATDF's formats, and nothing more, are refused."""
    yield from _refused(tool, frozenset({Strictness.FORMAT}))


@clause("ATDF-CALL-011")
def test_another_broken_format_is_refused(tool: ToolEvidence) -> Checks:
    """Strings that break another format are refused.

    JSON Schema lets a validator ignore those formats.
    """
    yield from _refused(tool, frozenset({Strictness.OTHER_FORMAT}))


@clause("ATDF-CALL-004")
def test_a_valid_input_is_not_refused_as_invalid(tool: ToolEvidence) -> Checks:
    """A valid call must not get a `validation-error` that names a parameter.

    Another refusal proves nothing, because it does not say whether the input is at fault. It is
    expected for a value that may mean nothing to the server, such as an unknown name. If the schema
    governs the values, nobody can tell whether the refusal was right, and the clause is not
    verified.
    """
    accepted = False
    has_baseline = tool.baseline is not None and tool.baseline.reading.accepted
    if any(case.kind is CaseKind.VALID for case in tool.unsent):
        yield _unsent(tool)
    for call in tool.valid:
        named = _wrongly_named(call)
        if named is not None:
            yield broken(
                call,
                "finding.call.whole_float_refused"
                if call.case.scenario == WHOLE_FLOAT
                else "finding.call.valid_refused",
                parameter=named,
                case=call_shown(call.case, tool.good_case(call.case)),
            )
        elif call.reading.accepted:
            accepted = True
            yield holds()
        elif not has_baseline:
            continue  # one cause, one advice: the end of this function gives it
        elif call.reading.outcome is Outcome.INPUT_REFUSED and not _rests_on_meaning(tool, call):
            yield _refused_though_valid(tool, call)
    if not accepted:
        yield no_good_call(tool)


def _refused_though_valid(tool: ToolEvidence, call: Call) -> Check:
    """Return that nobody can tell whether a refusal was right, and what to do about it."""
    said, called, request = quoted(call.reading.said), tool.tool.invocation, call.exchange.request
    if called is not None and called.takes_body and not (request.is_rpc or request.body):
        return unknown("kit.not_verified.bodiless_refused", call, said=said)
    case = call_shown(call.case, tool.good_case(call.case))
    if cause_of(tool.around, call) == "disturbed":
        return unknown("kit.not_verified.valid_disturbed", call, case=case, said=said)
    if call.case.scenario == WHOLE_FLOAT:
        return unknown("kit.not_verified.whole_float_refused", call, case=case, said=said)
    rule = ErrorType.BUSINESS_RULE.value
    return unknown("kit.not_verified.valid_refused", call, case=case, said=said, type=rule)


def _rests_on_meaning(tool: ToolEvidence, refused: Call) -> bool:
    """Return whether the call differs from the baseline call in a value that no schema governs."""
    assert tool.baseline is not None
    known = tool.baseline.case.arguments
    return rests_on_meaning(tool.tool.input_schema, refused.case.arguments, known)


@clause("ATDF-CALL-005")
def test_no_input_makes_the_server_fail(tool: ToolEvidence) -> Checks:
    """No call causes a 5xx status, a closed connection or an unreadable answer.

    Errors at valid calls come first: a server that only refuses more input would still have them.
    """
    yield from _stopped(tool)
    of_invalid: list[Check] = []
    for call in tool.calls:
        reading = call.reading
        if reading.outcome is Outcome.ENVIRONMENT:
            continue
        if reading.outcome is not Outcome.SERVER_FAULT:
            yield holds()
        elif call.case.expects is Expectation.REJECT and reading.trouble is None:
            of_invalid.append(_failed(tool, call))
        else:
            yield _failed(tool, call)
    yield from of_invalid


def _failed(tool: ToolEvidence, call: Call) -> Check:
    """Return how the server failed at a call."""
    reading, case = call.reading, call_shown(call.case, tool.good_case(call.case))
    traits = traits_of(tool.run)
    how = message(f"finding.call.how_{'mcp' if traits.speaks_mcp else 'http'}")
    if reading.trouble is Trouble.CLOSED:
        said = call.exchange.trouble_detail
        if said and traits.starts_process:
            return broken(call, "finding.call.closed_saying", case=case, said=quoted(said), how=how)
        return broken(call, "finding.call.closed", case=case, how=how)
    if reading.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        status = reading.status
        if call.case.expects is not Expectation.REJECT:
            return broken(call, "finding.call.status_of_valid", status=status, case=case)
        return broken(call, "finding.call.status", status=status, case=case, how=how)
    return broken(call, "finding.call.no_response", case=case)


@clause("ATDF-CALL-006")
def test_every_call_is_answered(tool: ToolEvidence) -> Checks:
    """Each call is answered. A late answer is only slow while the server still answers a list."""
    yield from _stopped(tool)
    for call in tool.calls:
        if call.reading.outcome is not Outcome.NO_ANSWER:
            yield holds()
        elif call.case.id.text in tool.silent_after:
            yield broken(
                call, "finding.call.silent", case=call_shown(call.case, tool.good_case(call.case))
            )
        elif tool.silenced:
            yield unknown("kit.not_verified.silent", call)
        elif call.reading.trouble is Trouble.TOO_LARGE:
            yield unknown("kit.not_verified.too_large", call)
        else:
            slow = tool.unsent and not tool.heavy
            words = "kit.not_verified.slow" if slow else "kit.not_verified.late"
            yield unknown(words, call)


@clause("ATDF-CALL-007")
def test_no_answer_shows_the_inside_of_the_server(tool: ToolEvidence) -> Checks:
    """No refusal or error shows a stack trace of a common runtime.

    A successful result may be a trace: of code that the caller sent, or of a log. A refusal may
    also quote code of this call, or of a concurrent one. A tool that shows how sent code failed may
    mix the code of two calls, so none of its traces counts.
    """
    yield from _stopped(tool)
    refusals = [each for each in tool.calls if not (each.reading.accepted or each.reading.disguise)]
    sent = {text for call in tool.calls for text in _texts(call)}
    traced = [
        (call, trace_in(call.reading.text, sent=call.exchange.request.body)) for call in refusals
    ]
    runs_code = any(found and is_of_sent_code(call.reading.text, sent) for call, found in traced)
    for call, found in traced:
        if found is not None and not runs_code:
            yield broken(call, "finding.call.trace", trace=shown(found))
        else:
            yield holds()


def _stopped(tool: ToolEvidence) -> Checks:
    """Say why nothing is known if rights or limits stopped all calls before they reached the
    tool.
    """
    if tool.calls and all(call.reading.status in STOP_ANY_CALL for call in tool.calls):
        yield no_good_call(tool)


def _texts(call: Call) -> list[str]:
    arguments = call.case.arguments
    held = arguments.values() if isinstance(arguments, dict) else ()
    return [each for each in held if isinstance(each, str)]


def _refused(tool: ToolEvidence, which: frozenset[Strictness]) -> Checks:
    """Check that the broken calls of these kinds are refused as invalid input.

    An accepted call breaks the clause. A refusal counts only if the neighbor, the valid call next
    to it, was accepted. In a path, a 404, 405 or 414 is such a refusal. Nothing is known if all
    calls, or all that break one parameter, failed for another reason, such as a conflict. A call
    that a limit, load or a lack stopped counts as not sent. So does one from which on the server
    stops all.
    """
    yield from _unsent_of(tool, which)
    spoilt = _spoilt_afterwards(tool)
    calls = [call for call in tool.broken if call.case.strictness in which]
    judged: set[Strictness | None] = set()
    others: dict[str, Call] = {}
    first: Call | None = None
    # The arguments as a whole come last: a list in the place of an object says least.
    for call in sorted(calls, key=lambda call: call.case.strictness is Strictness.MALFORMED):
        outcome, no_path = call.reading.outcome, call.finds_no_path
        judged |= {call.case.strictness} if outcome in _JUDGED else set()
        first = first or (None if no_path else call)
        if outcome is Outcome.ACCEPTED:
            yield _accepted(tool, call)
        elif outcome is Outcome.INPUT_REFUSED or no_path:
            if not tool.neighbour_accepted(call.case) and not _shows_a_check(tool, call):
                yield _proves_nothing(tool, call)
            elif is_disturbed(tool.calls):
                yield disturbed(tool)
            elif spoilt:
                yield unknown(f"kit.not_verified.{spoilt}", call)
            else:
                yield holds()
        elif (why := _not_about_input(tool, call)) is not None:
            yield why
        elif outcome is Outcome.OTHER_REFUSED and tool.neighbour_accepted(call.case):
            others.setdefault(call.case.parameter, call)
    if first is None or first.reading.status in OF_A_MOMENT:
        return
    other = first.reading.outcome is Outcome.OTHER_REFUSED
    by_status = other and first.reading.status >= HTTPStatus.BAD_REQUEST
    if not judged or (by_status and judged == {Strictness.MALFORMED}):
        yield _unjudged(tool, first)
    elif Strictness.STRICT in which:
        known = {"", *(one.case.parameter for one in calls if one.reading.outcome in _JUDGED)}
        yield from (_unjudged(tool, call) for name, call in others.items() if name not in known)


def _unsent_of(tool: ToolEvidence, which: frozenset[Strictness]) -> Checks:
    """Say why cases of these kinds were not made, could not be refused, or were not sent."""
    if tool.unplanned:
        yield unknown("kit.not_verified.unplanned", reason=tool.unplanned)
    if tool.baseline is not None and tool.baseline.reading.missing is not None:
        yield lacks_something(tool.baseline)
    cases = (case for case in tool.unsent if case.kind is not CaseKind.REPAIR)
    if any(case.strictness in which for case in cases):
        yield _unsent(tool)


def _not_about_input(tool: ToolEvidence, call: Call) -> Check | None:
    """Say what stopped a call before its input mattered; None if nothing is known to have."""
    status, envelope = call.reading.status, call.reading.envelope
    if status in OF_A_MOMENT:
        return unknown("kit.not_verified.limited", call, status=status)
    if _stopped_with(call) in {_stopped_with(each) for each in tool.of(CaseKind.AFTER)} - {None}:
        return unknown("kit.not_verified.baseline_after", call)
    lacks = call.reading.missing is not None or (envelope is not None and envelope.of_a_moment)
    return _unjudged(tool, call) if lacks and tool.neighbour_accepted(call.case) else None


def _stopped_with(call: Call) -> int | None:
    """Return the status with which the server stopped a call; None if it did not."""
    reading = call.reading
    return reading.status if reading.stopped and reading.refused else None


def _shows_a_check(tool: ToolEvidence, refused: Call) -> bool:
    """Return whether a refusal explains the broken place, and the refusal of the neighbor does not.

    The neighbor was then refused for another reason, such as an id that the server does not know.
    """
    neighbour, violation = tool.refused_neighbour(refused.case), refused.case.violation
    if neighbour is None or violation is None or neighbour.reading.disguise is not None:
        return False
    schema = tool.tool.input_schema
    return all(explains(violation, schema, refused.reading.text)) and not all(
        explains(violation, schema, neighbour.reading.text)
    )


def _proves_nothing(tool: ToolEvidence, refused: Call) -> Check:
    """Say why a refusal does not count: the call without this mistake was refused, too."""
    baseline, neighbour = tool.baseline, tool.refused_neighbour(refused.case)
    disguised = baseline is not None and baseline.reading.disguise is not None
    if disguised or neighbour is None or neighbour is baseline:
        return no_good_call(tool)
    if not neighbour.reading.text:
        return unknown("kit.not_verified.baseline", refused)
    return unknown(
        "kit.not_verified.neighbour",
        refused,
        case=call_shown(neighbour.case, tool.good_case(neighbour.case)),
        said=quoted(neighbour.reading.said),
    )


def _unjudged(tool: ToolEvidence, call: Call) -> Check:
    """Say why an answer does not show whether the tool checks its input.

    If rights or limits stopped the baseline call as well, the order of the checks is not at fault.
    """
    if tool.baseline is not None and tool.baseline.reading.stopped:
        return no_good_call(tool)
    if tool.lacking_at(call) is not None:
        return lacks_something(call)
    if call.reading.outcome is Outcome.SERVER_FAULT:
        return unknown("kit.not_verified.failed_instead", call)
    return other_refusal(call, "refused_before_input")


def _unsent(tool: ToolEvidence) -> Check:
    """Say why some of a tool's cases were not sent."""
    if tool.silenced:
        return unknown("kit.not_verified.silent")
    if tool.lacking:
        return unknown("kit.not_verified.lacking")
    if tool.heavy:
        return unknown("kit.not_verified.heavy")
    troubles = {call.reading.trouble for call in tool.calls}
    if Trouble.TIMEOUT in troubles:
        return unknown("kit.not_verified.slow")
    ended = Trouble.CLOSED in troubles and traits_of(tool.run).starts_process
    return unknown("kit.not_verified.ended" if ended else "kit.not_verified.unsent")


def _accepted(tool: ToolEvidence, call: Call) -> Check:
    violation = call.case.violation
    assert violation is not None
    sent = message("finding.call.left_out") if violation.sent_absent else shown(violation.sent)
    return broken(
        call,
        "finding.call.accepted",
        parameter=violation.parameter or "arguments",
        sent=sent,
        keywords=_keywords_of(tool, call, violation),
    )


def _keywords_of(tool: ToolEvidence, call: Call, violation: Violation) -> str | Message:
    """Return the broken keywords; of a format its name, or that only the offset is missing."""
    keywords, was, sent = listed(violation.keywords), violation.was, violation.sent
    if violation.keywords != ("format",):
        return keywords
    is_day = isinstance(was, str) and has_no_offset(was)
    if not is_day and isinstance(sent, str) and ":" in sent and has_no_offset(sent):
        return message("finding.call.without_offset", keywords=keywords)
    formats = formats_at(tool.tool.input_schema, call.case.arguments, violation.pointer)
    if not formats:
        return keywords
    return message("finding.call.of_format", keywords=keywords, formats=codes(formats))


def _spoilt_afterwards(tool: ToolEvidence) -> str:
    """Return the end of a message id that says how the baseline call failed after the cases, or "".

    If it failed, the refusals before it prove nothing.
    """
    outcomes = {call.reading.outcome for call in tool.of(CaseKind.AFTER)}
    if Outcome.INPUT_REFUSED in outcomes:
        return "baseline_after"
    return "baseline_failed_after" if Outcome.SERVER_FAULT in outcomes else ""


def _wrongly_named(call: Call) -> str | None:
    """Return the parameter that a `validation-error` blames for a valid call, or None."""
    envelope = call.reading.envelope
    if envelope is None or call.reading.outcome is not Outcome.INPUT_REFUSED:
        return None
    return next(
        (
            error.parameter_name
            for error in envelope.errors
            if error.type == ErrorType.VALIDATION_ERROR and error.parameter_name is not None
        ),
        None,
    )
