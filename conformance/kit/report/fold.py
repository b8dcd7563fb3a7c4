"""Rows of the report: one for each clause and message, tools folded, the gravest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.kit.model.results import Finding, Item
from conformance.kit.report.levels import GRAVITY
from conformance.kit.verdicts.judge import NOT_OFFERED
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Requirement, Verdict

_OF_NO_CLAUSE = ("kit.left_out.", "kit.not_applicable.")
"""Beginnings of messages that say the same of all clauses, such as that a tool is left out."""

LIMIT = 500
"""Rows shown: a browser redraws the whole table of pytest-html at once."""


_NOT_OFFERED = frozenset(NOT_OFFERED.values())


@dataclass(frozen=True, slots=True)
class Place:
    """One tool of one run where a row's message holds."""

    item: Item
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Row:
    """All places of one clause, verdict and message; `id` is an ASCII anchor."""

    id: str
    clause: str
    requirement: Requirement
    verdict: Verdict
    places: tuple[Place, ...]

    @property
    def message(self) -> Message | None:
        """The message of the first place; those of the others differ in their values alone."""
        finding = self.places[0].finding
        return finding.message if finding else None

    @property
    def clauses(self) -> tuple[str, ...]:
        """The ids of the clauses: one, or all that share a reason that is not theirs."""
        return tuple(dict.fromkeys(place.item.clause for place in self.places))

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
    """The rows to show, and how many were left off."""

    rows: tuple[Row, ...]
    rest: int

    def anchors(self) -> dict[tuple[str, Verdict], str]:
        """Give the anchor of the first row of each clause and verdict that is shown."""
        found: dict[tuple[str, Verdict], str] = {}
        for row in self.rows:
            for clause in row.clauses:
                found.setdefault((clause, row.verdict), row.id)
        return found


def fold(items: Iterable[Item], limit: int = LIMIT) -> Folded:
    """Fold items to at most `limit` rows: the gravest verdicts first, then by clause and message.

    An item with findings of several messages stands in several rows.
    """
    found: dict[tuple[int, str, str, str], list[Place]] = {}
    for item in items:
        gravity = GRAVITY.index(item.verdict)
        for finding in item.findings or (None,):
            message = finding.message.id if finding else ""
            key = (gravity, item.clause, message, item.requirement.value)
            if finding is not None and message in _NOT_OFFERED:
                # A whole chapter on what a target has not is one line.
                key = (gravity, "", message, "")
            elif message.startswith(_OF_NO_CLAUSE):
                key = (gravity, "~", message, "")  # sorts behind every clause
            found.setdefault(key, []).append(Place(item, finding))
    rows = tuple(
        Row(
            f"r{n}",
            places[0].item.clause,
            places[0].item.requirement,
            GRAVITY[key[0]],
            tuple(places),
        )
        for n, (key, places) in enumerate(sorted(found.items(), key=lambda pair: pair[0]), 1)
    )
    return Folded(rows[:limit], max(0, len(rows) - limit))
