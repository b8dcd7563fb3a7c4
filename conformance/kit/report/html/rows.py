"""Rows of the report: one for each clause and message, with all its tools, the gravest first.

The filters for rows and the terms of the search are here too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from conformance.kit.model.results import Finding, Item
from conformance.kit.report.findings import alike, answers, each_once
from conformance.kit.report.levels import GRAVITY
from conformance.kit.report.reporter import Report
from conformance.kit.report.words import Told, others
from conformance.kit.verdicts.judge import NOT_OFFERED
from conformance.spec.messages import Topic
from conformance.spec.vocabulary import Requirement, Verdict

PLACES = 20
"""The most places in the list of a row."""

_NAMES = 20_000
"""The most names that the search can find; each adds some twenty characters to the page."""

_LONGEST = 80

_OF_NO_CLAUSE = frozenset({Topic.LEFT_OUT, Topic.NOT_APPLICABLE})
"""Topics of messages that are the same for all clauses, such as that a tool is left out."""

LIMIT = 500
"""The most rows that are shown. More would take too long to open, and nobody reads so far."""

_BROKEN = frozenset(GRAVITY[: GRAVITY.index(Verdict.NOT_VERIFIED)])
_NOT_OFFERED = frozenset(NOT_OFFERED.values())


@dataclass(frozen=True, slots=True)
class Place:
    """One tool of one run where a row's message holds."""

    item: Item
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Row:
    """All places with the same clause, verdict and message; `id` is an ASCII anchor."""

    id: str
    clause: str
    requirement: Requirement
    verdict: Verdict
    places: tuple[Place, ...]
    also: tuple[Row, ...] = ()
    """Rows of other clauses about the same answers."""

    @property
    def finding(self) -> Finding | None:
        """The finding of the first place.

        The messages of the others differ only in their values.
        """
        return self.places[0].finding

    @property
    def clauses(self) -> tuple[str, ...]:
        """The ids of the clauses: one, or all that share a reason that is not about a clause."""
        return tuple(dict.fromkeys(place.item.clause for place in self.places))

    @property
    def parts(self) -> tuple[Row, ...]:
        """The row itself, and the rows of other clauses that are reported with it."""
        return (self, *self.also)

    @property
    def tools(self) -> tuple[str, ...]:
        """The raw names of the tools, each once, in order."""
        names = (place.item.tool for place in self.places)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the runs, each once, in order."""
        return tuple(dict.fromkeys(place.item.run for place in self.places))


@dataclass(frozen=True, slots=True)
class Folded:
    """The rows to show, and the number of those left off."""

    rows: tuple[Row, ...]
    rest: int

    def anchors(self) -> dict[tuple[str, Verdict], str]:
        """Return the anchor of the first shown row of each clause and verdict."""
        found: dict[tuple[str, Verdict], str] = {}
        for row in self.rows:
            for clause in (each for one in row.parts for each in one.clauses):
                found.setdefault((clause, row.verdict), row.id)
        return found


def fold(items: Iterable[Item], limit: int = LIMIT) -> Folded:
    """Fold items into at most `limit` rows: the gravest verdicts first, then by clause and message.

    An item whose findings have different messages has several rows.
    """
    found: dict[tuple[int, str, str, str], list[Place]] = {}
    for item in items:
        gravity = GRAVITY.index(item.verdict)
        for finding in item.findings or (None,):
            message = finding.message.id if finding else ""
            key = (gravity, item.clause, message, item.requirement.value)
            if finding is not None and message in _NOT_OFFERED:
                # All clauses about something that the target does not offer become one row.
                key = (gravity, "", message, "")
            elif finding is not None and finding.message.topic in _OF_NO_CLAUSE:
                key = (gravity, "~", message, "")  # sorts after every clause
            found.setdefault(key, []).append(Place(item, finding))
    apart = (_row(GRAVITY[key[0]], found[key]) for key in sorted(found))
    causes = (
        replace(heads[0], id=f"r{n}", also=tuple(heads[1:]))
        for n, heads in enumerate(alike(apart, _cause), 1)
    )
    rows = tuple(causes)
    return Folded(rows[:limit], max(0, len(rows) - limit))


def _row(verdict: Verdict, places: list[Place]) -> Row:
    first = places[0].item
    return Row("", first.clause, first.requirement, verdict, tuple(places))


def _cause(row: Row) -> tuple[Hashable, ...]:
    """Return what is equal for rows with the same cause: verdict, requirement, and all evidence."""
    told = _told(row) if row.verdict in _BROKEN and len(row.clauses) == 1 else []
    return row.verdict, row.requirement, answers(told)


def _told(row: Row) -> list[Told]:
    return [(place.item, place.finding) for place in row.places if place.finding is not None]


def more_of(row: Row, report: Report) -> str:
    """Return how many more findings a row of one clause has, and where; empty if none."""
    if len(row.clauses) > 1:
        return ""
    versions = {run.run.id: run.run.version for run in report.session.runs}
    told = list(each_once(_told(row), versions))
    return others(told, report.language, lambda text: report.text(text, 60))


def chips(folded: Folded) -> list[tuple[Verdict, int, bool]]:
    """Return each verdict that has rows, their number, and whether they are visible at first."""
    rows = Counter(row.verdict for row in folded.rows)
    hidden = {Verdict.NOT_APPLICABLE}
    if set(rows) - {Verdict.NOT_APPLICABLE, Verdict.PASS}:
        hidden.add(Verdict.PASS)  # one click shows the passes, and they must not hide the rest
    return [(verdict, rows[verdict], verdict not in hidden) for verdict in GRAVITY if rows[verdict]]


class Terms:
    """The search terms of a row that are not in its text: names in places that its list leaves off.

    A tool's name may be in hundreds of rows. The page has each name once, and rows have its number.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._numbers: dict[str, int] = {}

    def of(self, row: Row) -> str:
        """Return the numbers of a row's names as ranges (`0-19 25`); empty if its text has all."""
        if len(row.places) <= PLACES:
            return ""
        names = dict.fromkeys(row.tools)
        for place in row.places:
            if place.finding is not None and place.finding.parameter:
                names[place.finding.parameter] = None
        found = (self._number(name) for name in names)
        return _ranges(sorted({number for number in found if number is not None}))

    def listed(self) -> tuple[str, ...]:
        """Return the names in the order of their numbers."""
        return tuple(self._numbers)

    def _number(self, name: str) -> int | None:
        shown = self._report.text(name, _LONGEST)  # a cut could split a secret
        if shown not in self._numbers and len(self._numbers) >= _NAMES:
            return None
        return self._numbers.setdefault(shown, len(self._numbers))


def _ranges(numbers: list[int]) -> str:
    if not numbers:
        return ""
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b > a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b > a + 1), numbers[-1]]
    pairs = zip(starts, ends, strict=True)
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in pairs)
