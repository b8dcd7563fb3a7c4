"""An order of the faults in which every beginning is a fair sample of all kinds of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from fixtures.servers.faults.fault import Fault

SEED: Final = 20261121


def ordered(faults: Sequence[Fault], seed: int = SEED) -> list[Fault]:
    """Spread the kinds evenly: sorted by kind, shuffled within it, and then taken by halving.

    A kind is the chapter of the first clause, such as `ATDF-CALL`. Halving takes the first, then
    the one in the middle, then those at the quarters, and so on.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    drawn = sorted(faults, key=lambda fault: (kind(fault), chance.random()))
    bits = max(1, (len(drawn) - 1).bit_length())
    places = (int(f"{number:0{bits}b}"[::-1], 2) for number in range(1 << bits))
    return [drawn[place] for place in places if place < len(drawn)]


def kind(fault: Fault) -> str:
    """Give the chapter of a fault's first clause."""
    return fault.clauses[0].rpartition("-")[0]
