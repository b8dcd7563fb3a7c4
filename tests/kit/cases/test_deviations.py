"""What is tried at one place: of good values each end of what is allowed, of bad ones each rule."""

from dataclasses import replace

import pytest

from conformance.formats.schema.equality import same
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases import deviations
from conformance.kit.cases import expectations as judge
from conformance.kit.cases.deviations import LONGEST_SENT, MOST_SENT, Place
from conformance.kit.cases.plan import plan
from conformance.kit.cases.valid_values import LONGEST_TEXT
from conformance.kit.cases.walk import spot_at, spots
from conformance.kit.model.case import Expectation
from conformance.kit.schema.constraints import type_of
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.view import view_of
from tests.kit.samples import HTTP

LONG = "a" * LONGEST_TEXT
UNICODE = "Zoë 東京 🚀"
A_DAY, A_MOMENT = "2035-06-15", "2035-06-15T10:00:00Z"


def place(schema, value):
    view = view_of({"type": "object", "properties": {"x": schema}})
    spot = spot_at(view, {} if value is ABSENT else {"x": value}, ("x",))
    return Place(spot.asked, value, spot.taken, judge.is_judgeable(spot.asked))


def good(schema, value):
    return [(each.scenario, each.value) for each in deviations.valid(place(schema, value))]


def bad(schema, value, *, types=False):
    """What is tried, without the values of other types."""
    return [
        (each.scenario, each.value, each.variant)
        for each in deviations.broken(place(schema, value))
        if types or not each.scenario.startswith(("wrong-type", "near-miss"))
    ]


def written(found):
    """As JSON tells 1 from 1.0 and true."""
    return [(scenario, type(value), value) for scenario, value, *_ in found]


WHOLE, NUMBER, TEXT = {"type": "integer"}, {"type": "number"}, {"type": "string"}

GOOD = [
    ({**WHOLE, "minimum": 2, "maximum": 9}, 5,
     [("minimum", 2), ("above-the-minimum", 3), ("below-the-maximum", 8), ("maximum", 9)]),
    ({**NUMBER, "minimum": 0.0, "maximum": 1.25}, 1.0,
     [("minimum", 0.0), ("above-the-minimum", 1.0), ("below-the-maximum", 0.25),
      ("maximum", 1.25), ("with-fraction", 0.62)]),
    ({**NUMBER, "minimum": 1}, 1,
     [("minimum", 1), ("above-the-minimum", 2), ("positive", 1), ("with-fraction", 2.5)]),
    ({**WHOLE, "maximum": 4}, 4,
     [("below-the-maximum", 3), ("maximum", 4), ("zero", 0), ("positive", 1), ("negative", -1)]),
    ({**WHOLE, "multipleOf": 4}, 4, [("zero", 0), ("positive", 4), ("negative", -4)]),
    ({**NUMBER, "multipleOf": 0.5}, 1, [("zero", 0), ("positive", 0.5), ("negative", -0.5)]),
    # The ends of machine numbers say nothing of what the tool can bear.
    ({**WHOLE, "minimum": -(2**31), "maximum": 2**31 - 1}, 5, []),
    ({**TEXT, "minLength": 2}, "ab",
     [("shortest", "aa"), ("above-the-shortest", "aaa"), ("long", LONG), ("unicode", UNICODE)]),
    ({**TEXT, "maxLength": 1}, "a",
     [("empty-text", ""), ("longest", "a"), ("longest-unicode", "東"), ("unicode", "Z")]),
    ({**TEXT, "minLength": LONGEST_TEXT + 1}, "a",
     [("shortest", LONG + "a"), ("above-the-shortest", LONG + "aa"),
      ("unicode", UNICODE.ljust(LONGEST_TEXT + 1, "a"))]),
    ({**TEXT, "format": "date"}, A_DAY, []),
    ({**TEXT, "pattern": "^a"}, "a", []),
    ({"type": ["integer", "string", "null"]}, 7,
     [("zero", 0), ("positive", 1), ("negative", -1),
      ("empty-text", ""), ("long", LONG), ("unicode", UNICODE), ("null-value", None)]),
    ({"type": "boolean", "default": True}, True,
     [("default", True), ("true", True), ("false", False)]),
    ({"type": "array", "minItems": 1}, [4, 5, 6], [("fewest-items", [4])]),
    ({"type": "array", "minItems": 2}, [4, 5], []),
    ({"type": "array"}, [4], [("empty-array", [])]),
    ({"type": "array"}, ABSENT, []),
    ({"type": "object"}, {"y": 1}, [("empty-object", {})]),
    ({"type": "object"}, {}, []),
    ({"type": "object", "required": ["y"]}, {"y": 1}, []),
    ({}, 1, []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), GOOD)
