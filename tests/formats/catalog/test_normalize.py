import json
import time

import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.tool.tool import LONGEST_NAME, Annotations, Invocation, ToolForm
from tests.root import ROOT

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def one(item, source=Source.ATDF, **options):
    catalog = tools_of({"tools": [item]}, source, **options)
    assert catalog.problems == ()
    (tool,) = catalog.tools
    return tool


def wrong(item, source=Source.ATDF):
    catalog = tools_of({"tools": [item]}, source)
    assert catalog.tools == ()
    return [(each.path, each.message.id) for each in catalog.problems]


def described(*inputs, **more):
    return {
        "tool_id": "t",
        "description": "d",
        "when_to_use": "w",
        "how_to_use": {"inputs": list(inputs), **more},
    }


def test_a_catalog_tool_keeps_what_it_declares():
    item = {
        "name": "t",
        "description": "d",
        "inputSchema": SCHEMA,
        "version": "1.0",
        "tags": ["a", 5, "b"],
        "when_to_use": "w",
        "examples": [{"name": "e", "input": {"a": "x"}}],
        "outputs": {"type": "object"},
        "invocation": {"endpoint": "/call", "method": "get"},
        "annotations": {"readOnlyHint": True, "destructiveHint": "no"},
        "safe": True,
    }
    tool = one(item)
    assert (tool.form, tool.name, tool.description) == (ToolForm.CATALOG, "t", "d")
    assert (tool.version, tool.tags, tool.when_to_use) == ("1.0", ("a", "b"), "w")
    assert tool.input_schema == SCHEMA
    assert tool.output_schema == {"type": "object"}
    assert [(each.name, each.input) for each in tool.examples] == [("e", {"a": "x"})]
    assert tool.invocation == Invocation("/call", "GET")
    assert tool.annotations == Annotations(read_only=True, destructive=True)
    assert tool.safe is True
    assert (tool.raw, tool.made, tool.dialects) == (item, (), ())


def test_a_descriptor_becomes_a_schema_of_its_inputs():
    item = described(
        {"name": "a", "type": "string", "description": "da", "required": True},
        {"name": "b", "schema": {"type": "array", "items": {"$ref": "#/$defs/x"}}},
        {"name": "c", "type": "integer", "schema": {"minimum": 1}, "required": False},
        input_schema={"$defs": {"x": {"type": "string"}}, "required": ["b"]},
    )
    tool = one(item)
    assert tool.form is ToolForm.DESCRIPTOR
    assert tool.input_schema == {
        "type": "object",
        "$defs": {"x": {"type": "string"}},
        "properties": {
            "a": {"type": "string", "description": "da"},
            "b": {"type": "array", "items": {"$ref": "#/$defs/x"}},
            "c": {"type": "integer", "minimum": 1},
        },
        "required": ["b", "a"],
    }


def test_an_input_of_an_unknown_type_takes_any_value_and_is_a_dialect():
    tool = one(described({"name": "a", "type": "file"}))
    assert tool.input_schema["properties"] == {"a": {}}
    assert tool.dialects == ("other-type",)


def test_metadata_of_a_descriptor_gives_version_and_tags():
    tool = one({**described(), "metadata": {"version": "2", "tags": ["x"]}})
    assert (tool.version, tool.tags) == ("2", ("x",))


def test_a_text_that_the_form_lacks_is_made_and_listed():
    listed = one({"name": "t", "description": "d", "inputSchema": SCHEMA})
    assert (listed.when_to_use, listed.made) == ("d", ("when_to_use",))
    item = described()
    del item["description"]
    assert (one(item).description, one(item).made) == ("w", ("description",))


def test_both_forms_stand_in_one_catalog():
    catalog = tools_of({"tools": [{"name": "a", "inputSchema": SCHEMA}, described()]}, Source.ATDF)
    assert [each.form for each in catalog.tools] == [ToolForm.CATALOG, ToolForm.DESCRIPTOR]


