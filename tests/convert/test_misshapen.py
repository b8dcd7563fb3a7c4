"""A stranger's document that is of no form, or of another than was named: a problem, no error."""

import json
import time
from random import Random

import pytest

from conformance.convert.convert import convert
from conformance.convert.form import SOURCES, Form
from conformance.formats.validate.validate import validate
from tests.changed import changed_value
from tests.convert.test_forms import EXAMPLES

ODD = [7, "x", None, [[]], [{}, 7], {"a": {}}]
TO = (Form.CATALOG, Form.MCP, Form.OPENAPI, Form.ENRICHED)
OK = {"200": {"description": "d"}}
OBJECT = {"type": "object"}


def described(**operation):
    return {"openapi": "3.1.0", "info": {}, "paths": {"/x": {"post": {**operation}}}}


def body(schema):
    content = {"application/json": {"schema": schema}}
    return described(requestBody={"required": True, "content": content})


def documents():
    """Documents whose keys are right, and whose values are of any type."""
    for odd in ODD:
        yield odd
        yield {"tools": odd}
        yield {"openapi": odd, "paths": {}}
        for member in ("tags", "parameters", "requestBody", "responses", "description"):
            yield described(**{member: odd})
        yield described(parameters=[{"name": odd, "in": "query"}, {"name": "n", "in": odd}])
        yield {**described(parameters=[{"name": "n"}]), "components": {"schemas": odd}}
        yield {**described(), "servers": [{"url": odd}]}
        yield {"openapi": "3.0.0", "paths": {"/x": {"parameters": [{"name": odd}], "get": {}}}}
        for member in ("properties", "required", "$defs", "$schema", "type"):
            schema = {**OBJECT, "properties": {"n": {}}, member: odd}
            yield body(schema)
            yield {"tools": [{"name": "t", "inputSchema": schema, "title": "t"}]}
            yield [{"name": "t", "input_schema": schema}]
            yield [{"type": "function", "function": {"name": "t", "parameters": schema}}]
            yield {"functionDeclarations": [{"name": "t", "parameters": schema}]}
        for member in ("outputSchema", "description", "title", "_meta", "annotations"):
            yield {"tools": [{"name": "t", "inputSchema": OBJECT, "title": "t", member: odd}]}
        for member in ("outputs", "tags", "invocation", "metadata", "when_to_use"):
            carried = {"_meta": {"agent-formats/atdf": {member: odd}}}
            yield {"tools": [{"name": "t", "inputSchema": OBJECT, **carried, member: odd}]}
        yield {"functionDeclarations": [{"name": odd}, odd]}
        for member in ("title", "status", "context", "meta", "more_errors", "errors"):
            yield {"type": "about:blank", "title": "t", "detail": "d", member: odd}


@pytest.mark.parametrize("kind", ["workflow", "prompt", "tool", 7, []])
@pytest.mark.parametrize("source", [Form.MCP, Form.ANTHROPIC, Form.CATALOG])
def test_a_tool_of_another_form_has_no_type_of_a_resource(source, kind):
    schemas = {"inputSchema": OBJECT, "input_schema": OBJECT}
    tool = {"name": "t", "description": "d", **schemas, "resource_type": kind}
    for data in (tool, [tool], {"tools": [tool]}):
        for to in (*TO, Form.ARDF):
            made = convert(data, to, source)
            assert made.data is not None or made.problems


@pytest.mark.parametrize("source", [None, *SOURCES])
def test_what_is_of_no_form_is_a_problem(source):
    for data in documents():
        for to in TO:
            made = convert(data, to, source)
            assert made.data is not None or made.problems
            json.dumps(made.data)
            for each in made.problems:
                assert each.message.words("es")


@pytest.mark.parametrize("source", SOURCES)
def test_a_document_of_another_form_than_was_named_is_a_problem(source):
    for path in sorted(EXAMPLES.glob("*/valid/*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for to in TO:
            made = convert(data, to, source)
            assert made.data is not None or made.problems


@pytest.mark.parametrize("source", [each for each in SOURCES if each is not Form.OPENAPI])
@pytest.mark.parametrize(
    "data",
    [
        {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}},
        {"type": "object", "properties": {}},
    ],
    ids=["OpenAPI", "JSON Schema"],
)
def test_a_document_of_another_standard_than_was_named_is_a_problem(source, data):
    for to in TO:
        made = convert(data, to, source)
        assert made.problems or (source is Form.PROBLEM and made.data is not None)


def test_the_place_that_is_odd_is_named():
    (found,) = convert({"tools": [{"name": "t", "inputSchema": {"required": 7}, "_meta": {}}]},
                       Form.CATALOG).problems  # fmt: skip
    assert found.message.id == "convert.shape"
    assert found.path == "$.tools[0].inputSchema.required"


def test_a_tool_at_no_address_gets_the_usual_one():
    tool = {"name": "t", "description": "d", "inputSchema": OBJECT}
    tool["invocation"] = {"endpoint": "http://[", "method": "POST"}
    assert list(convert({"tools": [tool]}, Form.OPENAPI).data["paths"]) == ["/tools/t/invoke"]


def test_more_mistakes_than_memory_holds_are_refused():
    mistakes = {"detail": [{"loc": ["a"], "msg": "m"}] * 100_001}
    (found,) = convert(mistakes, Form.PROBLEM).problems
    assert found.path == "$.detail"


def test_a_name_is_one_step_of_the_usual_address():
    tools = [{"name": name, "description": "d", "inputSchema": OBJECT} for name in ("a/b", "{x}?")]
    paths = convert({"tools": tools}, Form.OPENAPI).data["paths"]
    assert list(paths) == ["/tools/a%2Fb/invoke", "/tools/%7Bx%7D%3F/invoke"]


def test_a_tool_whose_address_is_taken_is_lost_with_a_word():
    tool = {"name": "t", "description": "d", "inputSchema": OBJECT}
    other = {**tool, "name": "o", "invocation": {"endpoint": "/tools/t/invoke", "method": "POST"}}
    made = convert({"tools": [other, tool]}, Form.OPENAPI)
    assert made.data["paths"]["/tools/t/invoke"]["post"]["operationId"] == "o"
    assert made.lost == ("$.tools[1]",)


def many_inputs():
    inputs = [{"name": f"k{n}", "type": "string", "required": True} for n in range(15_000)]
    names = [each["name"] for each in reversed(inputs)]
    use = {"inputs": inputs, "input_schema": {"required": names},
           "outputs": {"success": "s", "failure": []}}  # fmt: skip
    return {"tools": [{"tool_id": "t", "description": "d", "when_to_use": "w", "how_to_use": use}]}


def many_parameters():
    names = [f"k{n}" for n in range(15_000)]
    schema = {**OBJECT, "properties": {name: {} for name in names}, "required": names[::-1]}
    called = {"endpoint": "/x" + "/{k1}" * 3000, "method": "GET"}
    return {"tools": [{"name": "t", "description": "d", "inputSchema": schema,
                       "invocation": called}]}  # fmt: skip


def many_definitions():
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(10_000)} | {"d10000": {}}
    schema = {**OBJECT, "$defs": chain}
    return {"tools": [{"name": "t", "description": "d", "inputSchema": schema}]}


