"""An order of the faults in which any first part is a fair sample of all kinds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from fixtures.servers.faults.fault import Fault

SEED: Final = 20261121


def ordered(faults: Sequence[Fault], seed: int = SEED) -> list[Fault]:
    """Sort by kind, shuffle within each kind, then take by halving, so that kinds spread evenly.

    A kind is the chapter of the first clause, such as `ATDF-CALL`. Halving takes the first, then
    the middle one, then those at the quarters, and so on.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    drawn = sorted(faults, key=lambda fault: (kind(fault), chance.random()))
    bits = max(1, (len(drawn) - 1).bit_length())
    places = (int(f"{number:0{bits}b}"[::-1], 2) for number in range(1 << bits))
    return [drawn[place] for place in places if place < len(drawn)]


def kind(fault: Fault) -> str:
    """Return the chapter of a fault's first clause."""
    return fault.clauses[0].rpartition("-")[0]
