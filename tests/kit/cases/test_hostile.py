"""Schemas made to hurt: each ends in a plan or a named problem, soon."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from conformance.formats.tool.tool import Invocation, Tool, ToolForm
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.plan import MOST_CASES, plan
from conformance.kit.cases.random.plan import with_chance
from tests.kit.samples import HTTP, STDIO

pytestmark = pytest.mark.slow

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def nested(depth, **more):
    schema = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"x": schema}, "required": ["x"], **more}
    return schema


def many(count):
    return [f"p{n}" for n in range(count)]


NODE = {"type": "object", "properties": {n: {"$ref": "#/$defs/n"} for n in many(20)}}
CHOICES = [
    {"type": "object", "properties": {"k": {"const": n}}, "required": ["k"]} for n in range(500)
]
HOSTILE = {
    "a thousand optional parameters": {"properties": {key: {"minimum": 1} for key in many(1000)}},
    "a thousand required parameters": {
        "properties": {key: {"type": "string"} for key in many(1000)}, "required": many(1000),
    },
    "five hundred branches": {"properties": {"a": {"oneOf": CHOICES}}, "required": ["a"]},
    "an endless enum": {"properties": {"a": {"enum": many(20_000)}}, "required": ["a"]},
    "infinite bounds": {
        "properties": {
            "a": {"type": "number", "maximum": float("inf"), "multipleOf": 1e-300},
            "b": {"type": "string", "maxLength": 1e308},
        },
        "required": ["a", "b"],
    },
    "catastrophic patterns": {
        "properties": {n: {"type": "string", "pattern": f"^(a+)+{n}$"} for n in many(8)},
    },
    "a tree that never ends": {"$defs": {"n": NODE}, "properties": {"r": {"$ref": "#/$defs/n"}}},
    "too deep": nested(300),
    "deep and unevaluated": nested(40, unevaluatedProperties=False),
    "very many schemas at one place": {
        "properties": {"a": {"allOf": [{"minimum": n} for n in range(400)]}}, "required": ["a"],
    },
    "very many items": {
        "properties": {"a": {"type": "array", "minItems": 10**9}}, "required": ["a"],
    },
    "a very long text": {
        "properties": {"a": {"type": "string", "minLength": 10**9}}, "required": ["a"],
    },
    "bounds of four hundred digits": {
        "properties": {
            "a": {"type": "integer", "minimum": 10**400, "multipleOf": 10**400},
            "b": {"type": "number", "exclusiveMinimum": -(10**400), "maximum": 10**400},
            "c": {"type": "string", "minLength": 10**400},
            "d": {"type": "array", "maxItems": 10**400, "minItems": 10**400},
            "e": {"enum": [10**400, 1.5]},
        },
    },
    "a multiple of very much": {
        "properties": {"a": {"allOf": [{"multipleOf": 10**300 + n} for n in range(100)]}},
        "required": ["a"],
    },
    "a multiple of no number": {
        "properties": {"a": {"type": "number", "multipleOf": float("nan")}}, "required": ["a"],
    },
    "a megabyte of examples": {
        "properties": {"a": {"type": "string", "description": "e.g. 'x" * 150_000}},
        "required": ["a"],
    },
    "two hundred texts of a hundred kilobytes": {
        "properties": {f"p{n}": {"type": "string", "minLength": 100_000} for n in range(200)},
        "required": [f"p{n}" for n in range(200)],
    },
    "a condition whose other side is a list": {
        "properties": {"a": {"if": {"type": "object"}, "else": {"default": [0, {}]}}},
    },
    "a name of a megabyte": {"properties": {"a" * 2**20: {"type": "integer"}}},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_ends_soon(name):
    tool = Tool("t", HOSTILE[name], ToolForm.CATALOG, {})
    begun = time.process_time()
    found = candidates(tool, (), NOW)
    planned = plan(tool, HTTP, found[0] if found else {})
    with_chance(planned, tool, HTTP, found[0] if found else {}, seed=0, count=2)
    assert time.process_time() - begun < 15
    assert len(planned.cases) <= MOST_CASES
    assert all(len(case.id.text) < 300 for case in planned.cases)


GET = {
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "q": {"type": "string", "maxLength": 4},
        "sort": {"enum": ["up", "down"]},
        "flag": {"type": "boolean"},
    },
    "required": ["id"],
}


def sent_over(run, method):
    tool = Tool("t", GET, ToolForm.CATALOG, {}, invocation=Invocation("/t", method))
    return {c.id.in_run("").text.removeprefix("t/") for c in plan(tool, run, {"id": 2}).cases}


def test_in_a_query_only_what_survives_text_is_sent_as_broken():
    found = sent_over(HTTP, "GET")
    assert {"missing/id", "below-minimum/id", "too-long/q", "enum-case/sort"} <= found
    assert {"wrong-type-string/id", "fraction/id", "wrong-type-string/flag"} <= found
    lost = {"near-miss-json-text/id", "wrong-type-number/q", "wrong-type-null/id",
            "arguments-null/arguments", "near-miss-true/id", "wrong-type-array/id"}  # fmt: skip
    assert not lost & found


@pytest.mark.parametrize(("run", "method"), [(HTTP, "POST"), (STDIO, "GET")])
def test_in_a_body_everything_is_sent(run, method):
    assert {"near-miss-json-text/id", "wrong-type-array/id"} <= sent_over(run, method)
