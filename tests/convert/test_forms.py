"""Conversions: the seeds' pairs on the printed examples, and what each form cannot carry."""

import json
import re

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from conformance.cli.convert import main
from conformance.convert.convert import convert
from conformance.convert.form import Form, form_of
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import Requirement
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures" / "examples"
TOOL_FORMS = [Form.CATALOG, Form.DESCRIPTOR, Form.ARDF]


def example(name):
    (path,) = EXAMPLES.glob(f"*/valid/{name}.json")
    return json.loads(path.read_text(encoding="utf-8"))


def tools():
    names = []
    for index in EXAMPLES.glob("*/index.json"):
        for entry in json.loads(index.read_text(encoding="utf-8"))["valid"]:
            document = entry["document"]
            if document in ("tool", "catalog", "descriptor", "enhanced-descriptor", "collection"):
                names.append(entry["id"])
    return sorted(names)


def musts(data):
    return [each for each in validate(data) if each.requirement is Requirement.MUST]


@pytest.mark.parametrize("to", TOOL_FORMS)
@pytest.mark.parametrize("name", tools())
def test_each_example_of_tools_becomes_a_valid_document_of_each_form(name, to):
    converted = convert(example(name), to)
    assert converted.problems == ()
    # What a prerequisite named may have been a resource of another type, which is lost.
    lost = {"ATDF-ENH-007"} if converted.lost else set()
    assert {each.clause for each in musts(converted.data)} <= lost
    assert form_of(converted.data) in (to, Form.CATALOG)


@pytest.mark.parametrize("name", tools())
def test_each_example_of_tools_becomes_a_tool_of_mcp_and_comes_back(name):
    there = convert(example(name), Form.MCP)
    assert there.problems == ()
    back = convert(there.data, Form.CATALOG, Form.MCP)
    again = convert(back.data, Form.MCP)
    assert again.data == there.data


def test_the_printed_migration_moves_inputs_under_the_invocation():
    resource = convert(example("room-hold-descriptor"), Form.ARDF).data
    assert (resource["resource_id"], resource["resource_type"]) == ("room_hold", "tool")
    assert resource["how_to_use"]["invocation"]["inputs"][0]["name"] == "room"
    for name in ("metadata", "localization", "examples", "prerequisites", "feedback"):
        assert resource[name] == example("room-hold-descriptor")[name]


def test_descriptors_with_what_tools_of_mcp_also_have_are_descriptors():
    tool = {"name": "a", "title": "A", "description": "B.", "inputSchema": {"type": "object"}}
    there = convert({"tools": [tool]}, Form.DESCRIPTOR)
    assert form_of(there.data) is Form.DESCRIPTOR
    (back,) = convert(there.data, Form.MCP).data["tools"]
    assert (back["name"], back["title"]) == ("a", "A")


def test_what_a_form_lacks_is_listed_as_made():
    made = convert(example("search-database-catalog"), Form.DESCRIPTOR)
    assert "$.tools[0].when_to_use" in made.made
    assert made.data["tools"][0]["when_to_use"] == made.data["tools"][0]["description"]


def test_resources_that_are_no_tools_are_lost_one_by_one():
    lost = convert(example("hospital-catalog"), Form.CATALOG).lost
    assert {f"$.resources[{index}]" for index in (1, 2, 3, 4, 5)} <= set(lost)


def test_a_dialect_is_written_in_the_form_of_the_specification():
    converted = convert(example("dialect-content"), Form.ARDF)
    assert (converted.lost, converted.changed) == ((), ("$.content",))
    assert "invocation" in converted.data["how_to_use"]
    assert not musts(converted.data)


def test_mcp_holds_in_meta_what_it_has_no_field_for():
    tool = convert(example("room-hold-descriptor"), Form.MCP).data
    held = tool["_meta"]["io.github.agent-formats/atdf"]
    assert tool.keys() == {"name", "description", "inputSchema", "_meta"}
    assert held["version"] == "1.2.0"
    assert held["localization"]


