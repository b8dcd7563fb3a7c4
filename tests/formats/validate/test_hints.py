"""Names that are nearly those that the format knows, and required names that no property has."""

from __future__ import annotations

import json
import time

import pytest

from conformance.formats.problem import MISSPELLED, NO_VALUE, ODD_NAME, UNDECLARED
from conformance.formats.validate.validate import examine
from conformance.spec.vocabulary import Requirement
from tests.root import ROOT

TOOL = {"name": "a", "description": "Does a.", "inputSchema": {"type": "object"}}
RIGHT_ERROR = {
    "type": "https://example.com/errors/validation-error",
    "title": "T",
    "detail": "D",
    "instance": "urn:uuid:0b7c2a53-8f4e-4f0a-9d53-6a1f2f0f4a11",
    "tool_name": "a",
}


def hinted(value, **options):
    found = examine(json.dumps(value).encode(), **options)
    return {
        each.path: dict(each.message.values).get("known", "")
        for each in found.problems
        if each.keyword in (MISSPELLED, UNDECLARED)
    }


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (TOOL | {"outputShema": {}}, {"$.outputShema": "outputSchema"}),
        (TOOL | {"meta": {}}, {"$.meta": "_meta"}),
        (TOOL | {"Tags": []}, {"$.Tags": "tags"}),
        ({"tools": [TOOL, TOOL | {"atgs": []}]}, {"$.tools[1].atgs": "tags"}),
        (
            {"errors": [RIGHT_ERROR | {"parametr_name": "x"}]},
            {"$.errors[0].parametr_name": "parameter_name"},
        ),
        (
            TOOL | {"inputSchema": {"type": "object", "requird": ["a"]}},
            {"$.inputSchema.requird": "required"},
        ),
        (
            TOOL | {"inputSchema": {"type": "object", "properties": {"x": {"descripton": "d"}}}},
            {"$.inputSchema.properties.x.descripton": "description"},
        ),
        (
            {"type": "object", "properties": {"x": {"enums": ["a"]}}},
            {"$.properties.x.enums": "enum"},
        ),
    ],
)
def test_a_name_that_is_nearly_a_known_one_is_told(value, found):
    assert hinted(value) == found


@pytest.mark.parametrize(
    "value",
    [
        TOOL | {"x-tag": 1, "com.example/tag": 1, "$tags": 1, "owner": "me"},
        TOOL | {"tags": ["a"], "tag": "a"},
        TOOL | {"inputSchema": {"type": "object", "properties": {"descripton": {"example": 1}}}},
        TOOL | {"examples": [{"name": "n", "input": {"descripton": 1}}]},
        {"type": "object", "properties": {"x": {"default": {"typ": 1}, "nullable": True}}},
    ],
    ids=["prefix", "both", "property", "data", "default"],
)
def test_a_name_of_somebodys_own_is_not_told(value):
    assert hinted(value) == {}


def test_a_hint_is_a_warning_and_the_document_stays_valid():
    found = examine(json.dumps(TOOL | {"meta": {}}).encode())
    [hint] = [each for each in found.problems if each.keyword == MISSPELLED]
    assert found.valid
    assert hint.requirement is Requirement.SHOULD
    assert found.positions[hint.place].column == json.dumps(TOOL | {"meta": {}}).index('"meta"') + 1
    words = {language: hint.message.words(language) for language in ("en", "es", "pt")}
    assert words["en"] == 'Unknown member "meta". Did you mean `_meta`?'
    assert all("`_meta`" in each for each in words.values())
    assert len(set(words.values())) == 3


def test_a_required_name_that_is_misspelled_is_one_problem_at_its_place():
    text = '{"name": "a",\n "desciption": "d",\n "inputSchema": {"type": "object"},\n "titel": "A"}'
    found = examine(text.encode())
    wrong, hint = found.problems
    assert (wrong.path, wrong.keyword, wrong.clause) == (
        "$.desciption",
        "required",
        "ATDF-TOOL-002",
    )
    assert (wrong.requirement, found.valid) == (Requirement.MUST, False)
    assert found.positions[wrong.place].line == 2
    words = {language: wrong.message.words(language) for language in ("en", "es", "pt")}
    assert words["en"].endswith("Did you mean `description`?")
    assert all('"desciption"' in each and "`description`" in each for each in words.values())
    assert (hint.path, hint.keyword) == ("$.titel", MISSPELLED)


def test_a_name_that_is_required_in_a_schema_alone_has_to_be_declared():
    schema = {"type": "object", "properties": {"a": {}}, "required": ["a", "b"]}
    assert hinted(schema) == {"$.required[1]": ""}
    assert hinted({**schema, "anyOf": [{"properties": {"b": {}}}]}) == {}
    assert hinted({**schema, "required": ["a"]}) == {}


