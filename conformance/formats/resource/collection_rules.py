"""The rules between ARDF resources (ids, references, cycles), and the rules of a manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.resource.resource import Resource, references, resources, steps
from conformance.formats.resource.rules import resource_problems
from conformance.spec.messages import message
from conformance.spec.vocabulary import ArdfBlock, ResourceType

_MOST_SHOWN = 8
"""The most resources that the message about a cycle shows."""
MOST_TOLD = 10_000
"""The most problems inside the parts of a document that are listed, and the most between them.

A short document may have millions.
"""


def ardf_problems(document: str, data: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of an ARDF document, by its name, that its schema does not find."""
    if document == "manifest":
        return list(islice(_paths(data), MOST_TOLD))
    listed = resources(document, data)
    own = (each for known in listed for each in resource_problems(known))
    found = list(islice(own, MOST_TOLD))
    between = [_cycles(listed)]
    if document == "collection":
        if "nextCursor" not in data:  # the other pages may have them
            between = [_lost(listed), _unbound(listed), *between]
        between = [_ids(listed), *between]
    return [*found, *islice(chain.from_iterable(between), MOST_TOLD)]


def _ids(listed: list[Resource]) -> Iterator[Problem]:
    """Yield the resources that have the id of an earlier one (ARDF-COL-002)."""
    types: dict[str, Any] = {}
    for known in listed:
        if known.id is None:
            continue
        if known.id in types:
            type_ = shown(types[known.id])
            said = message("documents.resource.id_twice", name=shown(known.id), type=type_)
            yield _problem(known.at("resource_id"), "ARDF-COL-002", said)
        types.setdefault(known.id, known.item.get("resource_type"))


def _lost(listed: list[Resource]) -> Iterator[Problem]:
    """Yield the references to nothing, or to a resource of another type (ARDF-COL-003)."""
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
    """Yield the entries of `applies_to` that mean no resource (ARDF-COL-004)."""
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
    """Yield each step that leads back to a composition before it (ARDF-COMP-003)."""
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
        trail, left = ([start], [iter(first)]) if start not in done else ([], [])
        on_the_way = set(trail)
        while trail:
            step = next(left[-1], None)
            if step is None:
                left.pop()
                on_the_way.discard(here := trail.pop())
                done.add(here)
            elif step[1] in on_the_way:
                shown_ = " → ".join(shown(each, 40) for each in _back_to(step[1], trail))
                said = message("documents.resource.cycle", trail=shown_)
                yield _problem(step[0], "ARDF-COMP-003", said)
            elif step[1] in leads and step[1] not in done:
                trail.append(step[1])
                left.append(iter(leads[step[1]]))
                on_the_way.add(step[1])


def _back_to(name: str, trail: list[str]) -> list[str]:
    """Return the end of the trail, from `name` on, followed by `name`."""
    end = trail[1 - _MOST_SHOWN :]
    return [*(end[end.index(name) :] if name in end else end), name]


def _paths(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the paths that a manifest already has (ARDF-MAN-002)."""
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
