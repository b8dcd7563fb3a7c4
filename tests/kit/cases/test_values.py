"""Values made from a schema: valid, minimal, readable; formats; and what is given up by name."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.kit.cases.valid_values import generate
from conformance.kit.schema.string_formats import FORMATS, SOMEDAY
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.spec.format_checker import format_checker

CHECKER = format_checker(jsonschema.Draft202012Validator)


def made(prop, **more):
    return generate({"properties": {"x": prop}, "required": ["x"]}, **more)["x"]


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_in_use_is_checked_and_told_from_its_broken_values(name):
    known = FORMATS[name]
    for number in range(5):
        assert CHECKER.conforms(known.make(number, SOMEDAY), name)
    for variant, text in known.broken:
        assert not CHECKER.conforms(text, name), variant


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("email", ["user@example.com", "user1@example.com", "user2@example.com"]),
        ("ipv4", ["192.0.2.1", "192.0.2.2", "192.0.2.3"]),
        ("uri-template", ["https://example.com/{id}", "https://example.com/{id}1",
                          "https://example.com/{id}2"]),
        ("date-time", ["2026-01-27T12:00:00Z", "2026-01-28T12:00:00Z", "2026-01-29T12:00:00Z"]),
    ],
)  # fmt: skip
def test_values_of_a_format_are_readable_and_lie_a_month_ahead(name, values):
    now = datetime(2026, 1, 1, 23, 59, 58, 7, tzinfo=UTC)
    assert [FORMATS[name].make(number, now) for number in range(3)] == values


@given(st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_no_day_of_a_session_puts_its_dates_on_a_weekend(now):
    days = [date.fromisoformat(FORMATS["date"].make(number, now)) for number in range(4)]
    assert [day.weekday() for day in days] == [1, 2, 3, 4]
    assert 24 <= (days[0] - now.date()).days <= 30


@pytest.fixture
def east_of_here(monkeypatch):
    """A machine whose day begins before that of UTC."""
    monkeypatch.setenv("TZ", "UTC-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("east_of_here")
def test_the_zone_of_the_machine_changes_no_date():
    now = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
    assert FORMATS["date"].make(0, now) == "2026-01-27"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("number", [199, 200, 5_000])
def test_however_many_are_asked_for_they_are_of_the_format(name, number):
    assert CHECKER.conforms(FORMATS[name].make(number, SOMEDAY), name)


@pytest.mark.parametrize("name", FORMATS)
def test_values_of_a_format_are_distinct(name):
    assert len({FORMATS[name].make(number, SOMEDAY) for number in range(5)}) == 5


EXPECTED = [
    ({"type": "integer"}, 1),
    ({"type": "integer", "minimum": 3}, 3),
    ({"type": "integer", "exclusiveMaximum": 0}, -1),
    ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}, 0.01),
    ({"type": "integer", "multipleOf": 7}, 7),
    ({"type": "number", "multipleOf": 0.1, "minimum": 0.35}, 0.4),
    ({"type": "string"}, "x"),
    ({"type": "string", "minLength": 4}, "xaaa"),
    ({"type": "string", "format": "email"}, "user@example.com"),
    ({"type": "string", "pattern": "^[A-Z]{3}$"}, "AAA"),
    ({"type": "boolean"}, True),
    ({"type": "null"}, None),
    ({"enum": [None, "b"]}, "b"),
    ({"const": {"k": [1]}}, {"k": [1]}),
    ({"type": "integer", "default": 8}, 8),
    ({"type": "integer", "default": "wrong", "examples": [4]}, 4),
    ({"type": ["null", "integer"]}, 1),
    ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, 1),
    ({"allOf": [{"minimum": 2}, {"maximum": 2}], "type": "number"}, 2),
    ({"oneOf": [{"type": "integer"}, {"minimum": 5}], "type": "number"}, 1),
    ({"type": "array", "items": {"type": "integer"}}, [1]),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2, "uniqueItems": True}, [1, 2]),
    ({"type": "array", "prefixItems": [{"const": "a"}, {"const": 2}], "minItems": 2}, ["a", 2]),
    ({"type": "array", "contains": {"const": 9}}, [9]),
    ({"type": "array", "contains": {"const": 9}, "minContains": 2}, [9, 9]),
    ({"type": "object"}, {}),
    ({"type": "object", "minProperties": 1}, {"extra1": "extra1"}),
    (
        {"type": "object", "properties": {"a": {"const": 1}, "b": {}}, "minProperties": 1},
        {"a": 1},
    ),
    (
        {"type": "object", "properties": {"a": {"const": 1}}, "minProperties": 2},
        {"a": 1, "extra1": "extra1"},
    ),
    ({"if": {"type": "string"}, "then": {"const": "t"}, "type": "string"}, "t"),
    ({"not": {"type": "string"}, "type": ["string", "boolean"]}, True),
]


@pytest.mark.parametrize(("prop", "expected"), EXPECTED)
def test_a_value_is_minimal_and_readable(prop, expected):
    assert made(prop) == expected


TEXTS = {"type": "array", "items": {"type": "string"}}
OF_NUMBERS = {"type": "array", "items": {"type": "integer"}}
NUMBERED = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("name", "item"), [("guests", "guest"), ("ids", "id"), ("as", "as"), ("list", "list")]
)
def test_an_item_is_named_as_one_of_what_its_list_holds(name, item):
    has = {**TEXTS, "contains": {"type": "string"}}
    for schema in (TEXTS, has):
        assert generate({"properties": {name: schema}, "required": [name]}) == {name: [item]}


@pytest.mark.parametrize(
    ("item", "expected"),
    [(NUMBERED, [{"n": 1}, {"n": 2}, {"n": 3}]), (OF_NUMBERS, [[1], [2], [3]]),
     ({"enum": ["a", "b", "c"]}, ["a", "b", "c"])],
)  # fmt: skip
def test_items_that_must_differ_differ_also_inside_objects_and_lists(item, expected):
    assert made({"type": "array", "items": item, "minItems": 3, "uniqueItems": True}) == expected


def test_dates_of_one_call_ascend():
    day = {"type": "string", "format": "date"}
    schema = {"properties": {"from": day, "to": day}, "required": ["from", "to"]}
    call = generate(schema, now=datetime(2026, 1, 1, tzinfo=UTC))
    assert call == {"from": "2026-01-27", "to": "2026-01-28"}


def test_only_required_members_are_made_unless_all_are_asked_for():
    schema = {"properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a"]}
    assert generate(schema) == {"a": 1}
    assert generate(schema, full=True) == {"a": 1, "b": 2}


def test_optional_members_that_exclude_each_other_are_not_made_together():
    schema = {
        "properties": {"a": {"const": 1}, "b": {"const": 2}},
        "not": {"required": ["a", "b"]},
    }
    assert generate(schema, full=True) == {"a": 1}


def test_what_depends_on_a_member_is_made_with_it():
    schema = {"properties": {"a": {}, "b": {"const": 2}}, "required": ["a"],
              "dependentRequired": {"a": ["b"]}}  # fmt: skip
    assert generate(schema)["b"] == 2


ENDLESS = {"$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}},
                           "required": ["n"]}}, "$ref": "#/$defs/n"}  # fmt: skip


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": {"type": "integer", "minimum": 2, "maximum": 1}}, "required": ["x"]},
        {"properties": {"x": False}, "required": ["x"]},
        {"properties": {"x": {"type": "string", "pattern": "^(?=a)b"}}, "required": ["x"]},
        {"properties": {"x": {"type": "string", "minLength": 10**7}}, "required": ["x"]},
        {"properties": {"x": {"type": "array", "minItems": 10**6}}, "required": ["x"]},
        ENDLESS,
    ],
)
def test_a_schema_without_a_value_that_can_be_made_is_given_up_by_name(schema):
    with pytest.raises(SchemaProblem) as problem:
        generate(schema)
    assert problem.value.kind in (ProblemKind.NO_VALUE, ProblemKind.TOO_COMPLEX)


def test_a_pattern_that_was_given_up_is_named():
    with pytest.raises(SchemaProblem, match="pattern"):
        made({"type": "string", "pattern": "^(?=a)b"})


@pytest.mark.parametrize(
    ("prop", "said"),
    [
        ({"type": "integer", "minimum": 2, "maximum": 1}, "x: no branch can be satisfied"),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 2, "uniqueItems": True},
         "x: 2 distinct values were not found"),
        ({"type": "array", "minItems": 10**6}, "x: needs 1000000 items"),
        ({"type": "string", "pattern": "^(?=a)b"}, "x: no text was found for pattern '^(?=a)b'"),
        ({"type": "array", "items": {"type": "array", "items": False, "minItems": 1},
          "minItems": 1}, "x: no branch can be satisfied"),
        ({"$ref": "#/$defs/n"}, "x: n: nested deeper than 8"),
    ],
)  # fmt: skip
def test_what_could_not_be_made_is_named_once_with_the_reason(prop, said):
    with pytest.raises(SchemaProblem) as problem:
        generate({"properties": {"x": prop}, "required": ["x"], "$defs": ENDLESS["$defs"]})
    assert problem.value.detail == f"arguments: {said}"


def test_an_item_is_named_beside_its_array_where_it_has_a_name_of_its_own():
    rows = {"type": "array", "items": {"type": "integer", "minimum": 2, "maximum": 1}}
    with pytest.raises(SchemaProblem) as problem:
        generate({"properties": {"rows": {**rows, "minItems": 1}}, "required": ["rows"]})
    assert problem.value.detail == "arguments: rows: row: no branch can be satisfied"


@pytest.mark.parametrize(("rows", "ends"), [(5, True), (45, False)])
def test_a_schema_that_needs_thousands_of_values_is_given_up(rows, ends):
    row = {**OF_NUMBERS, "minItems": 100}
    table = {"type": "array", "items": row, "minItems": rows}
    if ends:
        assert made(table) == [[1] * 100] * rows
        return
    with pytest.raises(SchemaProblem) as problem:
        made(table)
    assert problem.value.kind is ProblemKind.TOO_COMPLEX