def test_a_list_and_a_single_tool_are_read_like_a_catalog():
    item = {"name": "t", "inputSchema": SCHEMA}
    assert len(tools_of([item], Source.MCP).tools) == 1
    assert len(tools_of(item, Source.ATDF).tools) == 1


@pytest.mark.parametrize(
    ("example", "dialect"),
    [
        ({"name": "e", "input": {"a": "x"}, "output": 1}, ()),
        ({"goal": "e", "input_values": {"a": "x"}, "expected_result": 1}, ("example-goal",)),
        ({"title": "e", "inputs": {"a": "x"}, "expected_output": 1}, ("example-title",)),
    ],
)
def test_each_shape_of_an_example_is_read(example, dialect):
    tool = one({"name": "t", "inputSchema": SCHEMA, "examples": [example]})
    assert [(each.name, each.input) for each in tool.examples] == [("e", {"a": "x"})]
    assert tool.dialects == dialect


def test_an_unusable_example_is_left_out_and_the_tool_stays():
    item = {"name": "t", "inputSchema": SCHEMA, "examples": [5, {"input": {}}, {"input": "x"}]}
    catalog = tools_of({"tools": [item]}, Source.ATDF)
    assert [each.path for each in catalog.problems] == [
        "$.tools[0].examples[0]",
        "$.tools[0].examples[2]",
    ]
    assert len(catalog.tools[0].examples) == 1


def test_an_mcp_tool_carries_what_mcp_lacks_in_its_meta():
    item = {
        "name": "t",
        "inputSchema": SCHEMA,
        "outputSchema": {"type": "object"},
        "execution": {"taskSupport": "required"},
        "_meta": {
            "io.github.agent-formats/atdf": {
                "version": "1",
                "tags": ["x"],
                "when_to_use": "w",
                "examples": [{"name": "e", "input": {}}, {"name": "f"}],
            }
        },
    }
    catalog = tools_of({"tools": [item]}, Source.MCP)
    (tool,) = catalog.tools
    assert tool.form is ToolForm.MCP
    assert (tool.version, tool.tags, tool.when_to_use) == ("1", ("x",), "w")
    assert len(tool.examples) == 1
    assert tool.output_schema == {"type": "object"}
    assert tool.task_required
    assert tool.claims_atdf
    assert [each.path for each in catalog.problems] == [
        '$.tools[0]._meta["io.github.agent-formats/atdf"].examples[1]'
    ]


def test_a_key_of_meta_without_its_domain_is_read_as_a_dialect():
    item = {"name": "t", "inputSchema": SCHEMA, "_meta": {"agent-formats/atdf": {"version": "2"}}}
    tool = one(item, Source.MCP)
    assert (tool.version, tool.claims_atdf, tool.dialects) == ("2", True, ("earlier-meta-keys",))


def test_what_the_meta_of_an_mcp_tool_says_goes_before_what_stands_beside_it():
    item = {"name": "t", "inputSchema": SCHEMA, "version": "1", "tags": ["beside"]}
    item["_meta"] = {"io.github.agent-formats/atdf": {"version": "2"}}
    tool = one(item, Source.MCP)
    assert (tool.version, tool.tags) == ("2", ("beside",))


@pytest.mark.parametrize("member", ["version", "tags", "examples"])
def test_a_field_that_mcp_lacks_claims_atdf_in_a_catalog_and_not_over_mcp(member):
    item = {"name": "t", "inputSchema": SCHEMA, member: []}
    assert one(item).claims_atdf
    assert not one(item, Source.MCP).claims_atdf


def test_a_plain_mcp_tool_claims_nothing():
    item = {"name": "t", "inputSchema": SCHEMA, "title": "T", "annotations": {}, "_meta": {"x": 1}}
    assert not one(item, Source.MCP).claims_atdf


def test_a_descriptor_claims_atdf():
    assert one(described()).claims_atdf


