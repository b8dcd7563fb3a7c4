"""The random phase of one tool: valid calls, and broken ones, drawn from its input schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from hypothesis import assume
from hypothesis import strategies as st

from conformance.formats.tool import Tool
from conformance.kit.case import Case, CaseKind, Expectation
from conformance.kit.cases import judge
from conformance.kit.cases.applies import applied, member
from conformance.kit.cases.by_chance import VALID, Drawn, case_of, digest
from conformance.kit.cases.deviations import Deviation
from conformance.kit.cases.explore import spot_at, spots
from conformance.kit.cases.facts import facts
from conformance.kit.cases.formats import SOMEDAY
from conformance.kit.cases.members import Change
from conformance.kit.cases.naming import Ids, prefix_of
from conformance.kit.cases.plan import Plan
from conformance.kit.cases.planner import Planner, Start
from conformance.kit.cases.pointer import ABSENT, Tokens, get
from conformance.kit.cases.problems import SchemaProblem
from conformance.kit.cases.random.draw import NotDrawable, drawn
from conformance.kit.cases.random.negate import TYPE, negations
from conformance.kit.cases.random.normalise import normalised
from conformance.kit.cases.random.strategy import Strategy, strategy_of
from conformance.kit.cases.schema import SchemaView, view_of
from conformance.kit.cases.textual import survives, textual

_WHETHER: Final = st.booleans()
_SELDOM: Final = st.sampled_from((True, False, False))
_MOSTLY: Final = st.sampled_from((True, True, True, False))
"""How often another type is passed over for what only this place asks: the named scenarios send
every other type.
"""
_MOST_DRAWN: Final = 50
"""Parameters of one tool that are drawn anew: a call costs as much time as it has parts."""
Draw = Callable[[Strategy], Any]


@dataclass(frozen=True, slots=True)
class _Broken:
    """A valid call, the place in it that is broken, and what is put there."""

    arguments: Any
    tokens: Tokens
    change: Change


@dataclass(frozen=True, slots=True)
class _Drawn:
    valid: tuple[Any, ...] = ()
    broken: tuple[_Broken, ...] = ()
    skipped: tuple[str, ...] = ()


def with_chance(
    planned: Plan,
    tool: Tool,
    run_id: str,
    baseline: Mapping[str, Any],
    *,
    seed: int,
    count: int,
    now: datetime = SOMEDAY,
    remembered: Sequence[Drawn] = (),
) -> Plan:
    """Add at most `count` valid and `count` broken cases drawn by chance to a tool's plan.

    The same tool, baseline, seed and count give the same cases in every process. Each is judged
    by the schema; what turns out otherwise than meant is dropped and counted. `skipped` names
    what the schema says and no case was drawn from. `remembered` are calls that failed in an
    earlier session: those that the schema still allows stand apart. Serves the kit's section 3.
    """
    if count <= 0:
        return planned
    try:
        view = view_of(tool.input_schema)
        view.refill()
        if not view.accepts(dict(baseline)):
            return planned
        found = _draw(json.dumps(tool.input_schema), json.dumps(dict(baseline)), seed, count)
    except (SchemaProblem, RecursionError):
        return planned  # the deterministic phase has said so
    planner = Planner(tool.name, run_id, view, now, Ids(prefix_of(run_id, tool.name)))
    planner.is_new(dict(baseline))
    for case in (*planned.branches, *planned.cases):
        planner.is_new(case.arguments)
    rebuilt = (case_of(one, tool, run_id) for one in remembered)
    again = [case for case in rebuilt if case is not None and planner.is_new(case.arguments)]
    try:
        cases = [*_valid_cases(planner, found, count), *_broken_cases(planner, found)]
    except SchemaProblem:
        return planned  # too costly to judge: what the plan holds is judged already
    called = textual(tool, run_id)
    if called is not None:
        cases = [case for case in cases if survives(view, called, case)]
    return replace(
        planned,
        cases=(*planned.cases, *cases),
        remembered=tuple(again),
        dropped=planned.dropped + planner.dropped,
        skipped=found.skipped,
    )


def _valid_cases(planner: Planner, found: _Drawn, most: int) -> list[Case]:
    cases: list[Case] = []
    for arguments in found.valid:
        if len(cases) >= most:
            break
        if not planner.view.accepts(arguments):
            planner.dropped += 1
        elif planner.is_new(arguments):
            case = Case(
                id=f"{prefix_of(planner.run, planner.tool)}/{VALID}/{digest(arguments)}",
                run=planner.run,
                tool=planner.tool,
                kind=CaseKind.VALID,
                scenario=VALID,
                arguments=arguments,
                expects=Expectation.ACCEPT,
            )
            cases.append(case)
    return cases


def _broken_cases(planner: Planner, found: _Drawn) -> list[Case]:
    """None is repairable: the repair rate must not hang on a seed."""
    for one in found.broken:
        spot = spot_at(planner.view, one.arguments, one.tokens)
        planner.broken(Start(one.arguments, None), spot, one.change)
    return [replace(case, repairable=False) for _, case in planner.cases]


@lru_cache(maxsize=64)
def _draw(schema: str, baseline: str, seed: int, count: int) -> _Drawn:
    """Draw from a schema; once for all runs that list the same tool."""
    view = view_of(json.loads(schema))
    arguments = json.loads(baseline)
    strategies, skipped = _parameters(view, arguments)
    valid: list[Any] = []
    broken: list[_Broken] = []
    try:
        valid = drawn(_calls(view, strategies, arguments), count + count // 2, seed)
        broken = drawn(_broken_calls(view, strategies, arguments), count, seed)
    except NotDrawable as reason:
        skipped.append(str(reason))
    return _Drawn(tuple(valid), tuple(broken), tuple(dict.fromkeys(skipped)))


def _parameters(
    view: SchemaView, baseline: dict[str, Any]
) -> tuple[dict[str, Strategy], list[str]]:
    """Give how to draw each parameter that can be drawn, and what cannot be."""
    root = applied(view, (view.root,), baseline)
    found: dict[str, Strategy] = {}
    skipped: list[str] = []
    names = list(facts(root.flat).names)
    some = names[:: -(-len(names) // _MOST_DRAWN) or 1]
    if len(some) < len(names):
        skipped.append(f"{len(names) - len(some)} of {len(names)} parameters")
    for name in some:
        nodes = member(root.flat, name)
        if len(nodes) != 1:
            continue
        rewritten = normalised(view, nodes[0])
        skipped += [f"{what} in {name}" for what in rewritten.skipped]
        strategy = strategy_of(rewritten.schema)
        if not strategy.is_empty:
            found[name] = strategy
    return found, skipped


def _calls(view: SchemaView, strategies: dict[str, Strategy], baseline: dict[str, Any]) -> Strategy:
    """Valid calls: some near the one that is accepted, the others far from it.

    Near ones get past the rules that no schema knows; far ones meet what goes together.
    """
    if not strategies:
        return st.nothing()
    required = facts(applied(view, (view.root,), baseline).flat).required
    few = st.lists(st.sampled_from(list(strategies)), min_size=1, max_size=2)
    return _call(strategies, baseline, required, few)


@st.composite
def _call(
    draw: Draw,
    strategies: dict[str, Strategy],
    baseline: dict[str, Any],
    required: Collection[str],
    few: Strategy,
) -> dict[str, Any]:
    near = draw(_WHETHER)
    changed = draw(few) if near else list(strategies)
    made: dict[str, Any] = {}
    for name in dict.fromkeys((*baseline, *strategies)):
        if name not in required and draw(_WHETHER):
            continue
        keep = name in baseline and (name not in changed or (not near and draw(_SELDOM)))
        if keep or name not in strategies:
            made.update({name: baseline[name]} if name in baseline else {})
        else:
            made[name] = draw(strategies[name])
    return made


def _broken_calls(
    view: SchemaView, strategies: dict[str, Strategy], baseline: dict[str, Any]
) -> Strategy:
    """The accepted call with one parameter drawn anew, and one place in that broken."""
    if not strategies:
        return st.nothing()
    return _broken_call(view, strategies, baseline, st.sampled_from(list(strategies)))


@st.composite
def _broken_call(
    draw: Draw,
    view: SchemaView,
    strategies: dict[str, Strategy],
    baseline: dict[str, Any],
    names: Strategy,
) -> _Broken:
    name = draw(names)
    arguments = {**baseline, name: draw(strategies[name])}
    assume(view.accepts(arguments))
    places = [
        spot
        for spot in spots(view, arguments)
        if spot.value is not ABSENT and spot.tokens[:1] == (name,)
    ]
    assume(places)
    tokens = _somewhere(draw, arguments, draw(st.sampled_from(places)).tokens)
    assume(get(arguments, tokens) is not ABSENT)
    spot = spot_at(view, arguments, tokens)
    assume(judge.is_judgeable(spot.asked))
    ways = negations(spot)
    assume(ways)
    rarer = [way for way in ways if way.scenario != TYPE]
    way = draw(st.sampled_from(rarer if rarer and draw(_MOSTLY) else ways))
    value = draw(way.value)
    whole = {"arguments": arguments, "at": spot.tokens, "value": value}
    return _Broken(
        arguments,
        spot.tokens,
        Change(Deviation(way.scenario, value, digest(whole)), way.blamed),
    )


def _somewhere(draw: Draw, arguments: Any, tokens: Tokens) -> Tokens:
    """The same place, in any item of the arrays on the way to it."""
    here: Tokens = ()
    for token in tokens:
        items = get(arguments, here)
        index = isinstance(token, int) and isinstance(items, list)
        assume(not index or items)
        here = (*here, draw(st.integers(0, len(items) - 1)) if index else token)
    return here
