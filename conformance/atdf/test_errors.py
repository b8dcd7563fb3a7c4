"""Errors have one form, and their fields name what was wrong (ATDF-ERR)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus

from conformance.formats.problem import Problem, quoted, shown
from conformance.formats.schema.equality import same
from conformance.formats.tool.errors import ErrorView, envelope_of, types_of
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.cache import cached
from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence
from conformance.kit.evidence.response import body_json, read
from conformance.kit.evidence.routes import has_no_route
from conformance.kit.model.exchange import Exchange
from conformance.kit.repair.hints import list_of
from conformance.kit.repair.suggestions import Naming, names_place
from conformance.kit.verdicts.checks import (
    Checks,
    broken,
    by_rules,
    clause,
    family,
    holds,
    unknown,
)
from conformance.kit.verdicts.rates import suggestions
from conformance.kit.verdicts.sent_words import step_words
from conformance.spec.clauses import Clause
from conformance.spec.pointer import to_pointer
from conformance.spec.vocabulary import Disguise, ErrorCategory, ErrorType, Family, Outcome

_REFUSING_INPUT = types_of(ErrorCategory.INPUT)
_NO_ROUTE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})


def _with_envelope(tool: ToolEvidence) -> Iterator[Call]:
    return (call for call in tool.calls if call.reading.envelope is not None)


def _errors(tool: ToolEvidence) -> Iterator[tuple[Call, ErrorView]]:
    for call in _with_envelope(tool):
        assert call.reading.envelope is not None
        for error in call.reading.envelope.errors:
            yield call, error


@cached
def _form(call: Call) -> list[Problem]:
    """Return the problems of a call's envelope against the schema of an error."""
    envelope = call.reading.envelope
    return validate(dict(envelope.raw), "error") if envelope is not None else []


@family(Family.ERROR)
def test_the_form_of_an_error(tool: ToolEvidence, clause: Clause) -> Checks:
    """The envelope of each call follows the error's schema and rules."""
    yield from _formed(tool, clause.id)


def _formed(tool: ToolEvidence, clause_id: str) -> Checks:
    for call in _with_envelope(tool):
        yield from by_rules(call, _form(call), clause_id)


@clause("ATDF-ERR-001")
def test_an_error_holds_errors(tool: ToolEvidence) -> Checks:
    """`errors` is a list of objects with at least one error."""
    yield from _formed(tool, "ATDF-ERR-001")
    for call in tool.calls:
        if call.reading.hollow is not None and not call.reading.accepted:
            yield broken(call, "finding.error.hollow", answer=shown(call.reading.hollow))


@clause("ATDF-ERR-005")
def test_each_occurrence_has_an_instance_of_its_own(run: RunEvidence) -> Checks:
    """No two errors of a run have the same `instance`, in one answer or in two."""
    times: Counter[str] = Counter()
    for exchange, error in _all_errors(run):
        instance = error.raw.get("instance")
        if not isinstance(instance, str) or not instance:
            continue
        times[instance] += 1
        if times[instance] == 1:
            yield holds()
        elif times[instance] == 2:
            yield broken(exchange, "finding.error.instance_twice", instance=shown(instance))


def _all_errors(run: RunEvidence) -> Iterator[tuple[Exchange, ErrorView]]:
    """Yield every error of the cases and of the canary calls, which have several mistakes."""
    for tool in run.by_tool.values():
        yield from ((call.exchange, error) for call, error in _errors(tool))
    for exchange in run.steps("canary").values():
        envelope = read(exchange).envelope
        yield from ((exchange, error) for error in (envelope.errors if envelope else ()))


@clause("ATDF-ERR-006")
def test_the_error_names_the_tool(tool: ToolEvidence) -> Checks:
    """Each error names the called tool. If the route led to no tool, HTTP-CALL-001 reports it."""
    if has_no_route(tool):
        return
    for call, error in _errors(tool):
        named = error.raw.get("tool_name")
        if named is None and call.reading.status in _NO_ROUTE:
            continue
        if named in tool.tool.names:
            yield holds()
        else:
            yield broken(call, "finding.error.tool_name", named=shown(named), tool=tool.tool.name)


@clause("ATDF-ERR-017")
def test_an_error_that_concerns_no_tool_names_none(run: RunEvidence) -> Checks:
    """The error for an unknown path names no tool. Without an envelope, HTTP-ERR-004 reports it."""
    exchange = run.step("http_wire", "unknown-path")
    if exchange is None or exchange.answer is None:
        yield unknown("kit.not_verified.step", exchange, reason=step_words("unknown-path"))
        return
    envelope = envelope_of(body_json(exchange))
    for error in envelope.errors if envelope is not None else ():
        if error.raw.get("tool_name") is None:
            yield holds()
        else:
            named = shown(error.raw["tool_name"])
            yield broken(exchange, "finding.error.tool_nowhere", named=named)


