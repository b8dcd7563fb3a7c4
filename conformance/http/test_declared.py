"""Compares what a server claims about itself with what it does (DECL, SRV-PATH)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.problem import json_path
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.catalog import (
    CATALOG,
    MANIFEST,
    RESOURCES,
    RESOURCES_LIST,
    TOOLS_LIST,
)
from conformance.kit.evidence.declared_conformance import (
    claimed_offers,
    claims_in,
    in_capabilities,
    place_in_capabilities,
)
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import body_json, response_of
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import (
    Check,
    Checks,
    absent,
    broken,
    broken_rule,
    clause,
    holds,
    unknown,
)
from conformance.spec.vocabulary import Offer

_SCRIPT, _LINKED, _PROFILE = "http_declared", "linked", "profile"
_NOT_THERE = frozenset({404, 410})
_LISTS = {
    Offer.RESOURCES: (MANIFEST.name, RESOURCES, RESOURCES_LIST),
    Offer.TOOLSETS: (CATALOG.name, TOOLS_LIST),
}
"""The names of the discovery steps that show whether a server offers something."""
_MEMBERS = ("tools", "resources")
_NOTHING = "kit.not_applicable.no_declaration"


@clause("DECL-DOC-001")
def test_the_discovery_document_is_valid(run: RunEvidence) -> Checks:
    """The discovery document, if there is one, is valid."""
    document = run.offered.discovery or in_capabilities(run.capabilities)
    if document is None:
        yield absent(_NOTHING)
        return
    above = () if run.offered.discovery else place_in_capabilities(run.capabilities)
    problems = validate(document, "discovery")
    for problem in problems:
        yield broken_rule(run.offered.discovery_at, problem, json_path((*above, *problem.place)))
    if not problems:
        yield holds()


@clause("DECL-LINK-001")
def test_what_is_linked_is_there(run: RunEvidence) -> Checks:
    """Nothing that the discovery document links to is answered with 404 or 410."""
    linked = _steps(run, _LINKED)
    if not linked:
        yield absent(_NOTHING)
    for path, exchange in linked.items():
        if exchange.answer is None:
            yield unknown("kit.not_verified.no_answer", exchange)
        elif exchange.answer.status in _NOT_THERE:
            status = exchange.answer.status
            yield broken(exchange, "finding.http.link_lost", route=path, status=status)
        else:
            yield holds()


@clause("DECL-CLS-001")
def test_what_is_claimed_is_offered(run: RunEvidence) -> Checks:
    """A server that claims resources or a toolset catalog offers them."""
    document = run.offered.discovery or in_capabilities(run.capabilities)
    for offer in claimed_offers(claims_in(document)):
        failed = _unanswered(run, offer)
        if offer in run.offered.names:
            yield holds()
        elif failed is not None:
            yield unknown("kit.not_verified.no_answer", failed)
        else:
            yield broken(run.offered.discovery_at, "finding.claimed_not_offered", name=offer.value)


def _unanswered(run: RunEvidence, offer: Offer) -> Exchange | None:
    """Return a request for the list that leaves open whether the server offers it, or None.

    Its answer has no page, or the page was not the last one.
    """
    asked = [e for step, e in run.steps(LOOKED).items() if step.name in _LISTS[offer]]
    silent = next((each for each in asked if _page(each) is None), None)
    if silent is None and asked and all((_page(each) or {}).get("nextCursor") for each in asked):
        return asked[-1]
    return silent


def _page(exchange: Exchange) -> Mapping[str, Any] | None:
    """Return the page in an answer, an empty page if nothing is at the catalog's path, or None."""
    if exchange.request.is_rpc:
        page = (response_of(exchange) or {}).get("result")
        return page if isinstance(page, dict) and not page.keys().isdisjoint(_MEMBERS) else None
    status = exchange.answer.status if exchange.answer is not None else 0
    if exchange.step == CATALOG and status in _NOT_THERE:
        return {}
    page = body_json(exchange) if 200 <= status < 300 else None
    return page if isinstance(page, dict) else None


@clause("SRV-PATH-001")
def test_the_routes_of_the_profile_are_there(run: RunEvidence) -> Checks:
    """A server that claims the profile answers its routes with a 2xx."""
    asked = _steps(run, _PROFILE)
    if not asked:
        yield absent(_NOTHING)
    for path, exchange in asked.items():
        yield _answered(exchange, path)


def _answered(exchange: Exchange, path: str) -> Check:
    if exchange.answer is None:
        return unknown("kit.not_verified.no_answer", exchange)
    status = exchange.answer.status
    if 200 <= status < 300:
        return holds()
    return broken(exchange, "finding.http.profile_route", route=path, status=status)


def _steps(run: RunEvidence, name: str) -> dict[str, Exchange]:
    return {s.place: exchange for s, exchange in run.steps(_SCRIPT).items() if s.name == name}
