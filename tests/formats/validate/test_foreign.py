"""OpenAPI descriptions and JSON Schemas alone are validated for what tools are made of."""

import json

import pytest

from conformance.cli.documents.files import inputs
from conformance.cli.documents.judged import Verdict, heading, judged
from conformance.formats.validate.validate import examine, validate
from tests.formats.validate.foreign_samples import described, operation, parameter, schema


def found(value):
    return [(each.path, each.message.id, each.clause) for each in validate(value)]


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_a_description_without_faults_has_no_problem(version):
    assert found(operation(version, parameters=[parameter()])) == []


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_a_fault_of_a_schema_is_told_at_its_own_place(version):
    broken = parameter(schema={"type": "strng", "nullable": True})
    at = '$.paths["/a"].get.parameters[0].schema.type'
    assert found(operation(version, parameters=[broken])) == [
        (at, "documents.schema.type", "HTTP-OAS-002")
    ]


def test_a_bound_that_is_exclusive_by_a_flag_is_right_in_3_0_alone():
    one = parameter(schema={"minimum": 1, "exclusiveMinimum": True})
    assert found(operation("3.0.3", parameters=[one])) == []
    assert len(found(operation("3.1.0", parameters=[one]))) == 1


def test_a_reference_that_leads_nowhere_is_told_and_data_is_no_reference():
    known = {"a": {"properties": {"x": {"$ref": "#/components/schemas/b"}}}}
    data = {"a": {"default": {"$ref": "#/nowhere"}}}
    told = ("HTTP-OAS-001", "documents.openapi.reference")
    problems = found(described(components={"schemas": known}))
    assert problems == [("$.components.schemas.a.properties.x.$ref", told[1], told[0])]
    assert found(described(components={"schemas": data})) == []


def test_a_name_in_the_path_needs_a_parameter():
    (problem,) = validate(operation(path="/a/{id}"))
    assert problem.message.words("en").startswith('The path names "id"')


def test_two_operations_of_one_name_are_told():
    paths = {"/a": {each: {"operationId": "x"} for each in ("get", "post")}}
    (problem,) = validate(described(paths=paths))
    assert problem.path == '$.paths["/a"].post.operationId'


def test_a_schema_alone_may_refer_to_another_document_and_not_to_nothing():
    parts = {"a": {"$ref": "other.json"}, "b": {"$ref": "#/$defs/x"}}
    assert found(schema(properties=parts)) == [
        ("$.properties.b.$ref", "documents.schema.dangling_ref", None)
    ]


@pytest.mark.parametrize("value", [{"properties": {}}, {"$schema": "https://x", "properties": {}}])
def test_an_object_with_properties_is_not_yet_a_schema(value):
    assert found(value)[0][1].startswith("documents.unknown")


def test_a_named_file_gets_a_verdict_and_one_of_a_directory_is_passed_over(tmp_path):
    file = tmp_path / "api.json"
    file.write_text(json.dumps(operation(parameters=[parameter(schema={"type": 3})]), indent=1))
    (named,) = (judged(each, None) for each in inputs([str(file)]))
    assert named.verdict is Verdict.INVALID
    assert named.problems[0].position.line > 1
    assert heading(named, "en").startswith("OpenAPI 3.1.0, only the parts")
    (listed,) = (judged(each, None) for each in inputs([str(tmp_path)]))
    assert listed.verdict is Verdict.OTHER