def test_what_an_mcp_tool_carries_under_an_earlier_key_is_read():
    made = convert(example("room-hold-descriptor"), Form.MCP).data
    made["_meta"] = {"agent-formats/atdf": made["_meta"]["io.github.agent-formats/atdf"]}
    again = convert(made, Form.MCP).data
    assert list(again["_meta"]) == ["io.github.agent-formats/atdf"]


def test_an_mcp_tool_without_a_description_gets_one_from_its_title():
    tool = {"name": "t", "title": "A tool", "inputSchema": {"properties": {}}}
    converted = convert({"tools": [tool]}, Form.CATALOG)
    assert converted.data["tools"][0]["description"] == "A tool"
    assert set(converted.made) == {"$.tools[0].description", "$.tools[0].inputSchema.type"}


@pytest.mark.parametrize(
    "function",
    [
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}},
        {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": True},
    ],
)
def test_a_function_tool_of_either_form_becomes_a_tool(function):
    converted = convert([function], Form.CATALOG)
    (tool,) = converted.data["tools"]
    assert (tool["name"], tool["inputSchema"]) == ("f", {"type": "object"})
    assert ("$[0].strict" in converted.lost) == ("strict" in function)


def test_a_name_that_providers_refuse_is_changed_and_listed():
    tool = {"name": "a.b", "description": "d", "inputSchema": {"type": "object"}}
    converted = convert(tool, Form.OPENAI)
    assert converted.data["function"]["name"] == "a_b"
    assert "$.name" in converted.lost


OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "Hotel", "version": "1"},
    "servers": [{"url": "https://hotel.example.com/v1/"}],
    "security": [{"key": []}],
    "paths": {
        "/rooms/{room}": {
            "parameters": [{"name": "room", "in": "path", "schema": {"type": "string"}}],
            "get": {
                "operationId": "room_show",
                "summary": "Show a room",
                "tags": ["rooms"],
                "parameters": [
                    {"name": "day", "in": "query", "schema": {"type": "string", "format": "date"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Room"}}
                        },
                    },
                    "404": {"description": "none"},
                },
            },
            "put": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Room"}}
                    },
                },
                "responses": {},
            },
        }
    },
    "components": {
        "schemas": {
            "Room": {
                "type": "object",
                "required": ["beds"],
                "properties": {
                    "beds": {"type": "integer", "minimum": 1},
                    "kind": {"$ref": "#/components/schemas/Kind"},
                },
            },
            "Kind": {"type": "string", "enum": ["single", "double"]},
        }
    },
}


def test_operations_of_openapi_become_tools_with_what_they_refer_to():
    converted = convert(OPENAPI, Form.CATALOG)
    show, put = converted.data["tools"]
    assert not musts(converted.data)
    assert (show["name"], show["description"]) == ("room_show", "Show a room")
    assert show["invocation"] == {
        "endpoint": "https://hotel.example.com/v1/rooms/{room}",
        "method": "GET",
    }
    assert show["inputSchema"]["required"] == ["room"]
    assert show["outputs"]["$defs"].keys() == {"Room", "Kind"}
    assert put["name"] == "put_rooms_room"
    assert put["inputSchema"]["properties"]["kind"] == {"$ref": "#/$defs/Kind"}
    assert put["inputSchema"]["required"] == ["room", "beds"]
    for place in (
        "$.security",
        '$.paths["/rooms/{room}"].get.parameters[1]',
        '$.paths["/rooms/{room}"].get.responses["404"]',
    ):
        assert place in converted.lost


def test_the_fixed_mapping_of_an_enriched_response():
    converted = convert(example("enriched-refusal"), Form.ERROR)
    (error,) = converted.data["errors"]
    assert not musts(converted.data)
    assert converted.data["code"] == "invalid-date"
    assert error["detail"] == "Check-in date cannot be in the past"
    assert error["parameter_name"] == "check_in"
    assert error["suggested_value"] == "2025-01-16T14:00:00Z"
    assert error["tool_name"] == "hotel_reservation"
    assert error["context"]["solution"] == "Choose a later day"


