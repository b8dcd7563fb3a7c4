"""Property: a way to another form and back is identical, or lists what is not."""

import re
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import OpenAPIV31SpecValidator

from conformance.convert.convert import convert
from conformance.convert.form import Form
from conformance.spec.vocabulary import ErrorType
from tests.thorough import up_to

GENERATED = settings(
    max_examples=up_to(60, 1000),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
WORD = st.text(string.ascii_lowercase + "_", min_size=1, max_size=6)
TEXT = st.sampled_from(["a", "Find a room", "é", "ñandú", "x y"])
VALUE = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), TEXT, st.lists(st.integers(0, 3)))
NODE = st.one_of(
    st.booleans(),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", ["string", "null"], "array", "object"]),
            "description": TEXT,
            "minLength": st.integers(0, 3),
            "enum": st.lists(st.integers(0, 3), min_size=1, unique=True),
            "$ref": st.just("#/$defs/a"),
        },
    ),
)


@st.composite
def schemas(draw):
    made = {"type": "object", "$defs": {"a": {"type": "string"}}}
    properties = draw(st.none() | st.dictionaries(WORD, NODE, max_size=4))
    if properties is not None:
        made["properties"] = properties
    names = [*(properties or {}), "other"]
    required = draw(st.none() | st.lists(st.sampled_from(names), unique=True))
    if required is not None:
        made["required"] = required
    if draw(st.booleans()):
        made["additionalProperties"] = False
    return made


NAMES = st.lists(WORD, unique=True, max_size=2)
METADATA = {"author": TEXT, "category": TEXT, "updated_at": st.just("2025-01-01")}
SHARED = {
    "localization": st.dictionaries(
        st.sampled_from(["es", "pt-BR"]), st.fixed_dictionaries({"description": TEXT}), max_size=2
    ),
    "prerequisites": st.fixed_dictionaries({}, optional={"conditions": NAMES}),
    "feedback": st.fixed_dictionaries({}, optional={"completion_signals": NAMES}),
    "safe": st.booleans(),
    "annotations": st.fixed_dictionaries({}, optional={"readOnlyHint": st.booleans()}),
    "x_own": VALUE,
}
CALLED = st.fixed_dictionaries(
    {"endpoint": st.just("/t"), "method": st.sampled_from(["GET", "POST"])},
    optional={"x_timeout": st.integers(1, 9)},
)
WORDS = st.fixed_dictionaries(
    {
        "success": TEXT,
        "failure": st.lists(st.fixed_dictionaries({"code": TEXT, "description": TEXT}), max_size=2),
    }
)
SCHEMA_OUT = st.sampled_from([{"type": "object"}, {"type": "array"}, {"$ref": "#/$defs/x"}])
catalog_tools = st.fixed_dictionaries(
    {"name": WORD, "description": TEXT, "inputSchema": schemas()},
    optional={
        **SHARED,
        "when_to_use": TEXT,
        "version": TEXT,
        "tags": NAMES,
        "metadata": st.fixed_dictionaries({}, optional={**METADATA, "version": TEXT}),
        "outputs": WORDS | st.sampled_from([{"type": "object"}, {"type": "array"}]),
        "invocation": CALLED,
        "schema_version": st.sampled_from(["1.0", "2.1"]),
        "title": TEXT,
    },
).filter(lambda tool: not _broken(tool["inputSchema"]))


def _broken(schema):
    """Whether a default validator would refuse it: `required` may name the undeclared."""
    return any(not name for name in schema.get("properties", {}))


