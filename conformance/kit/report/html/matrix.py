"""The matrix of clauses and tools: the gravest verdict of all runs in each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.kit.model.results import SessionResult
from conformance.kit.report.levels import GRAVITY, all_items, in_the_way
from conformance.spec.vocabulary import Verdict

FEW = 20
"""Tools up to which the matrix is open and has a column for each."""

_TOOLS = 100
"""Tools shown at most, of those in which something is broken; the gravest first."""

Cells = Mapping[tuple[str, str | None], Verdict]

_NOWHERE = Verdict.NOT_APPLICABLE
_BROKEN = {Verdict.KIT_ERROR, Verdict.FAIL, Verdict.FLAKY, Verdict.WARN, Verdict.WAIVED}


@dataclass(frozen=True, slots=True)
class Matrix:
    """What the matrix shows: what is broken, or keeps a run from a level, and apart the rest.

    The clauses about the whole target have no row of cells. Those that never apply are counted.
    """

    cells: Cells
    tools: tuple[str, ...]
    seen: tuple[str, ...]
    rest: tuple[str, ...]
    whole_seen: tuple[str, ...]
    whole_rest: tuple[str, ...]
    nowhere: int
    hit: tuple[str, ...] = ()
    """Of many tools, those in which something is broken, the gravest first."""

    @property
    def few(self) -> bool:
        """Whether each tool has a column."""
        return len(self.tools) <= FEW

    @property
    def hit_shown(self) -> tuple[str, ...]:
        """Those of many tools that have a row."""
        return self.hit[:_TOOLS]

    def of_tools(self, tools: Sequence[str]) -> list[str]:
        """Give the clauses that have a cell with one of `tools`."""
        return [c for c in self.seen if any((c, tool) in self.cells for tool in tools)]

    def gravest(self, clause: str) -> Verdict:
        """Give the gravest verdict on a clause, whatever the tool."""
        found = {self.cells[clause, tool] for tool in self.tools if (clause, tool) in self.cells}
        return min(found, key=GRAVITY.index)


def matrix(session: SessionResult) -> Matrix:
    """Give the matrix of a session."""
    cells = _cells(session)
    applying = {clause for (clause, _), verdict in cells.items() if verdict is not _NOWHERE}
    clauses = sorted({clause for clause, tool in cells if tool is not None} & applying)
    whole = sorted({clause for clause, tool in cells if tool is None} & applying)
    tools = tuple(dict.fromkeys(tool for _, tool in cells if tool is not None))
    lacking = in_the_way(session)
    seen, rest = _parted(clauses, tools, cells, lacking)
    whole_seen, whole_rest = _parted(whole, (None,), cells, lacking)
    hit = [t for t in tools if any(_is_seen(c, cells.get((c, t)), lacking) for c in seen)]
    return Matrix(
        cells,
        tools,
        seen,
        rest,
        whole_seen,
        whole_rest,
        nowhere=len({clause for clause, _ in cells} - applying),
        hit=tuple(sorted(hit, key=lambda tool: _gravities(tool, seen, cells))),
    )


def _cells(session: SessionResult) -> dict[tuple[str, str | None], Verdict]:
    found: dict[tuple[str, str | None], Verdict] = {}
    for item in all_items(session):
        key = (item.clause, item.tool)
        held = found.get(key)
        if held is None or GRAVITY.index(item.verdict) < GRAVITY.index(held):
            found[key] = item.verdict
    return found


def _parted(
    clauses: Sequence[str],
    tools: Sequence[str | None],
    cells: Cells,
    lacking: frozenset[str],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The clauses to see from the start, and the others.

    What could not be verified is not broken, and yet keeps a run from a level: that is seen.
    """
    seen = [
        clause
        for clause in clauses
        if any(_is_seen(clause, cells.get((clause, tool)), lacking) for tool in tools)
    ]
    return tuple(seen), tuple(clause for clause in clauses if clause not in set(seen))


def _is_seen(clause: str, verdict: Verdict | None, lacking: frozenset[str]) -> bool:
    return verdict in _BROKEN or (verdict is Verdict.NOT_VERIFIED and clause in lacking)


def _gravities(tool: str, clauses: Sequence[str], cells: Cells) -> list[int]:
    """Give the gravities of a tool's cells, the gravest first: a key to sort tools by."""
    return sorted(
        GRAVITY.index(verdict) for clause in clauses if (verdict := cells.get((clause, tool)))
    )