@clause("ATDF-ERR-007")
def test_the_error_names_the_parameter(tool: ToolEvidence) -> Checks:
    """An error names the broken place, or its parent with a suggestion that the parent accepts."""
    for parameter, call in _always_blamed(tool):
        yield broken(call, "finding.error.always_blamed", parameter=parameter)
    for call in tool.broken:
        violation, envelope = call.case.violation, call.reading.envelope
        if envelope is None or violation is None:
            continue
        if call.reading.outcome is not Outcome.INPUT_REFUSED:
            continue
        if not tool.neighbour_accepted(call.case):
            yield unknown("kit.not_verified.baseline", call)
            continue
        if any(_names(tool, call, error) for error in envelope.errors):
            yield holds()
        else:
            named = ", ".join(sorted({shown(e.parameter_name) for e in envelope.errors}))
            if violation.parameter is None:
                yield broken(call, "finding.error.named_part", named=named)
                continue
            yield broken(
                call, "finding.error.parameter_name", named=named, parameter=violation.parameter
            )


_TIMES_BLAMED = 3
"""A parameter counts as always blamed after at least this many refusals that blame it wrongly."""


def _always_blamed(tool: ToolEvidence) -> Iterator[tuple[str, Call]]:
    """Yield each parameter that every refusal blames, whatever was broken, with one of the
    refusals.

    An agent would change them all. A parameter that only some refusals blame is not a finding,
    because the blame may depend on what was broken.
    """
    baseline = tool.baseline
    known = baseline.case.arguments if baseline is not None and baseline.reading.accepted else {}
    for parameter, value in known.items():
        of_others = [call for call in tool.broken if _spares(call, parameter, value)]
        always = all(_blames(call, parameter) for call in of_others)
        if always and len(of_others) >= _TIMES_BLAMED:
            yield parameter, of_others[0]


def _spares(call: Call, parameter: str, value: object) -> bool:
    """Return whether a refused call has a parameter's accepted value and was broken elsewhere."""
    violation = call.case.violation
    if violation is None or violation.parameter is None or call.reading.envelope is None:
        return False
    sent = call.case.arguments
    place = to_pointer((parameter,))
    elsewhere = violation.pointer != place and not violation.pointer.startswith(f"{place}/")
    unchanged = isinstance(sent, dict) and parameter in sent and same(sent[parameter], value)
    return elsewhere and unchanged and call.reading.outcome is Outcome.INPUT_REFUSED


def _blames(call: Call, parameter: str) -> bool:
    envelope = call.reading.envelope
    return envelope is not None and any(
        error.type == ErrorType.VALIDATION_ERROR and error.parameter_name == parameter
        for error in envelope.errors
    )


def _names(tool: ToolEvidence, call: Call, error: ErrorView) -> bool:
    """Return whether an error names the broken place, or its parent with a valid suggestion.

    If a single value was sent for a list, a server may read it as a list with one item. Then the
    name of that item is right, too.
    """
    violation, sent = call.case.violation, call.case.arguments
    assert violation is not None
    naming = names_place(violation, error.parameter_name, prefixed=False)
    if naming is Naming.PARENT:
        return any(suggestion.valid for given, suggestion in suggestions(call) if given is error)
    whole = list_of(error.parameter_name, sent, tool.tool.input_schema)
    return naming is Naming.EXACT or whole == violation.pointer


@clause("ATDF-ERR-015")
def test_every_error_has_the_same_shape(tool: ToolEvidence) -> Checks:
    """Each failed call has the error envelope, except if MCP itself answers with a JSON-RPC error.

    If a tool has no route, its answers do not come from the tool: HTTP-CALL-001 and HTTP-ERR-004
    report them.
    """
    for call in tool.calls if not has_no_route(tool) else ():
        reading = call.reading
        failed = reading.refused or reading.missing is not None
        failed = failed or reading.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if not failed or _is_of_the_protocol(call) or reading.trouble is not None:
            continue
        if reading.limited or reading.disguise is Disguise.NOT_A_VALUE:
            continue  # its form is a result, and no rule about errors applies to it
        if reading.hollow is not None:
            continue  # it is meant as an envelope: ATDF-ERR-001 reports it
        if reading.envelope is not None:
            yield holds()
        else:
            yield broken(call, "finding.error.no_envelope", answer=quoted(reading.said))


def _is_of_the_protocol(call: Call) -> bool:
    """Return whether an answer is a JSON-RPC error, well formed or not."""
    answer = call.reading.document
    if call.exchange.request.answer_to is None or not isinstance(answer, dict):
        return False
    return answer.get("error") is not None


@clause("ATDF-ERR-016")
def test_the_type_says_that_the_input_was_refused(tool: ToolEvidence) -> Checks:
    """An error that names the broken place has a type that refuses input; others are reported."""
    for call in tool.broken:
        violation, envelope = call.case.violation, call.reading.envelope
        if envelope is None or violation is None or not isinstance(call.case.arguments, dict):
            continue  # `malformed-request` fits what is not an object
        if not call.reading.refused or not tool.neighbour_accepted(call.case):
            continue
        own = [
            error
            for error in envelope.errors
            if names_place(violation, error.parameter_name) is not Naming.WRONG
        ]
        types = {error.type for error in own}
        if not own:
            continue
        if types & _REFUSING_INPUT:
            yield holds()
        else:
            named = ", ".join(sorted(shown(each) for each in types))
            yield broken(call, "finding.error.type", count=len(types), types=named)
