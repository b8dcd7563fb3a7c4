"""Which arguments are tried first, and how a refusal's words correct them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from conformance.formats.tool import Tool, ToolExample, ToolForm
from conformance.kit.cases.baseline import candidates, from_refusal, problem_of
from conformance.kit.cases.dates import shifted
from conformance.kit.cases.masks import alternatives, from_masks, literals
from conformance.kit.cases.problems import ProblemKind

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ZONE = (
    "IANA timezone name (e.g., 'America/New_York', 'Europe/London'). Use 'UTC' as local timezone "
    "if no timezone provided by the user."
)
TIME = {
    "type": "object",
    "properties": {
        "source_timezone": {"type": "string", "description": f"Source {ZONE}"},
        "time": {"type": "string", "description": "Time to convert in 24-hour format (HH:MM)"},
        "target_timezone": {"type": "string", "description": f"Target {ZONE}"},
    },
    "required": ["source_timezone", "time", "target_timezone"],
}


def tool(schema, *examples):
    shown = tuple(ToolExample(str(n), e) for n, e in enumerate(examples))
    return Tool("t", schema, ToolForm.MCP, {}, examples=shown)


def first(schema, *examples):
    return candidates(tool(schema, *examples), (), NOW)[0]


def described(text, kind="string"):
    return {"properties": {"x": {"type": kind, "description": text}}, "required": ["x"]}


def test_a_time_tool_gets_its_call_from_the_descriptions_alone():
    assert first(TIME) == {
        "source_timezone": "America/New_York",
        "time": "14:30",
        "target_timezone": "America/New_York",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('The branch, e.g. "main"', "main"),
        ("The currency, e.g. EUR", "EUR"),
        ("Sort order: `asc` or `desc`", "asc"),
        ("Date in YYYY-MM-DD", "2026-12-21"),
        ("Date as 'YYYY-MM-DD'", "2026-12-21"),
        ("Month (MM/YYYY)", "12/2026"),
        ("An ISO 8601 timestamp", "2026-12-21T14:30:00Z"),
        ("An ISO 8601 date", "2026-12-21"),
        ("Time as HH:MM:SS", "14:30:00"),
        ("The user's name and the dog's", "x"),
        ("No hint at all", "x"),
    ],
)
def test_a_description_gives_a_value(text, expected):
    assert first(described(text)) == {"x": expected}


def test_a_literal_is_read_as_the_type_that_is_asked():
    assert first(described("Size, e.g. '12'", "integer")) == {"x": 12}


def test_a_literal_that_the_schema_refuses_is_not_used():
    schema = described("Use 'none' to skip")
    schema["properties"]["x"]["minLength"] = 6
    assert first(schema) == {"x": "xaaaaa"}


def test_what_the_user_gives_comes_first_even_if_the_schema_refuses_it():
    schema = described("")
    assert candidates(tool(schema, {"x": "own"}), [{"x": 5}], NOW)[:2] == [{"x": 5}, {"x": "own"}]


def test_an_example_that_the_schema_refuses_is_left_out():
    assert {"x": 5} not in candidates(tool(described(""), {"x": 5}), (), NOW)


def test_the_dates_of_an_example_move_ahead_and_keep_their_distance():
    when = {"type": "string", "format": "date-time"}
    schema = {"properties": {"in": when, "out": when}, "required": ["in", "out"]}
    example = {"in": "2025-01-15T14:00:00Z", "out": "2025-01-17T12:00:00Z"}
    assert first(schema, example) == {"in": "2026-12-23T14:00:00Z", "out": "2026-12-25T12:00:00Z"}


def test_dates_that_lie_ahead_stay():
    document = {"a": ["2027-01-01", {"b": "2027-01-02"}]}
    assert shifted(document, NOW) == document


@pytest.mark.parametrize("text", ["2024-02-30", "24-01-01", "9999-12-31x", "12:30", ""])
def test_what_is_no_date_stays(text):
    assert shifted([text, "2020-01-01"], NOW)[0] == text


def test_required_parameters_alone_are_tried_before_all():
    schema = {"properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a"]}
    assert candidates(tool(schema), (), NOW) == [{"a": 1}, {"a": 1, "b": 2}]


def test_candidates_are_few_and_each_is_given_once():
    found = candidates(tool(TIME, *({**{}, "x": n} for n in range(30))), (), NOW)
    assert len(found) <= 8
    assert all(found.count(each) == 1 for each in found)


def test_an_unusable_schema_leaves_what_the_user_gave():
    broken = tool({"type": "objekt"})
    assert candidates(broken, [{"x": 1}], NOW) == [{"x": 1}]
    assert problem_of(broken).kind is ProblemKind.INVALID_SCHEMA


def test_a_usable_schema_has_no_problem():
    assert problem_of(tool(TIME)) is None


REFUSALS = [
    ("Invalid time format. Expected HH:MM [24-hour format]", "time", "14:30"),
    ("time: Input should be '10:00' or '11:00' [type=literal_error]", "time", "10:00"),
    ('Invalid enum value for time. Expected "noon" | "night", received "x"', "time", "noon"),
    ("time must be one of: dawn, dusk", "time", "dawn"),
    ("'x' is not one of ['am', 'pm'] at time", "time", "am"),
]


@pytest.mark.parametrize(("text", "name", "expected"), REFUSALS)
def test_a_refusal_corrects_the_parameter_that_it_names(text, name, expected):
    sent = {"source_timezone": "UTC", "time": "x", "target_timezone": "UTC"}
    assert from_refusal(tool(TIME), sent, text) == {**sent, name: expected}


@pytest.mark.parametrize("text", ["", "Something went wrong", "time is bad", "Expected HH:MM"])
def test_a_refusal_that_says_nothing_new_corrects_nothing(text):
    sent = {"source_timezone": "UTC", "time": "x", "target_timezone": "UTC"}
    assert from_refusal(tool(TIME), sent, text) is None


def test_a_refusal_that_names_nothing_is_laid_to_the_only_text():
    assert from_refusal(tool(described("")), {"x": "y"}, "Expected YYYY-MM-DD")["x"][4] == "-"


def test_a_correction_that_the_schema_refuses_is_not_made():
    schema = {"properties": {"n": {"type": "integer", "maximum": 3}}, "required": ["n"]}
    assert from_refusal(tool(schema), {"n": 1}, "n must be one of: 7, 8") is None
    assert from_refusal(tool(schema), {"n": 1}, "n must be one of: 2, 3") == {"n": 2}


def test_literals_named_as_examples_come_first():
    text = "Name of 'the thing' (e.g. 'one', 'two'), never 'three'"
    assert list(literals(text)) == ["one", "two", "the thing", "three"]


def test_masks_are_filled_in():
    assert list(from_masks("YYYY-MM-DD HH:MM", NOW)) == ["2026-12-21 14:30"]


def test_alternatives_end_where_the_received_value_begins():
    text = "Expected 'a' | 'b', received 'c'"
    assert list(alternatives(text)) == ["a", "b"]
