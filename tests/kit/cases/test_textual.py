"""Which cases still mean what they mean where every value is text: in a query, a header, a path."""

from dataclasses import replace

import pytest

from conformance.formats.catalog.openapi import operations
from conformance.formats.tool.tool import Input, Invocation, Tool, ToolForm, Where
from conformance.kit.cases.plan import plan
from conformance.kit.cases.textual import keeps_route, survives, textual
from conformance.kit.model.case import CaseKind, Violation
from conformance.kit.model.settings import Settings
from conformance.kit.schema.view import view_of
from conformance.kit.transport.http import HttpBinding
from tests.kit.samples import HTTP, MCP, STDIO, TOOL, case

SCHEMA = {
    "type": "object",
    "properties": {
        "q": {"type": "integer"},
        "on": {"type": "boolean"},
        "day": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "integer"}},
        "body": {"type": "integer"},
    },
}
PLACES = {"q": Where.QUERY, "on": Where.QUERY, "day": Where.HEADER, "tags": Where.QUERY,
          "id": Where.PATH, "body": Where.BODY, "note": Where.HEADER}  # fmt: skip
CALLED = Invocation("/x/{id}", "POST", tuple(Input(name, at) for name, at in PLACES.items()))
GOOD = {"id": "a", "body": 1}


def valid(**arguments):
    made = case(CaseKind.VALID, arguments={**GOOD, **arguments})
    return survives(view_of(SCHEMA), CALLED, made)


def broken(name, sent, below=""):
    whole = {**GOOD, name: sent}
    violation = Violation(f"/{name}{below}", name, ("type",), was=1, sent=sent)
    return survives(view_of(SCHEMA), CALLED, case(arguments=whole, violation=violation))


@pytest.mark.parametrize(
    ("invocation", "run", "is_textual"),
    [
        (CALLED, HTTP, True),
        (CALLED, replace(HTTP, id="openapi", openapi=True), True),
        (CALLED, MCP, False),
        (CALLED, STDIO, False),
        (Invocation("/x"), HTTP, False),
        (Invocation("/x", "get"), HTTP, True),
        (Invocation("/x", "HEAD"), HTTP, True),
        (Invocation("/x", "DELETE", bodiless=True), HTTP, True),
        (
            Invocation("/x", "POST", (Input("a", Where.BODY), Input("b", Where.WHOLE))),
            HTTP,
            False,
        ),
        (None, HTTP, False),
    ],
)
def test_only_over_plain_http_and_outside_the_body_arguments_are_text(invocation, run, is_textual):
    tool = Tool("t", SCHEMA, ToolForm.CATALOG, {}, invocation=invocation)
    assert textual(tool, run) == (invocation if is_textual else None)


@pytest.mark.parametrize(
    ("arguments", "sendable"),
    [
        ({"q": 2, "on": True, "day": "2035-06-15"}, True),
        ({"q": 2.5}, True),
        ({"q": ""}, True),
        ({"q": None}, False),
        ({"tags": [1]}, True),
        ({"tags": [1, 2.5, "a", True]}, True),
        ({"tags": []}, False),
        ({"tags": ["a", ""]}, False),
        ({"tags": [[1]]}, False),
        ({"tags": [1, None]}, False),
        ({"note": ["a"]}, False),
        ({"q": {"a": 1}}, False),
        ({"body": None}, True),
        ({"body": [{"a": 1}]}, True),
        ({"id": "a-b_c.d~1"}, True),
        ({"id": 7}, True),
        ({"id": ""}, False),
        ({"id": ".."}, False),
        ({"id": "a/b"}, False),
        ({"id": "ä"}, False),
        ({"note": "two words"}, True),
        ({"note": ""}, False),
        ({"note": " edge"}, False),
        ({"note": "two  spaces"}, False),
        ({"note": "ä"}, False),
        ({"note": "a\nb"}, False),
    ],
)
def test_a_valid_call_is_sent_where_each_of_its_values_has_a_text(arguments, sendable):
    assert valid(**arguments) is sendable


