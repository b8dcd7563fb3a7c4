"""The ids of cases: the same in every session, in ASCII, and distinct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from conformance.kit.model.case import CaseKind
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.slug import slug
from conformance.kit.schema.places import Tokens

MOST_BASELINE_CALLS = 16
"""The most calls of a tool that are tried until one is accepted."""


def good_id(run: str, tool: str, kind: CaseKind, number: int = 0) -> CaseId:
    """Return the id of a baseline call. `number` counts the baseline calls that are tried.

    Without a number, it is the id of the accepted one, which branches have as their neighbor.
    """
    return CaseId(run, tool, f"{kind.value}-{number}" if number else kind.value)


def good_ids(run: str, tool: str) -> Iterator[CaseId]:
    """Yield the ids of the baseline calls and of their repetitions.

    No plan contains these calls.
    """
    for number in range(1, MOST_BASELINE_CALLS + 1):
        yield good_id(run, tool, CaseKind.BASELINE, number)
    yield good_id(run, tool, CaseKind.SECOND)
    yield good_id(run, tool, CaseKind.AFTER)
    yield good_id(run, tool, CaseKind.AFTER, 2)


def place_of(tokens: Tokens, variant: str = "") -> str:
    """Return the part of an id that names a place, and the variant of a deviation there."""
    name = slug(".".join(str(t) for t in tokens)) if tokens else "arguments"
    return f"{name}-{slug(variant)}" if variant else name


class Ids:
    """Gives each case of a tool its id. If an id is taken already, it gets a number."""

    def __init__(self, run: str, tool: str) -> None:
        self._run, self._tool = run, tool
        self._given: Counter[CaseId] = Counter()

    def give(self, scenario: str, place: str, branch: str = "") -> CaseId:
        """Return the id of a case. `branch` is the branch in which the case deviates."""
        first = CaseId(self._run, self._tool, scenario, place, branch)
        self._given[first] += 1
        count = self._given[first]
        return first if count == 1 else replace(first, count=count)
