"""How a tool is called over plain HTTP, and what its errors look like (HTTP-CALL, HTTP-ERR)."""

from __future__ import annotations

from urllib.parse import urlsplit

from conformance.formats.problem import shown
from conformance.formats.tool.tool import ToolForm
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.response import body_json, is_enriched_error
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, no_good_call, unknown
from conformance.spec.vocabulary import ERROR_TYPE_STATUSES, ErrorType, Outcome

_NOWHERE = (Step("unknown-path"), Step("unknown-tool"))
_RESERVED = frozenset(kind.value for kind in ErrorType)


def _media_type(call: Call) -> str:
    answer = call.exchange.answer
    return ((answer.header("content-type") if answer else None) or "").partition(";")[0].strip()


def _is_json(call: Call) -> bool:
    kind = _media_type(call).lower()
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )


@clause("HTTP-CALL-001")
def test_the_route_of_a_tool_exists(tool: ToolEvidence) -> Checks:
    """A good call is not answered as an unknown path or a wrong method."""
    baseline = tool.baseline
    if baseline is None:
        return
    if _is_answered_as_unknown(tool, baseline):
        request = baseline.exchange.http
        asked = f"{request.method} {urlsplit(request.url).path}"
        status = baseline.reading.status
        yield broken(baseline, "finding.http.no_route", status=status, request=asked)
    elif baseline.reading.status in {404, 405} and not _knows_the_tool(baseline):
        yield no_good_call(baseline)
    elif baseline.reading.accepted or baseline.reading.refused:
        yield holds()
    else:
        yield unknown("kit.not_verified.no_answer", baseline)


def _is_answered_as_unknown(tool: ToolEvidence, call: Call) -> bool:
    """Whether a call is answered as a path that does not exist, or as a method that is not there.

    A 404 may also be the tool's own word for a thing that it does not have: without an envelope it
    is one for the route only if an unknown path gets the same body.
    """
    if call.reading.status in {405, 501}:
        return True
    if call.reading.status != 404 or _knows_the_tool(call):
        return False
    if call.reading.envelope is not None:
        return True
    steps = {exchange.step: exchange for exchange in tool.played("http_wire")}
    nowhere = [steps[name].answer for name in _NOWHERE if name in steps]
    body = call.exchange.answer.body if call.exchange.answer is not None else b""
    return any(answer is not None and answer.body == body for answer in nowhere)


def _knows_the_tool(call: Call) -> bool:
    """Whether a 404 is the tool's own: a thing that it was asked for does not exist."""
    envelope = call.reading.envelope
    return envelope is not None and any(
        error.tool_name == call.case.tool for error in envelope.errors
    )


@clause("HTTP-CALL-002")
def test_an_accepted_call_is_answered_with_json(tool: ToolEvidence) -> Checks:
    """A 2xx, and a media type that says so, unless the tool's document leaves the form open."""
    if tool.tool.form is ToolForm.OPENAPI and not tool.tool.raw["answers"]:
        return
    for call in tool.calls:
        if not call.reading.accepted:
            continue
        if _is_json(call) and call.reading.document is not None:
            yield holds()
        else:
            yield broken(call, "finding.http.not_json", type=shown(_media_type(call)))


@clause("HTTP-ERR-001")
def test_an_error_is_never_a_success(tool: ToolEvidence) -> Checks:
    """No envelope with a 2xx, and no enriched response that says that the call failed."""
    for call in tool.calls:
        if call.reading.envelope is None and not is_enriched_error(call.reading.document):
            continue
        if 200 <= call.reading.status < 300:
            yield broken(call, "finding.http.error_2xx", status=call.reading.status)
        else:
            yield holds()


@clause("HTTP-ERR-002")
def test_the_status_fits_the_error_type(tool: ToolEvidence) -> Checks:
    """Of the first error; custom types fit any status."""
    for call in tool.calls:
        envelope = call.reading.envelope
        if envelope is None or not envelope.errors or 200 <= call.reading.status < 300:
            continue
        kind = envelope.errors[0].type
        if kind is None or kind not in _RESERVED:
            continue
        fitting = ERROR_TYPE_STATUSES[ErrorType(kind)]
        if call.reading.status in fitting:
            yield holds()
        else:
            yield broken(
                call,
                "finding.http.status",
                status=call.reading.status,
                type=str(kind),
                fitting=", ".join(str(s) for s in sorted(fitting)),
            )


@clause("HTTP-ERR-003")
def test_errors_of_a_tool_route_are_json(tool: ToolEvidence) -> Checks:
    """Their media type says so, and their body is."""
    for call in tool.calls:
        if call.reading.status < 400 or call.reading.outcome is Outcome.NO_ANSWER:
            continue
        if _is_json(call) and body_json(call.exchange) is not None:
            yield holds()
        else:
            yield broken(call, "finding.http.not_json", type=shown(_media_type(call)))
