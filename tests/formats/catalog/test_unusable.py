"""Of a tool that cannot be used: where it is wrong, by which rule, and in which words."""

import pytest

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.formats.tool.tool import LONGEST_NAME, ToolForm

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
TOOL = {"name": "t", "inputSchema": SCHEMA}
NO_TYPE = [{"name": "a", "schema": {"type": "x"}}]


def resource(**more):
    return {"resource_type": "tool", "resource_id": "r", **more}


def described(*inputs):
    return {"tool_id": "t", "how_to_use": {"inputs": [*inputs]}}


SAID = [
    ({"tools": {"a": 1}}, "$.tools", "type", "ATDF-CAT-001", None,
     '`tools` is not a list but {"a"'),
    ({"resources": 5}, "$.resources", "type", "ATDF-CAT-001", None,
     "`resources` is not a list but 5"),
    (7, "$", "type", "ATDF-CAT-001", None, "which is an object or a list; got 7"),
    ([7], "$[0]", "type", "ATDF-CAT-001", None, "which is an object; got 7"),
    ([{"inputSchema": SCHEMA}], "$[0]", "required", "ATDF-TOOL-001", None, "`name` is null"),
    ([{**TOOL, "name": 5}], "$[0].name", "type", "ATDF-TOOL-001", None, "`name` is 5"),
    ([{**TOOL, "name": "\udfff"}], "$[0].name", "type", "ATDF-TOOL-001", None,
     '`name`, "\\udfff", contains half'),
    ([{**TOOL, "name": "x" * (LONGEST_NAME + 1)}], "$[0].name", "type", "ATDF-TOOL-001", None,
     f"has {LONGEST_NAME + 1} characters. Shorten it to {LONGEST_NAME}"),
    ([{"tool_id": 5}], "$[0].tool_id", "type", "ATDF-DESC-001", None, "`tool_id` is 5"),
    ([{"how_to_use": {}}], "$[0]", "required", "ATDF-DESC-001", None, "`tool_id` is null"),
    ([{"id": ""}], "$[0].id", "type", "ATDF-DESC-001", None, '`id` is ""'),
    ([resource(resource_id=5)], "$[0].resource_id", "type", "ARDF-RES-003", None,
     "`resource_id` is 5"),
    ([{"resource_type": "tool"}], "$[0]", "required", "ARDF-RES-003", None,
     "`resource_id` is null"),
    ([{"name": "t"}], "$[0]", "required", "ATDF-TOOL-003", "t", "does not say what it takes"),
    ([{**TOOL, "inputSchema": [7]}], "$[0].inputSchema", "type", "ATDF-TOOL-003", "t", "but [7]"),
    ([{**TOOL, "inputSchema": {"type": "array"}}], "$[0].inputSchema.type", "const",
     "ATDF-TOOL-003", "t", 'of type "array"'),
    ([{**TOOL, "inputSchema": {"properties": {"a": 5}}}], "$[0].inputSchema.properties.a",
     "ATDF-TOOL-004", "ATDF-TOOL-004", "t", "`a` cannot be 5"),
    ([{**TOOL, "inputSchema": {"properties": {"a": {"type": ["x", "null"]}}}}],
     "$[0].inputSchema.properties.a.type[0]",
     "ATDF-TOOL-004", "ATDF-TOOL-004", "t", 'has no type "x"'),
    ([described(*NO_TYPE)], "$[0].how_to_use.inputs[0].schema.type",
     "ATDF-TOOL-004", "ATDF-TOOL-004", "t", 'has no type "x"'),
    ([resource(how_to_use={"invocation": {"inputs": NO_TYPE}})],
     "$[0].how_to_use.invocation.inputs[0].schema.type",
     "ATDF-TOOL-004", "ATDF-TOOL-004", "r", 'has no type "x"'),
    ([TOOL, TOOL], "$[1].name", "ATDF-CAT-002", "ATDF-CAT-002", "t", 'called "t" too'),
    ([TOOL, described()], "$[1].tool_id", "ATDF-CAT-002", "ATDF-CAT-002", "t", 'called "t" too'),
    ([{**TOOL, "name": "r"}, resource(how_to_use={"inputs": []})], "$[1].resource_id",
     "ATDF-CAT-002", "ATDF-CAT-002", "r", 'called "r" too'),
]  # fmt: skip


@pytest.mark.parametrize(("data", "path", "keyword", "clause", "tool", "words"), SAID)
def test_what_is_wrong_is_said_once_with_its_place_rule_clause_and_value(
    data, path, keyword, clause, tool, words
):
    (found,) = tools_of(data, Source.ATDF).problems
    assert (found.path, found.keyword, found.clause, found.tool) == (path, keyword, clause, tool)
    assert words in found.message.words()


@pytest.mark.parametrize("name", [None, 5, ""])
def test_of_a_list_of_mcp_no_rule_of_a_descriptor_is_broken(name):
    (found,) = tools_of([{"tool_id": name, "id": name, "name": name}], Source.MCP).problems
    assert (found.path, found.clause) == ("$[0].name", "ATDF-TOOL-001")


def test_a_header_annotation_that_leaves_a_tool_out_names_the_tool():
    schema = {"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
    (found,) = tools_of([{**TOOL, "inputSchema": schema}], Source.MCP).problems
    assert (found.keyword, found.clause, found.tool) == ("x-mcp-header", None, "t")


def test_a_tool_of_a_collection_keeps_its_resource_and_claims_atdf():
    item = resource(how_to_use={"inputs": [{"name": "a", "type": "string"}]})
    (tool,) = tools_of({"resources": [item]}, Source.ATDF).tools
    assert (tool.form, tool.raw, tool.claims_atdf) == (ToolForm.ARDF, item, True)


def test_an_unusable_tool_takes_no_name_away():
    catalog = tools_of([{"name": "t"}, TOOL], Source.ATDF)
    assert [tool.raw for tool in catalog.tools] == [TOOL]
    assert [each.path for each in catalog.problems] == ["$[0]"]
