"""The result of one kit's run against one server, and when a fault counts as found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Failure = tuple[str, ...]
"""A failure: what was broken and where, in the kit's terms, without random values."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run. `finished` is False if the kit had to be stopped, or had no result.

    `seconds` is the elapsed time, and `processor` the kit's processor time.
    """

    failures: frozenset[Failure]
    seconds: float
    requests: int | None = None
    finished: bool = True
    processor: float = 0.0


def added(outcome: Outcome, sound: Iterable[Outcome]) -> frozenset[Failure]:
    """Return the failures that no run on the server without faults had.

    If there is one, the kit has found the fault. The rule is the same for every kit: it may report
    operations, checks or clauses.
    """
    return outcome.failures.difference(*(each.failures for each in sound))
