"""What the search box finds of a row beyond the text in it: the places that its list leaves off.

A tool's name may belong to hundreds of rows. Each is written once, and a row holds its number.
"""

from __future__ import annotations

from itertools import pairwise

from conformance.kit.report.fold import Row
from conformance.kit.report.places import PLACES
from conformance.kit.report.view import View

MOST = 20_000
"""Names that can be found; each costs the page some twenty characters."""

_LONGEST = 80


class Terms:
    """Numbers the names of a report: tools, and the parameters of findings."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._numbers: dict[str, int] = {}

    def of(self, row: Row) -> str:
        """Give the numbers of a row's names as ranges (`0-19 25`); empty where all are in it."""
        if len(row.places) <= PLACES:
            return ""
        names = dict.fromkeys(row.tools)
        for place in row.places:
            if place.finding is not None and place.finding.parameter:
                names[place.finding.parameter] = None
        found = (self._number(name) for name in names)
        return _ranges(sorted({number for number in found if number is not None}))

    def _number(self, name: str) -> int | None:
        shown = self._view.text(name, _LONGEST)  # without secrets, which a cut would halve
        if shown not in self._numbers and len(self._numbers) >= MOST:
            return None
        return self._numbers.setdefault(shown, len(self._numbers))

    def listed(self) -> str:
        """Give the names as HTML, in the order of their numbers."""
        names = "".join(f"<i>{name}</i>" for name in self._numbers)
        return f'<template id="terms">{names}</template>'


def _ranges(numbers: list[int]) -> str:
    if not numbers:
        return ""
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b > a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b > a + 1), numbers[-1]]
    pairs = zip(starts, ends, strict=True)
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in pairs)
