"""The random phase of one tool: valid and broken calls, drawn from its input schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypeVar

from conformance.formats.tool.tool import Tool
from conformance.kit.cases import expectations as judge
from conformance.kit.cases.deviations import Deviation
from conformance.kit.cases.drawn import VALID, Drawn, case_of, digest
from conformance.kit.cases.members import Change
from conformance.kit.cases.naming import Ids
from conformance.kit.cases.plan import Plan
from conformance.kit.cases.planner import Planner, Start
from conformance.kit.cases.random.chance import Chance, Maker, NotDrawable, TooLarge, Unlucky
from conformance.kit.cases.random.drawable import Schema, normalised
from conformance.kit.cases.random.makers import Makers
from conformance.kit.cases.random.negate import TYPE, negations
from conformance.kit.cases.textual import survives, textual
from conformance.kit.cases.walk import spot_at, spots
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.run import Run
from conformance.kit.schema.applies import applied, member
from conformance.kit.schema.constraints import constraints
from conformance.kit.schema.places import ABSENT, Tokens, get
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import SchemaView, view_of

_KEPT: Final = 1 / 3
"""How likely a parameter keeps its value in a call far from the accepted one."""
_RARER: Final = 3 / 4
"""How likely a rule of this place is broken rather than its type.

The named scenarios send every other type already.
"""
_MOST_DRAWN: Final = 50
"""The most parameters of one tool that are drawn. The time for a call grows with its parts."""
_MOST_BYTES: Final = 16 * 1024 * 1024
"""If random calls need more bytes, none is drawn: they are held until the tool is done."""
_SHORT: Final = 256 * 1024
"""If all random calls have at most this many bytes, they are cached for a server's other runs."""
_TRIES: Final = 4
"""How many times `count` calls are made: many are duplicates, or cannot be judged."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Broken:
    """A valid call, the place in it that is broken, and what is put there."""

    arguments: Any
    tokens: Tokens
    change: Change

    def digest(self) -> str:
        """Return a text that identifies the call and what is broken in it."""
        return f"{self.change.deviation.scenario} {self.change.deviation.variant}"


@dataclass(frozen=True, slots=True)
class _Drawn:
    valid: tuple[Any, ...] = ()
    broken: tuple[_Broken, ...] = ()
    skipped: tuple[str, ...] = ()


def with_chance(
    planned: Plan,
    tool: Tool,
    run: Run,
    baseline: Mapping[str, Any],
    *,
    seed: int,
    count: int,
    now: datetime = SOMEDAY,
    remembered: Sequence[Drawn] = (),
) -> Plan:
    """Add at most `count` valid and `count` broken random cases to a tool's plan.

    The same tool, baseline, seed and count give the same cases in every process. Each case is
    validated, and dropped and counted if it is not as intended. `skipped` names the parts of the
    schema from which no case was drawn. `remembered` are calls that failed in an earlier session.
    Those that still make a case go into the plan's `remembered`. Serves the kit's section 3.
    """
    if count <= 0:
        return planned
    try:
        view = view_of(tool.input_schema)
        view.refill()
        if not view.accepts(dict(baseline)):
            return planned
        given = json.dumps(dict(baseline))
        size = len(given) * 2 * count
        if size > _MOST_BYTES:
            return planned  # the calls would fill the memory, and take too long
        draw = _drawn_once if size <= _SHORT else _draw
        found = draw(json.dumps(tool.input_schema), given, seed, count)
    except (SchemaProblem, RecursionError):
        return planned  # the deterministic phase has reported it
    planner = Planner(tool.name, run.id, view, now, Ids(run.id, tool.name))
    try:
        planner.know(dict(baseline))
        for sent in (dict(baseline), *(c.arguments for c in (*planned.branches, *planned.cases))):
            planner.is_new(sent)
        rebuilt = (case_of(one, tool, run) for one in remembered)
        again = [case for case in rebuilt if case is not None and planner.is_new(case.arguments)]
        cases = [*_valid_cases(planner, found, count), *_broken_cases(planner, found)]
        called = textual(tool, run)
        if called is not None:
            cases = [case for case in cases if survives(view, called, case)]
    except SchemaProblem:
        return planned  # too costly to validate; the cases in the plan are validated already
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
        if not planner.accepts(arguments):
            planner.dropped += 1
        elif planner.is_new(arguments):
            case = Case(
                id=CaseId(planner.run, planner.tool, VALID, digest(arguments)),
                kind=CaseKind.VALID,
                scenario=VALID,
                arguments=arguments,
                expects=Expectation.ACCEPT,
            )
            cases.append(case)
    return cases


def _broken_cases(planner: Planner, found: _Drawn) -> list[Case]:
    """Return the broken cases. None is repairable: the repair rate must not depend on a seed."""
    for one in found.broken:
        spot = spot_at(planner.view, one.arguments, one.tokens)
        planner.broken(Start(one.arguments, None), spot, one.change)
    return [replace(case, repairable=False) for _, case in planner.cases]


def _draw(schema: str, baseline: str, seed: int, count: int) -> _Drawn:
    """Draw valid and broken calls from a schema."""
    view = view_of(json.loads(schema))
    arguments = json.loads(baseline)
    makers, skipped = _parameters(view, arguments, Makers(seed, count + count // 2))
    valid: list[Any] = []
    broken: list[_Broken] = []
    if makers:
        required = constraints(applied(view, (view.root,), arguments).flat).required
        calls = _Calls(view, makers, arguments, required)
        valid = _different(calls.valid, count + count // 2, seed, skipped, digest)
        broken = _different(calls.broken, count, seed, skipped, _Broken.digest)
    return _Drawn(tuple(valid), tuple(broken), tuple(dict.fromkeys(skipped)))


_drawn_once = lru_cache(maxsize=64)(_draw)
"""`_draw`, cached for all runs that list the same tool."""


def _different(
    make: Callable[[Chance], T],
    count: int,
    seed: int,
    skipped: list[str],
    name: Callable[[T], Hashable],
) -> list[T]:
    """Make up to `count` values with different names."""
    chance = Chance(seed)
    found: dict[Hashable, T] = {}
    for _ in range(count * _TRIES):
        if len(found) >= count:
            break
        try:
            chance.begin()
            one = make(chance)
        except (NotDrawable, TooLarge) as reason:
            skipped.append(str(reason))
            continue
        except Unlucky:
            continue
        found.setdefault(name(one), one)
    return list(found.values())


def _parameters(
    view: SchemaView, baseline: dict[str, Any], makers: Makers
) -> tuple[dict[str, Maker], list[str]]:
    """Return a maker for each parameter that can be made, and what cannot be made."""
    root = applied(view, (view.root,), baseline)
    found: dict[str, Maker] = {}
    skipped: list[str] = []
    names = list(constraints(root.flat).names)
    some = names[:: -(-len(names) // _MOST_DRAWN) or 1]
    if len(some) < len(names):
        skipped.append(f"{len(names) - len(some)} of {len(names)} parameters")
    for name in some:
        nodes = member(root.flat, name)
        if len(nodes) != 1:
            continue
        rewritten = normalised(view, nodes[0])
        skipped += [f"{what} in {name}" for what in rewritten.skipped]
        try:
            make = makers.sure(rewritten.schema)
        except (NotDrawable, TooLarge) as reason:
            skipped.append(f"{reason} in {name}")
            continue
        except Unlucky:
            skipped.append(f"{_asked_by(nodes[0].schema, rewritten.schema)} at / in {name}")
            continue
        if make is not None:
            found[name] = make
    return found, skipped


def _asked_by(schema: Schema, rewritten: Schema) -> str:
    """Return the keywords that a value must satisfy together, in the order of the schema."""
    assert isinstance(schema, dict) and isinstance(rewritten, dict)  # only these raise Unlucky
    words = [word for word in schema if word in rewritten and word != "type"]
    return ", ".join(words or ["type"])


@dataclass(frozen=True, slots=True)
class _Calls:
    """Makes calls from the makers of the parameters and from the accepted call."""

    view: SchemaView
    makers: dict[str, Maker]
    baseline: dict[str, Any]
    required: Collection[str]

    def valid(self, chance: Chance) -> dict[str, Any]:
        """Make a valid call: some are near the accepted one, the others far from it.

        Near ones pass rules that are not in the schema. Far ones test how parameters work together.
        """
        names = list(self.makers)
        near = chance.whether()
        changed = chance.choices(names, k=chance.randint(1, 2)) if near else names
        made: dict[str, Any] = {}
        for name in dict.fromkeys((*self.baseline, *names)):
            other = name in changed
            if name not in self.required and not (near and other) and chance.whether():
                continue
            known = name in self.baseline
            keep = known and (not other or (not near and chance.random() < _KEPT))
            if keep or name not in self.makers:
                made.update({name: self.baseline[name]} if known else {})
            else:
                made[name] = self.makers[name](chance)
        return made

    def broken(self, chance: Chance) -> _Broken:
        """Return the accepted call with one parameter drawn again, and one place in it broken."""
        name = chance.choice(list(self.makers))
        arguments = {**self.baseline, name: self.makers[name](chance)}
        _ask(self.view.accepts(arguments))
        places = [
            spot
            for spot in spots(self.view, arguments)
            if spot.value is not ABSENT and spot.tokens[:1] == (name,)
        ]
        _ask(places)
        tokens = _somewhere(chance, arguments, chance.choice(places).tokens)
        _ask(get(arguments, tokens) is not ABSENT)
        spot = spot_at(self.view, arguments, tokens)
        _ask(judge.is_judgeable(spot.asked))
        ways = negations(spot)
        _ask(ways)
        rarer = [way for way in ways if way.scenario != TYPE]
        way = chance.choice(rarer if rarer and chance.random() < _RARER else ways)
        value = way.value(chance)
        whole = {"arguments": arguments, "at": spot.tokens, "value": value}
        change = Change(Deviation(way.scenario, value, digest(whole)), way.blamed)
        return _Broken(arguments, spot.tokens, change)


def _ask(what: object) -> None:
    """Raise `Unlucky` if something that is needed is missing."""
    if not what:
        raise Unlucky


def _somewhere(chance: Chance, arguments: Any, tokens: Tokens) -> Tokens:
    """Return the same place, but in a random item of each array on the way to it."""
    here: Tokens = ()
    for token in tokens:
        found = get(arguments, here)
        index = isinstance(token, int) and isinstance(found, list)
        _ask(not index or found)
        here = (*here, chance.randint(0, len(found) - 1) if index else token)
    return here
