"""The ids of cases: stable over sessions, ASCII, and told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from conformance.kit.model.case import CaseKind
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.slug import slug
from conformance.kit.schema.places import Tokens

MOST_BASELINE_CALLS = 16
"""Calls of a tool that are tried until one is accepted."""


def good_id(run: str, tool: str, kind: CaseKind, number: int = 0) -> CaseId:
    """Give the id of a baseline call; `number` counts the baseline calls that are tried.

    The baseline call without a number is the one that was accepted, as a neighbor of branches.
    """
    return CaseId(run, tool, f"{kind.value}-{number}" if number else kind.value)


def good_ids(run: str, tool: str) -> Iterator[CaseId]:
    """Give the ids of the baseline calls: they are in no plan, as they are made on the way."""
    for number in range(1, MOST_BASELINE_CALLS + 1):
        yield good_id(run, tool, CaseKind.BASELINE, number)
    yield good_id(run, tool, CaseKind.SECOND)
    yield good_id(run, tool, CaseKind.AFTER)


def place_of(tokens: Tokens, variant: str = "") -> str:
    """Name a place, and what tells several deviations there apart, for an id."""
    name = slug(".".join(str(t) for t in tokens)) if tokens else "arguments"
    return f"{name}-{slug(variant)}" if variant else name


class Ids:
    """Gives each case of a tool its id; a second one of the same name gets a number."""

    def __init__(self, run: str, tool: str) -> None:
        self._run, self._tool = run, tool
        self._given: Counter[CaseId] = Counter()

    def give(self, scenario: str, place: str, branch: str = "") -> CaseId:
        """Make the id of a case; `branch` names the one inside which it deviates."""
        first = CaseId(self._run, self._tool, scenario, place, branch)
        self._given[first] += 1
        count = self._given[first]
        return first if count == 1 else replace(first, count=count)
