"""How a connection begins, and what each side may ask of the other (MCP-LIFE, MCP-PING)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from conformance.formats.problem import quoted
from conformance.formats.text import rpc
from conformance.kit.evidence.evidence import Call, RunEvidence
from conformance.kit.evidence.response import response_of
from conformance.kit.evidence.script import INITIALIZE
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import (
    Check,
    Checks,
    absent,
    broken,
    clause,
    holds,
    other_refusal,
    unknown,
)
from conformance.mcp.seen import (
    answered,
    asked_words,
    first_handshake,
    is_ok,
    lacks_session,
    messages_of,
    method_of,
    not_taken,
    own_version,
    proves_nothing,
    result_of,
    shape_checks,
    usable,
)
from conformance.mcp.shapes import ShapeFault
from conformance.spec.messages import listed
from conformance.spec.vocabulary import Era

_CLIENT_FEATURES = ("sampling/", "roots/", "elicitation/", "tasks/")
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "notifications/message": ("logging",),
    "notifications/tools/list_changed": ("tools", "listChanged"),
    "notifications/prompts/list_changed": ("prompts", "listChanged"),
    "notifications/resources/list_changed": ("resources", "listChanged"),
    "notifications/resources/updated": ("resources", "subscribe"),
}
"""The capability that a server must declare for each notification."""
_FIRST = Step("list-first", number=1)
_NOT_READY = frozenset(
    {rpc.INVALID_REQUEST, rpc.INVALID_PARAMS, rpc.METHOD_NOT_FOUND, -32002, -32000}
)
"""The codes with which servers refuse what comes before a handshake."""
_HANDSHAKE = re.compile(
    r"\binitiali[sz]e\b.{0,20}\b(?:required|first|missing)"
    r"|\b(?:server|session|connection)\b.{0,10}\bnot (?:yet )?(?:been )?initiali[sz]"
    r"|^not (?:yet )?initiali[sz]ed|\bbefore initiali[sz]"
    r"|\b(?:must|call|send|expected)\b.{0,20}\binitiali[sz]e\b",
    re.IGNORECASE,
)
_SHORT = 200
"""The most characters of such a refusal."""
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}")


@clause("MCP-LIFE-001", protocol=True)
def test_initialize_is_answered_with_version_capabilities_and_name(run: RunEvidence) -> Checks:
    """The result of `initialize` has the form that the version of the run prescribes."""
    found: list[Exchange] = []
    yield from usable(run, "mcp_handshake", "initialize", found)
    for exchange in found:
        if exchange.trouble is Trouble.TIMEOUT:
            yield unknown("kit.not_verified.no_answer", exchange)
        else:
            yield from shape_checks(exchange, "initialize", run.run.version)


@clause("MCP-LIFE-002")
def test_discover_is_answered_with_versions_and_capabilities(run: RunEvidence) -> Checks:
    """The result of `server/discover` has its form, and its versions include the run's.

    LIST-008 checks the members about caching.
    """
    found: list[Exchange] = []
    yield from usable(run, "mcp_alone", "discover", found)
    for exchange in found:
        yield from shape_checks(exchange, "server/discover", run.run.version, _others)
        versions = (result_of(exchange) or {}).get("supportedVersions")
        if isinstance(versions, list) and run.run.version not in versions:
            yield broken(exchange, "finding.mcp.version_unlisted", version=run.run.version)


def _others(fault: ShapeFault) -> bool:
    return fault.steps[:1] in {("ttlMs",), ("cacheScope",), ("resultType",)}


@clause("MCP-LIFE-003", protocol=True)
def test_a_server_with_tools_declares_them(run: RunEvidence) -> Checks:
    """A server that lists tools declares them. The kit asks for the list in any case."""
    legacy = run.run.era is Era.LEGACY
    script, said, listed = (
        ("mcp_handshake", "initialize", "tools-list")
        if legacy
        else ("mcp_alone", "discover", "list-later")
    )
    opening, listing = run.step(script, said), run.step(script, listed)
    capabilities = (result_of(opening) or {}).get("capabilities") if opening is not None else None
    if not isinstance(capabilities, dict):
        yield not_taken(script, said)
    elif "tools" in capabilities:
        yield holds()
    elif listing is not None and (result_of(listing) or {}).get("tools"):
        yield broken(opening, "finding.mcp.tools_undeclared")
    else:
        yield absent("kit.not_applicable.no_tools")


@clause("MCP-LIFE-004", protocol=True)
def test_the_client_is_not_asked_for_what_it_has_not(run: RunEvidence) -> Checks:
    """The server requests no undeclared client feature. From 2025-06-18 on this is a MUST."""
    yield from _asks_for_features(run)


@clause("MCP-LIFE-009", protocol=True)
def test_the_client_is_not_to_be_asked_for_what_it_has_not(run: RunEvidence) -> Checks:
    """The server requests no undeclared client feature. In the older versions this is a SHOULD."""
    yield from _asks_for_features(run)


def _asks_for_features(run: RunEvidence) -> Checks:
    """Check that the server requests no feature.

    The kit declares none; a ping is always allowed.
    """
    for exchange in run.exchanges:
        asked = [m for m in _requests(exchange) if str(m).startswith(_CLIENT_FEATURES)]
        for method in asked:
            yield _asks(exchange, method)
        if not asked:
            yield holds()


@clause("MCP-LIFE-010", protocol=True)
def test_nothing_is_told_whose_capability_was_not_declared(run: RunEvidence) -> Checks:
    """Notifications need a declared capability. From 2025-06-18 on this is a MUST."""
    yield from _tells_undeclared(run)


@clause("MCP-LIFE-011", protocol=True)
def test_nothing_is_to_be_told_whose_capability_was_not_declared(run: RunEvidence) -> Checks:
    """Notifications need a declared capability. In the older versions this is a SHOULD."""
    yield from _tells_undeclared(run)


def _tells_undeclared(run: RunEvidence) -> Checks:
    """Check that each notification has its capability. Progress and cancellation need none."""
    opening = run.step("mcp_handshake", "initialize")
    declared = (result_of(opening) or {}).get("capabilities") if opening is not None else None
    if not isinstance(declared, dict):
        yield not_taken("mcp_handshake", "initialize")
        return
    for exchange in run.exchanges:
        for message in messages_of(exchange):
            method = message.get("method") if isinstance(message, dict) else None
            needed = _NEEDED.get(method) if isinstance(method, str) else None
            if needed is None or "id" in message:
                continue
            if _has(declared, needed):
                yield holds()
            else:
                said: dict[str, Any] = {"request": asked_words(exchange), "method": method}
                needs = ".".join(needed)
                yield broken(exchange, "finding.mcp.undeclared", **said, capability=needs)


def _has(declared: Mapping[str, Any], needed: tuple[str, ...]) -> bool:
    """Return whether a capability is declared; if a switch in it is needed, it must be true."""
    feature = declared.get(needed[0])
    if len(needed) == 1:
        return needed[0] in declared
    return isinstance(feature, dict) and feature.get(needed[1]) is True


@clause("MCP-LIFE-005")
def test_the_client_is_not_asked_for_anything(run: RunEvidence) -> Checks:
    """The server sends no request, which is a message with a method and an id."""
    for exchange in run.exchanges:
        if not own_version(run.run, exchange):
            continue
        asked = _requests(exchange)
        for method in asked:
            yield _asks(exchange, method, "finding.mcp.server_requests")
        if not asked:
            yield holds()


def _asks(exchange: Exchange, method: str, message: str = "finding.mcp.server_asks") -> Check:
    said: dict[str, Any] = {"request": asked_words(exchange), "method": method}
    return broken(exchange, message, **said)


def _requests(exchange: Exchange) -> list[str]:
    return [
        str(message["method"])
        for message in messages_of(exchange)
        if isinstance(message, dict) and "method" in message and "id" in message
    ]


@clause("MCP-LIFE-006")
def test_a_first_request_is_answered_without_anything_before(run: RunEvidence) -> Checks:
    """The first request is answered like the same request later. After a slow start it may be late.

    No call is refused because nobody sent `initialize`, which this era does not have.
    """
    cold = next(filter(_needs_handshake, run.calls), None)
    if cold is not None and not any(call.reading.accepted for call in run.calls):
        yield broken(cold, "finding.mcp.needs_handshake", said=quoted(cold.reading.text))
    first = run.steps("mcp_alone").get(_FIRST)
    later = run.step("mcp_alone", "list-later")
    if first is None or later is None:
        yield not_taken("mcp_alone", _FIRST)
    elif is_ok(first) or _came_late(run, first):
        yield holds()
    elif proves_nothing(first) or not is_ok(later):
        yield unknown("kit.not_verified.step", first, reason=answered(later))
    else:
        yield broken(first, "finding.mcp.needs_context", answer=answered(first))


def _needs_handshake(call: Call) -> bool:
    """Return whether a call was refused with the words that `initialize` is missing."""
    code, text = call.reading.rpc_code, call.reading.text
    return code in _NOT_READY and len(text) <= _SHORT and _HANDSHAKE.search(text) is not None


def _came_late(run: RunEvidence, first: Exchange) -> bool:
    wanted = first.request.answer_to
    return any(
        isinstance(message, dict) and message.get("id") == wanted and "result" in message
        for exchange in run.steps("mcp_alone").values()
        for message in (*messages_of(exchange), *_late(exchange))
    )


def _late(exchange: Exchange) -> tuple[Any, ...]:
    return exchange.answer.late if exchange.answer is not None else ()


@clause("MCP-LIFE-007")
def test_a_refusal_of_initialize_names_the_versions(run: RunEvidence) -> Checks:
    """The refusal of `initialize` names a version in its error or, without one, in its body.

    A server that answers `initialize` has a legacy version, so the clause does not apply.
    """
    exchange = first_handshake(run)
    if exchange is None:
        yield not_taken("mcp_initialize", INITIALIZE)
    elif proves_nothing(exchange):
        yield other_refusal(exchange)
    elif is_ok(exchange):
        yield absent("finding.mcp.has_legacy")
    elif exchange.answer is None:
        yield unknown("kit.not_verified.no_answer", exchange)
    else:
        error = (response_of(exchange) or {}).get("error")
        words = json.dumps(error) if error else exchange.answer.body.decode("utf-8", "replace")
        if set(_VERSION.findall(words)) - {_asked(exchange)}:
            yield holds()
        else:
            yield broken(exchange, "finding.mcp.versions_unnamed", answer=answered(exchange))


def _asked(exchange: Exchange) -> str:
    """Return the version that `initialize` asked for, which an error must not merely repeat."""
    sent = json.loads(exchange.request.body)
    return str(sent["params"]["protocolVersion"])


@clause("MCP-PING-001", protocol=True)
def test_ping_is_answered_with_an_empty_result(run: RunEvidence) -> Checks:
    """The result of `ping` is empty, except for `_meta` and `resultType`."""
    for exchange in run.played("mcp_handshake"):
        if method_of(exchange) != "ping":
            continue
        result = result_of(exchange)
        if proves_nothing(exchange):
            yield other_refusal(exchange)
        elif lacks_session(run, exchange):
            yield unknown("kit.not_verified.session_not_given", exchange)
        elif result is None:
            yield broken(
                exchange, "finding.mcp.no_result", method="ping", answer=answered(exchange)
            )
        elif more := set(result) - {"_meta", "resultType"}:
            yield broken(exchange, "finding.mcp.ping_full", members=listed(sorted(more)))
        else:
            yield holds()