def test_of_what_is_allowed_the_ends_and_the_odd_ones_are_sent_and_nothing_else(
    schema, value, expected
):
    assert written(good(schema, value)) == written(expected)


EXTREMES = [
    (WHOLE, 5, [("whole-float", 1.0)]),
    ({**WHOLE, "minimum": 2}, 5, [("whole-float", 2.0)]),
    ({"type": ["integer", "number"]}, 5, []),
    (TEXT, "a", [("with-slash", "a/b"), ("blank-text", " ")]),
    ({**TEXT, "maxLength": 1}, "a", [("with-slash", "a"), ("blank-text", " ")]),
    ({**TEXT, "minLength": 3}, "abc", [("with-slash", "a/b"), ("blank-text", "   ")]),
    ({**TEXT, "pattern": "^a"}, "a", []),
    ({**TEXT, "format": "date"}, A_DAY,
     [("extreme-date", day) for day in
      ("2035-06-01", "2035-05-31", "2036-02-29", "0001-01-01", "9999-12-31")]),
    ({**TEXT, "format": "date-time"}, A_MOMENT,
     [("extreme-date-time", "2035-06-01T10:00:00Z"), ("extreme-date-time", "2035-05-31T10:00:00Z"),
      ("extreme-date-time", "2036-02-29T10:00:00Z"),
      ("extreme-date-time", "0001-01-01T00:00:00Z"), ("extreme-date-time", "9999-12-31T23:59:59Z"),
      ("extreme-date-time", "2035-06-15T10:00:00+14:00"),
      ("extreme-date-time", "2035-06-15T10:00:00-14:00")]),
    ({**TEXT, "format": "zip"}, "a", []),
    ({}, 1, [("any-type", None), ("any-type", 1.5), ("any-type", True), ("any-type", []),
             ("any-type", {})]),
    ({"enum": [1, "a"]}, 1, []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), EXTREMES)
def test_what_few_servers_are_made_for_is_sent_and_expects_only_an_answer(schema, value, expected):
    found = list(deviations.extremes(place(schema, value), SOMEDAY))
    assert written((each.scenario, each.value) for each in found) == written(expected)
    assert {each.scenario for each in found if not each.extreme} <= {deviations.WHOLE_FLOAT}


@pytest.mark.parametrize("name", ["id", "ID", "book_id", "bookId", "bookID", "book-id"])
@pytest.mark.parametrize(
    "schema", [WHOLE, {**WHOLE, "minimum": 1, "maximum": 2**63 - 1}, {**WHOLE, "format": "int64"}]
)
def test_an_id_may_need_more_than_32_bits(name, schema):
    found = deviations.extremes(replace(place(schema, 5), name=name), SOMEDAY)
    (large,) = (each for each in found if each.scenario == "large-id")
    assert (large.value, large.extreme) == (2**31, True)


@pytest.mark.parametrize(
    ("name", "schema"),
    [("limit", WHOLE), ("paid", WHOLE), ("grid", WHOLE), ("idle", WHOLE), ("", WHOLE),
     ("id", {**WHOLE, "maximum": 9}), ("id", {**WHOLE, "maximum": 2**31 - 1}),
     ("id", {**WHOLE, "maximum": 10**10}), ("id", {**WHOLE, "format": "int32"}),
     ("id", {"type": "number"}), ("id", TEXT), ("id", {"enum": [1, 2]})],
)  # fmt: skip
def test_a_large_count_is_not_sent_and_a_bound_is_enough(name, schema):
    found = deviations.extremes(replace(place(schema, 5), name=name), SOMEDAY)
    assert [each for each in found if each.scenario == "large-id"] == []


