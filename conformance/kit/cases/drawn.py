"""The data of a random call: enough to judge it, and to send it again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.deviations import Deviation
from conformance.kit.cases.members import Change
from conformance.kit.cases.naming import Ids
from conformance.kit.cases.planner import Planner, Start
from conformance.kit.cases.textual import survives, textual
from conformance.kit.cases.walk import spot_at
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.run import Run
from conformance.kit.schema.places import ABSENT, from_pointer, get, put
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of

CHANCE: Final = "random-"
"""The prefix of the scenarios of random calls."""
VALID: Final = f"{CHANCE}valid"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A call, and where it is broken. `pointer` is None for a valid call.

    `was` is the earlier, valid value. `missing` says that there is no value now.
    """

    id: CaseId
    scenario: str
    arguments: Any
    pointer: str | None = None
    was: Any = None
    missing: bool = False


def is_by_chance(case: Case) -> bool:
    """Return whether a case was drawn at random, and is not the repair of such a case."""
    return case.scenario.startswith(CHANCE) and case.kind in {CaseKind.VALID, CaseKind.BROKEN}


def is_smallest(case: Case) -> bool:
    """Return whether a case is the smallest form of another."""
    return bool(case.id.smallest)


def drawn_of(case: Case) -> Drawn:
    """Return the data of a random case."""
    violation = case.violation
    if violation is None:
        return Drawn(case.id, case.scenario, case.arguments)
    return Drawn(
        case.id,
        case.scenario,
        case.arguments,
        violation.pointer,
        violation.was,
        violation.sent_absent,
    )


def smaller(drawn: Drawn, arguments: Any) -> Drawn:
    """Return the same call with simpler arguments, under an id below that of the original call."""
    id = replace(drawn.id, smallest=digest(arguments))
    return replace(drawn, id=id, arguments=arguments)


def case_of(drawn: Drawn, tool: Tool, run: Run) -> Case | None:
    """Return the case; None unless the schema finds it valid, or broken only at its place.

    The case is never repairable: the repair rate must not depend on a seed.
    """
    try:
        view = view_of(tool.input_schema)
        view.refill()
        planner = Planner(tool.name, run.id, view, SOMEDAY, Ids(run.id, tool.name))
        case = _valid(drawn, planner) if drawn.pointer is None else _broken(drawn, planner)
        called = textual(tool, run)
        lost = case is not None and called is not None and not survives(view, called, case)
    except (SchemaProblem, LookupError, RecursionError):
        return None
    return None if lost else case


def _valid(drawn: Drawn, planner: Planner) -> Case | None:
    if not planner.accepts(drawn.arguments):
        return None
    return Case(
        id=drawn.id,
        kind=CaseKind.VALID,
        scenario=drawn.scenario,
        arguments=drawn.arguments,
        expects=Expectation.ACCEPT,
    )


def _broken(drawn: Drawn, planner: Planner) -> Case | None:
    """Return the broken case if the call is valid with the earlier value at its place."""
    tokens = from_pointer(drawn.pointer or "", drawn.arguments)
    valid = put(drawn.arguments, tokens, drawn.was)
    if not planner.view.accepts(valid):
        return None
    planner.know(valid)
    at, blamed = (tokens[:-1], tokens[-1:]) if drawn.missing else (tokens, ())
    value = get(drawn.arguments, at)
    if value is ABSENT or get(valid, at) is ABSENT:
        return None
    change = Change(Deviation(drawn.scenario, value), blamed)
    planner.broken(Start(valid, None), spot_at(planner.view, valid, at), change)
    return next((replace(c, id=drawn.id, repairable=False) for _, c in planner.cases), None)


def digest(value: Any) -> str:
    """Return eight hexadecimal digits that identify a JSON value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()[:8]
