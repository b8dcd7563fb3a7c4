"""The ARDF resources of a run, judged as the one catalog that they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.formats.problem import Problem, json_path
from conformance.formats.resource.resource import resource
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.cache import once
from conformance.kit.evidence.catalog import Found
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.verdicts.checks import Checks, broken, holds, unknown
from conformance.spec.vocabulary import ArdfBlock, ResourceType

_REFERRING = frozenset({"ARDF-COL-003", "ARDF-COL-004"})
"""Clauses that a part of the catalog cannot answer."""

Where = Callable[[Mapping[str, Any]], bool]
"""Says of a resource whether a clause is about it."""


@once
def _problems(run: RunEvidence) -> dict[str, list[tuple[Found, Problem]]]:
    """What is wrong with each resource, by clause; references may lead to any tool of the run."""
    found = _readable(run)
    known = {each.id for each in found}
    tools = [
        {"resource_id": name, "resource_type": ResourceType.TOOL.value}
        for name in run.by_tool
        if name not in known
    ]
    whole: dict[str, Any] = {"resources": [*(each.data for each in found), *tools]}
    if not run.offered.whole:
        whole["nextCursor"] = "more"  # what is referred to may stand on a page that nobody saw
    by_clause: dict[str, list[tuple[Found, Problem]]] = {}
    for problem in validate(whole, "collection"):
        place = problem.place
        if problem.clause is None or len(place) < 2 or not isinstance(place[1], int):
            continue
        if place[1] < len(found):  # the others stand for tools, which ATDF judges
            by_clause.setdefault(problem.clause, []).append((found[place[1]], problem))
    return by_clause


def _readable(run: RunEvidence) -> list[Found]:
    """The resources that there are: what cannot be read over MCP is MCP-RES-001's."""
    return [each for each in run.offered.resources if each.place or each.data is not None]


def judged(run: RunEvidence, clause: str, where: Where) -> Checks:
    """One check for each resource that a clause is about, and one for each of its problems."""
    problems = _problems(run).get(clause, [])
    for found, problem in problems:
        words = problem.message
        path = json_path((*found.place, *problem.place[2:]))
        yield broken(found.exchange, words.id, path=path, **dict(words.values))
    if clause in _REFERRING and not run.offered.whole:
        yield unknown("kit.not_verified.collections")
    bad = {id(found) for found, _ in problems}
    for found in run.offered.resources:
        if id(found) not in bad and isinstance(found.data, dict) and where(found.data):
            yield holds()


def each(_: Mapping[str, Any]) -> bool:
    """Every resource."""
    return True


def having(*names: str) -> Where:
    """The resources that have one of these fields."""
    return lambda item: any(name in item for name in names)


def of_type(*types: ResourceType) -> Where:
    """The resources of these types."""
    return lambda item: item.get("resource_type") in types


def using(*blocks: ArdfBlock) -> Where:
    """The resources that have one of these blocks, whatever dialect wrote it."""
    return lambda item: any(resource(item).block(block) is not None for block in blocks)