def test_a_plan_has_one_large_id_for_each_id_and_none_for_a_count():
    schema = {
        "type": "object",
        "properties": {"book_id": WHOLE, "limit": WHOLE, "loan": {
            "type": "object", "properties": {"memberId": WHOLE}, "required": ["memberId"]}},
        "required": ["book_id", "limit", "loan"],
    }  # fmt: skip
    tool = Tool("t", schema, ToolForm.MCP, {})
    good = {"book_id": 1, "limit": 1, "loan": {"memberId": 1}}
    large = [case for case in plan(tool, HTTP, good).cases if case.scenario == "large-id"]
    assert [case.arguments for case in large] == [
        {**good, "book_id": 2**31}, {**good, "loan": {"memberId": 2**31}},
    ]  # fmt: skip
    assert {case.expects for case in large} == {Expectation.ANSWER}


def test_of_a_constant_truth_value_the_other_one_is_sent():
    found = deviations.broken(place({"const": True}, True))
    assert ("const-neighbour", False) in [(each.scenario, each.value) for each in found]


@pytest.mark.parametrize(
    ("allowed", "sent"), [([{"a": 1}], {"a": 1, "extra": "abc"}), ([[1], [2]], [1, "abc"])]
)
def test_of_a_list_of_containers_one_with_more_in_it_is_sent(allowed, sent):
    found = deviations.broken(place({"enum": allowed}, allowed[0]))
    assert sent in [each.value for each in found if each.scenario.endswith("-neighbour")]


def test_an_integer_with_a_fraction_of_zero_is_to_be_accepted():
    sent = deviations.extremes(place(WHOLE, 5), SOMEDAY)
    (found,) = (each for each in sent if each.scenario == "whole-float")
    assert not found.extreme


def test_a_value_of_a_list_is_told_apart_by_itself_and_an_example_by_its_number():
    listed = deviations.valid(place({"enum": ["eur", 2, None, [1]]}, 2))
    assert [each.variant for each in listed] == ["eur", "2", "2", "3"]
    shown = deviations.valid(place({**WHOLE, "examples": [5, 6]}, 5))
    assert [(e.scenario, e.variant) for e in shown][:2] == [("example", "1"), ("example", "2")]


DAYS = [("format-date", "2036-02-30", "impossible-day"), ("format-date", "2035-13-01", "month-13"),
        ("format-date", "15/06/2035", "day-first"), ("format-date", "", "empty"),
        ("format-date", " ", "blank")]  # fmt: skip