def test_a_success_is_no_error():
    (problem,) = convert(example("enriched-success"), Form.ERROR).problems
    assert problem.message.id == "convert.success"


def test_an_error_becomes_problem_details_with_the_status_of_its_type():
    converted = convert(example("invalid-date-error"), Form.PROBLEM)
    assert converted.data["status"] == 400
    assert converted.data["tool_name"] == "hotel_reservation"
    assert convert(converted.data, Form.ERROR).data == example("invalid-date-error")


def test_more_errors_than_one_stand_in_an_extension_of_problem_details():
    converted = convert(example("two-errors"), Form.PROBLEM)
    assert len(converted.data["more_errors"]) == 1
    assert convert(converted.data, Form.ERROR).data == example("two-errors")


def test_problem_details_with_little_in_them_are_completed_and_it_is_listed():
    converted = convert({"title": "Gone", "status": 404}, Form.ERROR)
    (error,) = converted.data["errors"]
    assert not musts(converted.data)
    assert error["type"].endswith("/not-found")
    assert "$.errors[0].instance" in converted.made


def test_a_tool_does_not_become_an_error():
    (problem,) = convert(example("hotel-catalog"), Form.PROBLEM).problems
    assert problem.message.id == "convert.no_way"


def test_a_document_without_a_form_is_named_by_its_kind():
    (problem,) = convert(example("backoff-policy"), Form.MCP).problems
    assert problem.message.words().startswith("`retry-policy` cannot be converted to mcp.")


CALLED = {
    "name": "rooms_list",
    "description": "Lists the free rooms of a hotel",
    "inputSchema": {
        "type": "object",
        "properties": {"hotel": {"$ref": "#/$defs/id"}, "beds": {"type": "integer"}},
        "required": ["hotel"],
        "$defs": {"id": {"type": "string", "minLength": 3}},
    },
    "tags": ["hotel"],
    "invocation": {"endpoint": "https://hotel.example/v1/hotels/{hotel}/rooms", "method": "GET"},
}


def test_a_tool_becomes_an_operation_with_its_parameters_where_they_are_sent():
    made = convert({"tools": [CALLED]}, Form.OPENAPI)
    assert not list(OpenAPIV31SpecValidator(made.data).iter_errors())
    assert made.data["servers"] == [{"url": "https://hotel.example"}]
    operation = made.data["paths"]["/v1/hotels/{hotel}/rooms"]["get"]
    assert operation["operationId"] == "rooms_list"
    assert operation["tags"] == ["hotel"]
    sent = [(each["name"], each["in"], each["required"]) for each in operation["parameters"]]
    assert sent == [("hotel", "path", True), ("beds", "query", False)]
    (home,) = made.data["components"]["schemas"]
    assert operation["parameters"][0]["schema"] == {"$ref": f"#/components/schemas/{home}"}
    (back,) = convert(made.data, Form.CATALOG).data["tools"]
    assert (back["invocation"], back["tags"]) == (CALLED["invocation"], CALLED["tags"])
    assert back["inputSchema"]["required"] == ["hotel"]


def test_what_is_not_in_the_path_is_the_body_and_each_server_is_named():
    call = {**CALLED["invocation"], "method": "POST"}
    there = {"endpoint": "https://b.example/rooms", "method": "POST"}
    other = {**CALLED, "name": "rooms_there", "invocation": there}
    made = convert({"tools": [{**CALLED, "invocation": call}, other]}, Form.OPENAPI).data
    paths = made["paths"]
    operation = paths["/v1/hotels/{hotel}/rooms"]["post"]
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    assert (list(body["properties"]), body["required"]) == (["beds"], [])
    assert "servers" not in made
    assert paths["/rooms"]["post"]["servers"] == [{"url": "https://b.example"}]