def routes_of_one_name():
    paths = {f"/{'-' * (n % 50)}a{'.' * (n // 50)}": {"get": {"responses": OK}}
             for n in range(15_000)}  # fmt: skip
    return {"openapi": "3.1.0", "info": {}, "paths": paths}


@pytest.mark.parametrize(
    ("made", "to"),
    [
        (many_inputs, Form.CATALOG),
        (many_parameters, Form.OPENAPI),
        (many_definitions, Form.OPENAPI),
        (routes_of_one_name, Form.CATALOG),
    ],
)
def test_a_long_document_costs_no_more_for_each_of_its_parts(made, to):
    data = made()
    began = time.process_time()
    convert(data, to)
    assert time.process_time() - began < 12


def test_tools_that_each_need_the_next_are_not_left_out_one_by_one_for_ever():
    tools = [
        {"name": f"t{n}", "inputSchema": OBJECT, "prerequisites": {"tools": [f"t{n + 1}"]}}
        for n in range(2_000)
    ]
    began = time.process_time()
    made = convert({"tools": tools}, Form.MCP)
    assert time.process_time() - began < 12
    assert made.data is None


def test_routes_of_one_name_are_told_apart_by_a_number():
    tools = convert(routes_of_one_name(), Form.CATALOG).data["tools"]
    assert len({each["name"] for each in tools}) == len(tools)
    assert [each["name"] for each in tools[:3]] == ["get_a", "get_a_2", "get_a_3"]


def test_a_document_whose_tools_would_fill_the_memory_is_refused():
    needed = {f"c{n}": {"type": "object", "description": "x" * 100} for n in range(500)}
    needed["every"] = {**OBJECT, "properties": {
        name: {"$ref": f"#/components/schemas/{name}"} for name in needed}}  # fmt: skip
    sent = body({"$ref": "#/components/schemas/every"})["paths"]["/x"]
    data = {**described(), "paths": {f"/x{n}": sent for n in range(2000)},
            "components": {"schemas": needed}}  # fmt: skip
    made = convert(data, Form.CATALOG)
    assert [each.message.id for each in made.problems] == ["convert.too_large"]
    data["paths"] = {f"/x{n}": sent for n in range(5)}
    first, *_, last = convert(data, Form.CATALOG).data["tools"]
    assert len(first["inputSchema"]["$defs"]) == len(last["inputSchema"]["$defs"]) == 500


def test_many_equal_objects_where_all_have_to_differ_are_judged_quickly():
    tags = [{"a": n} for n in range(8000)]
    data = {"tools": [{"name": "t", "description": "d", "inputSchema": OBJECT, "tags": tags}]}
    began = time.process_time()
    assert validate(data)
    assert time.process_time() - began < 8


def test_documents_that_are_changed_at_random_end_in_a_document_or_in_problems():
    draw = Random(20_261_125)
    known = [
        json.loads(each.read_text("utf-8")) for each in sorted(EXAMPLES.glob("*/valid/*.json"))
    ]
    wholes = [*known, body({"$ref": "#/components/schemas/__proto__"}), described(parameters=[{}])]
    for _ in range(150):
        data = changed_value(draw, draw.choice(wholes))
        for form in Form:
            made = convert(data, form, draw.choice((None, *SOURCES)))
            assert made.problems or made.data is not None
            json.dumps(made.data)


@pytest.mark.parametrize("to", [Form.DESCRIPTOR, Form.CATALOG, Form.ARDF, Form.MCP])
@pytest.mark.parametrize(
    ("member", "value"),
    [("version", 7), ("safe", "yes"), ("examples", 3), ("prerequisites", 5), ("localization", 5)],
)
def test_what_an_mcp_tool_says_beyond_mcp_is_checked_too(member, value, to):
    tool = {"name": "t", "description": "d", "title": "t", "inputSchema": OBJECT}
    key = "io.github.agent-formats/atdf"
    for name, said in (
        (key, {**tool, "_meta": {key: {member: value}}}),
        (member, {**tool, member: value}),
    ):
        made = convert({"tools": [tool, said]}, to)
        assert made.left_out == ("$.tools[1]",) and name in made.problems[0].path
        assert not any(each.requirement == "MUST" for each in validate(made.data))
