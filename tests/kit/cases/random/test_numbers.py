"""Numbers drawn at random: between which ends they lie, and how they are spread over them."""

from __future__ import annotations

from sys import float_info
from typing import Any

import pytest

from conformance.kit.cases.random.chance import WIDE, Chance
from conformance.kit.cases.random.makers import numbers_of
from tests.ids import in_order


def drawn(schema: dict[str, Any], kind: str, count: int = 600) -> list[Any]:
    """Draw numbers of a schema that has some."""
    make = numbers_of(schema, kind)
    assert make is not None
    chance = Chance(0)
    return [make(chance) for _ in range(count)]


def between(low: float, high: float, **more: Any) -> dict[str, Any]:
    return {"minimum": low, "maximum": high, **more}


@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize(
    "schema",
    [{}, {"minimum": 0}, {"maximum": 0}, between(2, 1), between(-1.5e308, 1.5e308)],
    ids=in_order,
)
def test_where_an_end_is_missing_or_nothing_lies_between_nothing_is_made(schema, kind):
    assert numbers_of(schema, kind) is None


def test_the_ends_may_be_the_same_number_and_as_far_apart_as_json_carries():
    assert set(drawn(between(7, 7), "integer")) == {7}
    assert set(drawn(between(7, 7), "number")) == {7}
    wide = drawn(between(0, float_info.max), "number")
    assert all(0 <= each <= float_info.max for each in wide)


@pytest.mark.parametrize(
    ("schema", "kind", "expected"),
    [
        (between(-3, 3), "integer", {-3, -2, -1, 0, 1, 2, 3}),
        (between(1.5, 3.5), "integer", {2, 3}),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 4}, "integer", {2, 3}),
        (between(-12, 12, multipleOf=5), "integer", {-10, -5, 0, 5, 10}),
        (between(0.1, 1, multipleOf=0.25), "number", {0.25, 0.5, 0.75, 1}),
        (between(1, 1.9, multipleOf=0.3), "number", {1.2, 1.5, 1.8}),
    ],
    ids=in_order,
)
def test_of_a_range_with_steps_each_is_drawn_and_none_between_them(schema, kind, expected):
    found = drawn(schema, kind)
    assert set(found) == expected
    assert all(isinstance(each, int) for each in found if each == int(each))


@pytest.mark.parametrize(
    ("schema", "near"),
    [
        (between(-(10**15), 10**15), 0),
        (between(10**6, 10**15), 10**6),
        (between(-(10**15), -(10**6)), -(10**6)),
    ],
    ids=in_order,
)
@pytest.mark.parametrize("step", [1, 7])
def test_steps_of_a_wide_range_are_often_near_zero_or_the_end_that_is_next_to_it(
    schema, near, step
):
    found = drawn({**schema, "multipleOf": step}, "integer")
    assert all(schema["minimum"] <= each <= schema["maximum"] for each in found)
    assert sum(abs(each - near) <= step * 2**16 for each in found) > 300
    assert sum(abs(each - near) > 10**12 for each in found) > 50


def test_reals_are_whole_readable_or_have_all_digits_and_none_lies_outside():
    found = drawn(between(0.5, 9.25), "number", 2000)
    assert all(0.5 <= each <= 9.25 for each in found)
    whole = [each for each in found if isinstance(each, int)]
    rest = [each for each in found if isinstance(each, float)]
    readable = [each for each in rest if each == round(each, 2)]
    assert set(whole) == set(range(1, 10))
    assert len(whole) in range(400, 600)
    assert len(readable) in range(800, 1000)
    assert any(each != round(each, 1) for each in readable)


@pytest.mark.parametrize(
    ("low", "high", "edge"), [(0.006, 0.01, 0.01), (0.01, 0.014, 0.01), (0.001, 0.004, None)]
)
def test_a_readable_number_may_be_an_end_and_lies_not_beyond(low, high, edge):
    found = drawn(between(low, high), "number")
    assert all(low <= each <= high for each in found)
    assert (edge in found) is (edge is not None)


def test_of_a_range_with_one_whole_number_that_one_is_drawn_and_of_one_without_none():
    assert {each for each in drawn(between(0.5, 1.2), "number") if isinstance(each, int)} == {1}
    assert not [each for each in drawn(between(0.2, 0.8), "number") if isinstance(each, int)]


@pytest.mark.parametrize(
    ("low", "high", "near"), [(-1e12, 1e12, 0), (5, 1e12, 5), (-1e12, -5, -5)], ids=in_order
)
def test_reals_of_a_wide_range_are_often_near_zero_or_the_end_that_is_next_to_it(low, high, near):
    found = drawn(between(low, high), "number", 2000)
    assert all(low <= each <= high for each in found)
    parts = [each - near for each in found if isinstance(each, float)]
    for way in (1, -1):
        there = [way * each for each in parts if way * each > 0]
        if low <= near + way <= high:
            assert sum(each < 1 for each in there) > 50
            assert sum(1 < each < 100 for each in there) > 50
            assert sum(100 < each < 10_000 for each in there) > 50
            assert sum(each > 1e9 for each in there) > 200
        else:
            assert there == []
    whole = [each - near for each in found if isinstance(each, int)]
    assert sum(abs(each) < 2**17 for each in whole) > 200


def test_reals_of_a_range_that_is_not_wide_are_spread_evenly():
    for width, least, most in ((WIDE, 0, 20), (WIDE + 1, 200, 1000)):
        found = drawn(between(0, width), "number", 1000)
        parts = [each for each in found if isinstance(each, float)]
        assert sum(each < 10_000 for each in parts) in range(least, most)