def test_no_valid_example_has_a_hint():
    files = sorted((ROOT / "fixtures" / "examples").glob("*/valid/*.json"))
    assert len(files) > 50
    assert [each.name for each in files if hinted(json.loads(each.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    "value",
    [
        TOOL | {f"descriptio{n}": 1 for n in range(100_000)},
        {"tools": [{"name": "a" * 50_000, "inputSchema": {"a" * 500_000: 1}}] * 10},
        {"errors": [1] * 300_000},
    ],
    ids=["many names", "long names", "many items"],
)
def test_many_names_take_no_long_time(value):
    begun = time.process_time()
    hinted(value)
    assert time.process_time() - begun < 30


def test_an_empty_enum_beside_another_choice_is_not_said_to_allow_nothing_at_all():
    schema = {"anyOf": [{"enum": []}, {"type": "null"}]}
    tool = {**TOOL, "inputSchema": {"type": "object", "properties": {"a": schema}}}
    found = examine(json.dumps(tool).encode()).problems
    [hint] = [each for each in found if each.keyword == NO_VALUE]
    for language, words in (("en", "it allows no value"), ("es", "no permite"), ("pt", "permite")):
        assert words in hint.message.words(language)


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"parameter": "a"}, ["parameter_name"]),
        ({"parameter": "a", "parameter_name": "a", "reason": "b"}, []),
        ({"name": "a", "reason": "b"}, []),
    ],
)
def test_a_member_that_lacks_only_its_last_word_name_is_told(members, told):
    found = examine(json.dumps({"errors": [{**RIGHT_ERROR, **members}]}).encode()).problems
    assert [dict(each.message.values).get("known") for each in found] == told


BOUNDS = [
    ({"minimum": 10, "maximum": 1}, True),
    ({"minimum": 1, "maximum": 1}, False),
    ({"minimum": 1, "exclusiveMaximum": 1}, True),
    ({"exclusiveMinimum": 1.5, "maximum": 1.5}, True),
    ({"exclusiveMinimum": 2, "exclusiveMaximum": 2}, True),
    ({"exclusiveMinimum": 1, "exclusiveMaximum": 2}, False),
    ({"minLength": 5, "maxLength": 4}, True),
    ({"minLength": 4, "maxLength": 4}, False),
    ({"minItems": 2, "maxItems": 0}, True),
    ({"minProperties": 2, "maxProperties": 1}, True),
    ({"enum": []}, True),
    ({"enum": [None]}, False),
    ({"minimum": 10, "default": {"maximum": 1}}, False),
]


@pytest.mark.parametrize(("schema", "told"), BOUNDS)
def test_bounds_that_leave_no_value_are_told_at_the_lower_one(schema, told):
    inputs = {"type": "object", "properties": {"a": {"description": "A.", **schema}}}
    low = next(iter(schema))
    described = {
        "tool_id": "a",
        "description": "D.",
        "how_to_use": {"inputs": [{"name": "a", "type": "string", "schema": schema}]},
    }
    query = {"name": "a", "in": "query", "schema": {"type": "string", **schema}}
    operation = {"parameters": [query], "responses": {"200": {"description": "D."}}}
    info = {"title": "T", "version": "1"}
    service = {"openapi": "3.1.0", "info": info, "paths": {"/a": {"get": operation}}}
    values = {
        '$.paths["/a"].get.parameters[0].schema': service,
        "$.inputSchema.properties.a": {**TOOL, "inputSchema": inputs},
        "$.outputSchema.properties.a": {**TOOL, "title": "A", "outputSchema": inputs},
        "$.properties.a": inputs,
        "$.how_to_use.inputs[0].schema": described,
    }
    for place, value in values.items():
        found = examine(json.dumps(value).encode()).problems
        hints = [each for each in found if each.keyword == NO_VALUE]
        assert [each.path for each in hints] == [f"{place}.{low}"] * told, place
        assert {each.requirement for each in hints} <= {Requirement.SHOULD}


def service(path=(), **changed):
    """An OpenAPI description with changed members at a place of its only operation."""
    schema = {"type": "string", "unit": "h", "notes": "", "format": "date"}
    media = {"schema": schema, "example": "a"}
    operation = {
        "operationId": "a",
        "parameters": [{"name": "a", "in": "query", "schema": dict(schema), "type": "string"}],
        "requestBody": {"content": {"application/json": media}},
        "responses": {"200": {"description": "D."}},
    }
    part = operation
    for step in path:
        part = part[step]
    for name, value in changed.items():
        part[value] = part.pop(name)
    info = {"title": "T", "version": "1"}
    return {"openapi": "3.0.3", "info": info, "paths": {"/a": {"post": operation}}}


