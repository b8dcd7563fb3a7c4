"""The rules that only HTTP has: media types, methods, origins (MCP-HTTP, MCP-ORIG)."""

from __future__ import annotations

from conformance.formats.text import rpc
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.loopback import is_loopback
from conformance.kit.verdicts.checks import (
    Checks,
    absent,
    broken,
    clause,
    holds,
    other_refusal,
    unknown,
)
from conformance.mcp.script_http import FOREIGN, unsafe
from conformance.mcp.seen import (
    answered,
    error_of,
    has_legacy,
    is_ok,
    is_refused,
    is_request,
    media_type,
    method_of,
    not_taken,
    proves_nothing,
    status_of,
    usable,
    wanted,
)
from conformance.mcp.steps import UNKNOWN_METHOD
from conformance.spec.messages import message

_MEDIA = frozenset({"application/json", "text/event-stream"})
_REMOVED = (UNKNOWN_METHOD, "ping", "logging/setLevel", "resources/subscribe")
_FORBIDDEN_SINCE = "2025-11-25"


@clause("MCP-HTTP-001", protocol=True)
def test_an_answer_is_json_or_an_event_stream(run: RunEvidence) -> Checks:
    """An answer with a 2xx status is JSON or an event stream.

    Other answers may come from a proxy.
    """
    for exchange in run.exchanges:
        if not is_request(exchange) or not exchange.over_http:
            continue
        if not 200 <= status_of(exchange) < 300:
            continue
        if media_type(exchange) in _MEDIA:
            yield holds()
        else:
            yield broken(
                exchange,
                "finding.mcp.media_type",
                method=method_of(exchange),
                status=status_of(exchange),
                type=media_type(exchange) or message("answered.nothing"),
            )


@clause("MCP-HTTP-002", protocol=True)
def test_a_notification_is_answered_with_202_and_no_body(run: RunEvidence) -> Checks:
    """A notification that is accepted gets 202 without a body.

    A server may refuse it with a 4xx.
    """
    found: list[Exchange] = []
    yield from usable(run, "mcp_handshake", "initialized", found)
    for exchange in found:
        status = status_of(exchange)
        if exchange.answer is None or not 200 <= status < 300:
            yield unknown("kit.not_verified.step", exchange, reason=answered(exchange))
        elif status != 202:
            yield broken(exchange, "finding.mcp.notification_status", status=status)
        elif exchange.answer.body:
            yield broken(
                exchange, "finding.mcp.notification_body", length=len(exchange.answer.body)
            )
        else:
            yield holds()


@clause("MCP-HTTP-003", protocol=True)
def test_a_get_opens_a_stream_or_is_not_allowed(run: RunEvidence) -> Checks:
    """The first GET of a session opens a stream, or is refused with 405."""
    found: list[Exchange] = []
    yield from usable(run, "mcp_session", "get", found)
    for exchange in found:
        streams = status_of(exchange) == 200 and media_type(exchange) == "text/event-stream"
        if streams or status_of(exchange) == 405:
            yield holds()
        elif exchange.answer is None:
            yield unknown("kit.not_verified.no_answer", exchange)
        else:
            yield broken(
                exchange,
                "finding.mcp.get",
                answer=f"HTTP {status_of(exchange)} {media_type(exchange)}".strip(),
            )


@clause("MCP-HTTP-004")
def test_get_and_delete_are_not_allowed(run: RunEvidence) -> Checks:
    """A server without a legacy version refuses GET and DELETE with 405."""
    if has_legacy(run):
        yield absent("finding.mcp.has_legacy")
        return
    for step, method in (("get", "GET"), ("delete", "DELETE")):
        found: list[Exchange] = []
        yield from usable(run, "mcp_removed", step, found)
        for exchange in found:
            if status_of(exchange) == 405:
                yield holds()
            else:
                yield broken(
                    exchange,
                    "finding.mcp.other_answer",
                    request=method,
                    answer=answered(exchange),
                    wanted="HTTP 405",
                )


@clause("MCP-HTTP-005")
def test_an_unknown_method_is_answered_with_404(run: RunEvidence) -> Checks:
    """An unknown method, or one that the modern era removed, is refused with 404 and -32601."""
    for method in _REMOVED:
        found: list[Exchange] = []
        yield from usable(run, "mcp_removed", method, found)
        for exchange in found:
            if is_refused(exchange, rpc.METHOD_NOT_FOUND, 404):
                yield holds()
            else:
                yield broken(
                    exchange,
                    "finding.mcp.other_answer",
                    request=method,
                    answer=answered(exchange),
                    wanted=wanted(exchange, rpc.METHOD_NOT_FOUND, 404),
                )


@clause("MCP-ORIG-001", protocol=True)
def test_a_foreign_origin_is_refused(run: RunEvidence) -> Checks:
    """A local server refuses a foreign origin. A remote server may allow any origin."""
    if not is_loopback(run.run.endpoint):
        yield unknown("finding.mcp.origin_remote")
        return
    none = run.step("mcp_origin", "none")
    foreign = run.step("mcp_origin", "foreign")
    if none is None or foreign is None or foreign.answer is None:
        yield not_taken("mcp_origin", "foreign")
    elif not is_ok(none) or (proves_nothing(foreign) and status_of(foreign) != 403):
        yield other_refusal(none)
    elif status_of(foreign) == 403 or (run.run.version < _FORBIDDEN_SINCE and _refuses(foreign)):
        yield holds()
    elif _refuses(foreign):
        yield broken(
            foreign,
            "finding.mcp.other_answer",
            request=f"Origin: {FOREIGN}",
            answer=answered(foreign),
            wanted="HTTP 403",
        )
    else:
        told = (
            "finding.mcp.origin" if _lets_pages_in(run, foreign) else "finding.mcp.origin_rebound"
        )
        yield broken(foreign, told, answer=answered(foreign))


def _refuses(exchange: Exchange) -> bool:
    """Return whether a request had no effect, whatever the status that says so."""
    return status_of(exchange) >= 400 or error_of(exchange) is not None


def _lets_pages_in(run: RunEvidence, foreign: Exchange) -> bool:
    """Return whether a preflight would pass in a browser, so that a page of any origin may call."""
    preflight = run.step("mcp_origin", "preflight")
    if preflight is None or preflight.answer is None or not 200 <= status_of(preflight) < 300:
        return False
    admitted = preflight.answer.header("access-control-allow-origin") or ""
    listed = preflight.answer.header("access-control-allow-headers") or ""
    allowed = {name.strip().lower() for name in listed.split(",")}
    by_name = "*" in allowed or allowed.issuperset(unsafe(foreign.http))
    return admitted.strip() in {"*", FOREIGN} and by_name
