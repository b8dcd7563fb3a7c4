"""What is made of a normalised schema here, what of it the library draws, and what has no value."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.kit.cases.random import makers
from conformance.kit.cases.random.chance import Chance, TooLarge, Unlucky, always
from conformance.kit.cases.random.makers import Makers
from conformance.kit.cases.random.texts import text_name
from tests.ids import in_order

TEXT = {"type": "string", "format": text_name(1, 3)}
ONE_TO_NINE = {"type": "integer", "minimum": 1, "maximum": 9}
COIN = {"type": "boolean"}
LIBRARY = "drawn by the library"


@pytest.fixture(autouse=True)
def asked(monkeypatch) -> list[Any]:
    """What the library is asked for, in its place: it gives one text for all."""
    found: list[Any] = []

    def library(schema: Any, seed: int, count: int, _: Any) -> Any:
        found.append((schema, seed, count))
        return always(LIBRARY)

    monkeypatch.setattr(makers, "library_maker", library)
    return found


def of(schema: Any) -> Any:
    return Makers(3, 5).of(schema)


def drawn(schema: Any, count: int = 300) -> list[Any]:
    """Draw values of a schema that has some; those that are given up are left out."""
    make = of(schema)
    assert make is not None
    chance, found = Chance(0), []
    for _ in range(count):
        chance.begin()
        try:
            found.append(make(chance))
        except Unlucky:
            continue
    return found


def shapes(schema: Any) -> set[tuple[str, ...]]:
    """Which members the objects of a schema have."""
    return {tuple(sorted(each)) for each in drawn(schema)}


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"minimum": 3},
        {"not": COIN},
        {"type": "unheard-of"},
        {"allOf": [COIN, COIN]},
        {"anyOf": [COIN], "title": "t"},
        {"enum": [1], "minimum": 1},
        {"type": ["integer", "null"], "if": COIN},
        {"type": "string"},
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": "a", "format": TEXT["format"]},
        {"type": "integer"},
        {"type": "number", "minimum": 3},
        {"type": "array"},
        {"type": "array", "contains": COIN, "items": COIN},
        {"type": "object", "minProperties": 1},
        {"type": "object", "dependencies": {"a": COIN, "b": []}},
    ],
    ids=in_order,
)
def test_what_is_not_plain_is_left_to_the_library_whole(schema, asked):
    assert set(drawn(schema)) == {LIBRARY}
    assert asked == [(schema, 3, 5)]


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"anyOf": [False, False]},
        {"allOf": [False]},
        {"enum": []},
        {"type": "string", "enum": [1, None]},
        {"type": "array", "items": False, "minItems": 1},
        {"type": "array", "items": COIN, "minItems": 3, "maxItems": 2},
        {"type": "array", "items": [COIN, False], "additionalItems": COIN},
        {"type": "array", "items": [COIN], "additionalItems": False, "minItems": 2},
        {"type": "object", "properties": {"a": False}, "required": ["a"]},
        {"type": "object", "required": ["a"]},
    ],
    ids=in_order,
)
def test_what_has_no_value_has_no_way_to_make_one(schema, asked):
    assert of(schema) is None
    assert asked == []


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"anyOf": [{"const": 1}, False, {"const": "b"}]}, {1, "b"}),
        ({"oneOf": [{"const": 1}, {"const": "b"}]}, {1, "b"}),
        ({"allOf": [{"const": 1}]}, {1}),
        ({"enum": [1, "b", None]}, {1, "b", None}),
        ({"type": "number", "enum": [1, 2.5, "b", True]}, {1, 2.5}),
        ({"type": "integer", "enum": [3, 2.5, "b"]}, {3}),
        ({"type": ["string", "null"], "enum": [3, "b", None]}, {"b", None}),
        ({"const": None}, {None}),
        ({"type": "string", "const": "a"}, {"a"}),
        ({"const": "a", "enum": ["a", "b"]}, {"a"}),
        ({"type": "string", "const": "a", "enum": ["a", "b"]}, {"a"}),
        ({"type": "null"}, {None}),
        (COIN, {True, False}),
        (ONE_TO_NINE, set(range(1, 10))),
        ({"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.5}, {0, 0.5, 1}),
    ],
    ids=in_order,
)
def test_values_to_choose_from_and_plain_ones_are_all_made(schema, expected, asked):
    found = drawn(schema)
    assert set(found) == expected
    assert {type(each) for each in found} == {type(each) for each in expected}
    assert asked == []


def test_texts_of_our_formats_are_made_within_their_lengths():
    assert {len(each) for each in drawn(TEXT)} == {1, 2, 3}
    assert {len(each) for each in drawn({**TEXT, "minLength": 2})} == {2, 3}
    assert {len(each) for each in drawn({**TEXT, "maxLength": 2})} == {1, 2}
    assert {len(each) for each in drawn({**TEXT, "format": text_name(0, 2)})} == {0, 1, 2}


def test_of_several_types_each_is_made_with_what_is_said_of_it(asked):
    made = drawn({
        "type": ["integer", "string", "boolean", "null", "array", "object"],
        "minimum": 1, "maximum": 9, "format": TEXT["format"],
        "items": COIN, "minItems": 1, "maxItems": 1,
        "properties": {"a": COIN}, "required": ["a"],
    })  # fmt: skip
    assert {type(each) for each in made} == {int, str, bool, type(None), list, dict}
    assert all(each in range(1, 10) for each in made if type(each) is int)
    assert all(len(each) in (1, 2, 3) for each in made if isinstance(each, str))
    assert [each for each in made if isinstance(each, list) and each not in ([True], [False])] == []
    assert {tuple(each) for each in made if isinstance(each, dict)} == {("a",)}
    assert asked == []


def test_of_several_types_the_library_is_asked_for_one_alone(asked):
    drawn({"type": ["string", "integer"], "pattern": "^a", "minimum": 1, "maximum": 2})
    drawn({"type": ["unheard-of", "null"], "minimum": 1})
    assert asked == [({"type": "string", "pattern": "^a"}, 3, 5), ({"type": "unheard-of"}, 3, 5)]


def test_an_object_has_what_it_needs_and_some_of_the_rest_and_no_more():
    schema = {"type": "object", "properties": {"a": COIN, "b": ONE_TO_NINE, "c": False},
              "required": ["a"]}  # fmt: skip
    assert shapes(schema) == {("a",), ("a", "b")}
    assert {each["a"] for each in drawn(schema)} == {True, False}
    assert {each["b"] for each in drawn(schema) if "b" in each} == set(range(1, 10))
    assert shapes({"type": "object"}) == {()}


def test_members_that_are_not_named_are_made_of_what_is_said_of_them(asked):
    names = {"enum": ["x", "y", "z", "w", "v", "a"]}
    schema = {"type": "object", "properties": {"a": COIN}, "required": ["a", "n"],
              "additionalProperties": {"const": 7}, "propertyNames": names}  # fmt: skip
    made = drawn(schema)
    assert {len(each) for each in made} == {2, 3, 4}
    assert {name for each in made for name in each} == {*names["enum"], "n"}
    assert all(each["a"] in (True, False) for each in made if "a" in each)
    assert all(value == 7 for each in made for name, value in each.items() if name != "a")
    assert shapes({**schema, "propertyNames": False}) == {("a", "n")}
    assert asked == []
    del schema["propertyNames"]
    assert shapes(schema) == {("a", "n"), ("a", LIBRARY, "n")}
    assert asked == [({"type": "string"}, 3, 5)]


def test_an_object_holds_no_more_members_than_it_may():
    many = dict.fromkeys("abcdef", COIN)
    names = {"enum": ["x", "y", "z", "w", "v", "u", "t"]}
    schema = {"type": "object", "properties": many, "additionalProperties": COIN,
              "propertyNames": names}  # fmt: skip
    assert {len(each) for each in drawn({**schema, "maxProperties": 4})} == {0, 1, 2, 3, 4}
    assert max(len(each) for each in drawn({**schema, "maxProperties": 9.0})) == 9
    more = [len(each.keys() - many.keys()) for each in drawn(schema)]
    assert set(more) == {0, 1, 2, 3}
    only = {"type": "object", "required": ["a", "b"], "properties": many, "maxProperties": 1,
            "additionalProperties": COIN, "propertyNames": names}  # fmt: skip
    assert shapes(only) == {("a", "b")}


def test_an_object_holds_as_many_members_as_it_has_to(asked):
    many = dict.fromkeys("abcdef", COIN)
    closed = {"type": "object", "properties": many, "minProperties": 4,
              "additionalProperties": False}  # fmt: skip
    assert {len(each) for each in drawn(closed)} == {4, 5, 6}
    assert shapes({**closed, "minProperties": 6.0}) == {tuple("abcdef")}
    assert drawn({**closed, "minProperties": 7}) == []
    names = {"enum": [*"abcdefgh"]}
    more = {**closed, "additionalProperties": COIN, "propertyNames": names, "minProperties": 7}
    assert {len(each) for each in drawn(more)} == {7, 8}
    assert drawn({**more, "minProperties": 9}) == []
    thousand = {"type": "object", "minProperties": 1000, "additionalProperties": COIN,
                "propertyNames": {"type": "string", "format": text_name(9, 9)}}  # fmt: skip
    assert {len(each) for each in drawn(thousand, 3)} == {1000}
    assert asked == []


def test_a_member_brings_those_that_it_asks_for_once(asked):
    schema = {"type": "object", "properties": {"a": COIN, "b": ONE_TO_NINE, "c": COIN},
              "dependencies": {"a": ["b"]}}  # fmt: skip
    assert shapes(schema) == {(), ("b",), ("c",), ("a", "b"), ("b", "c"), ("a", "b", "c")}
    assert asked == []


def test_a_member_that_is_asked_for_and_cannot_be_made_is_given_up():
    schema = {"type": "object", "properties": {"a": COIN, "b": False},
              "dependencies": {"a": ["b"]}}  # fmt: skip
    assert shapes(schema) == {()}
    assert 100 < len(drawn(schema)) < 200


def test_each_member_counts_once():
    make = of({"type": "object", "properties": {"a": COIN}, "required": ["a", "a"]})
    chance = Chance(0)
    for _ in range(2_000):
        make(chance)
    with pytest.raises(TooLarge):
        make(chance)


def test_arrays_have_so_many_items():
    assert {len(each) for each in drawn({"type": "array", "items": COIN})} == {0, 1, 2, 3}
    some = {"type": "array", "items": COIN, "minItems": 2, "maxItems": 5}
    assert {len(each) for each in drawn(some)} == {2, 3, 4, 5}
    exact = {"type": "array", "items": COIN, "minItems": 2, "maxItems": 2}
    assert {tuple(each) for each in drawn(exact)} == {
        (one, two) for one in (True, False) for two in (True, False)}  # fmt: skip
    assert {tuple(each) for each in drawn({**exact, "uniqueItems": True})} == {
        (True, False), (False, True)}  # fmt: skip
    assert drawn({"type": "array", "items": False}, 5) == [[]] * 5


def test_the_first_items_have_schemas_of_their_own(asked):
    pair = {"type": "array", "items": [{"const": "a"}, COIN]}
    made = drawn({**pair, "additionalItems": {"const": 7}})
    assert {tuple(each[2:]) for each in made} == {(), (7,), (7, 7), (7, 7, 7)}
    assert all(each[0] == "a" and isinstance(each[1], bool) for each in made)
    closed = drawn({**pair, "additionalItems": False, "minItems": 2})
    assert {tuple(each) for each in closed} == {("a", True), ("a", False)}
    bounded = {**pair, "additionalItems": {"const": 7}, "minItems": 3, "maxItems": 4}
    assert {len(each) for each in drawn(bounded)} == {3, 4}
    assert {len(each) for each in drawn({**bounded, "minItems": 0, "maxItems": 2})} == {2}
    assert asked == []
    assert {tuple(each[2:]) for each in drawn(pair)} == {
        (), (LIBRARY,), (LIBRARY,) * 2, (LIBRARY,) * 3}  # fmt: skip
    assert asked == [(True, 3, 5)]
