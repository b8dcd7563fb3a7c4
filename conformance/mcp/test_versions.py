"""Which protocol versions a server agrees to, and how it refuses others (MCP-VER, MCP-META)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.formats.text import rpc
from conformance.formats.tool import header_names
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.bindings import traits_of
from conformance.kit.transport.mcp import LEGACY_VERSIONS, META
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
    data_of,
    has_legacy,
    is_ok,
    is_refused,
    not_taken,
    proves_nothing,
    result_of,
    status_of,
    usable,
    wanted,
)
from conformance.mcp.steps import UNKNOWN_VERSION


def _offered(exchange: Exchange | None) -> str | None:
    """Return the version that an answer to `initialize` offers, or None."""
    found = (result_of(exchange) or {}).get("protocolVersion") if exchange is not None else None
    return found if isinstance(found, str) else None


def _ask(version: str) -> Step:
    return Step("ask", version=version)


def _asked(run: RunEvidence) -> Mapping[str, Exchange]:
    """Return the last answer for each version that the kit asked for."""
    steps = run.steps("mcp_versions")
    return {
        step.version: steps.get(replace(step, mark=Mark.ALONE)) or steps[step]
        for step in map(_ask, (UNKNOWN_VERSION, *LEGACY_VERSIONS))
        if step in steps
    }


@clause("MCP-VER-001")
def test_a_supported_version_is_agreed_to(run: RunEvidence) -> Checks:
    """A supported version is agreed to. It is supported if the server ever answered with it."""
    asked = _asked(run)
    if not asked:
        yield not_taken("mcp_versions", "initialize")
    supported = {_offered(exchange) for exchange in asked.values()} - {None, UNKNOWN_VERSION}
    for version in sorted(str(each) for each in supported):
        exchange = asked.get(version)
        if exchange is None:
            continue
        offered = _offered(exchange)
        if offered == version:
            yield holds()
        elif proves_nothing(exchange) or (offered is None and exchange.trouble is not None):
            yield other_refusal(exchange)
        else:
            answer = offered or answered(exchange)
            yield broken(exchange, "finding.mcp.version_changed", asked=version, answer=answer)


@clause("MCP-VER-002")
def test_an_unknown_version_is_not_agreed_to(run: RunEvidence) -> Checks:
    """An unknown version is not agreed to: the server offers another version, or sends an error."""
    exchange = _asked(run).get(UNKNOWN_VERSION)
    if exchange is None:
        yield not_taken("mcp_versions", _ask(UNKNOWN_VERSION))
    elif _offered(exchange) == UNKNOWN_VERSION:
        yield broken(exchange, "finding.mcp.unknown_version_agreed", version=UNKNOWN_VERSION)
    elif exchange.answer is None or proves_nothing(exchange):
        yield other_refusal(exchange)
    else:
        yield holds()


@clause("MCP-VER-003")
def test_the_newest_version_is_offered_instead(run: RunEvidence) -> Checks:
    """For an unknown version the server offers the newest of all versions that it ever offered."""
    asked = _asked(run)
    instead = _offered(asked.get(UNKNOWN_VERSION))
    if instead == UNKNOWN_VERSION:  # MCP-VER-002 reports it
        yield absent("finding.mcp.no_other_version", version=UNKNOWN_VERSION)
        return
    if instead is None:
        yield not_taken("mcp_versions", _ask(UNKNOWN_VERSION))
        return
    newest = max(found for exchange in asked.values() if (found := _offered(exchange)))
    if instead >= newest:
        yield holds()
    else:
        exchange = asked[UNKNOWN_VERSION]
        yield broken(exchange, "finding.mcp.older_offered", offered=instead, newest=newest)


@clause("MCP-VER-004")
def test_an_unsupported_version_is_refused_with_the_supported_ones(run: RunEvidence) -> Checks:
    """An unsupported version is refused, and `data.supported` has the version of this run.

    It need not have the legacy versions.
    """
    good = run.step("mcp_requests", "good")
    if good is None or not is_ok(good):
        yield not_taken("mcp_requests", "good")
        return
    found: list[Exchange] = []
    yield from usable(run, "mcp_requests", "unknown-version", found)
    for exchange in found:
        supported = data_of(exchange).get("supported")
        if not is_refused(exchange, rpc.UNSUPPORTED_VERSION, 400):
            yield _other_answer(
                exchange, rpc.UNSUPPORTED_VERSION, f"protocolVersion {UNKNOWN_VERSION}"
            )
        elif not isinstance(supported, list) or run.run.version not in supported:
            yield broken(exchange, "finding.mcp.supported_unlisted", version=run.run.version)
        elif data_of(exchange).get("requested", UNKNOWN_VERSION) != UNKNOWN_VERSION:
            yield broken(exchange, "finding.mcp.requested", version=UNKNOWN_VERSION)
        else:
            yield holds()


def _other_answer(exchange: Exchange, code: int, request: str) -> Check:
    due = wanted(exchange, code, 400)
    said: dict[str, Any] = {"request": request, "answer": answered(exchange), "wanted": due}
    return broken(exchange, "finding.mcp.other_answer", **said)


def _without_key(exchange: Exchange, key: str) -> Check:
    due = wanted(exchange, rpc.INVALID_PARAMS, 400)
    said: dict[str, Any] = {"key": key, "answer": answered(exchange), "wanted": due}
    return broken(exchange, "finding.mcp.without_key", **said)


@clause("MCP-VER-005")
def test_each_request_is_judged_by_its_own_version(run: RunEvidence) -> Checks:
    """A good request is accepted, one in an unknown version refused, and a good one accepted."""
    names = ("good", "unknown-version", "good-again")
    good, odd, again = (run.step("mcp_requests", name) for name in names)
    if good is None or odd is None or again is None or not is_ok(good):
        yield not_taken("mcp_requests", "good")
    elif odd.answer is None or proves_nothing(odd):
        yield other_refusal(odd)
    elif proves_nothing(again):
        yield other_refusal(again)
    elif is_ok(odd):
        yield broken(odd, "finding.mcp.version_remembered", version=UNKNOWN_VERSION)
    elif not is_ok(again):
        yield broken(again, "finding.mcp.good_refused_after", answer=answered(again))
    else:
        yield holds()


@clause("MCP-VER-006", protocol=True)
def test_an_unknown_version_in_the_header_is_refused(run: RunEvidence) -> Checks:
    """An unknown version in the header gets 400, if the request with the right one succeeded."""
    found: list[Exchange] = []
    yield from usable(run, "mcp_session", "unknown-version", found)
    good = run.step("mcp_session", "probe")
    for exchange in found:
        if good is None or not is_ok(good):
            yield not_taken("mcp_session", "probe")
        elif status_of(exchange) == 400:
            yield holds()
        else:
            yield broken(
                exchange,
                "finding.mcp.other_answer",
                request=f"{header_names.PROTOCOL_VERSION}: {UNKNOWN_VERSION}",
                answer=answered(exchange),
                wanted="HTTP 400",
            )


@clause("MCP-META-001")
def test_a_request_without_a_required_key_is_refused(run: RunEvidence) -> Checks:
    """A request without a required key of `_meta` is refused.

    Over stdio, a server that has a legacy era may take a request without a version for a legacy
    one.
    """
    good = run.step("mcp_requests", "good")
    if good is None or not is_ok(good):
        yield not_taken("mcp_requests", "good")
        return
    found: list[Exchange] = []
    yield from usable(run, "mcp_requests", "without-clientCapabilities", found)
    for exchange in found:
        if is_refused(exchange, rpc.INVALID_PARAMS, 400):
            yield holds()
        else:
            yield _without_key(exchange, f'_meta["{META}clientCapabilities"]')
    if not traits_of(run.run).over_http and has_legacy(run) is not False:
        return
    keys = {"without-protocolVersion": f'_meta["{META}protocolVersion"]', "without-meta": "_meta"}
    for step, key in keys.items():
        exchange_or_none = run.step("mcp_requests", step)
        if exchange_or_none is None or not is_ok(exchange_or_none):
            continue
        yield _without_key(exchange_or_none, key)
