"""Which arguments are tried first, and how a refusal's words correct them."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from conformance.formats.catalog.openapi import operations
from conformance.formats.tool.tool import Tool, ToolExample, ToolForm
from conformance.kit.cases.baseline import candidates, from_refusal, problem_of, shifted
from conformance.kit.cases.masks import alternatives, documents, from_masks, literals, parameters
from conformance.kit.schema import view as schemas
from conformance.kit.schema.unusable_schema import ProblemKind

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


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "note": {"type": "string"}},
                "required": ["name"],
            },
            {"name": "name"},
        ),
        ({"type": "array", "items": {"type": "integer"}}, [1]),
    ],
)
def test_the_first_call_of_an_operation_has_its_body_also_if_no_word_requires_it(
    body, expected, required
):
    content = {"application/json": {"schema": body}}
    page = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    post = {
        "parameters": [page],
        "requestBody": {"content": content, **({"required": True} if required else {})},
        "responses": {"201": {"description": "d"}},
    }
    (found,) = operations({"openapi": "3.1.0", "paths": {"/x": {"post": post}}}).tools
    sent = candidates(found, (), NOW)[0]
    assert "page" not in sent
    assert sent.get("body", sent) == expected


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"type": "number"}, [1, 1.5]),
        ({"type": "string"}, ["key", "1"]),
        ({"type": "integer"}, [1]),
        ({"type": "string", "pattern": "^[a-z]+$"}, None),
        ({"type": "string", "enum": ["red", "blue"]}, ["red", "blue"]),
        ({"type": "number", "maximum": 1}, [1]),
    ],
    ids=["number", "text", "integer", "pattern", "enum", "maximum"],
)
def test_the_last_call_has_another_value_in_the_path_because_routers_know_values_by_form(
    schema, values
):
    place = {"name": "key", "in": "path", "required": True, "schema": schema}
    asked = {"name": "size", "in": "query", "required": True, "schema": {"type": "number"}}
    get = {"parameters": [place, asked], "responses": {"200": {"description": "d"}}}
    (found,) = operations({"openapi": "3.1.0", "paths": {"/x/{key}": {"get": get}}}).tools
    sent = candidates(found, (), NOW)
    assert {each["size"] for each in sent} == {1}
    assert [each["key"] for each in sent] == (values or [sent[0]["key"]])


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
        ("Date in YYYY-MM-DD", "2026-12-15"),
        ("Date as 'YYYY-MM-DD'", "2026-12-15"),
        ("Month (MM/YYYY)", "12/2026"),
        ("An ISO 8601 timestamp", "2026-12-15T14:30:00Z"),
        ("An ISO 8601 date", "2026-12-15"),
        ("Time as HH:MM:SS", "14:30:00"),
        ("The user's name and the dog's", "x"),
        ("No hint at all", "x"),
    ],
)
def test_a_description_gives_a_value(text, expected):
    assert first(described(text)) == {"x": expected}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("url", "https://example.com/"),
        ("imageURL", "https://example.com/"),
        ("callbackUri", "https://example.com/"),
        ("user_email", "user@example.com"),
        ("avatarURLS", "https://example.com/"),
        ("curl", "curl"),
        ("long_webmails", "long_webmails"),
        ("url_id", "url_id"),
    ],
)
def test_a_name_gives_a_value_that_the_schema_does_not_describe(name, expected):
    schema = {"properties": {name: {"type": "string"}}, "required": [name]}
    assert first(schema) == {name: expected}
    assert candidates(tool(schema), (), NOW)[-1] == {name: name}
    schema["properties"][name]["description"] = "The proxy, e.g. http://proxy:8080"
    assert first(schema) == {name: "http://proxy:8080"}


def test_a_long_name_is_no_work():
    name = f"{'a' * 20_000}_"
    begun = time.monotonic()
    assert first({"properties": {name: {"type": "string"}}, "required": [name]})
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize(
    ("name", "of_tool", "expected"),
    [
        ("sql", None, ["SELECT 1", "sql"]),
        ("query", "Run a PostgreSQL query.", ["SELECT 1", "query"]),
        ("query", "Search the documents.", ["query"]),
        ("query", "Search in a NoSQL store.", ["query"]),
        ("query", "Search the SQL documentation.", ["query"]),
        ("query", "Run a PRQL query, not SQL.", ["query"]),
        ("query", "Find courses, such as SQL or Python.", ["query"]),
        ("dialect", "Format SQL.", ["dialect"]),
    ],
)
def test_a_statement_of_sql_is_first_one_that_every_database_knows(name, of_tool, expected):
    schema = {"properties": {name: {"type": "string"}}, "required": [name]}
    found = candidates(replace(tool(schema), description=of_tool), (), NOW)
    assert [each[name] for each in found] == expected


@pytest.mark.parametrize(
    ("quoted", "expected"),
    [
        ("SELECT name FROM users", ["SELECT name FROM users", "SELECT 1", "sql"]),
        ("DELETE FROM users", ["SELECT 1", "DELETE FROM users", "sql"]),
    ],
)
def test_a_select_that_the_description_quotes_comes_first(quoted, expected):
    asked = {"type": "string", "description": f"The statement, e.g. `{quoted}`"}
    found = candidates(tool({"properties": {"sql": asked}, "required": ["sql"]}), (), NOW)
    assert [each["sql"] for each in found] == expected


def test_a_literal_is_read_as_the_type_that_is_asked():
    assert first(described("Size, e.g. '12'", "integer")) == {"x": 12}


@pytest.mark.parametrize("word", ["NaN", "-Infinity", "1e999"])
def test_a_word_that_json_has_no_number_for_is_not_sent(word):
    schema = described(f"Any number, e.g. '{word}'", "number")
    assert candidates(tool(schema), (), NOW) == [{"x": 1}]
    assert from_refusal(tool(schema), {"x": 5}, f"x must be one of: {word}, 2") == {"x": 2}


def test_each_literal_has_its_turn_and_then_what_the_schema_alone_tells():
    found = candidates(tool(described("Order: `asc` or `desc`, YYYY-MM")), (), NOW)
    assert [each["x"] for each in found] == ["asc", "2026-12", "desc", "x"]


def test_a_title_speaks_as_the_description_does():
    words = {"type": "string", "title": "The branch, e.g. main", "description": "Of the sources."}
    schema = {"properties": {"x": words}, "required": ["x"]}
    assert first(schema) == {"x": "main"}
    words.update(title="main", description="A branch, e.g.")
    assert first(schema) == {"x": "main"}


def test_what_a_description_says_of_a_flag_is_no_value_for_it():
    schema = described("Leave at 'false' for the short answer.", "boolean")
    assert candidates(tool(schema), (), NOW) == [{"x": True}]


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


def test_a_schema_shows_calls_in_three_ways_and_all_are_tried():
    shown = {"examples": [{"x": "a"}, {"x": "b"}, 5], "example": {"x": "c"}, "default": {"x": "d"}}
    found = candidates(tool({**described(""), **shown}, {"x": "own"}), (), NOW)
    assert [each["x"] for each in found] == ["own", "a", "b", "c", "d"]


def test_the_dates_of_what_was_made_move_ahead_where_the_schema_lets_them():
    assert first(described("The day, e.g. 2024-05-01")) == {"x": "2026-12-23"}
    fixed = described("The day, e.g. 2024-05-01")
    fixed["properties"]["x"]["enum"] = ["2024-05-01"]
    assert first(fixed) == {"x": "2024-05-01"}
    assert first(fixed, {"x": "2024-05-01"}) == {"x": "2024-05-01"}
    day = {"type": "string", "format": "date"}
    assert first({"properties": {"x": day}, "required": ["x"]}) == {"x": "2026-12-15"}


def test_dates_that_lie_ahead_stay():
    document = {"a": ["2027-01-01", {"b": "2027-01-02"}]}
    assert shifted(document, NOW) == document


@pytest.mark.parametrize(
    ("day", "ahead"),
    [("2026-11-20", "2026-12-25"), ("2026-11-22", "2026-12-27"), ("2026-11-23", "2026-11-23")],
)
def test_tomorrow_is_too_near_for_an_example_as_it_is_today_elsewhere(day, ahead):
    assert shifted({"a": day, "b": "2027-01-01"}, NOW)["a"] == ahead


@pytest.mark.parametrize("text", ["2024-02-30", "24-01-01", "9999-12-31x", "12:30", ""])
def test_what_is_no_date_stays(text):
    assert shifted([text, "2020-01-01"], NOW)[0] == text


DOCSTRING = """Convert a date from one calendar to others.

    Args:
        source: Source calendar (e.g. "gregorian", "julian").
        targets: Calendars to convert into
            (e.g. ["julian", "iso_week"]).
        payload (dict): For gregorian: {"year": 2026, "month": 3}.
        note: Anything.

    Returns:
        JSON with the results: one for each target.
    """


def test_a_parameter_that_its_schema_does_not_describe_is_described_by_the_tool():
    text, title = {"type": "string"}, {"title": "Source", "type": "string"}
    schema = {
        "type": "object",
        "properties": {
            "source": title,
            "targets": {"type": "array", "items": text},
            "payload": {"type": "object", "additionalProperties": True},
            "note": {**text, "description": "Such as 'hello'."},
        },
        "required": ["source", "targets", "payload", "note"],
    }
    sent = candidates(replace(tool(schema), description=DOCSTRING), (), NOW)[0]
    assert sent == {
        "source": "gregorian",
        "targets": ["julian", "iso_week"],
        "payload": {"year": 2026, "month": 3},
        "note": "hello",
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('e.g. {"a": [1]} or [2]', [{"a": [1]}, [2]]),
        ("{year} of [the] {} and []", []),
        ("[" * 90_000, []),
        ('{"a": NaN', []),
    ],
)
def test_objects_and_arrays_in_a_text_are_read(text, found):
    assert list(documents(text)) == found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("    zone: The zone.", {"zone": "The zone."}),
        ("    zone (str, optional): The zone.", {"zone": "The zone."}),
        ("- `zone`: The zone.", {"zone": "The zone."}),
        ("- **zone** (str): The zone.", {"zone": "The zone."}),
        (":param zone: The zone.", {"zone": "The zone."}),
        (":param str zone: The zone.", {"zone": "The zone."}),
        ("Returns: the zone", {"Returns": "the zone"}),
        ("The zone of a city", {}),
        ("12:30 is noon", {}),
    ],
)
def test_a_description_has_lines_about_parameters(line, said):
    assert parameters(f"Does it.\n\n{line}\n\nMore: or less.") == {**said, "More": "or less."}


def test_required_parameters_alone_are_tried_before_all():
    schema = {"properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a"]}
    assert candidates(tool(schema), (), NOW) == [{"a": 1}, {"a": 1, "b": 2}]


ACTION = {"enum": ["create", "delete", "remove_all", "update", "list"]}


def test_other_actions_are_tried_after_the_first_but_none_that_removes():
    schema = {"properties": {"unit": {"enum": ["m", "km"]}, "action": ACTION}}
    found = candidates(tool({**schema, "required": ["unit", "action"]}), (), NOW)
    assert [(each["action"], each["unit"]) for each in found] == [
        ("create", "m"),
        ("list", "m"),
        ("update", "m"),
        ("create", "km"),
    ]


def test_no_value_is_tried_that_names_a_removal_in_one_word():
    values = ["GET", "SET", "FLUSHALL", "dropdb", "bulkdelete", "rmdir", "skill", "deactivate",
              "archived", "eliminar", "excluir_todos", "granular"]  # fmt: skip
    schema = {"properties": {"command": {"enum": values}}, "required": ["command"]}
    found = candidates(tool(schema), (), NOW)
    assert [each["command"] for each in found] == ["GET", "SET", "skill", "granular"]


def test_no_action_that_removes_is_taken_from_words():
    said = 'Does it.\n\nArgs:\n    action: "delete", "create" or "list".\n    name: Such as "old".'
    texts = {"action": {"type": "string"}, "name": {"type": "string"}}
    schema = {"properties": texts, "required": ["action", "name"]}
    found = candidates(replace(tool(schema), description=said), (), NOW)
    assert found[0] == {"action": "create", "name": "old"}
    assert "delete" not in {each["action"] for each in found}


def test_the_actions_of_a_union_are_tried_with_what_each_requires():
    branches = [
        {"properties": {"op": {"const": "add"}, "n": {"const": 1}}, "required": ["op", "n"]},
        {"properties": {"op": {"const": "drop"}}, "required": ["op"]},
        {"properties": {"op": {"const": "show"}, "id": {"const": 7}}, "required": ["op", "id"]},
    ]
    found = candidates(tool({"type": "object", "oneOf": branches}), (), NOW)
    assert found == [{"op": "add", "n": 1}, {"op": "show", "id": 7}]


def test_of_many_actions_only_a_few_are_tried():
    many = {"type": "string", "enum": [f"action{n}" for n in range(99)]}
    schema = {"type": "object", "properties": {"action": many}, "required": ["action"]}
    assert len(candidates(tool(schema), (), NOW)) == 7


def test_candidates_are_few_and_each_is_given_once():
    found = candidates(tool(TIME, *({**{}, "x": n} for n in range(30))), (), NOW)
    assert len(found) <= 8
    assert all(found.count(each) == 1 for each in found)
    given = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, *({"a": n} for n in range(9))]
    assert candidates(tool({}), given, NOW) == [{"a": 1, "b": 2}, *({"a": n} for n in range(7))]


def test_an_unusable_schema_leaves_what_the_user_gave():
    broken = tool({"type": "objekt"})
    assert candidates(broken, [{"x": 1}], NOW) == [{"x": 1}]
    assert problem_of(broken).kind is ProblemKind.INVALID_SCHEMA


def test_a_schema_that_nothing_satisfies_leaves_what_the_user_gave():
    schema = described("")
    schema["properties"]["x"].update(minLength=5, maxLength=3)
    assert candidates(tool(schema), [{"x": 1}], NOW) == [{"x": 1}]
    assert problem_of(tool(schema)).kind is ProblemKind.NO_VALUE
    text = tool({"type": "string"})
    assert candidates(text, (), NOW) == []
    assert problem_of(tool({"type": "string", "pattern": "(?<n>"})).detail.startswith("arguments")


def test_a_schema_that_costs_too_much_leaves_what_was_found_before(monkeypatch):
    monkeypatch.setattr(schemas, "MOST_IN_ALL", 60)
    found = []
    for branches in range(3, 25):
        union = {"anyOf": [{"const": f"{branches} {number}"} for number in range(branches)]}
        schema = {"properties": {"x": union}, "required": ["x"]}
        found.append(candidates(tool(schema), [{}], NOW))
    assert found[0] == [{}, {"x": "3 0"}]
    assert found[-1] == [{}]


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


def test_a_refusal_may_begin_with_the_name_as_a_sentence_does():
    sent = {"source_timezone": "UTC", "time": "x", "target_timezone": "UTC"}
    said = "Time must be one of: dawn, dusk"
    assert from_refusal(tool(TIME), sent, said) == {**sent, "time": "dawn"}


@pytest.mark.parametrize("sent", [{}, {"n": None}, {"n": 5}, {"n": "x"}])
def test_a_parameter_that_may_be_null_is_corrected_whatever_was_sent(sent):
    schema = {"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    assert from_refusal(tool(schema), sent, "n must be one of: 2, 3") == {"n": 2}
    schema["properties"]["n"]["anyOf"][0]["type"] = "string"
    assert from_refusal(tool(schema), sent, "n must be one of: dawn, 3") == {"n": "dawn"}


def test_the_value_that_was_refused_is_no_correction():
    schema = {"properties": {"n": {"type": ["integer", "null"]}}}
    assert from_refusal(tool(schema), {"n": 1}, "n must be one of: 1, 2") == {"n": 2}
    assert from_refusal(tool(schema), {"n": 1}, "n must be one of: 1") is None
    assert from_refusal(tool(schema), {}, "n must be one of: null, 2") == {"n": None}


def test_a_refusal_is_read_by_the_branch_that_the_call_uses():
    names = {"properties": {"by": {"const": "name"}, "width": {"type": "string"}}}
    sizes = {"properties": {"by": {"const": "size"}, "width": {"type": "integer"}, "n": {}}}
    schema = {"required": ["by"], "oneOf": [names, sizes]}
    said = "{} must be one of: 2, 3"
    for by, wanted in (("size", 2), ("name", "2")):
        assert from_refusal(tool(schema), {"by": by}, said.format("width"))["width"] == wanted
    assert from_refusal(tool(schema), {"by": "size"}, said.format("n")) == {"by": "size", "n": "2"}


def test_what_has_bounds_gets_a_number_though_no_type_is_named():
    schema = {"properties": {"n": {"minimum": 1}}}
    assert from_refusal(tool(schema), {"n": 9}, "n must be one of: 2, 3") == {"n": 2}


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


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("YYYY-MM-DD HH:MM", ["2026-12-15 14:30"]),
        ("yyyy-mm-dd or dd.MM.yy", ["2026-12-15", "15.12.26"]),
        ("YYYY-MM-DDTHH:MM:SSZ", ["2026-12-15T14:30:00Z"]),
        ("hh:mm:ss", ["14:30:00"]),
        ("in 24-hour format", ["14:30"]),
        ("RFC 3339", ["2026-12-15T14:30:00Z"]),
        ("AHH:MM, HH:MMB, DD", []),
    ],
)
def test_masks_are_filled_in(text, filled):
    assert list(from_masks(text, NOW.replace(second=58))) == filled


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("must be one of [asc, desc] but was x", ["asc", "desc"]),
        ("Allowed values are: (X|Y)", ["X", "Y"]),
        ("choose from {red, dark red, blue}", ["red", "blue"]),
        ("valid options: a, 'b' or \"c\".", ["b", "c"]),
        ("must be one of: a, b or c.\nAsk, or look", ["a", "b", "c"]),
        ("Options: c and d, e", ["c", "d", "e"]),
        ("must be shorter", []),
        ("Must be a .db file, or an address (e.g., db://a:b@host/x).", ["db://a:b@host/x"]),
        ("must be one of f(x), g(y)", ["f(x)", "g(y)"]),
    ],
)
def test_what_a_refusal_allows_is_read_from_quotes_brackets_or_a_line(text, values):
    assert list(alternatives(text)) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("e.g. XXX.", ["XXX"]),
        ("such as EUR, USD", ["EUR"]),
        ("for example `a` or “b”, ‘c’", ["a", "b", "c"]),
        ("like 'YYYY-MM-DD'", []),
        ("the dog's and the user's", []),
        (f"e.g. {'w' * 80}", ["w" * 80]),
        (f"e.g. {'w' * 81}", []),
        (f"{' ' * 19_990}e.g. abcdefghi", []),
        ("The type of the key (SM2, SM4/AES or RSA)", ["SM2", "SM4", "AES", "RSA"]),
        ("The folder (optional, string), a page (of the book, 3)", []),
    ],
)
def test_a_literal_is_quoted_or_stands_behind_a_word_for_examples(text, values):
    assert list(literals(text)) == values


def test_alternatives_end_where_the_received_value_begins():
    text = "Expected 'a' | 'b', received 'c'"
    assert list(alternatives(text)) == ["a", "b"]
