"""The rules between ARDF resources: ids, references, cycles; and those of a manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.resource.resource import Resource, references, resources, steps
from conformance.formats.resource.rules import resource_problems
from conformance.spec.messages import message
from conformance.spec.vocabulary import ArdfBlock, ResourceType

_MOST_SHOWN = 8
"""Resources that a cycle is shown with."""


def ardf_problems(document: str, data: Mapping[str, Any]) -> list[Problem]:
    """The problems of an ARDF document, by its name, that its schema does not find."""
    if document == "manifest":
        return list(_paths(data))
    listed = resources(document, data)
    found = [each for known in listed for each in resource_problems(known)]
    if document == "collection":
        found += _ids(listed)
        if "nextCursor" not in data:  # a page of many cannot tell what the others hold
            found += [*_lost(listed), *_unbound(listed)]
    return [*found, *_cycles(listed)]


def _ids(listed: list[Resource]) -> Iterator[Problem]:
    """ARDF-COL-002."""
    seen: set[str] = set()
    for known in listed:
        if known.id is not None and known.id in seen:
            said = message("documents.resource.id_twice", name=shown(known.id))
            yield _problem(known.at("resource_id"), "ARDF-COL-002", said)
        seen |= {known.id} if known.id is not None else set()


def _lost(listed: list[Resource]) -> Iterator[Problem]:
    """ARDF-COL-003."""
    types = {known.id: known.item.get("resource_type") for known in listed}
    for known in listed:
        for place, name, wanted in references(known):
            if name not in types:
                said = message("documents.reference.nowhere", name=shown(name))
                yield _problem(place, "ARDF-COL-003", said)
            elif wanted is not None and types[name] != wanted:
                said = message(
                    "documents.resource.other_type",
                    name=shown(name),
                    type=shown(types[name]),
                    expected=wanted,
                )
                yield _problem(place, "ARDF-COL-003", said)


def _unbound(listed: list[Resource]) -> Iterator[Problem]:
    """ARDF-COL-004."""
    named = {"*", *ResourceType, *(known.id for known in listed)}
    for known in listed:
        block = known.block(ArdfBlock.GUARDRAILS)
        bound = block.data.get("applies_to") if block is not None else None
        if block is None or not isinstance(bound, list):
            continue
        for index, each in enumerate(bound):
            if isinstance(each, str) and each not in named:
                said = message("documents.resource.applies_to", name=shown(each))
                place = known.at(*block.at("applies_to", index))
                yield _problem(place, "ARDF-COL-004", said)


def _cycles(listed: list[Resource]) -> Iterator[Problem]:
    """ARDF-COMP-003: each step that leads back to a composition on the way to it, once."""
    leads: dict[str, list[tuple[Place, str]]] = {}
    for known in listed:
        block = known.block(ArdfBlock.COMPOSITION)
        if known.id is not None and block is not None and known.id not in leads:
            leads[known.id] = [
                (known.at(*block.at("steps", index, "resource_ref")), step["resource_ref"])
                for index, step in steps(block)
            ]
    done: set[str] = set()
    for start, first in leads.items():
        trail = {start: iter(first)} if start not in done else {}
        while trail:
            here = next(reversed(trail))
            step = next(trail[here], None)
            if step is None:
                del trail[here]
                done.add(here)
            elif step[1] in trail:
                names = [*list(trail)[list(trail).index(step[1]) :], step[1]]
                shown_ = " → ".join(shown(each, 40) for each in names[-_MOST_SHOWN:])
                said = message("documents.resource.cycle", trail=shown_)
                yield _problem(step[0], "ARDF-COMP-003", said)
            elif step[1] in leads and step[1] not in done:
                trail[step[1]] = iter(leads[step[1]])


def _paths(data: Mapping[str, Any]) -> Iterator[Problem]:
    """ARDF-MAN-002."""
    seen: set[str] = set()
    listed = data.get("resources")
    for index, each in enumerate(listed if isinstance(listed, list) else ()):
        path = each.get("path") if isinstance(each, dict) else None
        if isinstance(path, str):
            if path in seen:
                said = message("documents.manifest.path_twice", found=shown(path))
                yield _problem(("resources", index, "path"), "ARDF-MAN-002", said)
            seen.add(path)


def _problem(place: Place, clause: str, said: Any) -> Problem:
    return problem(place, clause, said, clause=clause)