BAD = [
    ({"enum": ["Ab", "cd"]}, "cd",
     [("enum-neighbour", "cd_x", ""), ("enum-case", "CD", ""), ("enum-space", "cd ", ""),
      ("enum-empty", "", "")]),
    ({"const": "UP"}, ABSENT,
     [("const-neighbour", "UP_x", ""), ("const-case", "up", ""), ("const-space", "UP ", ""),
      ("const-empty", "", "")]),
    ({"enum": ["12", "x"]}, "12",  # no letters: there is no other case of it
     [("enum-neighbour", "12_x", ""), ("enum-space", "12 ", ""), ("enum-empty", "", "")]),
    ({**WHOLE, "enum": [3, 8, 5]}, 3, [("enum-neighbour", 9, "number"), ("fraction", 1.5, "")]),
    ({**WHOLE, "minimum": 2, "maximum": 9}, 5,
     [("below-minimum", 1, ""), ("above-maximum", 10, ""), ("fraction", 2.5, "")]),
    ({**NUMBER, "exclusiveMinimum": 0, "exclusiveMaximum": 8}, 5,
     [("at-excluded-minimum", 0, ""), ("below-minimum", -0.99, ""),
      ("at-excluded-maximum", 8, ""), ("above-maximum", 8.99, "")]),
    ({**NUMBER, "minimum": 0.5, "maximum": 2.5}, 1,
     [("below-minimum", -0.5, ""), ("above-maximum", 3.5, "")]),
    ({**WHOLE, "multipleOf": 4}, 4, [("not-a-multiple", 5, "4"), ("fraction", 4.5, "")]),
    ({**NUMBER, "multipleOf": 0.5}, 1, [("not-a-multiple", 0.75, "0.5")]),
    # No whole number lies between: what is tried is next to one all the same.
    ({**WHOLE, "minimum": 4, "maximum": 3}, ABSENT,
     [("below-minimum", 3, ""), ("above-maximum", 4, ""), ("fraction", 1.5, "")]),
    ({**WHOLE, "minimum": 4, "maximum": 3, "multipleOf": 2}, ABSENT,
     [("below-minimum", 2, ""), ("above-maximum", 4, ""), ("not-a-multiple", 1, "2"),
      ("fraction", 1.5, "")]),
    ({**TEXT, "minLength": 3, "maxLength": 5}, "abcd",
     [("too-short", "aa", ""), ("too-long", "aaaaaa", "")]),
    ({**TEXT, "minLength": 3, "pattern": "^[x-z]+$"}, "zyx",
     [("too-short", "zy", ""), ("pattern-broken", "zyx!", "1"), ("pattern-broken", "!zyx", "1")]),
    ({**TEXT, "pattern": "^[x-z]+$", "format": "unheard-of"}, "zyx", []),
    ({**TEXT, "format": "date"}, A_DAY, DAYS),
    ({"type": "array", "minItems": 2}, [4, 5, 6], [("too-few-items", [4], "")]),
    ({"type": "array", "uniqueItems": True}, [4, 5], [("duplicate-items", [4, 5, 4], "")]),
    ({"type": "array", "uniqueItems": True, "maxItems": 2}, [4, 5],
     [("duplicate-items", [4, 4], "")]),
    ({"type": "array", "uniqueItems": True, "maxItems": 1}, [4],
     [("duplicate-items", [4, 4], "")]),
    ({}, 1, []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), BAD)
def test_each_rule_of_a_place_is_broken_by_what_lies_nearest(schema, value, expected):
    assert written(bad(schema, value)) == written(expected)
    assert [variant for *_, variant in bad(schema, value)] == [each[2] for each in expected]


@pytest.mark.parametrize(("least", "told"), [(LONGEST_SENT, True), (LONGEST_SENT + 1, False)])
def test_a_bound_is_tried_as_far_as_a_text_can_be_sent(least, told):
    schema = {**TEXT, "minLength": least}
    assert ("shortest" in dict(good(schema, "a"))) is told
    assert ("too-short" in {scenario for scenario, *_ in bad(schema, "a")}) is told
    schema = {**TEXT, "maxLength": least}
    assert ("longest" in dict(good(schema, "a"))) is told
    assert ("too-long" in {scenario for scenario, *_ in bad(schema, "a")}) is told


@pytest.mark.parametrize(("least", "told"), [(MOST_SENT, True), (MOST_SENT + 1, False)])
def test_a_bound_of_items_is_tried_as_far_as_a_list_can_be_sent(least, told):
    found = bad({"type": "array", "minItems": least}, [1] * least)
    assert [scenario for scenario, *_ in found] == ["too-few-items"] * told


NEAR = [
    ({**WHOLE, "minimum": 1}, 3,
     [("json-text", "3"), ("true", True), ("false", False)],
     ["string", "array", "object", "null"]),
    (NUMBER, ABSENT, [("true", True), ("false", False)], ["string", "array", "object", "null"]),
    ({"type": "boolean"}, True, [("json-text", "true"), ("0", 0), ("1", 1), ("yes", "yes")],
     ["string", "number", "array", "object", "null"]),
    ({"type": "array"}, [1], [("json-text", "[1]")],
     ["string", "number", "boolean", "object", "null"]),
    ({"type": "object"}, {"é": 1}, [("json-text", '{"é": 1}')],
     ["string", "number", "boolean", "array", "null"]),
    ({**TEXT, "format": "date"}, A_DAY,
     [("number-for-date", 2_000_000_000), ("date-time-for-date", A_MOMENT)],
     ["boolean", "array", "object", "null"]),
    ({**TEXT, "format": "date-time"}, A_MOMENT,
     [("number-for-date-time", 2_000_000_000), ("date-for-date-time", A_DAY)],
     ["boolean", "array", "object", "null"]),
    ({**TEXT, "nullable": True}, "a", [("number", 7)], ["boolean", "array", "object"]),
    ({**TEXT, "minLength": 2}, "ab", [("number", 77)],
     ["number", "boolean", "array", "object", "null"]),
    ({"type": ["string", "integer"]}, 3, [("true", True), ("false", False)],
     ["array", "object", "null"]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "near", "wrong"), NEAR)