@pytest.mark.parametrize(
    ("path", "right", "wrong"),
    [
        ((), "operationId", "operationID"),
        ((), "requestBody", "requestbody"),
        ((), "responses", "respones"),
        (("parameters", 0), "schema", "shema"),
        (("parameters", 0, "schema"), "format", "fromat"),
        (("requestBody",), "content", "contents"),
        (("requestBody", "content", "application/json"), "schema", "schemas"),
        (("requestBody", "content", "application/json", "schema"), "format", "fromat"),
        (("responses", "200"), "description", "desciption"),
    ],
)
def test_a_misspelled_member_of_an_openapi_description_is_told_once(path, right, wrong):
    [told] = examine(json.dumps(service(path, **{right: wrong})).encode()).problems
    assert told.place == ("paths", "/a", "post", *path, wrong)
    assert dict(told.message.values)["known"] == right


def test_members_that_are_unlike_any_field_of_openapi_are_not_told():
    described = {**service(), "x-path": {}, "consumes": []}
    described["paths"]["x-paths"] = {"posts": {}}
    assert examine(json.dumps(described).encode()).problems == ()


@pytest.mark.parametrize(
    ("name", "told"), [("log catch", 1), ("año", 1), ("a" * 129, 1), ("a.b-C_1", 0), ("", 0)]
)
def test_a_name_that_not_every_client_accepts_is_told(name, told):
    found = examine(json.dumps({"tools": [{**TOOL, "name": name}]}).encode()).problems
    hints = [(each.path, each.requirement) for each in found if each.keyword == ODD_NAME]
    assert hints == [("$.tools[0].name", Requirement.SHOULD)] * told


@pytest.mark.parametrize(
    ("endpoint", "schema", "unfilled"),
    [
        ("/books/{isbn}", {"properties": {"isbn": {"type": "string"}}}, []),
        ("/books/{isbn}", {"properties": {"id": {"type": "string"}}}, ["isbn"]),
        ("/books/{isbn}/{page}/{isbn}", {}, ["isbn", "page"]),
        ("/books/{isbn}", {"$ref": "#/$defs/book", "$defs": {"book": {}}}, []),
        ("/books/{isbn}", {"allOf": [{"properties": {"isbn": {}}}]}, []),
        ("/books/{isbn}", {"else": {"properties": {"isbn": {}}}}, []),
        ("/books/{isbn}", {"additionalProperties": {"type": "string"}}, []),
        ("/books/{isbn}", {"additionalProperties": False}, ["isbn"]),
        ("/books", {}, []),
    ],
)
def test_a_name_in_an_endpoint_that_no_property_has_is_a_hint(endpoint, schema, unfilled):
    invocation = {"endpoint": endpoint, "method": "GET"}
    tool = {**TOOL, "inputSchema": {"type": "object", **schema}, "invocation": invocation}
    found = examine(json.dumps(tool).encode()).problems
    told = [each for each in found if each.keyword == "unfilled"]
    assert [dict(each.message.values)["name"] for each in told] == [f'"{n}"' for n in unfilled]
    assert {(each.path, each.requirement.value) for each in told} <= {
        ("$.invocation.endpoint", "SHOULD")
    }


def test_one_fault_of_a_schema_hides_nothing_else_that_is_told_of_it():
    properties = {"port": {"type": "strng"}, "when": {"type": "string"}, "all": {"type": "null"}}
    schema = {"type": "object", "properties": properties, "required": ["port", "day", 7]}
    found = examine(json.dumps({**TOOL, "inputSchema": schema}).encode()).problems
    told = {(each.path, each.clause) for each in found}
    place = "$.inputSchema.properties"
    assert {(f"{place}.{name}", "ATDF-TOOL-008") for name in properties} <= told
    assert ("$.inputSchema.required[1]", "ATDF-TOOL-009") in told
    assert (f"{place}.all.type", "ATDF-TOOL-007") in told
    assert [clause for path, clause in told if path == f"{place}.port.type"] == ["ATDF-TOOL-004"]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": [], "required": ["a"]},
        {"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": []},
        {"required": "a", "type": [{}, "null"]},
        {"properties": 7, "type": {"a": 1}},
        {"properties": {"a": 7, "b": {"minimum": "1", "maximum": None}}},
    ],
)
def test_a_schema_of_any_form_is_read_to_its_end(schema):
    found = examine(json.dumps({**TOOL, "inputSchema": {"type": "object", **schema}}).encode())
    assert "ATDF-TOOL-004" in {each.clause for each in found.problems}
