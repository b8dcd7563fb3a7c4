"""Ways to make random values: how often each is tried, and what it may give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from conformance.kit.cases.random.chance import (
    WIDE,
    Chance,
    TooLarge,
    Unlucky,
    always,
    among,
    fitting,
    integers,
    items,
    members,
    one_of,
    place,
    run,
)

LARGEST = 2_000
HUGE = 2**60


class Rising:
    """A way to make numbers, each one more than the one before."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, _: Chance) -> int:
        self.made += 1
        return self.made


def several(make: Callable[[Chance], Any], count: int = 300) -> list[Any]:
    """Make values with one generator, each in a call of its own."""
    chance = Chance(0)
    found = []
    for _ in range(count):
        chance.begin()
        found.append(make(chance))
    return found


def test_a_call_holds_so_many_values_and_not_one_more():
    chance = Chance(0)
    for _ in range(LARGEST):
        chance.spend()
    with pytest.raises(TooLarge, match=f"^a call of more than {LARGEST} values$"):
        chance.spend()
    chance.begin()
    chance.spend(LARGEST)
    with pytest.raises(TooLarge):
        chance.spend(1)


def test_a_coin_falls_on_both_sides_alike():
    class Middle(Chance):
        def random(self) -> float:
            return 0.5

    assert Counter(several(Chance.whether, 1000))[True] in range(450, 550)
    assert Middle(0).whether() is False


def test_one_value_some_values_and_a_range_are_given_whole():
    assert several(always("a"), 3) == ["a"] * 3
    assert set(several(among((1, 2, 3)))) == {1, 2, 3}
    assert set(several(integers(-2, 2))) == {-2, -1, 0, 1, 2}


def test_one_of_several_ways_is_taken_each_time_and_a_single_one_is_itself():
    single = always(1)
    assert one_of([single]) is single
    assert set(several(one_of([single, always(2)]))) == {1, 2}


@pytest.mark.parametrize(
    "around",
    [
        lambda make: one_of([make, make]),
        lambda make: fitting(make, lambda _: True),
        lambda make: items(make, 2, 2),
        lambda make: items(make, 2, 2, unique=True),
        lambda make: members(make, make, 9),
    ],
)
def test_what_is_made_inside_is_made_by_the_same_generator(around):
    chance, handed = Chance(0), []

    def make(given: Chance) -> int:
        handed.append(given)
        return len(handed)

    around(make)(chance)
    assert handed and all(each is chance for each in handed)


def test_a_value_that_does_not_fit_is_made_five_times():
    make = Rising()
    assert fitting(make, lambda value: value == 5)(Chance(0)) == 5
    make = Rising()
    with pytest.raises(Unlucky):
        fitting(make, lambda value: value > 5)(Chance(0))
    assert make.made == 5
    make = Rising()
    assert (fitting(make, lambda _: True)(Chance(0)), make.made) == (1, 1)


def test_a_text_has_so_many_letters_of_those():
    made = several(lambda chance: run(chance, "ab", 1, 4))
    assert {len(each) for each in made} == {1, 2, 3, 4}
    assert set("".join(made)) == {"a", "b"}


def test_an_array_has_so_many_items_which_may_be_alike():
    made = several(items(always("x"), 1, 3))
    assert {tuple(each) for each in made} == {("x",), ("x", "x"), ("x", "x", "x")}


def test_items_and_members_count_before_they_are_made():
    for make, tall in ((items(Rising(), 4, 4), 4), (members(Rising(), always(0), 4), 4)):
        chance = Chance(0)
        with pytest.raises(TooLarge):
            list(map(make, [chance] * LARGEST))
        chance.begin()
        for _ in range(LARGEST // tall):
            make(chance)
    never = Rising()
    with pytest.raises(TooLarge):
        items(never, LARGEST + 1, LARGEST + 1)(Chance(0))
    assert never.made == 0


def test_unique_items_differ_and_are_made_again_where_they_do_not():
    made = several(items(integers(1, 4), 2, 3, unique=True))
    assert {len(each) for each in made} == {2, 3}
    assert all(len(set(each)) == len(each) for each in made)
    make = Rising()
    assert items(make, 3, 3, unique=True)(Chance(0)) == [1, 2, 3]
    assert make.made == 3


def test_unique_items_that_are_too_few_are_given_up_after_five_tries_for_each():
    tried = Rising()
    with pytest.raises(Unlucky):
        items(lambda chance: tried(chance) * 0, 3, 3, unique=True)(Chance(0))
    assert tried.made == 3 * 5
    assert {tuple(each) for each in several(items(always(0), 1, 3, unique=True))} == {(0,)}


def test_objects_with_the_same_members_in_another_order_are_alike():
    either = among(({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    assert {len(each) for each in several(items(either, 1, 2, unique=True), 50)} == {1}


def test_an_object_has_at_most_so_many_members():
    made = several(members(Rising(), always("v"), 2))
    assert {len(each) for each in made} == {0, 1, 2}
    assert {value for each in made for value in each.values()} == {"v"}
    assert {type(name) for each in made for name in each} == {int}


@pytest.mark.parametrize("count", [1000, WIDE])
def test_in_a_narrow_range_every_number_is_as_likely(count):
    found = several(lambda chance: place(chance, count, 0), 2000)
    assert 0 <= min(found) < count / 50 and count * 49 / 50 < max(found) <= count
    assert sum(each < count / 10 for each in found) in range(140, 260)


@pytest.mark.parametrize("count", [0, 2])
def test_both_ends_of_a_range_are_met(count):
    assert set(several(lambda chance: place(chance, count, 0))) == set(range(count + 1))


@pytest.mark.parametrize("count", [WIDE + 1, HUGE])
def test_in_a_wide_range_numbers_are_often_near_the_one_that_is_meant_and_on_both_sides(count):
    near = count // 2
    found = [each - near for each in several(lambda chance: place(chance, count, near), 2000)]
    assert max(map(abs, found)) <= count - near
    for way in (1, -1):
        assert sum(0 < way * each < 2**8 for each in found) > 150
        assert sum(2**8 < way * each < 2**16 for each in found) > 150
    assert sum(abs(each) > count / 16 for each in found) in range(150, 700)


@pytest.mark.parametrize("near", [0, HUGE])
def test_next_to_an_end_of_a_wide_range_the_end_is_met_and_never_passed(near):
    found = several(lambda chance: place(chance, HUGE, near), 6000)
    assert near in found
    assert all(0 <= each <= HUGE for each in found)
    assert sum(abs(each - near) < 2**16 for each in found) > 3000
