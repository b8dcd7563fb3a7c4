"""OpenAPI 3.0, 3.1 and 3.2, read and written: what is not listed is the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_spec_validator import (
    OpenAPIV30SpecValidator,
    OpenAPIV31SpecValidator,
    OpenAPIV32SpecValidator,
)

from conformance.convert.convert import convert
from conformance.convert.form import Form
from conformance.formats.problem import json_path
from tests.convert.test_round_trips import GENERATED, catalog_tools
from tests.thorough import up_to

FEWER = settings(GENERATED, max_examples=up_to(15, 500))

VALIDATORS = {
    Form.OPENAPI_30: OpenAPIV30SpecValidator,
    Form.OPENAPI: OpenAPIV31SpecValidator,
    Form.OPENAPI_32: OpenAPIV32SpecValidator,
}
READ = {Form.OPENAPI_30: "3.0.3", Form.OPENAPI: "3.1.0", Form.OPENAPI_32: "3.2.0"}

WORDS = st.sampled_from(["a", "Success", "Rooms of a day"])
NAMES = st.sampled_from(["a", "b", "day"])


def schemas(old):
    """A schema of a value, with words that the versions say in their own way."""
    null = {"nullable": st.booleans()} if old else {}
    few = {
        "description": WORDS,
        "minimum": st.integers(0, 3),
        "enum": st.just(["a", "b"]),
        "x-own": st.integers(0, 1),
    }
    kinds = st.sampled_from(["string", "integer"])
    many = kinds if old else kinds | st.just(["string", "null"])
    plain = st.fixed_dictionaries({"type": many}, optional={**few, **null})
    bounded = st.fixed_dictionaries(
        {"type": st.just("number")},
        optional={"exclusiveMinimum": st.booleans()} if old else {"exclusiveMinimum": st.just(2)},
    )
    return plain | bounded | st.just({"$ref": "#/components/schemas/Room"})


def objects(old):
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, schemas(old), max_size=2)},
        optional={
            "required": st.just(["a"]),
            "title": WORDS,
            "additionalProperties": st.just(False),
        },
    )


def parameters(old):
    held = st.fixed_dictionaries(
        {"name": NAMES, "in": st.sampled_from(["query", "header"]), "schema": schemas(old)},
        optional={"required": st.booleans(), "description": WORDS, "style": st.just("form")},
    )
    return st.lists(held, max_size=2, unique_by=lambda each: (each["name"], each["in"]))


def bodies(old):
    json_body = st.fixed_dictionaries(
        {"schema": objects(old) | schemas(old)}, optional={"example": st.just({})}
    )
    content = st.fixed_dictionaries(
        {"application/json": json_body}, optional={"text/plain": st.just({})}
    )
    return st.fixed_dictionaries(
        {"content": content}, optional={"required": st.booleans(), "description": WORDS}
    )


def answers(old):
    content = st.fixed_dictionaries(
        {}, optional={"application/json": st.fixed_dictionaries({"schema": objects(old)})}
    )
    answer = st.fixed_dictionaries({"description": WORDS}, optional={"content": content})
    return st.fixed_dictionaries({"200": answer}, optional={"404": answer})


def operations(old, method):
    optional = {
        "summary": WORDS,
        "description": WORDS,
        "tags": st.lists(NAMES, max_size=2, unique=True),
        "parameters": parameters(old),
        "deprecated": st.booleans(),
        "operationId": st.just(f"{method}_rooms"),
    }
    if method == "post":
        optional["requestBody"] = bodies(old)
    return st.fixed_dictionaries({"responses": answers(old)}, optional=optional)


def descriptions(form):
    old = form is Form.OPENAPI_30
    rooms = st.fixed_dictionaries(
        {"get": operations(old, "get")}, optional={"post": operations(old, "post")}
    )
    return st.fixed_dictionaries(
        {
            "openapi": st.just(READ[form]),
            "info": st.fixed_dictionaries(
                {"title": WORDS, "version": st.just("1")}, optional={"summary": WORDS}
            ),
            "paths": st.fixed_dictionaries({"/rooms": rooms}),
            "components": st.fixed_dictionaries(
                {"schemas": st.fixed_dictionaries({"Room": objects(old)})},
                optional={"securitySchemes": st.just({"k": {"type": "http", "scheme": "basic"}})},
            ),
        },
        optional={"servers": st.just([{"url": "https://a.example"}]), "tags": st.just([])},
    )


def different(before, after, at=()):
    """The places where two values differ, and which of both has them: (place, in before)."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() | after.keys():
            if name not in after:
                yield (*at, name), True
            elif name not in before:
                yield (*at, name), False
            else:
                yield from different(before[name], after[name], (*at, name))
    elif before != after:
        yield at, True


