"""The matrix of clauses and tools. Each cell has the gravest verdict of all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.kit.model.results import SessionResult
from conformance.kit.report.levels import GRAVITY, all_items, in_the_way
from conformance.spec.vocabulary import Verdict

FEW = 20
"""Up to this number of tools, the matrix is open and has a column for each."""

_TOOLS = 100
"""The most tools that are shown of those with a broken clause, the gravest first."""

Cells = Mapping[tuple[str, str | None], Verdict]

_NOWHERE = Verdict.NOT_APPLICABLE
_BROKEN = {Verdict.KIT_ERROR, Verdict.FAIL, Verdict.FLAKY, Verdict.WARN, Verdict.WAIVED}


@dataclass(frozen=True, slots=True)
class Matrix:
    """The content of the matrix.

    `seen` clauses are broken or keep a run from a level; `rest` are the others. Clauses about the
    whole target (`whole_*`) have no row of cells. `nowhere` counts those that never apply.
    """

    cells: Cells
    tools: tuple[str, ...]
    seen: tuple[str, ...]
    rest: tuple[str, ...]
    whole_seen: tuple[str, ...]
    whole_rest: tuple[str, ...]
    nowhere: int
    hit: tuple[str, ...] = ()
    """The tools with a clause in `seen`, the gravest first."""

    @property
    def few(self) -> bool:
        """Whether each tool has a column."""
        return len(self.tools) <= FEW

    @property
    def hit_shown(self) -> tuple[str, ...]:
        """The tools in `hit` that are shown."""
        return self.hit[:_TOOLS]

    def of_tools(self, tools: Sequence[str]) -> list[str]:
        """Return the clauses that have a cell with one of `tools`."""
        return [c for c in self.seen if any((c, tool) in self.cells for tool in tools)]

    def gravest(self, clause: str) -> Verdict:
        """Return the gravest verdict on a clause, for any tool."""
        found = {self.cells[clause, tool] for tool in self.tools if (clause, tool) in self.cells}
        return min(found, key=GRAVITY.index)


def matrix(session: SessionResult) -> Matrix:
    """Return the matrix of a session."""
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
    """Return the clauses that are shown at first, and the others.

    Clauses that are not verified are not broken. But they are shown at first if they keep a run
    from a level.
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
    """Return the gravities of a tool's cells, the gravest first, as a sort key."""
    return sorted(
        GRAVITY.index(verdict) for clause in clauses if (verdict := cells.get((clause, tool)))
    )
