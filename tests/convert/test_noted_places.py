"""Each place that a conversion notes is one of what the author wrote, or of what was made."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from conformance.cli.convert import main
from conformance.convert.convert import convert
from conformance.convert.form import TARGETS, Form
from tests.convert.test_forms import EXAMPLES, OPENAPI, example

_STEP = re.compile(r'\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')

ENVELOPE: dict[str, Any] = {"x": 1, "nextCursor": "n"}
RICH: dict[str, Any] = {
    "name": "r.1",
    "title": "R",
    "version": "1.0.0",
    "tags": ["a"],
    "description": "Does r.",
    "when_to_use": "Always.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "integer", "null"], "const": "x", "examples": ["x", "y"]},
            "b": {"type": "number", "exclusiveMinimum": 1, "minimum": 0, "$comment": "c"},
            "c": {"$ref": "#/$defs/c", "description": "C"},
            "d": {"type": "array", "prefixItems": [{"type": "null"}], "items": False},
        },
        "required": [],
        "if": {"required": ["a"]},
        "$defs": {"c": {"type": "string", "contentEncoding": "base64"}},
    },
    "outputs": {"type": "object", "patternProperties": {"^a": True}},
    "annotations": {"readOnlyHint": True},
    "examples": [{"name": "e", "input": {"a": "x"}}],
    "invocation": {"endpoint": "/r?q=1", "method": "QUERY", "x_timeout": 1},
    "metadata": {"author": "me"},
    "x-own": 1,
}
BROKEN: dict[str, Any] = {"name": ""}
CARRIED = {"when_to_use": "Now.", "version": "1", "outputs": {"success": "s", "failure": []}}
DESCRIPTOR: dict[str, Any] = {
    "id": "d",
    "description": "Does d.",
    "when_to_use": "Now.",
    "how_to_use": {
        "inputs": [
            {"name": "a", "type": "string", "description": "A"},
            {"name": "b", "type": "integer", "schema": {"if": True}},
            {"name": "c", "schema": {"const": 1}, "x_hint": "h"},
        ],
        "input_schema": {"minProperties": 1, "propertyNames": {"maxLength": 9}},
        "outputs": {"success": "s", "failure": []},
    },
    "metadata": {"version": "1", "author": "me"},
}
MCP: dict[str, Any] = {
    "name": "m",
    "title": "M",
    "inputSchema": {},
    "outputSchema": {"type": "object"},
    "_meta": {"io.github.agent-formats/atdf": {**CARRIED, "name": "other"}, "own": 1},
}
COMPONENTS: Any = OPENAPI["components"]
DOCUMENTS: dict[str, Any] = {
    "catalog": {**ENVELOPE, "tools": [BROKEN, RICH, {**RICH, "name": "s"}]},
    "descriptors": {**ENVELOPE, "tools": [{"tool_id": ""}, DESCRIPTOR]},
    "descriptor": DESCRIPTOR,
    "mcp": {"tools": [{"name": "x"}, MCP]},
    "openai": [
        {"type": "function", "function": {"name": "a.b", "strict": True}},
        {"type": "function", "name": "flat", "parameters": {}},
    ],
    "gemini": {"functionDeclarations": [{"name": "g", "parameters": {"type": "OBJECT"}}]},
    "openapi": OPENAPI | {"components": COMPONENTS | {"examples": {"e": {}}}},
    "openapi-3.0": {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1", "contact": {}},
        "servers": [{"url": "https://a.example", "description": "d"}],
        "paths": {
            "/a": {
                "summary": "s",
                "get": {
                    "operationId": "a",
                    "summary": "s",
                    "description": "d",
                    "parameters": [
                        {"$ref": "#/components/parameters/p"},
                        {"name": "q", "in": "query", "style": "form", "schema": {"nullable": True}},
                    ],
                    "responses": {"200": {"$ref": "#/components/responses/r"}},
                },
                "post": {
                    "requestBody": {
                        "description": "b",
                        "content": {
                            "application/json": {
                                "schema": {"$ref": "#/components/schemas/s"},
                                "example": {},
                            },
                            "text/plain": {},
                        },
                    },
                },
            },
        },
        "components": {
            "parameters": {"p": {"name": "p", "in": "query", "description": "P"}, "u": {}},
            "responses": {"r": {"description": "d", "content": {"application/json": {}}}},
            "schemas": {
                "s": {"type": "object", "properties": {"n": {"$ref": "#/components/schemas/n"}}},
                "n": {"type": "string", "example": "x"},
                "unused": {},
            },
            "securitySchemes": {"k": {}},
        },
    },
    **{
        name: example(name)
        for name in ("hospital-catalog", "plant-toolsets", "dialect-content", "two-errors")
    },
}


def has(data, path):
    """Whether a document has the place that a JSON path names."""
    at = 1
    while at < len(path):
        step = _STEP.match(path, at)
        assert step, path
        name, index, quoted = step.groups()
        key = int(index) if index else json.loads(quoted) if quoted else name
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return False
        at = step.end()
    return True


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_noted_is_a_place_of_the_source_or_of_the_result(name, to):
    data = DOCUMENTS[name]
    made = convert(data, to)
    if made.data is None:
        assert made.problems
        return
    nowhere = [each for each in (*made.lost, *made.changed, *made.left_out) if not has(data, each)]
    assert nowhere == []
    assert [each for each in made.made if not has(made.data, each)] == []


@pytest.mark.parametrize("to", TARGETS)
def test_the_same_holds_for_each_example(to):
    for path in sorted(EXAMPLES.glob("*/valid/*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        made = convert(data, to)
        if made.data is not None:
            assert all(has(data, each) for each in (*made.lost, *made.changed)), path.name
            assert all(has(made.data, each) for each in made.made), path.name


def test_the_places_of_an_answer_begin_at_the_answer(tmp_path, capsys):
    file = tmp_path / "answer.json"
    file.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}}))
    main([str(file), "--to", "openai"])
    said = capsys.readouterr().err
    assert 'lost: $.result.tools[0]._meta["io.github.agent-formats/atdf"].when_to_use' in said


def test_a_place_is_that_of_the_form_that_the_author_wrote():
    lost = convert({"tools": [DESCRIPTOR]}, Form.OPENAI).lost
    assert {"$.tools[0].how_to_use.outputs", "$.tools[0].metadata"} <= set(lost)
    lost = convert({"tools": [RICH]}, Form.ANTHROPIC).lost
    assert {"$.tools[0].version", "$.tools[0].tags", "$.tools[0].metadata"} <= set(lost)
