"""The levels that a run reached, and what keeps it from the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conformance.kit.model.results import Item, LevelState, Repair
from conformance.kit.model.role import Role
from conformance.kit.verdicts.judge import NOT_OFFERED
from conformance.spec.clauses import Clause
from conformance.spec.vocabulary import (
    VERDICT_BLOCKS_LEVEL,
    Level,
    NeededFor,
    Requirement,
    Scope,
    Verdict,
)

REPAIR_CLAUSE = "ATDF-ERR-012"
"""The clause whose measure is the repair rate; the level Recoverable needs a rate of 1."""

ENVELOPE_CLAUSE = "ATDF-ERR-001"
"""What is missing where ATDF is not claimed: no error shape that a machine can read."""

_NOT_OFFERED = frozenset(NOT_OFFERED.values())

_IN_THE_WAY = frozenset(verdict for verdict, blocks in VERDICT_BLOCKS_LEVEL.items() if blocks)


def levels(
    items: Iterable[Item],
    clauses: Mapping[str, Clause],
    repair: Repair,
    *,
    role: Role,
    claims_atdf: bool,
    unasked: Iterable[str] = (),
    unusable: Iterable[str] = (),
    whole: bool = True,
) -> dict[Level, LevelState]:
    """The state of each level of a role. A level includes the ones before it.

    `unasked` are MUST clauses of the run that the command line left out: what was not judged
    keeps a level from being reached just as what was not verified. `unusable` are the clauses by
    which tools could not be used: where ATDF is not claimed no item says so, and yet such a tool is
    not described. Where only a part of the tools could be looked at (not `whole`), no level is
    reached: nobody knows of the rest.
    """
    all_items, unasked = list(items), tuple(unasked)
    states: dict[Level, LevelState] = {}
    below: tuple[str, ...] = ()
    for level, needed in role.ladder:
        own = _missing(all_items, clauses, needed)
        own += tuple(id for id in unasked if clauses[id].needed_for is needed)
        if level is Level.DESCRIBED:
            own = (*own, *unusable)
        if level is Level.EXPLAINED and not claims_atdf:
            own = (*own, ENVELOPE_CLAUSE)
        if level is Level.RECOVERABLE and repair.rate.rate != 1:
            own = (*own, REPAIR_CLAUSE)
        below = tuple(dict.fromkeys((*below, *own)))
        states[level] = LevelState(whole and not below, below)
    return states


def reached(states: Mapping[Level, LevelState]) -> Level:
    """The highest level reached, of states from the lowest up; `none` if the first was not."""
    best = Level.NONE
    for level, state in states.items():
        if not state.reached:
            break
        best = level
    return best


def _missing(
    items: list[Item], clauses: Mapping[str, Clause], needed: NeededFor
) -> tuple[str, ...]:
    """The MUST clauses of one level that were judged, and are in its way.

    Beyond what is declared, a level rests on tools: where none kept a clause, all are in its way
    but those about what the target does not offer, which nothing that it does could keep.
    """
    own = [
        item
        for item in items
        if clauses[item.clause].needed_for is needed and item.requirement is Requirement.MUST
    ]
    if needed is not NeededFor.DESCRIBED:
        of_tools = [item for item in own if clauses[item.clause].scope is Scope.TOOL]
        if of_tools and not any(item.verdict is Verdict.PASS for item in of_tools):
            # No tool was seen to keep any of them: nothing was reached.
            own = [item for item in of_tools if not _is_beside(item)] or of_tools
            return tuple(dict.fromkeys(item.clause for item in own))
    return tuple(dict.fromkeys(item.clause for item in own if item.verdict in _IN_THE_WAY))


def _is_beside(item: Item) -> bool:
    """Whether an item is about what a target may offer beside tools, and this one does not."""
    return any(finding.message.id in _NOT_OFFERED for finding in item.findings)
