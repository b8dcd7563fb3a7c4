"""What the HTTP binding lists, and where (HTTP-DISC)."""

from __future__ import annotations

from typing import Any

from conformance.formats.problem import shown
from conformance.formats.schema.uri import urlsplit
from conformance.http.scripts import COLLECTION, ONE
from conformance.kit.evidence.catalog import MANIFEST, RESOURCES, TOOLS, has_manifest
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.listing import is_bare_list
from conformance.kit.evidence.response import PROVES_NOTHING, body_json
from conformance.kit.evidence.script import LOOKED, MOST_PAGES
from conformance.kit.model.exchange import Exchange
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
from conformance.kit.verdicts.sent_words import step_words

_NAMES = ("name", "tool_id", "id", "resource_id")
"""Members that can have the name of a tool, in any form."""


def _status(exchange: Exchange | None) -> int:
    return exchange.answer.status if exchange is not None and exchange.answer is not None else 0


def _resources(run: RunEvidence) -> list[Any] | None:
    document = body_json(run.steps(LOOKED)[MANIFEST])
    listed = document.get("resources") if isinstance(document, dict) else None
    return listed if isinstance(listed, list) else None


@clause("HTTP-DISC-001")
def test_there_is_a_manifest(run: RunEvidence) -> Checks:
    """A GET of the manifest's path is answered with JSON that has a list of resources."""
    manifest = run.steps(LOOKED)[MANIFEST]
    if _status(manifest) == 200 and _resources(run) is not None:
        yield holds()
    elif manifest.answer is None:
        yield unknown("kit.not_verified.no_answer", manifest)
    else:
        route, status = urlsplit(manifest.http.url).path, _status(manifest)
        yield broken(manifest, "finding.http.no_manifest", route=route, status=status)


@clause("HTTP-DISC-002")
def test_a_manifest_lists_type_and_path(run: RunEvidence) -> Checks:
    """Each entry of the manifest has a type and a path."""
    manifest = run.steps(LOOKED)[MANIFEST]
    if not has_manifest(run.steps(LOOKED)):
        yield absent("kit.not_applicable.nothing_to_judge")
        return
    resources = _resources(run)
    if not resources:
        yield broken(manifest, "finding.http.manifest_empty")
        return
    for index, entry in enumerate(resources):
        fields = entry if isinstance(entry, dict) else {}
        if all(isinstance(fields.get(name), str) and fields[name] for name in ("type", "path")):
            yield holds()
        else:
            yield broken(
                manifest,
                "finding.http.manifest_entry",
                entry=shown(entry),
                path=f"$.resources[{index}]",
            )


@clause("HTTP-DISC-003")
def test_every_collection_answers_json(run: RunEvidence) -> Checks:
    """Each page of each collection is answered with JSON. A page of tools has a list of them."""
    for step, exchange in run.steps("http_look_around").items():
        if step.name == COLLECTION:
            yield _collection(exchange, holding=isinstance(body_json(exchange), dict | list))
    for step, exchange in run.steps(LOOKED).items():
        if step.name == RESOURCES and step.number > 1:  # the first page was checked above
            yield _collection(exchange, holding=isinstance(body_json(exchange), dict | list))
        if step.name != TOOLS:
            continue
        document = body_json(exchange)
        if is_bare_list(document):
            yield broken(exchange, "finding.http.bare_list", url=exchange.http.url)
            continue
        members = document if isinstance(document, dict) else {}
        listed = [members.get("tools"), members.get("resources")]
        holding = any(isinstance(one, list) for one in listed)
        yield _collection(exchange, holding=holding, without="finding.http.no_list")


def _collection(
    exchange: Exchange, *, holding: bool, without: str = "finding.http.collection"
) -> Check:
    """Check an answer. `holding` says whether it is what it should be, and `without` that it is
    not.
    """
    if holding and _status(exchange) == 200:
        return holds()
    if exchange.answer is None:
        return unknown("kit.not_verified.no_answer", exchange)
    if _status(exchange) in PROVES_NOTHING:
        return other_refusal(exchange)
    found = "finding.http.collection_status" if holding else without
    return broken(exchange, found, url=exchange.http.url, status=_status(exchange))


@clause("HTTP-DISC-004")
def test_one_resource_is_found_by_its_id(run: RunEvidence) -> Checks:
    """Each tool is found by its id, and an unknown id is answered with 404."""
    unknown_id = run.step("http_look_around", "unknown-id")
    if unknown_id is None or unknown_id.answer is None:
        yield unknown("kit.not_verified.step", reason=step_words("unknown-id"))
        return
    steps = run.steps("http_look_around").items()
    found = [exchange for step, exchange in steps if step.name == ONE]
    if not found:
        yield unknown("kit.not_verified.step", reason=step_words("one"))
    for one in found:
        if one.answer is None or _status(one) in PROVES_NOTHING:
            yield unknown("kit.not_verified.step", one, reason=step_words("one"))
        elif _status(one) == 200 and isinstance(body_json(one), dict):
            yield holds()
        else:
            yield broken(one, "finding.http.one", url=one.http.url, status=_status(one))
    if _status(unknown_id) == 404:
        yield holds()
    elif _status(unknown_id) in PROVES_NOTHING:
        yield other_refusal(unknown_id)
    else:
        yield broken(unknown_id, "finding.http.unknown_id", status=_status(unknown_id))


@clause("HTTP-DISC-005")
def test_health_is_answered(run: RunEvidence) -> Checks:
    """The health request is answered with a 2xx."""
    health = run.step("http_look_around", "health")
    if health is None or health.answer is None:
        yield unknown("kit.not_verified.step", reason=step_words("health"))
    elif 200 <= _status(health) < 300:
        yield holds()
    else:
        yield broken(health, "finding.http.health", status=_status(health))


@clause("HTTP-DISC-006")
def test_pages_come_to_an_end(run: RunEvidence) -> Checks:
    """No cursor and no tool appears twice, and the pages end. A single page shows nothing."""
    for pages in _lists(run):
        names: set[str] = set()
        cursors: set[str] = set()
        for exchange in pages:
            document = body_json(exchange)
            own = _names(document)
            again = next((name for name in own if name in names), None)
            if again is not None:
                yield broken(exchange, "finding.http.tool_again", tool=again)
            names.update(own)
            cursor = document.get("nextCursor") if isinstance(document, dict) else None
            if not isinstance(cursor, str) or not cursor:
                continue
            if cursor in cursors:
                yield broken(exchange, "finding.http.cursor_again", cursor=shown(cursor))
            elif len(cursors) + 1 == MOST_PAGES:
                yield broken(exchange, "finding.http.endless", pages=MOST_PAGES)
            else:
                yield holds()
            cursors.add(cursor)


def _lists(run: RunEvidence) -> list[list[Exchange]]:
    """Return the pages of each collection of tools that discovery read, in order."""
    found: dict[str, list[Exchange]] = {}
    for step, exchange in run.steps(LOOKED).items():
        if step.name == TOOLS:
            found.setdefault(step.place, []).append(exchange)
    return list(found.values())


def _names(document: Any) -> list[str]:
    """Return the names that a page lists, in any form."""
    members = document if isinstance(document, dict) else {}
    lists = [members.get(member) for member in ("tools", "resources")]
    items = [item for one in lists if isinstance(one, list) for item in one]
    named = [item.get(key) for item in items if isinstance(item, dict) for key in _NAMES]
    return [name for name in named if isinstance(name, str)]
