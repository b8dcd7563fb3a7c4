"""What the library may do for a schema is counted: parts that multiply cost no more than others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from conformance.kit.cases.random import effort
from conformance.kit.cases.random.chance import Chance, NotDrawable
from conformance.kit.cases.random.effort import Effort, ways
from conformance.kit.cases.random.library import library_maker
from tests.counting import TooLong, counting

NUMBERS = [{"type": "integer", "multipleOf": n + 2, "minimum": n} for n in range(100)]
ANY_OF = [
    {"type": "object", "properties": {f"a{n}": {"type": "integer"}}, "required": [f"a{n}"]}
    for n in range(5)
]
SETS = {
    "allOf": [{"type": "string", "pattern": f"[{letter}]"} for letter in "abcdefghijklmnopqrstu"]
}
PRODUCTS = {
    "allOf": [{"anyOf": [{**one, "required": [f"b{n}"]} for one in ANY_OF]} for n in range(10)]
}
NAMES = {
    "type": "object", "minProperties": 3, "propertyNames": {"pattern": "^a"},
    "patternProperties": {f"^a|{n}": each for n, each in enumerate(NUMBERS)},
    "additionalProperties": False,
}  # fmt: skip
TEXTS = {
    "type": "array", "items": {"type": "string", "pattern": "^[a-z]{99}$"},
    "minItems": 900, "maxItems": 900,
}  # fmt: skip


@pytest.mark.parametrize("schema", [SETS, PRODUCTS, NAMES, TEXTS], ids=["1", "2", "3", "4"])
def test_what_would_never_end_is_given_up_and_says_why(schema, monkeypatch):
    monkeypatch.setattr(effort, "MOST", 200_000)
    own = Effort(effort.MOST)
    with pytest.raises(NotDrawable, match="more than 200000 steps"):
        picked(schema, own)
    assert own.left < effort.MOST
    assert sys.getprofile() is None


def test_what_came_up_before_it_was_too_much_is_kept(monkeypatch):
    monkeypatch.setattr(effort, "MOST", 300_000)
    schema = {"type": "array", "items": {"type": "string", "pattern": "^[a-z]{99}$"},
              "minItems": 9, "maxItems": 9}  # fmt: skip
    assert len(picked(schema, Effort())) == 9


def test_a_tool_of_many_such_schemas_takes_no_more_than_one(monkeypatch):
    monkeypatch.setattr(effort, "MOST", 200_000)
    own = Effort(effort.MOST)
    for number in range(3):
        with pytest.raises(NotDrawable):
            picked({**SETS, "minLength": number}, own)
    with counting(1_000), pytest.raises(NotDrawable, match="too many steps"):
        picked({**SETS, "minLength": 4}, own)


def test_what_another_tool_has_worked_out_costs_the_same():
    schema = {"type": "string", "pattern": "^[a-f]{3}$"}
    first, second = Effort(), Effort()
    assert picked(schema, first) == picked(schema, second)
    assert first.left == second.left < effort.MOST


def test_a_plain_schema_is_not_slowed_down(monkeypatch):
    set_to: list[Any] = []
    monkeypatch.setattr(sys, "setprofile", set_to.append)
    assert picked({"type": "string", "pattern": "^[a-e]{3}$"}, Effort())
    assert not any(set_to)


def test_parts_that_hold_together_multiply():
    assert ways({"type": "string"}) == ways(True) == 1
    assert ways({"anyOf": [True] * 7}) == 7
    assert ways({"allOf": [{"anyOf": [True] * 7}] * 3}) == 7**3 * 4
    assert ways({"properties": {"a": True, "b": {}}, "items": [{}, {}], "minItems": 10}) == 31
    assert ways(SETS) > 1_000_000 < ways(NAMES)


def _work() -> None:
    """Call a function."""


def _for_ever() -> None:
    while True:
        _work()


def _thrown_away() -> None:
    """Work where what is raised gets lost: while a generator is closed."""

    def generated() -> Iterator[int]:
        try:
            yield 0
        finally:
            for _ in range(50_000):
                _work()

    next(generated())


def _lost_in_tidying() -> None:
    _thrown_away()
    while True:  # no function is called any more
        pass


def _swallowed() -> None:
    with suppress(BaseException):
        _for_ever()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("work", [_for_ever, _thrown_away, _lost_in_tidying, _swallowed])
def test_what_is_counted_cannot_lose_its_alarm(work: Callable[[], None]) -> None:
    with pytest.raises(TooLong, match="more than 1,000 calls"), counting(1_000):
        work()
    assert sys.getprofile() is None


def test_what_ends_in_time_is_counted_and_left_alone() -> None:
    with counting(1_000) as counted:
        for _ in range(10):
            _work()
    assert 10 <= counted.done < 20


def picked(schema: Any, own: Effort) -> Any:
    make = library_maker(schema, 0, 5, own)
    assert make is not None
    return make(Chance(0))
