"""The resources themselves, and how they are used: one judge for every clause about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.problem import Problem, json_path
from conformance.formats.resource.resource import resource
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.cache import cached
from conformance.kit.evidence.catalog import Found
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.verdicts.checks import Checks, broken_rule, family, holds, unknown
from conformance.spec.clauses import Clause, When
from conformance.spec.vocabulary import Family, ResourceType


@family(Family.RESOURCE)
def test_each_resource(run: RunEvidence, clause: Clause) -> Checks:
    """Each resource with a clause's fields follows the clause; each problem is a finding."""
    problems = _problems(run).get(clause.id, [])
    for found, problem in problems:
        path = json_path((*found.place, *problem.place[2:]))
        yield broken_rule(found.exchange, problem, path)
    if clause.when.whole and not run.offered.whole:
        yield unknown("kit.not_verified.collections")
    bad = {id(found) for found, _ in problems}
    for found in run.offered.resources:
        if id(found) not in bad and isinstance(found.data, dict) and _has(found.data, clause.when):
            yield holds()


def _has(item: Mapping[str, Any], when: When) -> bool:
    """Return whether a resource has what a clause is about; its blocks may be in any dialect."""
    return (
        when.always
        or any(name in item for name in when.has)
        or item.get("resource_type") in when.type
        or any(resource(item).block(block) is not None for block in when.block)
    )


@cached
def _problems(run: RunEvidence) -> dict[str, list[tuple[Found, Problem]]]:
    """Return the problems of each resource, by clause. References may lead to any tool of the run.

    All resources of a run are checked together, as one catalog.
    """
    found = _readable(run)
    known = {each.id for each in found}
    tools = [
        {"resource_id": name, "resource_type": ResourceType.TOOL.value}
        for name in run.by_tool
        if name not in known
    ]
    whole: dict[str, Any] = {"resources": [*(each.data for each in found), *tools]}
    if not run.offered.whole:
        whole["nextCursor"] = "more"  # a reference may lead to a page that was not read
    by_clause: dict[str, list[tuple[Found, Problem]]] = {}
    for problem in validate(whole, "collection"):
        place = problem.place
        if problem.clause is None or len(place) < 2 or not isinstance(place[1], int):
            continue
        if place[1] < len(found):  # the others represent tools, which ATDF's clauses check
            by_clause.setdefault(problem.clause, []).append((found[place[1]], problem))
    return by_clause


def _readable(run: RunEvidence) -> list[Found]:
    """Return the resources that could be read. MCP-RES-001 reports the others."""
    return [each for each in run.offered.resources if each.place or each.data is not None]