SCHEMA = {"type": "object", "properties": {"a": {"type": "strng"}}}
PROVIDED = [
    ([{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}],
     "openai", "$[0].function.parameters.properties.a.type"),
    ({"tools": [{"type": "function", "name": "f", "parameters": SCHEMA}]},
     "openai", "$.tools[0].parameters.properties.a.type"),
    ({"tools": [{"name": "f", "input_schema": SCHEMA}]}, None, None),
    ({"type": "function", "name": "f", "parameters": SCHEMA},
     "openai", "$.parameters.properties.a.type"),
    ({"name": "f", "input_schema": SCHEMA}, "anthropic", "$.input_schema.properties.a.type"),
    ([{"name": "f", "input_schema": SCHEMA}, 7],
     "anthropic", "$[0].input_schema.properties.a.type"),
    ({"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}, "gemini", None),
    ([{"type": "function", "function": {"name": "f"}}], "openai", None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "provider", "place"), PROVIDED)
def test_tools_of_a_provider_are_named_and_their_schemas_are_checked(value, provider, place):
    found = examine(json.dumps(value).encode())
    if provider is None:  # a catalog, by its key
        assert found.recognition.document == "catalog"
        return
    assert found.foreign.document == f"{provider}-tools"
    assert [each.path for each in found.problems] == [place] * (place is not None)
    assert found.valid is (place is None)
    for language in ("en", "es", "pt"):
        assert provider in found.foreign.told.words(language).lower()


TOOLS = {"tools": [{"name": "t", "description": "d", "inputSchema": {"type": "strng"}}]}
MISTAKE = {"errors": []}


@pytest.mark.parametrize(
    ("value", "document", "place"),
    [
        ({"result": TOOLS}, "catalog", "$.result.tools[0].inputSchema.type"),
        ({"error": {"code": 1, "data": MISTAKE}}, "error", "$.error.data.errors"),
        ({"result": {"structuredContent": MISTAKE, "isError": True}},
         "error", "$.result.structuredContent.errors"),
        ({"result": {"isError": True, "content": []}}, None, "$.result"),
        ({"error": {"code": 1, "message": "m", "data": {"x": 1}}}, None, "$"),
        ({"error": {"code": 1, "message": "m"}}, None, "$"),
    ],
)  # fmt: skip
def test_what_an_answer_of_json_rpc_holds_is_examined_at_its_place(value, document, place):
    found = examine(json.dumps({"jsonrpc": "2.0", "id": 1, **value}, indent=1).encode())
    assert (found.recognition and found.recognition.document) == document
    assert place in {each.path for each in found.problems}
    ids = {each.message.id for each in found.problems}
    assert document or ids <= {"documents.unknown.rpc_error", "documents.unknown.tool_error"}
    assert all(found.positions[each.place].line > 0 for each in found.problems)


def test_a_description_of_swagger_is_named_by_its_version():
    [found] = examine(b'{"swagger": "2.0", "info": {}, "paths": {}}').problems
    assert found.message.id == "documents.unknown.openapi"
    assert '"2.0"' in found.message.words("en")


@pytest.mark.parametrize(
    "value",
    [
        {"id": "x", "object": "chat.completion", "choices": [], "model": "m"},
        {"type": "content_block_delta", "index": 0, "delta": {"text": "a"}},
        {"type": "text_delta", "text": "a"},
        {"type": "input_json_delta", "partial_json": "{"},
    ],
)
def test_an_answer_of_a_model_provider_is_called_one(value):
    [found] = examine(json.dumps(value).encode()).problems
    assert found.message.id == "documents.unknown.model_api"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ([{"clause": "ATDF-CALL-003", "reason": "r"}], "waivers"),
        ({"find": [{"q": "a"}], "book": [{"room": 1}, {}]}, "calls"),
        ([{"clause": "ATDF-CALL-003"}, 7], "kind"),
        ({"tols": [{"name": "a"}]}, "misspelled"),
        ({"resources": [{"uri": "file:///a"}]}, "rule"),
        ({}, "empty"),
    ],
)
def test_the_files_of_the_kit_are_named_with_their_option(value, name):
    [found] = examine(json.dumps(value).encode()).problems
    assert found.message.id == f"documents.unknown.{name}"
    if name in ("waivers", "calls"):
        option = "--examples" if name == "calls" else "--waivers"
        assert all(option in found.message.words(each) for each in ("en", "es", "pt"))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"error": {"code": 400, "message": "No."}}, "error"),
        ({"success": False, "error": {"code": "INVALID", "message": "No."}}, "error"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "No."}}, "error"),
        ({"type": "about:blank", "title": "No"}, "problem"),
    ],
)
def test_an_error_of_another_api_is_not_taken_for_one_of_the_vocabulary(value, name):
    [found] = examine(json.dumps(value).encode()).problems
    assert found.message.id == f"documents.unknown.{name}"
