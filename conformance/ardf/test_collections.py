"""Collections and the manifest, and how resources are found (ARDF-COL, -MAN, HTTP-RES, MCP-RES)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.ardf.scripts import FILTERED, ONE, UNKNOWN, named
from conformance.formats.problem import shown
from conformance.formats.tool.errors import envelope_of
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.catalog import MANIFEST, MEDIA_TYPE, READ, Found, members
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import body_json, response_of
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import (
    Checks,
    broken,
    by_rules,
    clause,
    family,
    holds,
    unknown,
)
from conformance.spec.clauses import Clause
from conformance.spec.messages import listed
from conformance.spec.vocabulary import Family

_NOTHING_SAID = frozenset({401, 403, 429, 503})
"""Statuses about rights and load, which do not show what exists."""


def _status(exchange: Exchange) -> int:
    return exchange.answer.status if exchange.answer is not None else 0


@clause("ARDF-COL-001")
def test_a_collection_holds_resources(run: RunEvidence) -> Checks:
    """Each page that could be read is a valid collection."""
    for collection in run.offered.collections:
        for page in collection.pages:
            document = body_json(page)
            if _status(page) != 200 or document is None:
                continue  # HTTP-DISC-003 reports it
            listed = document if not isinstance(document, dict) else _without_items(document)
            yield from by_rules(page, validate(listed, "collection"), "ARDF-COL-001")


def _without_items(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page without its resources, which are checked one by one."""
    listed = document.get("resources")
    return {**document, "resources": []} if isinstance(listed, list) else dict(document)


@family(Family.MANIFEST)
def test_the_manifest(run: RunEvidence, clause: Clause) -> Checks:
    """The manifest, if it could be read, follows the rules."""
    exchange = run.steps(LOOKED).get(MANIFEST)
    document = body_json(exchange) if exchange is not None and _status(exchange) == 200 else None
    if document is not None:
        yield from by_rules(exchange, validate(document, "manifest"), clause.id)


def _asked(run: RunEvidence, name: str) -> Iterator[tuple[Step, Exchange]]:
    """Yield the steps of the chapter's script that have this name."""
    for step, exchange in run.steps("ardf_look_around").items():
        if step.name == name:
            yield step, exchange


@clause("HTTP-RES-001")
def test_one_resource_is_the_same_alone(run: RunEvidence) -> Checks:
    """Each resource of a collection is the same when it is requested by its id."""
    asked = [*_asked(run, ONE)]
    own = {path: named(run.offered, path) for path in {step.place for step, _ in asked}}
    for step, exchange in asked:
        # An earlier kit recorded only the first resource of each collection, without a number.
        found = own[step.place][max(step.number, 1) - 1 :][:1]
        if not found:
            yield unknown("kit.not_verified.not_recorded", exchange)
            continue
        in_list, document = found[0], body_json(exchange)
        if exchange.answer is None or _status(exchange) in _NOTHING_SAID:
            yield unknown("kit.not_verified.no_answer", exchange)
        elif _status(exchange) != 200 or not isinstance(document, dict):
            url, status = exchange.http.url, _status(exchange)
            yield broken(exchange, "finding.ardf.one_absent", url=url, status=status)
        elif document != in_list.data:
            names = [n for n in {**in_list.data, **document} if _differs(n, in_list, document)]
            url, members = exchange.http.url, listed(names[:5])
            yield broken(exchange, "finding.ardf.one_differs", url=url, members=members)
        else:
            yield holds()
    if any(steps < len(own[path]) for path, steps in Counter(s.place for s, _ in asked).items()):
        yield unknown("kit.not_verified.items", count=len(asked))


def _differs(name: str, listed: Found, alone: Mapping[str, Any]) -> bool:
    return bool(listed.data.get(name) != alone.get(name))


@clause("HTTP-RES-002")
def test_an_unknown_id_is_answered_with_404(run: RunEvidence) -> Checks:
    for _, exchange in _asked(run, UNKNOWN):
        if exchange.answer is None or _status(exchange) in _NOTHING_SAID:
            yield unknown("kit.not_verified.no_answer", exchange)
        elif _status(exchange) == 404:
            yield holds()
        else:
            url, status = exchange.http.url, _status(exchange)
            yield broken(exchange, "finding.ardf.unknown_id", url=url, status=status)


@clause("HTTP-RES-003")
def test_a_refused_request_for_a_resource_has_the_envelope(run: RunEvidence) -> Checks:
    for exchange in run.steps("ardf_look_around").values():
        if _status(exchange) < 400:
            continue
        if envelope_of(body_json(exchange)) is None:
            url, status = exchange.http.url, _status(exchange)
            yield broken(exchange, "finding.ardf.no_envelope", url=url, status=status)
        else:
            yield holds()


@clause("HTTP-RES-004")
def test_the_filter_leaves_resources_of_one_type(run: RunEvidence) -> Checks:
    """A filter by a type leaves only resources of that type, or none.

    The filters are a type that the collection has, and one that it does not have.
    """
    for step, exchange in _asked(run, FILTERED):
        if _status(exchange) != 200:
            continue
        for found in members(body_json(exchange), "resources"):
            kind = found.get("resource_type") if isinstance(found, dict) else None
            if kind != step.type:
                name = shown(found.get("resource_id") if isinstance(found, dict) else found)
                values = {"wanted": step.type, "resource": name, "type": shown(kind)}
                yield broken(exchange, "finding.ardf.filter", **values)
                break
        else:
            yield holds()


@clause("HTTP-RES-005")
def test_a_collection_holds_what_the_manifest_says(run: RunEvidence) -> Checks:
    types = {each.path: each.type for each in run.offered.collections}
    for found in run.offered.resources:
        wanted = types.get(found.collection)
        if wanted is None or found.type is None:
            continue
        if found.type == wanted:
            yield holds()
        else:
            yield broken(
                found.exchange,
                "finding.ardf.other_type",
                wanted=wanted,
                resource=shown(found.id),
                type=shown(found.type),
                collection=found.collection,
            )


@clause("MCP-RES-001")
def test_a_resource_is_read_as_one_text(run: RunEvidence) -> Checks:
    """A resource that is listed with ARDF's media type is read as one text of that type."""
    for found in run.offered.resources:
        step = found.exchange.step
        if step is None or step.name != READ:
            continue
        uri = shown(step.place)
        if found.exchange.answer is None:
            yield unknown("kit.not_verified.no_answer", found.exchange)
            continue
        contents = members((response_of(found.exchange) or {}).get("result"), "contents")
        kind = contents[0].get("mimeType") if contents and isinstance(contents[0], dict) else None
        if len(contents) != 1 or not isinstance(found.data, dict):
            yield broken(found.exchange, "finding.ardf.unreadable", uri=uri)
        elif kind != MEDIA_TYPE:
            yield broken(found.exchange, "finding.ardf.media_type", uri=uri, type=shown(kind))
        else:
            yield holds()


@clause("MCP-RES-002")
def test_a_read_of_what_is_not_there_is_refused(run: RunEvidence) -> Checks:
    """Reading an unknown URI gets an error. MCP's versions name different codes, so any code will
    do.
    """
    exchange = run.step("ardf_absent", UNKNOWN)
    if exchange is None or _status(exchange) in _NOTHING_SAID:
        return
    answer = response_of(exchange)
    if answer is None:
        yield unknown("kit.not_verified.no_answer", exchange)
    elif "error" in answer:
        yield holds()
    else:
        yield broken(exchange, "finding.ardf.absent_read")
