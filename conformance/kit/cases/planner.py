"""The state of planning one tool: what was planned and dropped, and what is left to explore."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from conformance.formats.schema.equality import same
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
from conformance.kit.schema.places import ABSENT, Tokens, get, put, to_parameter
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import SchemaView
from conformance.spec.pointer import to_pointer

_LONG_KEY: Final = 256
MOST_BYTES: Final = 64 * 1024 * 1024
"""The most bytes of calls that are made to plan one tool. Calls of megabytes get few deviations."""
MOST_BRANCHES: Final = 40
DEEPEST_BRANCH: Final = 4


@dataclass(frozen=True, slots=True)
class Start:
    """A baseline call from which deviations start.

    It owns the places at and below `within`, except those at and below the members in `shared`:
    another start deviates there. `absent` is the place of a member that only `arguments` has filled
    in, in order to deviate there. `seen` has the identities of the schemas that were filled in on
    the way here.
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
    """The call uses another branch of the union at `within`. Other calls use the rest."""

    def owns(self, tokens: Tokens) -> bool:
        """Return whether deviations at a place start from this call."""
        size = len(self.within)
        if tokens[:size] != self.within:
            return False
        return len(tokens) == size or tokens[size] not in self.shared


@dataclass(slots=True)
class Planner:
    """Collects the cases of one tool. Each is validated before it is added."""

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
    """The day for rules about the present day. `now` is the day of all other values."""
    each: int = 1_000
    """The most valid and the most broken deviations that are tried at one place."""
    waiting: deque[Start] = field(default_factory=deque)
    _left: int = MOST_BYTES
    _size: tuple[int, int] = (0, 0)
    _sent: set[bytes | str] = field(default_factory=set)
    _starts: set[bytes | str] = field(default_factory=set)
    _repairable: dict[tuple[int, ...], bool] = field(default_factory=dict)
    _checks_formats: bool = False

    def know(self, baseline: Any) -> None:
        """Learn from an accepted call whether the server checks formats.

        It does if the call is valid only because formats are checked. If that stays open, the plan
        has only cases that a server judges alike whether it checks formats or not, and cases that
        break a format alone.
        """
        annotating = self.view.annotating
        self._checks_formats = annotating is not None and not annotating.accepts(baseline)

    def accepts(self, arguments: Any) -> bool:
        """Return whether any server has to accept the arguments. Raises as the view does."""
        return self.view.accepts(arguments) and self._accepts_unchecked(arguments) is not False

    def _accepts_unchecked(self, arguments: Any) -> bool | None:
        """Return what a server says that checks no `format`; None if it makes no difference."""
        if self._checks_formats or self.view.annotating is None:
            return None
        return self.view.annotating.accepts(arguments)

    def maker(self, full: bool = False) -> Maker:
        """Return a new maker of values, so that its values do not depend on earlier ones."""
        return Maker(self.view, now=self.now, full=full)

    def is_new(self, arguments: Any) -> bool:
        """Return whether these arguments are sent for the first time, and mark them as sent."""
        key = json.dumps(arguments, sort_keys=True)
        self._spend(len(key))
        short = _short(key)
        if short in self._sent:
            return False
        self._sent.add(short)
        return True

    def _spend(self, count: int) -> None:
        """Count bytes of calls. Raises `SchemaProblem` once the budget is used up."""
        self._left -= count
        if self._left < 0:
            most = MOST_BYTES >> 20
            raise SchemaProblem(ProblemKind.TOO_COMPLEX, f"its calls take more than {most} MB")

    def is_full(self, start: Start) -> bool:
        """Return whether no further branch may start from here."""
        return len(self.branches) >= MOST_BRANCHES or start.level >= DEEPEST_BRANCH

    def _is_new_start(self, arguments: Any) -> bool:
        """Return whether no branch starts from these arguments yet, and mark them.

        A valid case with the same arguments is removed.
        """
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
        """Add a case that breaks `arguments` itself."""
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
        """Add a valid deviation. One that the schema refuses is dropped and counted."""
        arguments, found, _ = self._judged(start, spot, change)
        if found or self._accepts_unchecked(arguments) is False:
            self.dropped += 1
        elif self.is_new(arguments):
            self._valid_case(start, spot.tokens, change.deviation, arguments)

    def valid_whole(self, scenario: str, arguments: Any, tokens: Tokens) -> None:
        """Add a case with whole valid arguments. `tokens` is the place that they test."""
        if not self.accepts(arguments):
            self.dropped += 1
        elif self.is_new(arguments):
            spot_less = Start(arguments, None)
            self._valid_case(spot_less, tokens, Deviation(scenario, None), arguments)

    def broken(self, start: Start, spot: Spot, change: Change) -> None:
        """Add a broken deviation if it is broken at its place, and only there.

        It is dropped and counted if it is valid, even only for a server that checks no `format`,
        or if it breaks other places too. Another place may be a container: now, for example, two
        branches of its `oneOf` match. If only unrelated places are broken, that is also a problem
        of the plan.
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
        elif {b.keyword for b in found} != {"format"} and self._accepts_unchecked(arguments):
            self.dropped += 1
        elif self.is_new(arguments):
            self._broken_case(start, spot, change, arguments, found)

    def branch(self, start: Start, name: str, beginning: Start) -> None:
        """Add a further baseline call, from which more deviations start.

        `beginning` holds its arguments, its place and what it shares. The other fields are set
        here.
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
        """Return the whole arguments, what they break, and the place that they should break."""
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
        """Add a broken case.

        If a lenient reader makes its value valid, it counts as a near miss.
        """
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
        if judge.lacks_offset(change.deviation.value, found):
            return False
        key = (judge.is_cut(names), *(id(n.schema) for n in spot.nodes))
        if key not in self._repairable:
            self._repairable[key] = judge.can_be_made(spot, self.maker(), names)
        return self._repairable[key]


def _short(key: str) -> bytes | str:
    """Return a short key: the full keys of all calls would need as much memory as the calls."""
    return key if len(key) < _LONG_KEY else blake2b(key.encode(), digest_size=16).digest()


def _is_within(place: Tokens, around: Tokens) -> bool:
    return place[: len(around)] == around


def _related(one: Tokens, other: Tokens) -> bool:
    """Return whether one place contains the other, or is the same."""
    size = min(len(one), len(other))
    return one[:size] == other[:size]