def test_two_tools_of_one_route_and_one_without_a_route_are_called_by_their_names():
    alike = {**CALLED, "name": "rooms_again"}
    without = {n: value for n, value in CALLED.items() if n != "invocation"} | {"name": "rooms"}
    made = convert({"tools": [CALLED, alike, without]}, Form.OPENAPI)
    assert {"/tools/rooms_again/invoke", "/tools/rooms/invoke"} < made.data["paths"].keys()
    assert "$.tools[1].invocation" in made.lost


def test_a_schema_that_refers_to_itself_is_one_component():
    node = {"type": "object", "properties": {"next": {"$ref": "#"}, "first": {"type": "string"}}}
    made = convert({**CALLED, "inputSchema": node, "invocation": None}, Form.OPENAPI)
    assert made.data is None
    tool = {n: value for n, value in CALLED.items() if n != "invocation"} | {"inputSchema": node}
    made = convert(tool, Form.OPENAPI).data
    assert not list(OpenAPIV31SpecValidator(made).iter_errors())
    body = made["paths"]["/tools/rooms_list/invoke"]["post"]["requestBody"]
    held = body["content"]["application/json"]["schema"]["properties"]["next"]["$ref"]
    assert held.removeprefix("#/components/schemas/") in made["components"]["schemas"]


def test_a_schema_in_the_words_of_gemini_becomes_a_json_schema():
    asked = {
        "functionDeclarations": [
            {
                "name": "book",
                "description": "Books a room",
                "parameters": {
                    "type": "OBJECT",
                    "properties": {"nights": {"type": "INTEGER", "nullable": True}},
                    "required": ["nights"],
                },
            }
        ]
    }
    assert form_of(asked) is Form.GEMINI
    (tool,) = convert(asked, Form.CATALOG).data["tools"]
    assert tool["inputSchema"]["properties"] == {"nights": {"type": ["integer", "null"]}}


@pytest.mark.parametrize("name", ["2fa", "über room"])
def test_a_name_is_one_that_the_provider_takes(name):
    tool = {**CALLED, "name": name}
    for form in (Form.OPENAI, Form.ANTHROPIC, Form.GEMINI):
        made = convert(tool, form)
        given = made.data["function"]["name"] if form is Form.OPENAI else made.data["name"]
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", given)
        assert (given == name) == ("$.name" not in made.lost)
    assert re.fullmatch(r"[a-zA-Z_].*", convert(tool, Form.GEMINI).data["name"])


def test_a_tool_becomes_a_skill_of_an_agent_card():
    made = convert(example("flight-search-tool"), Form.A2A)
    assert made.data["id"] == made.data["name"] == "flight_search"
    assert made.data["examples"] == ["One way", "A flight home", "A short hop"]
    assert made.data["tags"] == []
    assert {"$.inputSchema", "$.when_to_use"} < set(made.lost)


def test_the_command_says_what_is_lost_and_gives_json(tmp_path, capsys):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(example("flight-search-tool")), encoding="utf-8")
    assert main([str(path), "--to", "openai"]) == 0
    out, said = capsys.readouterr()
    assert json.loads(out)["function"]["name"] == "flight_search"
    assert "lost: $.when_to_use" in said


def test_the_command_says_that_a_reference_to_another_file_is_not_followed(tmp_path, capsys):
    body = {"content": {"application/json": {"schema": {"$ref": "other.json#/x"}}}}
    operation = {"operationId": "send", "requestBody": body, "responses": {}}
    info = {"title": "T", "version": "1"}
    data = {"openapi": "3.1.0", "info": info, "paths": {"/send": {"post": operation}}}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert main([str(path), "--to", "mcp"]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "$ref" in line]
    assert told
    assert all("this reference is not followed" in line for line in told)