def test_mirrored_inputs_are_named_with_their_headers():
    inner = {"type": "object", "properties": {"b": {"type": "integer", "x-mcp-header": "B-2"}}}
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "x-mcp-header": "A"}, "o": inner},
    }
    tool = one({"name": "t", "inputSchema": schema}, Source.MCP)
    assert tool.header_parameters == (("a", "A"),)
    assert tool.nested_header_parameters == ((("o", "b"), "B-2"),)


def test_an_invalid_header_annotation_leaves_the_tool_out_where_headers_are_mirrored():
    schema = {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
    item = {"name": "t", "inputSchema": schema}
    assert wrong(item, Source.MCP) == [
        ("$.tools[0].inputSchema.properties.a.x-mcp-header", "documents.header.type")
    ]
    assert one(item, Source.MCP, mirroring=False).header_parameters == ()
    assert one(item, Source.ATDF).header_parameters == ()


def test_a_schema_without_its_type_is_read_as_an_object():
    tool = one({"name": "t", "inputSchema": {}})
    assert (tool.input_schema, tool.dialects) == ({"type": "object"}, ("no-type",))


@pytest.mark.parametrize(
    ("item", "path", "problem"),
    [
        (5, "$.tools[0]", "documents.tool.no_object"),
        ({"inputSchema": SCHEMA}, "$.tools[0]", "documents.tool.name_no_text"),
        ({"name": 5, "inputSchema": SCHEMA}, "$.tools[0].name", "documents.tool.name_no_text"),
        ({"name": "", "inputSchema": SCHEMA}, "$.tools[0].name", "documents.tool.name_no_text"),
        (
            {"name": "x" * 10_000_000, "inputSchema": SCHEMA},
            "$.tools[0].name",
            "documents.tool.name_long",
        ),
        (
            {"name": "\ud800", "inputSchema": SCHEMA},
            "$.tools[0].name",
            "documents.tool.name_surrogate",
        ),
        ({"name": "t"}, "$.tools[0]", "documents.tool.schema_absent"),
        ({"name": "t", "inputSchema": []}, "$.tools[0].inputSchema", "documents.tool.schema_kind"),
        (
            {"name": "t", "inputSchema": {"type": ["object", "null"]}},
            "$.tools[0].inputSchema.type",
            "documents.tool.schema_type",
        ),
        (
            {"name": "t", "inputSchema": {"type": "object", "properties": {"a": 5}}},
            "$.tools[0].inputSchema.properties.a",
            "documents.schema.invalid",
        ),
        (
            {"name": "t", "inputSchema": {"type": "object", "$ref": "http://example.com/s"}},
            "$.tools[0].inputSchema.$ref",
            "documents.schema.remote_ref",
        ),
        ({"tool_id": "t"}, "$.tools[0].how_to_use", "documents.tool.no_inputs"),
        (
            {"tool_id": "t", "how_to_use": {"inputs": {}}},
            "$.tools[0].how_to_use.inputs",
            "documents.tool.inputs_kind",
        ),
    ],
)
def test_a_broken_tool_becomes_a_problem_with_its_path(item, path, problem):
    assert wrong(item) == [(path, problem)]


def test_the_tools_beside_a_broken_one_go_on():
    good = {"name": "good", "inputSchema": SCHEMA}
    catalog = tools_of({"tools": [None, good, {"name": 1}, {**good, "name": "b"}]}, Source.MCP)
    assert [each.name for each in catalog.tools] == ["good", "b"]


def test_of_two_tools_with_one_name_the_first_stays():
    items = [
        {"name": "t", "description": "first", "inputSchema": SCHEMA},
        {"name": "t", "description": "second", "inputSchema": SCHEMA},
    ]
    catalog = tools_of({"tools": items}, Source.ATDF)
    assert [each.description for each in catalog.tools] == ["first"]
    assert [(each.path, each.clause, each.tool) for each in catalog.problems] == [
        ("$.tools[1].name", "ATDF-CAT-002", "t")
    ]


@pytest.mark.parametrize("data", [None, 5, "x", {"tools": {}}, {"tools": None}])
def test_what_is_no_list_of_tools_is_one_problem(data):
    catalog = tools_of(data, Source.ATDF)
    assert (catalog.tools, len(catalog.problems)) == ((), 1)


def test_a_schema_nested_beyond_checking_is_a_problem():
    schema = {"type": "object"}
    for _ in range(3000):
        schema = {"type": "object", "properties": {"a": schema}}
    item = {"name": "t", "inputSchema": schema}
    assert wrong(item) == [("$.tools[0].inputSchema", "documents.schema.too_deep")]


def test_a_name_of_the_longest_length_is_kept():
    assert one({"name": "x" * LONGEST_NAME, "inputSchema": SCHEMA}).name == "x" * LONGEST_NAME


def test_very_many_tools_are_read_in_seconds():
    items = [{"name": f"t{i}", "inputSchema": SCHEMA} for i in range(20_000)]
    started = time.process_time()
    assert len(tools_of({"tools": items}, Source.MCP).tools) == 20_000
    assert time.process_time() - started < 5


def test_the_tools_of_a_collection_are_tools_and_its_other_resources_are_passed_over():
    path = ROOT / "fixtures/examples/ardf/valid/hospital-catalog.json"
    catalog = tools_of(json.loads(path.read_text(encoding="utf-8")), Source.ATDF)
    assert [each.name for each in catalog.tools] == [
        "flight_booking",
        "patient_lookup",
        "appointment_create",
    ]
    flight = catalog.tools[0]
    assert flight.form is ToolForm.ARDF
    assert flight.input_schema["required"] == ["flight", "day", "passengers"]
    assert flight.invocation.endpoint == "/tools/flight_booking/invoke"
    assert catalog.problems == ()


def test_what_is_wrong_with_a_resource_is_reported_where_it_stands_there():
    item = {
        "resource_id": "r",
        "resource_type": "tool",
        "how_to_use": {"invocation": {"inputs": [{"name": "a"}, {"name": "a"}]}},
    }
    (problem,) = tools_of({"resources": [item]}, Source.ATDF).problems
    assert problem.path == "$.resources[0].how_to_use.invocation.inputs[1]"
    (unnamed,) = tools_of({"resources": [{"resource_type": "tool"}]}, Source.ATDF).problems
    assert (unnamed.path, unnamed.clause) == ("$.resources[0]", "ARDF-RES-003")


GENTLE = {"readOnlyHint": True, "openWorldHint": False}
HARSH = {"readOnlyHint": False, "destructiveHint": True}


@pytest.mark.parametrize("source", [Source.ATDF, Source.MCP])
@pytest.mark.parametrize(
    "second",
    [
        {"inputSchema": SCHEMA, "annotations": HARSH},
        {"inputSchema": 7, "annotations": HARSH},
        {"annotations": {"destructiveHint": "true"}},
    ],
)
def test_a_tool_is_as_harmful_as_any_declaration_of_its_name(source, second):
    first = {"name": "t", "description": "d", "inputSchema": SCHEMA, "annotations": GENTLE}
    for items in ([first, {"name": "t", **second}], [{"name": "t", **second}, first]):
        (tool,) = tools_of({"tools": items}, source).tools
        assert tool.annotations.destructive is True
        assert tool.annotations.read_only is not True
    (alone,) = tools_of({"tools": [first, {"name": "u", **second}]}, source).tools[:1]
    assert alone.annotations == Annotations(read_only=True, open_world=False)


def test_what_only_one_declaration_of_a_name_says_does_not_calm():
    first = {"name": "t", "description": "d", "inputSchema": SCHEMA, "annotations": GENTLE,
             "safe": True}  # fmt: skip
    second = {"name": "t", "description": "d", "inputSchema": SCHEMA}
    (tool,) = tools_of({"tools": [first, second]}, Source.ATDF).tools
    assert (tool.annotations, tool.safe) == (Annotations(), None)