@pytest.mark.parametrize(
    ("name", "sent", "meant"),
    [
        ("q", "abc", True),
        ("q", 2.5, True),
        ("q", "2", False),
        ("q", 2, False),
        ("q", "", False),
        ("q", True, False),
        ("q", None, False),
        ("q", [1], False),
        ("on", "maybe", True),
        ("on", 7, True),
        ("on", "YES", False),
        ("on", "1", False),
        ("tags", "abc", True),
        ("tags", "3", False),
        ("tags", 3, False),
        ("day", "15/06/2035", True),
        ("day", "2035-06-15", False),
        ("day", "the 15th ", False),
        ("day", 7, True),
        ("id", 7, False),
        ("body", None, True),
        ("body", "2", True),
    ],
)
def test_a_broken_call_is_sent_where_no_reading_of_its_text_is_right(name, sent, meant):
    assert broken(name, sent) is meant


def test_what_is_broken_inside_a_value_that_is_text_is_not_sent():
    assert not broken("tags", ["x"], "/0")
    assert broken("body", ["x"], "/0")


def test_a_parameter_that_is_missing_is_missing_in_a_query_but_not_in_a_path():
    def without(name):
        gone = Violation(f"/{name}", name, ("required",), was=1, sent_absent=True)
        return survives(view_of(SCHEMA), CALLED, case(arguments={"body": 1}, violation=gone))

    assert [without(name) for name in ("q", "day", "id")] == [True, True, False]


@pytest.mark.parametrize("arguments", [None, [], "x"])
def test_arguments_that_are_no_object_are_not_sent_as_text(arguments):
    whole = Violation("", None, ("type",), sent=arguments)
    made = case(arguments=arguments, violation=whole)
    assert not survives(view_of(SCHEMA), CALLED, made)
    assert not survives(view_of(SCHEMA), CALLED, replace(made, violation=None))


def test_a_break_in_the_body_is_sent_only_where_the_rest_has_a_text():
    violation = Violation("/body", "body", ("type",), was=1, sent="x")
    made = case(arguments={"id": "..", "body": "x"}, violation=violation)
    assert not survives(view_of(SCHEMA), CALLED, made)


def requests(method, operation, baseline):
    """All requests that are planned for one operation of an OpenAPI document."""
    described = {"openapi": "3.1.0", "paths": {"/x": {method: operation}}}
    (tool,) = operations(described).tools
    binding = HttpBinding.of(HTTP, Settings())
    return [binding.call(tool, each.arguments) for each in plan(tool, HTTP, baseline).cases]


ANSWERS = {"responses": {"204": {"description": "Done."}}}


@pytest.mark.parametrize("method", ["delete", "post"])
def test_no_body_is_sent_to_an_operation_that_describes_none(method):
    known = {"q": 1}
    query = {"name": "q", "in": "query", "schema": {"type": "integer"}}
    for sent in (
        requests(method, ANSWERS, {}),
        requests(method, {**ANSWERS, "parameters": [query]}, known),
    ):
        assert {one.body for one in sent} == {b""}


def test_a_body_that_is_described_is_broken_as_a_whole():
    schema = {"type": "object", "properties": {"q": {"type": "integer"}}}
    content = {"required": True, "content": {"application/json": {"schema": schema}}}
    sent = requests("post", {**ANSWERS, "requestBody": content}, {"q": 1})
    assert {b"[]", b'{"q":1.0}'} <= {one.body for one in sent}


@pytest.mark.parametrize(
    ("inputs", "has_others"),
    [
        ((Input("body", Where.WHOLE),), False),
        ((Input("q", Where.BODY),), True),
        ((), True),
    ],
)
def test_where_the_body_is_one_input_nothing_stands_for_arguments_that_are_no_object(
    inputs, has_others
):
    """They would be a request without a body: right, if the body may be missing."""
    tool = replace(TOOL, input_schema=SCHEMA, invocation=Invocation("/x", inputs=inputs))
    given = [each.arguments for each in plan(tool, HTTP, {}).cases]
    assert given
    assert any(not isinstance(each, dict) for each in given) is has_others