@pytest.mark.parametrize(
    ("raw", "code"),
    [("{", 2), ('{"a": 1}', 2), ('{"tools": [{"name": ""}]}', 1), ("[]", 2), ("5", 2)],
)
def test_the_command_refuses_what_cannot_be_converted_in_words(tmp_path, capsys, raw, code):
    path = tmp_path / "a.json"
    path.write_text(raw, encoding="utf-8")
    assert main([str(path), "--to", "ardf"]) == code
    out, said = capsys.readouterr()
    assert (out, bool(said)) == ("", True)
    assert main([str(tmp_path / "none.json"), "--to", "ardf"]) == 2


@pytest.mark.parametrize("files", [(), ("a.json",), ("a.json", "b.json")])
def test_the_command_takes_a_directory_for_what_it_is(tmp_path, capsys, files):
    for name in files:
        (tmp_path / name).write_text(json.dumps(example("flight-search-tool")), encoding="utf-8")
    assert main([str(tmp_path), "--to", "mcp"]) == 2
    assert capsys.readouterr().err == (
        f"{tmp_path}: This is a directory. Give one file, or - for standard input.\n"
    )


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "success", "result": {"id": 1}},
        {"status": 200},
        {"type": "object"},
        {"type": "function", "function": {}},
        {"title": 7},
    ],
)
def test_what_tells_of_no_problem_is_not_made_an_error(answer):
    converted = convert(answer, Form.ERROR)
    assert converted.data is None
    assert converted.problems


@pytest.mark.parametrize(
    "details",
    [{"status": 404}, {"type": "about:blank"}, {"title": "Not Found"}, {"detail": "No booking 7."}],
)
def test_problem_details_with_one_member_are_made_an_error(details):
    assert convert(details, Form.ERROR).data is not None


def test_what_an_input_says_that_no_schema_is_made_of_is_lost_by_its_name():
    tool = example("room-count-descriptor")
    tool["how_to_use"]["inputs"][0]["example"] = "suite"
    converted = convert(tool, Form.CATALOG)
    assert "$.how_to_use.inputs[0].example" in converted.lost
    assert "$.how_to_use.inputs[0]" not in converted.lost


def test_a_whole_tool_in_a_dialect_moves_and_loses_nothing_of_its_content():
    converted = convert(example("dialect-content"), Form.CATALOG)
    assert "$.content" in converted.changed
    assert "$.content" not in converted.lost


def test_the_valid_items_of_a_list_are_converted_and_the_others_are_named(tmp_path, capsys):
    good = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}
    document = {"tools": [good, {"name": "b"}, {**good, "name": "c"}]}
    converted = convert(document, Form.MCP)
    assert [each["name"] for each in converted.data["tools"]] == ["a", "c"]
    assert {each.place[:2] for each in converted.problems} == {("tools", 1)}
    file = tmp_path / "catalog.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert main([str(file), "--to", "mcp"]) == 1
    said = capsys.readouterr()
    assert len(json.loads(said.out)["tools"]) == 2
    assert "$.tools[1]" in said.err


def test_what_a_broken_item_is_needed_for_is_left_out_with_it():
    descriptor = example("room-hold-descriptor")
    needed = descriptor["prerequisites"]["tools"][0]
    whole = {"tools": [{"name": needed}, descriptor]}
    assert convert(whole, Form.ARDF).data is None
    places = {each.place[:2] for each in convert(whole, Form.ARDF).problems}
    assert places == {("tools", 0), ("tools", 1)}


def test_a_broken_resource_keeps_the_others_in_their_form():
    good = example("ward-map")
    document = {"resources": [{"resource_id": "x"}, good]}
    converted = convert(document, Form.ARDF)
    assert [each["resource_id"] for each in converted.data["resources"]] == [good["resource_id"]]
    assert (converted.left_out, converted.lost) == (("$.resources[0]",), ())


def test_an_unusable_tool_of_mcp_leaves_the_others():
    good = {"name": "a", "inputSchema": {"type": "object"}, "title": "A"}
    converted = convert({"tools": [{"name": "b"}, good]}, Form.CATALOG, Form.MCP)
    assert [each["name"] for each in converted.data["tools"]] == ["a"]
    assert [each.path for each in converted.problems] == ["$.tools[0]"]


