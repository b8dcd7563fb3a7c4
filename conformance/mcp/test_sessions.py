"""Sessions, which the legacy era has and the modern era does not have (MCP-SESS)."""

from __future__ import annotations

from conformance.formats.problem import shown
from conformance.formats.tool import header_names
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import header_of
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import (
    Check,
    Checks,
    absent,
    broken,
    clause,
    holds,
    other_refusal,
)
from conformance.mcp.seen import (
    answered,
    has_legacy,
    is_ok,
    not_taken,
    own_version,
    proves_nothing,
    status_of,
    usable,
)


@clause("MCP-SESS-001", protocol=True)
def test_a_session_id_is_visible_ascii(run: RunEvidence) -> Checks:
    """A session id is not empty and has only the characters from 0x21 to 0x7E."""
    found: list[Exchange] = []
    yield from usable(run, "mcp_handshake", "initialize", found)
    for exchange in found:
        issued = header_of(exchange, header_names.SESSION_ID)
        if issued is None:
            yield absent("finding.mcp.no_session")
        elif issued and all("\x21" <= each <= "\x7e" for each in issued):
            yield holds()
        else:
            yield broken(exchange, "finding.mcp.session_id", session=shown(issued))


@clause("MCP-SESS-002", protocol=True)
def test_a_request_without_its_session_is_refused(run: RunEvidence) -> Checks:
    """A request without its session id is refused with 400.

    A server that answers the request does not require the id, so the clause does not apply.
    """
    exchange = run.step("mcp_session", "without-session")
    if exchange is None:
        yield _why_none(run)
    elif is_ok(exchange):
        yield absent("finding.mcp.session_not_required")
    elif not _is_open(run):
        yield not_taken("mcp_session", "probe")
    elif exchange.answer is None or proves_nothing(exchange):
        yield other_refusal(exchange)
    elif status_of(exchange) == 400:
        yield holds()
    else:
        yield broken(exchange, "finding.mcp.without_session", answer=answered(exchange))


@clause("MCP-SESS-003", protocol=True)
def test_a_session_that_ended_is_not_found(run: RunEvidence) -> Checks:
    """A request in an ended session gets 404. A server need not let the client end a session."""
    ended = run.step("mcp_session", "delete")
    after = run.step("mcp_session", "after-delete")
    if ended is None or after is None:
        yield _why_none(run)
    elif not 200 <= status_of(ended) < 300:
        yield absent("finding.mcp.session_not_ended")
    elif not _is_open(run):
        yield not_taken("mcp_session", "probe")
    elif after.answer is None or proves_nothing(after):
        yield other_refusal(after)
    elif status_of(after) == 404:
        yield holds()
    else:
        yield broken(after, "finding.mcp.ended_session", answer=answered(after))


def _is_open(run: RunEvidence) -> bool:
    """Return whether the same request was answered while it had its session."""
    good = run.step("mcp_session", "probe")
    return good is not None and is_ok(good)


def _why_none(run: RunEvidence) -> Check:
    """Say why a step in a session is missing: no session id, or no handshake."""
    shaken = run.step("mcp_session", "initialize")
    if shaken is None or not is_ok(shaken):
        return not_taken("mcp_session", "initialize")
    return absent("finding.mcp.no_session")


@clause("MCP-SESS-004")
def test_session_ids_are_ignored(run: RunEvidence) -> Checks:
    """A server without a legacy version neither refuses a session id, nor sends one."""
    if has_legacy(run):
        yield absent("finding.mcp.has_legacy")
        return
    good = run.step("mcp_headers", "plain")
    found: list[Exchange] = []
    yield from usable(run, "mcp_removed", "session", found)
    for exchange in found:
        if is_ok(exchange):
            yield holds()
        elif good is None or not is_ok(good):
            yield not_taken("mcp_headers", "plain")
        else:
            yield broken(exchange, "finding.mcp.session_refused", answer=answered(exchange))
    for exchange in run.exchanges:
        issued = header_of(exchange, header_names.SESSION_ID)
        if issued is not None and own_version(run.run, exchange):
            yield broken(exchange, "finding.mcp.session_issued", session=shown(issued))
