"""What a document of another specification needs so that it can be read here.

The kit does not check these specifications: only the members that a reader uses, and their types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator

from conformance.formats.problem import Place

Shape = Mapping[str, Any]

_TEXT: Final[Shape] = {"type": "string"}
_TEXT_OR_NULL: Final[Shape] = {"type": ["string", "null"]}
_OBJECT: Final[Shape] = {"type": "object"}
_SCHEMA: Final[Shape] = {
    "type": "object",
    "properties": {
        "properties": _OBJECT,
        "required": {"type": "array", "items": _TEXT},
        "$defs": _OBJECT,
    },
}
_OUTPUTS: Final[Shape] = {
    "type": "object",
    "properties": {**_SCHEMA["properties"], "schema": {"if": _OBJECT, "then": _SCHEMA}},
}


def _function(*members: str) -> Shape:
    """Return the shape of a tool that has its schema in one of these members."""
    named = {"name": _TEXT, "description": _TEXT_OR_NULL}
    schemas = {member: {"if": {"type": "null"}, "else": _SCHEMA} for member in members}
    return {"type": "object", "required": ["name"], "properties": {**named, **schemas}}


_NESTED: Final[Shape] = {"required": ["function"], "properties": {"function": _OBJECT}}

_MISTAKES: Final[Shape] = {
    "type": "array",
    "minItems": 1,
    "maxItems": 100_000,  # the result of more takes too much memory
    "items": {
        "type": "object",
        "required": ["loc", "msg"],
        "properties": {"loc": {"type": "array"}, "msg": {"type": "string", "minLength": 1}},
    },
}

SHAPES: Final[Mapping[str, Shape]] = {
    "openai": {
        "type": "object",
        "if": _NESTED,
        "then": {"properties": {"function": _function("parameters")}},
        "else": _function("parameters"),
    },
    "anthropic": _function("input_schema"),
    "gemini": _function("parametersJsonSchema", "parameters"),
    "mcp": {
        "type": "object",
        "required": ["name", "inputSchema"],
        "properties": {
            "name": _TEXT,
            "description": _TEXT_OR_NULL,
            "inputSchema": _SCHEMA,
            "outputSchema": _OUTPUTS,
            "outputs": _OUTPUTS,
            "when_to_use": _TEXT,
            "tags": {"type": "array", "items": _TEXT},
            "invocation": {"type": "object", "properties": {"endpoint": _TEXT, "method": _TEXT}},
        },
    },
    "openapi": {"type": "object", "required": ["openapi"], "properties": {"openapi": _TEXT}},
    "fastapi": {"type": "object", "required": ["detail"], "properties": {"detail": _MISTAKES}},
    "problem": {
        "type": "object",
        "properties": {
            **dict.fromkeys(("type", "title", "detail", "instance"), _TEXT_OR_NULL),
            **dict.fromkeys(("meta", "context"), _OBJECT),
        },
    },
}
"""By form: a JSON Schema of one tool, or of the whole document."""


def misshapen(form: str, item: Any) -> Iterator[Place]:
    """Yield the places of an item that have the wrong type for its form."""
    for error in _judge(form).iter_errors(item):
        yield tuple(error.absolute_path)


@cache
def _judge(form: str) -> Any:
    return Draft202012Validator(SHAPES[form])