def listed(place, places):
    """Whether a place, one around it or one in it is among those that were noted.

    What was only a summary is written as the description.
    """
    path = json_path((*place[:-1], "summary") if place[-1] == "description" else place)
    if place[-1] == "description" and json_path(place) in places:
        return True
    return any(path.startswith(each) or each.startswith(path) for each in places)


@pytest.mark.slow
@pytest.mark.parametrize("form", VALIDATORS)
def test_a_description_is_written_as_it_was_or_what_differs_is_listed(form):
    @FEWER
    @given(descriptions(form))
    def holds(data):
        made = convert(data, form)
        assert made.problems == ()
        assert not list(VALIDATORS[form](made.data).iter_errors())
        noted = {*made.lost, *made.changed}
        for place, before in different(data, made.data):
            if place[0] in ("openapi", "components"):
                continue  # components belong to one tool each, as the tool's schema says
            known = noted if before else noted | {*made.made}
            assert listed(place, known), (json_path(place), noted, made.data)

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("form", VALIDATORS)
def test_tools_become_a_valid_description_of_each_version(form):
    @FEWER
    @given(st.lists(catalog_tools, max_size=2, unique_by=lambda tool: tool["name"]))
    def holds(tools):
        made = convert({"tools": tools}, form, Form.CATALOG)
        assert made.problems == ()
        assert not list(VALIDATORS[form](made.data).iter_errors()), json.dumps(made.data)
        back = convert(made.data, Form.CATALOG)
        named = [{each["name"] for each in some} for some in (back.data["tools"], tools)]
        assert named[0] == named[1]  # the methods of one path have no order

    holds()


OF_2020 = {
    "type": "object",
    "properties": {
        "null": {"type": ["string", "null"]},
        "two": {"type": ["string", "integer"]},
        "one": {"const": 5},
        "over": {"type": "number", "exclusiveMinimum": 2},
        "both": {"type": "number", "exclusiveMinimum": 2, "minimum": 3},
        "any": True,
        "list": {"type": "array"},
        "shown": {"type": "string", "examples": ["a"]},
        "tuple": {"type": "array", "prefixItems": [{"type": "string"}]},
        "said": {"$ref": "#/$defs/day", "description": "The day"},
    },
    "$defs": {"day": {"type": "string", "format": "date"}},
}


def test_a_schema_of_2020_is_said_in_the_words_of_30_or_listed():
    tool = {"name": "t", "description": "d", "inputSchema": OF_2020}
    made = convert({"tools": [tool]}, Form.OPENAPI_30)
    assert not list(OpenAPIV30SpecValidator(made.data).iter_errors())
    operation = made.data["paths"]["/tools/t/invoke"]["post"]
    written = operation["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert written["null"] == {"type": "string", "nullable": True}
    assert written["one"] == {"enum": [5]}
    assert written["over"] == {"type": "number", "minimum": 2, "exclusiveMinimum": True}
    assert written["both"] == {"type": "number", "minimum": 3}
    assert written["any"] == {}
    assert written["list"]["items"] == {}
    assert written["shown"] == {"type": "string", "example": "a"}
    assert written["said"]["description"] == "The day"
    assert "$.tools[0].inputSchema.properties.tuple.prefixItems" in made.lost
    (back,) = convert(made.data, Form.CATALOG).data["tools"]
    again = back["inputSchema"]["properties"]
    for name in ("null", "over", "shown"):
        assert again[name] == OF_2020["properties"][name]


def test_the_method_query_is_one_of_32_alone():
    tool = {
        "name": "t",
        "description": "d",
        "inputSchema": {"type": "object", "properties": {}},
        "invocation": {"endpoint": "/q", "method": "QUERY"},
    }
    made = convert({"tools": [tool]}, Form.OPENAPI_32)
    assert made.data["paths"]["/q"].keys() == {"query"}
    assert convert({"tools": [tool]}, Form.OPENAPI).lost == ("$.tools[0].invocation",)


def test_what_an_operation_is_called_for_people_is_the_title_of_its_tool():
    texts = {"summary": "A room", "description": "Shows a room."}
    data = {
        "openapi": "3.1.0",
        "info": {"title": "Rooms", "version": "2"},
        "paths": {"/a": {"get": {"operationId": "a", **texts, "responses": {}}}},
    }
    (tool,) = convert(data, Form.CATALOG).data["tools"]
    assert (tool["title"], tool["description"]) == ("A room", "Shows a room.")
    made = convert(data, Form.OPENAPI_32).data
    assert made["info"] == data["info"]
    operation = made["paths"]["/a"]["get"]
    assert (operation["summary"], operation["description"]) == tuple(texts.values())