def test_a_float_is_no_integer_in_an_address():
    query = {"name": "q", "in": "query", "schema": {"type": "integer"}}
    sent = requests("get", {**ANSWERS, "parameters": [query]}, {"q": 1})
    assert sent
    assert not any(one.url.endswith(".0") for one in sent)


@pytest.mark.parametrize(
    ("value", "stays"),
    [
        ("..", False), (".", False), ("%2e%2e", False), ("%252E.", False), ("a/../../b", False),
        ("..%2Fb", False), (r"a\..\b", False), ("..;x=1", False), ("", False), (".. ", False),
        ("a/b", False), ("a%2Fb", False), ("%", False), ("a?b", False), ("a\0", False),
        ("...", False), (".x", False), ("a..b", True), ("x.y", True), ("a b", True), ("ñ", True),
        (1.5, True),
    ],
)  # fmt: skip
def test_a_value_in_a_path_is_one_step_of_it(value, stays):
    tool = replace(TOOL, invocation=CALLED)
    assert keeps_route(tool, HTTP, {**GOOD, "id": value}) is stays
    assert keeps_route(tool, HTTP, {**GOOD, "note": value})
    assert keeps_route(tool, MCP, {**GOOD, "id": value})


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_operation_with_an_array_in_its_query_gets_valid_and_broken_calls(method):
    ids = {"type": "array", "items": {"type": "integer", "maximum": 9}, "minItems": 1}
    page = {"type": "integer", "maximum": 5}
    operation = {
        "parameters": [{"name": "ids", "in": "query", "required": True, "schema": ids}],
        "responses": {"200": {"description": "d"}},
    }
    members = {"type": "object", "properties": {"page": page}, "required": ["page"]}
    if method == "post":
        content = {"application/json": {"schema": members}}
        operation["requestBody"] = {"required": True, "content": content}
    else:
        operation["parameters"].append({"name": "page", "in": "query", "schema": page})
    (tool,) = operations({"openapi": "3.1.0", "paths": {"/x": {method: operation}}}).tools
    made = {each.scenario: each for each in plan(tool, HTTP, {"ids": [1], "page": 1}).cases}
    assert made["several-items"].arguments == {"ids": [1, 1, 1], "page": 1}
    assert {made["maximum"].kind, made["above-maximum"].kind} == {CaseKind.VALID, CaseKind.BROKEN}
    sent = HttpBinding(HTTP).call(tool, made["several-items"].arguments)
    assert "?ids=1&ids=1&ids=1" in sent.url


@pytest.mark.parametrize("steps", [150, 1_000, 2_500])
def test_calls_that_cost_too_much_to_check_as_text_are_left_out_and_the_reason_is_told(
    steps, monkeypatch
):
    monkeypatch.setattr("conformance.kit.schema.view.MOST_IN_ALL", steps)
    number = {"anyOf": [{"type": "integer"}, {"const": 700}]}
    kinds = [{"properties": {"kind": {"const": n}}} for n in range(20)]
    content = {"application/json": {"schema": {"type": "object", "anyOf": kinds}}}
    places = [{"name": n, "in": "query", "schema": number} for n in "abcdefgh"]
    asked = {"parameters": places, "requestBody": {"content": content}, **ANSWERS}
    described = {"openapi": "3.1.0", "paths": {"/x": {"post": asked}}}
    (tool,) = operations(described).tools
    made = plan(tool, HTTP, {"a": 1, "body": {"kind": 1}})
    assert any("steps to judge" in each for each in made.problems)
    assert all(isinstance(each.arguments, dict) for each in made.cases)
