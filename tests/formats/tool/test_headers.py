import pytest

from conformance.formats.tool.headers import encoded, header_paths, mirrored
from conformance.formats.tool.tool import Tool, ToolForm

MIRRORED = {"type": "string", "x-mcp-header": "Region"}


def fault_of(**schema):
    paths, fault = header_paths({"type": "object", **schema})
    assert paths == ()
    return fault.message.id, fault.place


@pytest.mark.parametrize("kind", ["string", "integer", "boolean"])
def test_an_input_of_a_plain_type_may_be_mirrored(kind):
    schema = {"properties": {"a": {"type": kind, "x-mcp-header": "A"}}}
    assert header_paths(schema) == (((("a",), "A"),), None)


@pytest.mark.parametrize("kind", ["number", "object", "array", ["string", "null"], None])
def test_an_input_of_another_type_may_not(kind):
    found, _ = fault_of(properties={"a": {"type": kind, "x-mcp-header": "A"}})
    assert found == "documents.header.type"


@pytest.mark.parametrize("suffix", ["", "a b", "a:b", "é", "a\r\nb", 5, None])
def test_a_suffix_that_is_no_token_is_invalid(suffix):
    found, place = fault_of(properties={"a": {"type": "string", "x-mcp-header": suffix}})
    assert (found, place) == ("documents.header.no_token", ("properties", "a", "x-mcp-header"))


def test_two_suffixes_that_differ_in_case_alone_are_invalid():
    other = {"type": "string", "x-mcp-header": "REGION"}
    found, place = fault_of(properties={"a": MIRRORED, "b": other})
    assert (found, place) == ("documents.header.twice", ("properties", "b", "x-mcp-header"))


@pytest.mark.parametrize(
    "schema",
    [
        {"x-mcp-header": "Region"},
        {"properties": {"a": {"type": "array", "items": MIRRORED}}},
        {"anyOf": [{"properties": {"a": MIRRORED}}]},
        {"$defs": {"a": MIRRORED}, "properties": {"a": {"$ref": "#/$defs/a"}}},
        {"additionalProperties": MIRRORED},
    ],
)
def test_an_annotation_that_properties_alone_do_not_reach_is_invalid(schema):
    assert fault_of(**schema)[0] == "documents.header.unreachable"


def test_data_that_looks_like_an_annotation_is_none():
    schema = {"properties": {"a": {"default": MIRRORED, "enum": [MIRRORED], "const": MIRRORED}}}
    assert header_paths(schema) == ((), None)


def tool():
    return Tool(
        "t",
        {},
        ToolForm.MCP,
        {},
        header_parameters=(("a", "A"), ("b", "B")),
        nested_header_parameters=((("o", "c"), "C"),),
    )


def test_a_call_mirrors_its_values_also_those_inside_objects():
    headers = mirrored(tool(), {"a": "x", "b": True, "o": {"c": 42}})
    assert headers == (("Mcp-Param-A", "x"), ("Mcp-Param-B", "true"), ("Mcp-Param-C", "42"))


@pytest.mark.parametrize("arguments", [None, [], "x", {}, {"a": None, "o": 5}, {"a": {}, "b": []}])
def test_what_has_no_value_for_a_header_has_no_header(arguments):
    assert mirrored(tool(), arguments) == ()


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("us-west 1", "us-west 1"),
        ("é", "=?base64?w6k=?="),
        (" x", "=?base64?IHg=?="),
        ("", "=?base64??="),
        ("a\nb", "=?base64?YQpi?="),
        ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
    ],
)
def test_a_value_that_would_not_survive_is_wrapped(text, header):
    assert encoded(text) == header
