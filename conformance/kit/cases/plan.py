"""The deterministic phase: a tool's cases, each with one deviation from an accepted call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice
from typing import Any, Final, TypeVar

from conformance.formats.tool.tool import Invocation, Tool
from conformance.kit.cases import deviations
from conformance.kit.cases import expectations as judge
from conformance.kit.cases.combinations import broken_combinations
from conformance.kit.cases.drawn import CHANCE
from conformance.kit.cases.members import Change, broken_members, extreme_members, valid_members
from conformance.kit.cases.naming import Ids
from conformance.kit.cases.planner import MOST_BRANCHES, Planner, Start
from conformance.kit.cases.textual import in_text, is_one_value, textual
from conformance.kit.cases.walk import Spot, declared, spot_at, spots
from conformance.kit.model.case import Case, CaseKind, Strictness
from conformance.kit.model.run import Run
from conformance.kit.schema.applies import Union, applied, member
from conformance.kit.schema.constraints import constraints, type_of
from conformance.kit.schema.places import ABSENT, put
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import Node, view_of
from conformance.kit.transport.binding import to_bytes

MOST_CASES: Final = 400
_MOST_MEMBERS: Final = 100
"""Up to this many broken changes of one object are tried, even if `Planner.each` is lower."""
_MOST_TRIED: Final = 1_500
"""About how many deviations are tried over all parameters of a tool. MOST_CASES would drop more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A tool's cases.

    `branches` are further baseline calls, which are sent before the cases. `remembered` are random
    calls that failed in an earlier session; they are sent first. `dropped` counts deviations that
    turned out valid, or that broke more than one place. `problems` are faults of the kit or of the
    schema, in words. `skipped` names what the random phase could not draw from.
    """

    cases: tuple[Case, ...]
    branches: tuple[Case, ...] = ()
    dropped: int = 0
    problems: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    remembered: tuple[Case, ...] = ()

    @property
    def calls(self) -> tuple[Case, ...]:
        """All calls, in the order in which they are sent."""
        return (*self.remembered, *self.branches, *self.cases)

    @property
    def weight(self) -> int:
        """Bytes of the arguments of all calls, as they are sent."""
        return sum(len(to_bytes(case.arguments)) for case in self.calls)


def only(planned: Plan, wanted: str | None) -> Plan:
    """Return the plan, or only its wanted case, with the branch's call that the case depends on.

    `wanted` may also be the id of a repair step of the case, or of a smaller call.
    """
    if wanted is None:
        return planned
    remembered = tuple(c for c in planned.remembered if c.id.names(wanted))
    cases = tuple(c for c in planned.cases if c.id.names(wanted))
    beside = {case.neighbour for case in cases}
    branches = tuple(b for b in planned.branches if b.id in beside or b.id.names(wanted))
    return replace(planned, cases=cases, branches=branches, remembered=remembered)


def fewer(planned: Plan, most: int) -> Plan:
    """Keep at most `most` cases of a plan, one of each place and kind in turn, without branches."""
    places = (
        (f"{case.kind} {case.violation.pointer if case.violation else case.scenario}", case)
        for case in planned.cases
        if case.neighbour is None
    )
    return replace(planned, cases=tuple(spread(list(places), max(most, 0))), branches=())


def by_kind(cases: Iterable[Case]) -> tuple[tuple[Case, ...], tuple[Case, ...], tuple[Case, ...]]:
    """Return the cases that are not valid, the named valid ones, and the random valid ones."""
    parts: tuple[list[Case], list[Case], list[Case]] = [], [], []
    for case in cases:
        valid = case.kind is CaseKind.VALID
        parts[valid + (valid and case.scenario.startswith(CHANCE))].append(case)
    broken, named, random = map(tuple, parts)
    return broken, named, random


def plan(
    tool: Tool,
    run: Run,
    baseline: Mapping[str, Any],
    *,
    now: datetime = SOMEDAY,
    today: datetime = SOMEDAY,
) -> Plan:
    """Make the deterministic cases of a tool from an accepted call.

    Dates are relative to `now`, and the cases about the present day to `today`. The same tool and
    baseline give the same plan in every process. If the schema cannot be used, the plan is empty
    and names the problem. If the schema refuses the baseline, only the cases that break `arguments`
    itself remain.
    """
    try:
        view = view_of(tool.input_schema)
    except SchemaProblem as problem:
        return Plan((), problems=(str(problem),))
    view.refill()
    planner = Planner(tool.name, run.id, view, now, Ids(run.id, tool.name), today=today)
    arguments = dict(baseline)
    with view.remembering():
        for step in (_baseline, _explore, _arguments):
            try:
                step(planner, arguments)
            except SchemaProblem as problem:
                planner.problems.append(str(problem))
            except RecursionError:
                planner.problems.append("the schema is nested too deep to make cases of it")
    found = planner.cases
    if not is_one_value(tool, run):
        found = [(place, case) for place, case in found if isinstance(case.arguments, dict)]
    called = textual(tool, run)
    if called is not None:
        found = list(_as_text(planner, called, found))
    return Plan(
        tuple(spread(found, MOST_CASES)),
        tuple(planner.branches),
        planner.dropped,
        tuple(planner.problems),
    )


def _as_text(
    planner: Planner, called: Invocation, found: list[tuple[str, Case]]
) -> Iterator[tuple[str, Case]]:
    """Yield the cases that keep their meaning as text. Of the others, one reason is enough."""
    for place, case in found:
        try:
            sent = in_text(planner.view, called, case)
        except SchemaProblem as problem:
            if str(problem) not in planner.problems:
                planner.problems.append(str(problem))
            continue
        if sent is not None:
            yield place, sent


def _arguments(planner: Planner, _baseline: dict[str, Any]) -> None:
    """Break `arguments` itself. If a parameter is required, `{}` is one of the cases."""
    planner.whole("arguments-null", None, Strictness.NEAR_MISS, "type")
    planner.whole("arguments-array", [], Strictness.MALFORMED, "type")
    errors = planner.view.errors((planner.view.root,), {})
    if errors and all(e.validator == "required" and not e.path for e in errors):
        planner.whole("arguments-empty", {}, Strictness.STRICT, "required")


def _baseline(planner: Planner, arguments: dict[str, Any]) -> None:
    """Mark the arguments of the baseline call as sent already."""
    planner.is_new(arguments)


def _explore(planner: Planner, arguments: dict[str, Any]) -> None:
    if not planner.view.accepts(arguments):
        planner.problems.append("the baseline call is not valid for the tool's own schema")
        return
    planner.know(arguments)
    planner.waiting.append(Start(arguments, None))
    _alone_and_all(planner, arguments)
    while planner.waiting:
        start = planner.waiting.popleft()
        for spot in spots(planner.view, start.arguments):
            if start.owns(spot.tokens):
                visit = _absent if spot.value is ABSENT else _present
                visit(planner, start, spot)


def _alone_and_all(planner: Planner, arguments: dict[str, Any]) -> None:
    """Add each optional parameter alone with the required ones, and all of them together.

    Also set how many deviations are tried at each place.
    """
    root = (planner.view.root,)
    asked = constraints(applied(planner.view, root, arguments).flat)
    planner.each = max(_MOST_TRIED // max(len(asked.names), len(arguments), 1), 2)
    needed = {n: v for n, v in arguments.items() if n in asked.required}
    everything = planner.maker(full=True).value(root, keep=arguments)
    planner.valid_whole("all-properties", everything, ())
    for name in asked.names:
        if name not in asked.required and name in everything:
            alone = {**needed, name: arguments.get(name, everything[name])}
            planner.valid_whole("optional-alone", alone, (name,))


def _present(planner: Planner, start: Start, spot: Spot) -> None:
    if spot.tokens:
        _at(planner, start, spot)
    maker = planner.maker()
    for change in valid_members(spot, maker):
        planner.valid(start, spot, change)
    broken = chain(broken_members(spot, maker), broken_combinations(spot, planner.maker()))
    for change in islice(broken, max(planner.each, _MOST_MEMBERS)):
        if not change.blamed or start.owns((*spot.tokens, *change.blamed)):
            planner.broken(start, spot, change)
    for change in extreme_members(spot):
        planner.valid(start, spot, change)
    _unions(planner, start, spot)
    _conditions(planner, start, spot)


def _at(planner: Planner, start: Start, spot: Spot) -> None:
    name = spot.tokens[-1] if isinstance(spot.tokens[-1], str) else ""
    judgeable = judge.is_judgeable(spot.asked)
    place = deviations.Place(spot.asked, spot.value, spot.taken, judgeable, name)
    for deviation in islice(deviations.valid(place), planner.each):
        planner.valid(start, spot, Change(deviation))
    for deviation in islice(deviations.broken(place), planner.each):
        planner.broken(start, spot, Change(deviation))
    for deviation in islice(deviations.extremes(place, planner.today), planner.each):
        planner.valid(start, spot, Change(deviation))


def _absent(planner: Planner, start: Start, spot: Spot) -> None:
    """Deviate at a member that the baseline lacks. If it is a container, it gets a branch first."""
    marks = frozenset(id(n.schema) for n in spot.nodes)
    if marks & start.seen:
        return
    try:
        made = planner.maker().value(spot.nodes, _name(spot))
    except SchemaProblem:
        return
    arguments = put(start.arguments, spot.tokens, made)
    if not planner.accepts(arguments):
        return
    if isinstance(made, dict | list) or isinstance(spot.tokens[-1], int):
        planner.branch(start, "filled-in", Start(arguments, None, within=spot.tokens, seen=marks))
        return
    filled = spot_at(planner.view, arguments, spot.tokens)
    _present(planner, replace(start, arguments=arguments, absent=spot.tokens), filled)


def _unions(planner: Planner, start: Start, spot: Spot) -> None:
    """Add a baseline call for each branch of a union that the call does not use."""
    if start.branched and spot.tokens == start.within:
        return
    for union in spot.unions:
        for index in range(min(len(union.branches), MOST_BRANCHES)):
            if index != union.used:
                _branch(planner, start, spot, union, index)


def _branch(planner: Planner, start: Start, spot: Spot, union: Union, index: int) -> None:
    if planner.is_full(start):
        return
    branch = union.branches[index]
    outside = frozenset(constraints(applied(planner.view, spot.nodes, ABSENT).flat).names)
    kept = spot.value
    if isinstance(kept, dict):
        kept = {name: value for name, value in kept.items() if name in outside}
    try:
        made = planner.maker().value((*spot.nodes, branch), _name(spot), keep=kept)
    except SchemaProblem:
        return
    arguments = put(start.arguments, spot.tokens, made)
    if not planner.accepts(arguments):
        return
    name = f"branch-{index + 1}"
    if type_of(made) in ("null", "boolean"):
        planner.valid_whole(name, arguments, spot.tokens)
        return
    shared = outside - frozenset(declared(planner.view, branch))
    beginning = Start(arguments, None, within=spot.tokens, shared=shared, branched=True)
    planner.branch(start, name, beginning)


def _conditions(planner: Planner, start: Start, spot: Spot) -> None:
    """Add a baseline call for the side of each `if` that the call does not use."""
    if start.branched and spot.tokens == start.within:
        return
    for node in spot.found.flat:
        if isinstance(node.schema, dict) and "if" in node.schema:
            _other_side(planner, start, spot, node)


def _other_side(planner: Planner, start: Start, spot: Spot, node: Node) -> None:
    condition = node.sub(node.schema["if"])
    holds = planner.view.is_valid((condition,), spot.value)
    side = "else" if holds else "then"
    if side not in node.schema or planner.is_full(start) or not isinstance(spot.value, dict):
        return
    forced = node.sub({"not": node.schema["if"]}) if holds else condition
    asked = constraints(applied(planner.view, (node.sub(node.schema[side]),), ABSENT).flat)
    for kept in islice(_changed(planner, spot, declared(planner.view, condition)), MOST_BRANCHES):
        try:
            made = planner.maker().value((*spot.nodes, forced), _name(spot), keep=kept)
        except SchemaProblem:
            continue
        arguments = put(start.arguments, spot.tokens, made)
        if planner.accepts(arguments):
            own = frozenset(made if isinstance(made, dict) else ())
            shared = own - {*asked.names, *asked.required}
            beginning = Start(arguments, None, within=spot.tokens, shared=shared, branched=True)
            planner.branch(start, "branch-2" if holds else "branch-1", beginning)
            return


def _changed(planner: Planner, spot: Spot, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the value, and copies in which a member that a condition names is absent or changed."""
    yield spot.value
    for name in names:
        rest = {key: value for key, value in spot.value.items() if key != name}
        yield rest
        below = applied(planner.view, member(spot.found.flat, name), ABSENT).flat
        place = deviations.Place(constraints(below), ABSENT, spot.taken)
        for deviation in deviations.valid(place):
            yield {**rest, name: deviation.value}


def _name(spot: Spot) -> str:
    names = [t for t in spot.tokens if isinstance(t, str)]
    return names[-1] if names else "value"


T = TypeVar("T")


def spread(items: Sequence[tuple[str, T]], most: int) -> list[T]:
    """Keep at most `most` of (place, item) pairs, one of each place in turn.

    The kept items stay in their original order.
    """
    if len(items) <= most:
        return [item for _, item in items]
    queues: dict[str, list[int]] = {}
    for index, (place, _) in enumerate(items):
        queues.setdefault(place, []).append(index)
    kept: list[int] = []
    turn = 0
    while len(kept) < most:
        kept.extend(queue[turn] for queue in queues.values() if turn < len(queue))
        turn += 1
    return [items[index][1] for index in sorted(kept[:most])]