def test_values_of_other_types_are_near_misses_or_plainly_wrong_and_never_both(
    schema, value, near, wrong
):
    tried = list(deviations.broken(place(schema, value)))
    missed = [(each.scenario, each.value) for each in tried if each.near_miss]
    assert written(missed) == written([(f"near-miss-{name}", sent) for name, sent in near])
    others = [each.scenario for each in tried if each.scenario.startswith("wrong-type")]
    assert others == [f"wrong-type-{name}" for name in wrong]


@pytest.mark.parametrize(
    ("value", "name"),
    [(None, "null"), (True, "boolean"), (2, "integer"), (2.0, "integer"), (2.5, "number"),
     ("2", "string"), ([], "array"), ({}, "object")],
)  # fmt: skip
def test_a_value_is_of_the_type_that_json_schema_says(value, name):
    assert type_of(value) == name


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        (1, 1.0, True),
        (1, True, False),
        (False, 0, False),
        (True, True, True),
        ([1, {"a": [2]}], [1.0, {"a": [2.0]}], True),
        ([1], [True], False),
        ([1], [1, 2], False),
        ([1], "1", False),
        ([], None, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 0}, {"a": False}, False),
        ({}, [], False),
        ({}, None, False),
    ],
)
def test_two_values_are_the_same_where_json_says_so(one, other, are):
    assert same(one, other) is are
    assert same(other, one) is are


def kinds(*schemas):
    view = view_of({"type": "object", "properties": {"x": {"allOf": [*schemas]}}})
    return spot_at(view, {}, ("x",)).asked.kinds


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (["integer", "string"], "number", ("integer",)),
        ("number", ["string", "integer"], ("integer",)),
        (["string", "null"], ["null", "string"], ("string", "null")),
        (["string", "null", "array"], ["number", "array"], ("array",)),
        ("string", "integer", ()),
    ],
)
def test_of_two_lists_of_types_only_what_both_take_is_left(one, other, expected):
    assert kinds({"type": one}, {"type": other}) == expected


def places(schema, value):
    view = view_of({"type": "object", "properties": {"x": schema}})
    return [spot.tokens[1:] for spot in spots(view, {"x": value}) if len(spot.tokens) > 1]


@pytest.mark.parametrize(
    ("schema", "value", "walked"),
    [
        ({"items": WHOLE}, [1, 2, 3, 4], [(0,)]),
        ({"prefixItems": [WHOLE, TEXT]}, [1, "a", 3, 4], [(0,), (1,), (2,)]),
        ({"items": WHOLE}, [], [(0,)]),
        ({"items": WHOLE, "maxItems": 0}, [], []),
        ({}, [], []),
    ],
)
def test_of_a_list_one_item_is_broken_or_a_few_where_each_has_a_schema_of_its_own(
    schema, value, walked
):
    assert places({"type": "array", **schema}, value) == walked


@pytest.mark.parametrize(
    ("kind", "chooses"),
    [({"const": "a"}, True), ({"enum": ["a"]}, True), ({"enum": ["a", "b"]}, False), (TEXT, False),
     (True, False)],
)  # fmt: skip
def test_a_condition_on_one_value_makes_its_member_choose(kind, chooses):
    schema = {
        "type": "object",
        "properties": {"kind": TEXT, "n": WHOLE},
        "if": {"properties": {"kind": kind}},
        "then": {"required": ["n"]},
    }
    assert spot_at(view_of(schema), {"kind": "a", "n": 1}, ("kind",)).discriminator is chooses
