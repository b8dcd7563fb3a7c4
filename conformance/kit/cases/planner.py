"""The state of planning one tool: what was planned, what was dropped, what is still to explore."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from conformance.kit.cases import expectations as judge
from conformance.kit.cases.deviations import Deviation
from conformance.kit.cases.members import Change
from conformance.kit.cases.naming import Ids, good_id, place_of
from conformance.kit.cases.near_misses import is_near_miss
from conformance.kit.cases.valid_values import Maker
from conformance.kit.cases.walk import Spot
from conformance.kit.model.case import Case, CaseKind, Expectation, Strictness, Violation
from conformance.kit.model.case_id import CaseId
from conformance.kit.schema.breaks import Break, breaks
from conformance.kit.schema.constraints import same
from conformance.kit.schema.places import ABSENT, Tokens, get, put, to_parameter
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import SchemaView
from conformance.spec.pointer import to_pointer

_LONG_KEY: Final = 256
MOST_BYTES: Final = 64 * 1024 * 1024
"""Bytes of calls that are made to plan one tool: a call of megabytes gets few deviations."""
MOST_BRANCHES: Final = 40
DEEPEST_BRANCH: Final = 4


@dataclass(frozen=True, slots=True)
class Start:
    """A baseline call from which deviations start.

    Only places within `within` belong to it, and there none below a member in `shared`: those
    were deviated from another start. `filled` is the same call with the absent member made up
    that is being broken, where there is one. `seen` are the schemas filled in on the way here.
    """

    arguments: Any
    id: CaseId | None
    label: str = ""
    within: Tokens = ()
    shared: frozenset[str] = frozenset()
    seen: frozenset[int] = frozenset()
    level: int = 0
    absent: Tokens | None = None
    branched: bool = False
    """The call chose another branch of the union at `within`; its siblings have their own."""

    def owns(self, tokens: Tokens) -> bool:
        """Say whether deviations at a place start here."""
        size = len(self.within)
        if tokens[:size] != self.within:
            return False
        return len(tokens) == size or tokens[size] not in self.shared


@dataclass(slots=True)
class Planner:
    """Collects the cases of one tool; each is judged before it is taken in."""

    tool: str
    run: str
    view: SchemaView
    now: datetime
    ids: Ids
    cases: list[tuple[str, Case]] = field(default_factory=list)
    branches: list[Case] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    dropped: int = 0
    today: datetime = SOMEDAY
    """The day that a rule about dates turns on, where `now` is the day of the other values."""
    each: int = 1_000
    """Deviations to try at one place, valid and broken ones."""
    waiting: deque[Start] = field(default_factory=deque)
    _left: int = MOST_BYTES
    _size: tuple[int, int] = (0, 0)
    _sent: set[bytes | str] = field(default_factory=set)
    _starts: set[bytes | str] = field(default_factory=set)
    _repairable: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def maker(self, full: bool = False) -> Maker:
        """Give a fresh maker of values: what it makes does not depend on what came before."""
        return Maker(self.view, now=self.now, full=full)

    def is_new(self, arguments: Any) -> bool:
        """Say whether these arguments are sent for the first time, and note that they are."""
        key = json.dumps(arguments, sort_keys=True)
        self._spend(len(key))
        short = _short(key)
        if short in self._sent:
            return False
        self._sent.add(short)
        return True

    def _spend(self, count: int) -> None:
        """Count bytes of calls; raises SchemaProblem once all are spent."""
        self._left -= count
        if self._left < 0:
            most = MOST_BYTES >> 20
            raise SchemaProblem(ProblemKind.TOO_COMPLEX, f"its calls take more than {most} MB")

    def is_full(self, start: Start) -> bool:
        """Say whether no further branch is to start from here."""
        return len(self.branches) >= MOST_BRANCHES or start.level >= DEEPEST_BRANCH

    def _is_new_start(self, arguments: Any) -> bool:
        """Say whether no branch starts from these arguments yet; a valid case of them gives way."""
        key = _short(json.dumps(arguments, sort_keys=True))
        if key in self._starts:
            return False
        self._starts.add(key)
        if key in self._sent:
            self.cases = [
                (place, case)
                for place, case in self.cases
                if case.kind is not CaseKind.VALID or not same(case.arguments, arguments)
            ]
        self._sent.add(key)
        return True

    def whole(self, scenario: str, arguments: Any, strict: Strictness, keyword: str) -> None:
        """Take in a case that breaks `arguments` itself."""
        if self.is_new(arguments):
            case = Case(
                id=self.ids.give(scenario, place_of(())),
                kind=CaseKind.BROKEN,
                scenario=scenario,
                arguments=arguments,
                expects=Expectation.REJECT,
                violation=Violation("", None, (keyword,), sent=arguments),
                strictness=strict,
            )
            self.cases.append(("", case))

    def valid(self, start: Start, spot: Spot, change: Change) -> None:
        """Take in a valid deviation; one that the schema refuses is dropped and counted."""
        arguments, found, _ = self._judged(start, spot, change)
        if found:
            self.dropped += 1
        elif self.is_new(arguments):
            self._valid_case(start, spot.tokens, change.deviation, arguments)

    def valid_whole(self, scenario: str, arguments: Any, tokens: Tokens) -> None:
        """Take in whole valid arguments; `tokens` is the place that they are about."""
        if not self.view.accepts(arguments):
            self.dropped += 1
        elif self.is_new(arguments):
            spot_less = Start(arguments, None)
            self._valid_case(spot_less, tokens, Deviation(scenario, None), arguments)

    def broken(self, start: Start, spot: Spot, change: Change) -> None:
        """Take in a broken deviation, if it is broken at its place and only there.

        One that turns out valid, or breaks other places too, or a rule of what is around it (two
        branches of a oneOf match now), is dropped and counted; one that is broken only somewhere
        that has nothing to do with it is a problem.
        """
        arguments, found, blamed = self._judged(start, spot, change)
        if change.around and found and all(_is_within(b.tokens, blamed) for b in found):
            found = [Break(blamed, change.around, None)]
        places = {b.tokens for b in found}
        if places != {blamed}:
            self.dropped += 1
            if not any(_related(place, blamed) for place in places) and places:
                names = sorted(to_pointer(p) for p in places)
                self.problems.append(
                    f"{change.deviation.scenario} at {to_pointer(blamed)!r} breaks {names} instead"
                )
        elif self.is_new(arguments):
            self._broken_case(start, spot, change, arguments, found)

    def branch(self, start: Start, name: str, beginning: Start) -> None:
        """Take in a baseline call of its own, from which further deviations start.

        `beginning` holds its arguments, its place and what it shares; the rest is filled in.
        """
        tokens, arguments = beginning.within, beginning.arguments
        if self.is_full(start) or not self._is_new_start(arguments):
            return
        case = Case(
            id=self.ids.give(name, place_of(tokens), start.label),
            kind=CaseKind.BASELINE,
            scenario=name,
            arguments=arguments,
            expects=Expectation.ACCEPT,
            neighbour=start.id or good_id(self.run, self.tool, CaseKind.BASELINE),
        )
        self.branches.append(case)
        label = f"{name}-{place_of(tokens)}"
        self.waiting.append(
            replace(
                beginning,
                id=case.id,
                label=label,
                seen=start.seen | beginning.seen,
                level=start.level + 1,
            )
        )

    def _judged(self, start: Start, spot: Spot, change: Change) -> tuple[Any, list[Break], Tokens]:
        """Give the whole arguments, what they break, and the place that they should break."""
        known, size = self._size
        if known != id(start.arguments):
            size = len(json.dumps(start.arguments))
            self._size = id(start.arguments), size
        self._spend(size)
        inner = spot.tokens[len(spot.scope) :]
        before = get(start.arguments, spot.scope)
        after = put(before, inner, change.deviation.value)
        found = breaks(self.view, spot.scope_nodes, after, before)
        whole = put(start.arguments, spot.scope, after)
        lifted = [Break((*spot.scope, *b.tokens), b.keyword, b.said) for b in found]
        return whole, lifted, (*spot.tokens, *change.blamed)

    def _valid_case(
        self, start: Start, tokens: Tokens, deviation: Deviation, arguments: Any
    ) -> None:
        place = place_of(tokens, deviation.variant)
        case = Case(
            id=self.ids.give(deviation.scenario, place, start.label),
            kind=CaseKind.VALID,
            scenario=deviation.scenario,
            arguments=arguments,
            expects=Expectation.ANSWER if deviation.extreme else Expectation.ACCEPT,
            neighbour=start.id,
        )
        self.cases.append((f"valid {start.label} {to_pointer(tokens)}", case))

    def _broken_case(
        self, start: Start, spot: Spot, change: Change, arguments: Any, found: list[Break]
    ) -> None:
        """Whatever it was meant to break: what a lenient reading makes right is a near miss."""
        deviation = change.deviation
        near = deviation.near_miss or is_near_miss(spot.taken, deviation.value, spot.value)
        tokens = (*spot.tokens, *change.blamed)
        was = ABSENT if tokens == start.absent else get(start.arguments, tokens)
        sent = get(arguments, tokens)
        case = Case(
            id=self.ids.give(deviation.scenario, place_of(tokens, deviation.variant), start.label),
            kind=CaseKind.BROKEN,
            scenario=deviation.scenario,
            arguments=arguments,
            expects=Expectation.REJECT,
            violation=Violation(
                pointer=to_pointer(tokens),
                parameter=to_parameter(tokens),
                keywords=judge.keywords_of(found),
                was=None if was is ABSENT else was,
                was_absent=was is ABSENT,
                sent=None if sent is ABSENT else sent,
                sent_absent=sent is ABSENT,
            ),
            strictness=judge.strictness(found, near),
            repairable=self._is_repairable(spot, change, found),
            neighbour=start.id,
        )
        self.cases.append((f"broken {start.label} {to_pointer(tokens)}", case))

    def _is_repairable(self, spot: Spot, change: Change, found: list[Break]) -> bool:
        names = judge.keywords_of(found)
        if change.blamed:
            return judge.can_be_filled_in(self.view, spot, change.blamed, names)
        if not judge.gives_a_value(spot, names):
            return False
        key = (judge.is_cut(names), *(id(n.schema) for n in spot.nodes))
        if key not in self._repairable:
            self._repairable[key] = judge.can_be_made(spot, self.maker(), names)
        return self._repairable[key]


def _short(key: str) -> bytes | str:
    """A key that takes few bytes: those of all calls would take as much as the calls."""
    return key if len(key) < _LONG_KEY else blake2b(key.encode(), digest_size=16).digest()


def _is_within(place: Tokens, around: Tokens) -> bool:
    return place[: len(around)] == around


def _related(one: Tokens, other: Tokens) -> bool:
    """Say whether one place is around the other, or the same."""
    size = min(len(one), len(other))
    return one[:size] == other[:size]