INPUT = st.one_of(
    st.fixed_dictionaries(
        {"name": WORD, "type": st.sampled_from(["string", "integer", "file"])},
        optional={"description": TEXT, "required": st.booleans()},
    ),
    st.fixed_dictionaries(
        {"name": WORD, "schema": NODE.filter(lambda node: node is True or "$ref" not in str(node))},
        optional={
            "type": st.sampled_from(["string", "integer"]),
            "description": TEXT,
            "required": st.booleans(),
            "x_hint": TEXT,
        },
    ),
)
INPUTS = st.lists(INPUT, max_size=3, unique_by=lambda each: each["name"])
REMAINS = st.sampled_from([{}, {"additionalProperties": False}, {"type": "object"}])
descriptors = st.builds(
    lambda item, name, member: {member: name, **item},
    st.fixed_dictionaries(
        {
            "description": TEXT,
            "when_to_use": TEXT,
            "how_to_use": st.fixed_dictionaries(
                {"inputs": INPUTS, "outputs": WORDS},
                optional={"input_schema": REMAINS, "x_more": VALUE},
            ),
        },
        optional={
            **SHARED,
            "metadata": st.fixed_dictionaries(
                {}, optional={**METADATA, "version": TEXT, "tags": NAMES}
            ),
            "invocation": CALLED,
            "schema_version": st.just("2.0"),
            "version": TEXT,
        },
    ),
    WORD,
    st.sampled_from(["tool_id", "id"]),
)
resources_ = st.fixed_dictionaries(
    {
        "schema_version": st.just("1.0.0"),
        "resource_id": WORD,
        "resource_type": st.just("tool"),
        "description": TEXT,
        "how_to_use": st.fixed_dictionaries(
            {
                "invocation": st.fixed_dictionaries(
                    {"inputs": INPUTS},
                    optional={
                        "input_schema": REMAINS,
                        "outputs": WORDS | st.just({}) | st.just({"schema": {"type": "object"}}),
                        "endpoint": TEXT,
                        "method": st.just("GET"),
                        "model": st.just({"name": "m"}),
                    },
                )
            },
            optional={"content": st.just({"data": 5})},
        ),
    },
    optional={
        **SHARED,
        "when_to_use": TEXT,
        "metadata": st.fixed_dictionaries({}, optional=METADATA),
    },
)
mcp_tools = st.fixed_dictionaries(
    {"name": WORD, "inputSchema": schemas(), "_meta": st.dictionaries(WORD, VALUE, max_size=2)},
    optional={
        "title": TEXT,
        "description": TEXT,
        "outputSchema": st.just({"type": "object", "properties": {}}),
        "annotations": st.fixed_dictionaries({}, optional={"title": TEXT}),
        "icons": st.just([]),
    },
)
functions = st.fixed_dictionaries(
    {
        "type": st.just("function"),
        "function": st.fixed_dictionaries(
            {"name": WORD},
            optional={"description": TEXT, "parameters": schemas(), "strict": st.booleans()},
        ),
    }
)
anthropic = st.fixed_dictionaries(
    {"name": WORD, "input_schema": schemas()},
    optional={"description": TEXT, "type": st.just("custom"), "cache_control": VALUE},
)
gemini = st.fixed_dictionaries(
    {"name": WORD},
    optional={"description": TEXT, "behavior": st.just("BLOCKING"), "response": VALUE},
).flatmap(
    lambda each: st.sampled_from(["parameters", "parametersJsonSchema"]).flatmap(
        lambda member: schemas().map(lambda schema: {**each, member: schema})
    )
)
ERROR = st.fixed_dictionaries(
    {
        "type": st.sampled_from([f"https://a.example/e/{each}" for each in (*ErrorType, "own")]),
        "title": TEXT,
        "detail": TEXT,
        "instance": st.just("urn:x:1"),
        "tool_name": st.none() | TEXT,
    },
    optional={
        "parameter_name": st.none() | TEXT,
        "suggested_value": VALUE,
        "context": st.dictionaries(st.sampled_from(["field", "solution", "a"]), VALUE, max_size=2),
        "x_own": VALUE,
    },
)
errors_ = st.fixed_dictionaries(
    {"errors": st.lists(ERROR, min_size=1, max_size=2)},
    optional={
        "status": st.just("error"),
        "code": TEXT | st.integers(0, 9),
        "meta": st.dictionaries(st.sampled_from(["a", "error"]), VALUE, max_size=2),
    },
)
enriched = st.fixed_dictionaries(
    {
        "status": st.just("error"),
        "data": st.fixed_dictionaries(
            {"code": TEXT, "message": TEXT},
            optional={
                "details": st.fixed_dictionaries(
                    {},
                    optional={
                        "field": st.none() | TEXT,
                        "received": VALUE,
                        "expected": VALUE,
                        "validation_results": st.just([{"a": 1}]),
                        "solution": TEXT,
                        "suggested_value": VALUE,
                    },
                ),
                "x_own": VALUE,
            },
        ),
    },
    optional={"meta": st.dictionaries(st.sampled_from(["tool_name", "b"]), VALUE, max_size=2)},
)
problems_ = st.fixed_dictionaries(
    {"title": TEXT},
    optional={
        "type": st.sampled_from(["about:blank", "https://a.example/conflict", "https://a.example"]),
        "status": st.sampled_from([400, 404, 409, 418, "x"]),
        "detail": TEXT,
        "instance": st.just("/i/1"),
        "meta": st.just({"a": 1}),
        "balance": VALUE,
    },
)