def test_a_collection_becomes_lists_of_tools_prompts_and_resources():
    made = convert(example("hospital-catalog"), Form.MCP)
    assert {name: len(made.data[name]) for name in ("tools", "prompts", "resources")} == {
        "tools": 3,
        "prompts": 1,
        "resources": 1,
    }
    kinds = [each["resource_type"] for each in example("hospital-catalog")["resources"]]
    left = [f"$.resources[{i}]" for i, kind in enumerate(kinds) if kind in UNKNOWN_TO_MCP]
    assert [each for each in made.lost if each.count(".") == 1] == left


UNKNOWN_TO_MCP = ("policy", "model", "workflow", "connector", "custom")


def test_the_answer_to_tools_list_is_converted_with_its_frame(tmp_path, capsys):
    file = tmp_path / "answer.json"
    tools = [{"name": "t", "description": "d", "inputSchema": {"type": "object"}}]
    file.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}, indent=1))
    assert main([str(file), "--to", "mcp"]) == 0
    assert json.loads(capsys.readouterr().out) == {"tools": tools}
    del tools[0]["inputSchema"]
    tools.append({"name": "u", "inputSchema": {}, "title": "U"})
    file.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}, indent=1))
    assert main([str(file), "--to", "mcp"]) == 1
    assert f"{file}:6: $.tools[0]" in capsys.readouterr().err


@pytest.mark.parametrize("to", [Form.MCP, Form.DESCRIPTOR, Form.ARDF, Form.OPENAI, Form.OPENAPI])
def test_the_schema_that_an_editor_reads_stays_with_the_old_form(to):
    known = {"$schema": "https://example.com/catalog.schema.json"}
    tool = {"name": "a", "description": "Do a.", "inputSchema": {"type": "object"}}
    for document in ({**known, "tools": [tool]}, {**known, **tool}):
        made = convert(document, to)
        assert "$schema" not in json.dumps(made.data)
        assert "$.$schema" not in made.lost


def test_the_schema_that_an_editor_reads_stays_where_the_form_does():
    document = {"$schema": "https://example.com/catalog.schema.json", "tools": []}
    assert convert(document, Form.CATALOG).data == document


MISTAKES = {
    "detail": [
        {"type": "missing", "loc": ["body", "guest_name"], "msg": "Field required", "input": None},
        {"type": "int_parsing", "loc": ["query", "rooms", 0, "beds"], "msg": "Not an integer"},
        {"type": "json_invalid", "loc": ["body", 12], "msg": "JSON decode error"},
    ]
}


def test_what_fastapi_lists_becomes_an_error_for_each_mistake():
    assert form_of(MISTAKES) is Form.FASTAPI
    converted = convert(MISTAKES, Form.ERROR)
    assert (converted.problems, converted.lost) == ((), ())
    assert musts(converted.data) == []
    told = converted.data["errors"]
    names = ["guest_name", "rooms[0].beds", None]
    assert [each["parameter_name"] for each in told] == names
    for each, mistake in zip(told, MISTAKES["detail"], strict=True):
        assert {**each["context"], "msg": each["detail"]} == mistake
    assert "$.errors[2].type" in converted.made
    assert musts(convert(MISTAKES, Form.ENRICHED).data) == []
    assert convert({**MISTAKES, "body": 1}, Form.ERROR).lost == ("$.body",)


@pytest.mark.parametrize("detail", [[], [{"loc": "a", "msg": "m"}], [{"loc": []}], [1], {"loc": 1}])
def test_a_list_without_places_and_messages_is_not_what_fastapi_lists(detail):
    assert form_of({"detail": detail}) is None
    (found,) = convert({"detail": detail}, Form.ERROR, Form.FASTAPI).problems
    assert found.message.id == "convert.shape"
