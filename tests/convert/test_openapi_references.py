"""References in an OpenAPI document: each tool has what its schemas refer to, or it is lost."""

import json

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from conformance.convert.convert import convert
from conformance.convert.form import Form
from tests.convert.test_forms import musts

PART = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
BODY = "#/paths/~1x/post/requestBody/content/application~1json/schema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def media(schema):
    return {"application/json": {"schema": schema}}


def document(reference, version="3.1.0", **schemas):
    """Its second operation sends a schema as `p`, and is answered with it."""
    node = {"type": "object", "properties": {"p": {"$ref": reference}}}
    ok = {"description": "Success"}
    first = {"requestBody": {"required": True, "content": media(PART)}, "responses": {"200": ok}}
    second = {
        "operationId": "second",
        "requestBody": {"required": True, "content": media(node)},
        "responses": {"200": {**ok, "content": media(node)}},
    }
    parameter = {"name": "p", "in": "query", "schema": PART}
    return {
        "openapi": version,
        "info": {"title": "T", "version": "1"},
        "paths": {"/x": {"post": first}, "/y": {"post": second}},
        "components": {
            "parameters": {"P": parameter},
            "schemas": {"with`tick": PART, "outer": {"allOf": [{}, PART]}, **schemas},
        },
    }


def second(converted):
    (found,) = (each for each in converted.data["tools"] if each["name"] == "second")
    return found


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        (BODY, "paths_x_post_requestBody_content_application_json_schema"),
        (BODY.replace("~", "%7E"), "paths_x_post_requestBody_content_application_json_schema"),
        ("#/components/parameters/P/schema", "parameters_P_schema"),
        ("#/components/schemas/outer/allOf/1", "outer"),
        ("#/components/schemas/with%60tick", "with`tick"),
    ],
)
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_a_tool_has_what_its_schemas_refer_to_at_any_place_and_so_has_the_way_back(
    reference, name, version
):
    data = document(reference, version)
    converted = convert(data, Form.CATALOG)
    assert not musts(converted.data)
    tool = second(converted)
    for schema in (tool["inputSchema"], tool["outputs"]):
        assert list(schema["$defs"]) == [name]
        assert Draft202012Validator(schema).is_valid({"p": {"n": 1}})
        assert not Draft202012Validator(schema).is_valid({"p": {"n": "x"}})
    for form, valid in (
        (Form.OPENAPI, OpenAPIV31SpecValidator),
        (Form.OPENAPI_30, OpenAPIV30SpecValidator),
    ):
        made = convert(data, form).data
        assert not list(valid(made).iter_errors())
        assert len(made["components"]["schemas"]) == 1  # both schemas of the tool have it
        again = convert(made, Form.CATALOG)
        assert not musts(again.data)
        schema = second(again)["inputSchema"]
        assert not Draft202012Validator(schema).is_valid({"p": {"n": "x"}})


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
@pytest.mark.parametrize(
    "reference", ["#named", "#", "other.json#/x", "#/$defs/a", "#/components/schemas/none"]
)
def test_a_reference_that_is_not_followed_is_lost_and_the_rest_is_valid(reference, version):
    far = {"$anchor": "named", "$defs": {"a": {}}}
    data = document("#/components/schemas/near", version, near={"$ref": reference}, far=far)
    converted = convert(data, Form.CATALOG)
    assert not musts(converted.data)
    told = [*converted.lost, *(each.path for each in converted.problems)]
    assert told.count("$.components.schemas.near.$ref") == 1
    assert second(converted)["inputSchema"]["$defs"] == {"near": {}}
    alone = convert(document(reference, version), Form.CATALOG)
    assert not musts(alone.data)
    assert second(alone)["inputSchema"]["properties"] == {"p": {}}
    told = [*alone.lost, *(each.path for each in alone.problems)]
    assert len([each for each in told if "ref" in each and each.startswith("$.paths")]) == 2
    absent = reference.startswith("#/")
    assert alone.unfollowed == tuple(each for each in alone.lost if each.endswith("$ref"))
    assert bool(alone.unfollowed) is not absent
    assert [each.message.id for each in alone.problems] == ["documents.openapi.reference"] * (
        2 * absent
    )


def test_what_a_description_refers_to_and_does_not_have_is_a_problem_and_not_lost():
    data = document("#/components/schemas/outer")
    none = {"$ref": "#/components/parameters/none"}
    data["paths"]["/z/{zone}"] = {"get": {"parameters": [], "responses": {}}}
    data["paths"]["/y"]["post"]["parameters"] = [none]
    converted = convert(data, Form.CATALOG)
    assert not musts(converted.data)
    assert {each.path: each.message.id.rpartition(".")[2] for each in converted.problems} == {
        '$.paths["/y"].post.parameters[0].$ref': "reference",
        '$.paths["/z/{zone}"].get': "path_parameter",
    }
    assert not [each for each in converted.lost if "parameters[0]" in each]


def test_what_a_schema_calls_by_name_in_itself_and_a_published_dialect_are_kept():
    tree = {
        **PART,
        "$anchor": "tree",
        "properties": {"n": {"$ref": "#tree"}, "s": {"$ref": DIALECT}},
    }
    data = document("#/components/schemas/tree", tree=tree)
    converted = convert(data, Form.CATALOG)
    assert not musts(converted.data)
    assert second(converted)["inputSchema"]["$defs"] == {"tree": tree}
    made = convert(data, Form.OPENAPI).data
    written = made["components"]["schemas"]["second-tree"]["properties"]
    assert written["n"] == {"$ref": "#/components/schemas/second-tree"}


def test_a_reference_in_an_example_is_data():
    shown = [{"$ref": "#/components/schemas/none"}]
    data = document("#/components/schemas/s", s={"examples": shown, "x-own": shown})
    converted = convert(data, Form.CATALOG)
    assert second(converted)["inputSchema"]["$defs"]["s"] == {"examples": shown, "x-own": shown}
    assert not any("ref" in each for each in converted.lost)


def test_of_a_component_that_is_used_in_part_the_rest_is_lost():
    lost = convert(document("#/components/parameters/P/schema"), Form.CATALOG).lost
    assert {"$.components.parameters.P.name", "$.components.parameters.P.in"} <= {*lost}
    assert not any(each.startswith("$.components.parameters.P.schema") for each in lost)


def test_definitions_that_would_have_one_name_as_components_are_kept_apart():
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/a%20b"}, "y": {"$ref": "#/$defs/a_b"}},
        "$defs": {"a b": {"type": "string"}, "a_b": {"type": "integer"}},
    }
    answer = {**schema, "$defs": {"a b": {"type": "null"}, "a_b": {"type": "integer"}}}
    tool = {"name": "t", "description": "d", "inputSchema": schema, "outputs": answer}
    made = convert({"tools": [tool]}, Form.OPENAPI)
    assert not list(OpenAPIV31SpecValidator(made.data).iter_errors())
    (back,) = convert(made.data, Form.CATALOG).data["tools"]
    valid = Draft202012Validator(back["inputSchema"])
    assert valid.is_valid({"x": "s", "y": 1}), json.dumps(made.data)
    assert not valid.is_valid({"x": 1, "y": 1})
    assert Draft202012Validator(back["outputs"]).is_valid({"x": None, "y": 1})
