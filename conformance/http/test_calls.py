"""How a tool is called over plain HTTP, and what its errors look like (HTTP-CALL, HTTP-ERR)."""

from __future__ import annotations

from fnmatch import fnmatchcase
from http import HTTPStatus

from conformance.formats.catalog import openapi_media
from conformance.formats.problem import shown
from conformance.formats.schema.uri import urlsplit
from conformance.formats.tool.tool import ToolForm
from conformance.kit.evidence.body import is_json
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.response import body_json, header_of
from conformance.kit.evidence.routes import has_no_route
from conformance.kit.evidence.tool_result import is_enriched_error
from conformance.kit.verdicts.checks import (
    Checks,
    broken,
    clause,
    disguised_words,
    holds,
    no_good_call,
    unknown,
)
from conformance.spec.vocabulary import ERROR_TYPE_STATUSES, Disguise, ErrorType, Missing, Outcome

_RESERVED = frozenset(kind.value for kind in ErrorType)
_WITHOUT_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT})
"""The statuses of a success that HTTP allows no body (RFC 9110)."""


def _media_type(call: Call) -> str:
    return (header_of(call.exchange, "content-type") or "").partition(";")[0].strip()


def _is_sound(call: Call) -> bool | None:
    """Return whether a body is JSON; None if it is nested too deep to say."""
    if body_json(call.exchange) is not None:
        return True
    answer = call.exchange.answer
    return answer is not None and is_json(answer)


def _is_json(call: Call) -> bool:
    return openapi_media.is_json(_media_type(call).lower())


def _is_listed(call: Call) -> bool:
    """Return whether the tool's document lists the media type of an answer for its status."""
    kinds = call.tool.raw.get("kinds", {}) if call.tool.form is ToolForm.OPENAPI else {}
    status = str(call.reading.status)
    listed = next((kinds[s] for s in (status, f"{status[0]}XX", "default") if s in kinds), ())
    return any(fnmatchcase(_media_type(call).lower(), kind) for kind in listed)


@clause("HTTP-CALL-001")
def test_the_route_of_a_tool_exists(tool: ToolEvidence) -> Checks:
    """A baseline call is not answered as an unknown path or a wrong method."""
    baseline = tool.baseline
    if baseline is None:
        return
    if has_no_route(tool):
        request = baseline.exchange.http
        asked = f"{request.method} {urlsplit(request.url).path}"
        status = baseline.reading.status
        documented = tool.tool.form is ToolForm.OPENAPI
        words = "finding.http.no_operation" if documented else "finding.http.no_route"
        yield broken(baseline, words, status=status, request=asked)
    elif baseline.reading.status == HTTPStatus.NOT_FOUND and baseline.reading.envelope is None:
        yield no_good_call(tool)
    elif baseline.reading.accepted or baseline.reading.refused or baseline.reading.missing:
        yield holds()
    else:
        yield unknown("kit.not_verified.no_answer", baseline)


@clause("HTTP-CALL-002")
def test_an_accepted_call_is_answered_with_json(tool: ToolEvidence) -> Checks:
    """An accepted call gets a JSON body with a JSON media type.

    A 204 or 205 cannot have a body. An OpenAPI document may list another media type, or may leave
    the answers open.
    """
    if tool.tool.form is ToolForm.OPENAPI and not tool.tool.raw["answers"]:
        return
    for call in tool.calls:
        if not call.reading.accepted:
            continue
        if call.reading.status in _WITHOUT_BODY:
            yield holds()
            continue
        sound = _is_sound(call) if _is_json(call) else _is_listed(call)
        if sound is None:
            continue
        if sound:
            yield holds()
        elif tool.tool.form is ToolForm.OPENAPI and not _is_json(call) and _media_type(call):
            yield broken(call, "finding.http.unlisted", type=shown(_media_type(call)))
        elif not (call.exchange.answer and call.exchange.answer.body):
            yield broken(call, "finding.http.no_body", status=call.reading.status)
        else:
            yield broken(call, "finding.http.not_json", type=shown(_media_type(call)))


@clause("HTTP-ERR-001")
def test_an_error_is_never_a_success(tool: ToolEvidence) -> Checks:
    """An envelope or an enriched error never has a 2xx status."""
    for call in tool.calls:
        if call.reading.envelope is None and not is_enriched_error(call.reading.document):
            continue
        if 200 <= call.reading.status < 300:
            yield broken(call, "finding.http.error_2xx", status=call.reading.status)
        else:
            yield holds()


@clause("HTTP-ERR-010")
def test_a_failure_has_no_status_of_success(tool: ToolEvidence) -> Checks:
    """A body whose form shows a failure has no 2xx status.

    ATDF's own errors have another clause.
    """
    for call in tool.calls:
        if call.reading.disguise is Disguise.NOT_A_VALUE:
            continue  # it may be a right answer, but cannot be a baseline
        if call.reading.missing is not None and call.reading.missing[0] is Missing.QUOTA:
            continue  # it cannot be reproduced after the limit is lifted
        status = call.reading.status
        if call.reading.disguise is not None:
            words = disguised_words(call.reading)
            yield broken(call, "finding.http.disguised", status=status, **words)
        elif call.reading.refused:
            yield holds()


@clause("HTTP-ERR-002")
def test_the_status_fits_the_error_type(tool: ToolEvidence) -> Checks:
    """The status fits the type of the first error. Any status fits a custom type."""
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
    """Errors of a tool route have a JSON body and a JSON media type. The tool must have a route.

    For a wrong value in the path, a 404, 405 or 414 may come from the router.
    """
    for call in tool.calls if not has_no_route(tool) else ():
        if call.reading.status < 400 or call.reading.outcome is Outcome.NO_ANSWER:
            continue
        if call.finds_no_path:
            continue
        sound = _is_json(call) and _is_sound(call)
        if sound is None:
            continue
        if sound:
            yield holds()
        else:
            yield broken(call, "finding.http.not_json", type=shown(_media_type(call)))
