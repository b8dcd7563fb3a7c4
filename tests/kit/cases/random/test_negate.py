"""Breaking one place at random: in which ways, and that what is put there breaks it."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

from conformance.kit.cases.random.chance import Chance, Unlucky
from conformance.kit.cases.random.negate import TYPE, Negation, negations
from conformance.kit.cases.walk import spot_at
from conformance.kit.schema.view import view_of
from tests.ids import in_order

ALL = ["string", "integer", "number", "boolean", "array", "object", "null"]


def ways(schema: dict[str, Any], value: Any) -> list[Negation]:
    """Give how to break the value of a parameter."""
    view = view_of({"type": "object", "properties": {"x": schema}})
    return negations(spot_at(view, {"x": value}, ("x",)))


def names(schema: dict[str, Any], value: Any) -> list[str]:
    """Name how to break it, other than by another type."""
    return [way.scenario for way in ways(schema, value) if way.scenario != TYPE]


def sent(schema: dict[str, Any], value: Any, scenario: str, count: int = 400) -> list[Any]:
    """Give values of one way: it is there once, and almost always finds one."""
    (way,) = (each for each in ways(schema, value) if each.scenario == scenario)
    chance, found = Chance(0), []
    for _ in range(count):
        chance.begin()
        try:
            found.append(way.value(chance))
        except Unlucky:
            continue
    assert len(found) > count * 0.9
    return found


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "string"}, "a", {bool, list, dict, type(None)}),
        ({"type": "string", "nullable": True}, "a", {bool, list, dict}),
        ({"type": ["string", "null"]}, "a", {bool, list, dict}),
        ({"type": "string", "format": "date"}, "2026-01-01", {bool, list, dict, type(None)}),
        ({"type": "integer"}, 3, {str, list, dict, type(None)}),
        ({"type": "number"}, 1.5, {str, list, dict, type(None)}),
        ({"type": "boolean"}, True, {str, int, list, dict, type(None)}),
        ({"type": "array"}, [], {str, int, bool, dict, type(None)}),
        ({"type": "object"}, {}, {str, int, bool, list, type(None)}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "a", {list, dict, type(None)}),
        ({"enum": ["a"]}, "a", {int, bool, list, dict, type(None)}),
    ],
    ids=in_order,
)
def test_another_type_is_sent_that_no_lossless_reading_turns_into_a_right_one(
    schema, value, expected
):
    found = sent(schema, value, TYPE)
    assert {type(each) for each in found} == expected
    assert not [each for each in found if each in (0, 1) and type(each) is int]


@pytest.mark.parametrize("schema", [{}, {"type": ALL}], ids=in_order)
def test_where_every_type_is_right_none_is_another(schema):
    assert ways(schema, "a") == []


def test_a_word_is_sent_that_is_not_among_the_texts_to_choose_from():
    letters = "bcdghjklmpqrsvwxzñéжλ語"
    schema = {"enum": [*map("".join, product(letters, repeat=2)), 7], "minLength": 2}
    assert names(schema, "bb") == ["random-enum"]
    found = sent(schema, "bb", "random-enum", 1000)
    assert all(isinstance(each, str) and each not in schema["enum"] for each in found)
    assert names({"enum": [1, 2], "maximum": 2}, 1) == []


def test_a_text_is_too_short_by_one_character_or_more():
    assert {len(each) for each in sent({"minLength": 3}, "aaa", "random-too-short")} == {0, 1, 2}
    assert set(sent({"minLength": 1}, "a", "random-too-short")) == {""}
    assert "".join(sent({"minLength": 9}, "a" * 9, "random-too-short")).strip("abcxyz") == ""
    lengths = [len(each) for each in sent({"minLength": 9000}, "a" * 9000, "random-too-short")]
    assert 1900 < max(lengths) <= 2000


def test_a_text_is_too_long_by_one_character_to_some_hundred():
    lengths = {len(each) for each in sent({"maxLength": 5}, "a", "random-too-long", 3000)}
    assert (min(lengths), max(lengths)) == (6, 206)
    lengths = {len(each) for each in sent({"maxLength": 300}, "a", "random-too-long", 600)}
    assert 301 <= min(lengths) < 310 and 590 < max(lengths) <= 601


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, []),
        ({"type": "string", "minLength": 1, "maxLength": 0}, ["random-too-short",
                                                              "random-too-long"]),
        ({"type": "string", "maxLength": 2000}, ["random-too-long"]),
        ({"type": "string", "maxLength": 2001}, []),
        ({"type": "string", "pattern": "a", "minLength": 1, "maxLength": 9}, ["random-pattern"]),
        ({"type": "string", "format": "date", "minLength": 1, "maxLength": 9},
         ["random-format-date"]),
        ({"type": "string", "format": "iri"}, []),
    ],
    ids=in_order,
)  # fmt: skip
def test_texts_are_broken_in_what_the_schema_says_of_them(schema, expected):
    assert names(schema, "a") == expected


@pytest.mark.parametrize(
    ("more", "least", "most"),
    [({}, 0, 32), ({"minLength": 4}, 4, 36), ({"minLength": 4, "maxLength": 1000}, 4, 68),
     ({"minLength": 4, "maxLength": 6}, 4, 6)],
    ids=in_order,
)  # fmt: skip
def test_a_text_that_misses_a_pattern_has_a_length_that_is_right(more, least, most):
    found = sent({"pattern": "^q+$", **more}, "qqqqq", "random-pattern", 2000)
    assert {len(each) for each in found} == set(range(least, most + 1))
    assert not [each for each in found if re.search("^q+$", each)]


def test_a_text_misses_a_pattern_in_every_dialect():
    digits = sent({"pattern": r"^\d|\d$"}, "1", "random-pattern")
    assert not [each for each in digits if re.search(r"^\d|\d$", each)]
    assert any(re.search(r"[^\W\d]", each) for each in digits)
    named = sent({"pattern": r"^(?<year>\d{4})$"}, "2026", "random-pattern")
    assert not [each for each in named if re.search(r"^\d{4}$", each, re.ASCII)]


def test_two_words_are_sent_for_a_format():
    found = sent({"format": "email"}, "a@example.com", "random-format-email")
    assert {len(each.split(" ")) for each in found} == {2}
    assert {len(word) for each in found for word in each.split(" ")} == set(range(2, 25))


def test_whole_numbers_lie_beyond_a_bound_near_and_far_and_between_two():
    schema = {"type": "integer", "minimum": -4, "maximum": 10}
    assert names(schema, 3) == ["random-above-maximum", "random-below-minimum", "random-fraction"]
    for scenario, end, way in (("random-above-maximum", 10, 1), ("random-below-minimum", -4, -1)):
        found = [way * (each - end) for each in sent(schema, 3, scenario, 2000)]
        assert all(isinstance(each, int) for each in found)
        assert min(found) == 1 and max(found) > 2_000_000
        assert sum(each <= 50 for each in found) > 500
        assert sum(50 < each <= 5000 for each in found) > 500
    parts = sent(schema, 3, "random-fraction", 2000)
    assert {round(each, 4) for each in parts} == {round(3 + k / 100, 4) for k in range(1, 100)}


def test_beyond_a_bound_numbers_keep_the_step_and_the_excluded_end_is_met():
    stepped = {"type": "integer", "minimum": 0, "maximum": 52, "multipleOf": 5}
    found = sent(stepped, 5, "random-above-maximum", 1000)
    assert min(found) == 55 and all(each % 5 == 0 for each in found)
    halves = {"type": "integer", "maximum": 9, "multipleOf": 1.5}
    assert {each % 3 for each in sent(halves, 3, "random-above-maximum")} == {0}
    strict = {"type": "integer", "exclusiveMaximum": 10}
    assert min(sent(strict, 5, "random-above-maximum", 1000)) == 10
    assert names(strict, 5) == ["random-above-maximum", "random-fraction"]
    assert names({"type": "integer", "minimum": 1}, 5) == [
        "random-below-minimum", "random-fraction"]  # fmt: skip


def test_reals_lie_beyond_a_bound_as_reals():
    schema = {"type": "number", "minimum": 0.5, "maximum": 2}
    assert names(schema, 1) == ["random-above-maximum", "random-below-minimum"]
    for scenario, inside in (("random-above-maximum", 2), ("random-below-minimum", 0.5)):
        found = sent(schema, 1.0, scenario)
        assert all(isinstance(each, float) for each in found)
        assert min(abs(each - inside) for each in found) == 1


def test_the_ends_of_machine_numbers_are_no_bounds_and_truths_no_numbers():
    ends = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
    assert names(ends, 3) == ["random-fraction"]
    assert names({"type": "boolean"}, True) == []


def test_no_fraction_is_sent_where_the_number_has_no_place_for_one():
    (way,) = (w for w in ways({"type": "integer"}, 2**60) if w.scenario == "random-fraction")
    with pytest.raises(Unlucky):
        way.value(Chance(0))


def test_each_member_that_is_asked_for_is_left_out_and_blamed():
    schema = {"type": "object", "required": ["a", "b", "c"]}
    found = [way for way in ways(schema, {"a": 1, "b": 2}) if way.scenario != TYPE]
    assert [(way.scenario, way.blamed, way.value(Chance(0))) for way in found] == [
        ("random-missing", ("a",), {"b": 2}),
        ("random-missing", ("b",), {"a": 1}),
    ]


def test_items_are_too_few():
    schema = {"type": "array", "minItems": 2}
    found = sent(schema, [1, 2, 3], "random-too-few")
    assert {tuple(each) for each in found} == {(), (1,)}
    assert names(schema, [1, 2]) == ["random-too-few"]
    assert names(schema, [1]) == []
    assert names({"type": "array", "minItems": 0}, [1]) == []
    assert sent({"type": "array", "minItems": 1}, [1], "random-too-few", 20) == [[]] * 20


def test_an_item_stands_twice_anywhere_where_there_is_room():
    schema = {"type": "array", "uniqueItems": True}
    found = {tuple(each) for each in sent(schema, [1, 2], "random-duplicate")}
    assert found == {(1, 1, 2), (1, 2, 1), (2, 1, 2), (1, 2, 2)}
    assert names({**schema, "maxItems": 3}, [1, 2]) == ["random-duplicate"]
    assert names({**schema, "maxItems": 2}, [1, 2]) == []
    assert names(schema, []) == []


def test_items_are_too_many():
    schema = {"type": "array", "maxItems": 3}
    found = sent(schema, [1, 2], "random-too-many")
    assert {len(each) for each in found} == set(range(4, 24))
    assert all(each == ([1, 2] * 12)[: len(each)] for each in found)
    assert names({"type": "array", "maxItems": 199}, [1]) == ["random-too-many"]
    assert names({"type": "array", "maxItems": 200}, [1]) == []
    assert names(schema, []) == []
    assert names({"type": "array"}, [1]) == []
