"""What each API of a provider reads of a request: the tools that it declares, and their results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.formats.provider.faces import FACES, face_of

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CALL = {"name": "get_time", "arguments": "{}"}
BODIES = {
    "openai-chat": {
        "tools": [{"type": "function", "function": {"name": "get_time", "parameters": SCHEMA}}],
        "messages": [
            {"role": "assistant", "tool_calls": [{"id": "a", "function": CALL}]},
            {"role": "tool", "tool_call_id": "a", "content": "nine"},
            {"role": "tool", "tool_call_id": "b", "content": "ten"},
        ],
    },
    "openai-responses": {
        "tools": [{"type": "function", "name": "get_time", "parameters": SCHEMA}],
        "input": [
            {"type": "function_call", "call_id": "a", **CALL},
            {"type": "function_call_output", "call_id": "a", "output": "nine"},
            {"type": "function_call_output", "call_id": "b", "output": "ten"},
        ],
    },
    "anthropic": {
        "tools": [{"name": "get_time", "input_schema": SCHEMA}],
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "get_time"}]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "nine"},
                    {"type": "tool_result", "tool_use_id": "b", "content": "ten"},
                ],
            },
        ],
    },
}


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
def test_what_is_no_request_has_neither_tools_nor_results(face):
    for body in (None, [], "x", {"tools": 1, "messages": "x", "input": {}, "contents": [1]}):
        assert face.tools(body) == face.results(body) == []


NAMES = (
    "contents",
    "functionResponse",
    "input",
    "messages",
    "parts",
    "role",
    "tool_calls",
    "tools",
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(("user", "x"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=8,
)


@given(st.sampled_from(FACES), VALUES, st.sampled_from(NAMES))
def test_any_body_can_be_read(face, value, name):
    for body in (value, {name: value}, {name: [{name: value, "role": value, "content": value}]}):
        found = face_of(face.path.replace("{model}", "x"), "", body)
        assert found is not None
        assert isinstance(found[1].user, str)
        face.tools(body), face.results(body)


@pytest.mark.parametrize("name", BODIES)
def test_a_result_has_the_name_of_the_call_whose_id_it_names(name):
    face, body = next(face for face in FACES if face.name == name), BODIES[name]
    assert [(each.name, each.schema) for each in face.tools(body)] == [("get_time", SCHEMA)]
    found = [(each.name, each.content) for each in face.results(body)]
    assert found == [("get_time", "nine"), ("", "ten")]


@pytest.mark.parametrize(
    ("declarations", "schema", "response"),
    [
        ("functionDeclarations", "parameters", "functionResponse"),
        ("function_declarations", "parameters_json_schema", "function_response"),
    ],
)
def test_gemini_is_read_in_both_spellings(declarations, schema, response):
    face = next(face for face in FACES if face.name == "gemini")
    body = {
        "tools": [{declarations: [{"name": "get_time", schema: SCHEMA}]}],
        "contents": [{"parts": [{response: {"name": "get_time", "response": {"result": "nine"}}}]}],
    }
    assert [(each.name, each.schema) for each in face.tools(body)] == [("get_time", SCHEMA)]
    found = [(each.name, each.content) for each in face.results(body)]
    assert found == [("get_time", {"result": "nine"})]