PAIRS = [
    (Form.CATALOG, Form.DESCRIPTOR, catalog_tools),
    (Form.CATALOG, Form.ARDF, catalog_tools),
    (Form.CATALOG, Form.MCP, catalog_tools),
    (Form.CATALOG, Form.OPENAI, catalog_tools),
    (Form.CATALOG, Form.ANTHROPIC, catalog_tools),
    (Form.CATALOG, Form.GEMINI, catalog_tools),
    (Form.DESCRIPTOR, Form.CATALOG, descriptors),
    (Form.DESCRIPTOR, Form.ARDF, descriptors),
    (Form.DESCRIPTOR, Form.MCP, descriptors),
    (Form.ARDF, Form.CATALOG, resources_),
    (Form.ARDF, Form.DESCRIPTOR, resources_),
    (Form.MCP, Form.CATALOG, mcp_tools),
    (Form.MCP, Form.DESCRIPTOR, mcp_tools),
    (Form.MCP, Form.ARDF, mcp_tools),
    (Form.OPENAI, Form.CATALOG, functions),
    (Form.ANTHROPIC, Form.CATALOG, anthropic),
    (Form.GEMINI, Form.CATALOG, gemini),
    (Form.ERROR, Form.PROBLEM, errors_),
    (Form.ERROR, Form.ENRICHED, errors_),
    (Form.ENRICHED, Form.ERROR, enriched),
    (Form.PROBLEM, Form.ERROR, problems_),
]

SAME = [
    {"outputs", "outputSchema", "how_to_use"},
    {"parameters", "inputSchema", "function", "description"},
    {"parameters", "parametersJsonSchema", "input_schema", "inputSchema"},
    {"inputSchema", "how_to_use"},
    {"tool_id", "id"},
    {"_meta", "when_to_use", "how_to_use"},
    {"version", "tags", "metadata"},
    {"invocation", "how_to_use"},
    {"errors", "more_errors", "data", "meta", "status", "code"},
]
"""Members that say the same in two forms: a place that one names may be one in the other."""


def named(places):
    """Every member on the way to each place; `*` for the root."""
    found = set()
    for place in places:
        found |= set(re.findall(r"[A-Za-z_][A-Za-z_]*", place)) or {"*"}
    return found


@pytest.mark.parametrize(("form", "other", "documents"), PAIRS, ids=lambda each: str(each)[:10])
def test_a_way_there_and_back_is_identical_or_lists_what_is_not(form, other, documents):
    @GENERATED
    @given(documents)
    def holds(data):
        there = convert(data, other, form)
        assert there.problems == (), there.problems
        back = convert(there.data, form, other)
        assert back.problems == (), (back.problems, there.data)
        listed = named(
            (*there.lost, *there.changed, *there.made, *back.lost, *back.changed, *back.made)
        )
        changed = {
            name
            for name in data.keys() | back.data.keys()
            if data.get(name, "absent") != back.data.get(name, "absent")
        }
        known = listed.union(*(each for each in SAME if each & listed))
        if "*" not in known:
            assert changed <= known, (changed, listed, data, there.data, back.data)

    holds()


@pytest.mark.parametrize("other", [Form.DESCRIPTOR, Form.ARDF, Form.MCP])
def test_a_whole_tool_goes_there_and_back_without_any_note(other):
    whole = st.fixed_dictionaries(
        {
            "name": WORD,
            "description": TEXT,
            "when_to_use": TEXT,
            "inputSchema": schemas(),
            "outputs": WORDS,
            "version": TEXT,
            "tags": NAMES,
            "invocation": st.just({"endpoint": "/t", "method": "POST"}),
        },
        optional=SHARED,
    )

    @GENERATED
    @given(whole)
    def holds(data):
        there = convert(data, other)
        back = convert(there.data, Form.CATALOG, other)
        assert back.data == data
        assert there.lost == there.made == back.lost == back.made == ()
        assert there.changed == back.changed == ()

    holds()


@GENERATED
@given(st.lists(catalog_tools, max_size=3, unique_by=lambda tool: tool["name"]))
def test_tools_become_a_valid_description_and_come_back_or_what_does_not_is_listed(listed):
    there = convert({"tools": listed}, Form.OPENAPI, Form.CATALOG)
    assert there.problems == ()
    assert not list(OpenAPIV31SpecValidator(there.data).iter_errors())
    back = convert(there.data, Form.CATALOG)
    assert back.problems == ()
    names = {tool["name"] for tool in listed}
    assert {tool["name"] for tool in back.data["tools"]} == names
    for index, tool in enumerate(listed):
        again = next(each for each in back.data["tools"] if each["name"] == tool["name"])
        mine = [place for place in (*there.lost, *there.changed) if f"tools[{index}]" in place]
        route = f"/tools/{tool['name']}/invoke"
        noted = named((*mine, *back.made)) | {
            "invocation" for place in there.made if route in place
        }
        known = noted.union(*(each for each in SAME if each & noted))
        changed = {
            name
            for name in tool.keys() | again.keys()
            if tool.get(name, "absent") != again.get(name, "absent")
        }
        assert changed <= known, (changed, noted, tool, again)
