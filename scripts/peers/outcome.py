"""What one run of a kit against one server gave, and when a fault counts as found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Failure = tuple[str, ...]
"""The name of a failure: what was broken and where, in a kit's own words, never a random value."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run. `finished` is False where the kit had to be stopped, or gave no result.

    `seconds` are those of the clock, `processor` those that the kit itself kept a processor busy.
    """

    failures: frozenset[Failure]
    seconds: float
    requests: int | None = None
    finished: bool = True
    processor: float = 0.0


def added(outcome: Outcome, sound: Iterable[Outcome]) -> frozenset[Failure]:
    """Give the failures that no run on the sound server had: by them a fault is found.

    The rule is the same for every kit. A kit whose run on the faulty server says anything of its
    operations, checks or clauses that none of its runs on the sound one said, has found the fault.
    """
    return outcome.failures.difference(*(each.failures for each in sound))
