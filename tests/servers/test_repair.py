"""The reference server's suggestions: following them repairs every mistake that can be repaired."""

import copy
import json
from datetime import UTC, datetime

import pytest

from fixtures.servers.core.behaviour import Behaviour
from fixtures.servers.core.service import Service
from fixtures.servers.core.store import Store
from fixtures.servers.core.unions import resolve
from fixtures.servers.core.validate import checker
from fixtures.servers.core.values import NOTHING, at, named, replaced, same
from fixtures.servers.tools import TOOLS

THEN = datetime(2024, 12, 1, tzinfo=UTC)
WITHOUT_OFFSET = "2027-01-15T10:00:00"
"""Of this only the caller knows the moment."""
MENDABLE = {
    "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "type", "format",
}  # fmt: skip
WRONG = {"string": "2", "integer": 7, "number": 7.3, "boolean": True, "array": [[]], "object": {}}


def service():
    return Service(TOOLS, Behaviour(), Store(), clock=lambda: THEN)


def branch_of(schema, value, root):
    """Follow references, and of a union the branch that the valid value is in."""
    schema = resolve(schema, root)
    for union in ("oneOf", "anyOf"):
        for branch in schema.get(union, []):
            branch = resolve(branch, root)
            tag = branch.get("properties", {}).get("mode", {}).get("const")
            tag = tag or branch.get("properties", {}).get("channel", {}).get("const")
            kinds = {"string": str, "integer": int, "object": dict}
            if tag and isinstance(value, dict) and tag in value.values():
                return branch
            if not tag and isinstance(value, kinds.get(branch.get("type"), type(None))):
                return branch
    return schema


def broken(schema, value, root, path=()):
    """Yield (path, keyword, broken value) for each way to break a valid value in one place."""
    schema = branch_of(schema, value, root)
    kind = schema.get("type")
    if kind:
        for name, wrong in WRONG.items():
            if name != kind and not (kind == "number" and name == "integer"):
                yield path, "type", wrong
        yield path, "type", None
        if kind not in ("string", "object"):
            yield path, "type", json.dumps(value)
    if "enum" in schema and isinstance(value, str):
        yield path, "enum", value.upper()
        yield path, "enum", f" {value}"
    if "const" in schema:
        yield path, "const", "nothing-like-it"
    for keyword, off in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0),
                         ("exclusiveMaximum", 0)):  # fmt: skip
        if keyword in schema:
            yield path, keyword, schema[keyword] + off * schema.get("multipleOf", 1)
    if "multipleOf" in schema:
        yield path, "multipleOf", value + (schema["multipleOf"] / 2 if kind == "number" else 1)
    if schema.get("minLength"):
        yield path, "minLength", value[: schema["minLength"] - 1]
    if "maxLength" in schema:
        yield path, "maxLength", (value or "x") * (schema["maxLength"] + 1)
    if "format" in schema:
        yield path, "format", "2024-02-30" if schema["format"] != "email" else "nobody"
        yield path, "format", WITHOUT_OFFSET if schema["format"] != "uri" else "//x y"
    if schema.get("minItems"):
        yield path, "minItems", value[: schema["minItems"] - 1]
    if "maxItems" in schema and not schema.get("uniqueItems"):
        yield path, "maxItems", (value * (schema["maxItems"] + 1))[: schema["maxItems"] + 1]
    if schema.get("uniqueItems"):
        yield path, "uniqueItems", [*value[:1], *value]
    if schema.get("items") is False:
        yield path, "items", [*value, 1]
    if isinstance(value, dict):
        for name in schema.get("required", []):
            yield (*path, name), "required", NOTHING
        if schema.get("additionalProperties") is False:
            yield (*path, "surplus"), "additionalProperties", 1
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield from broken(inner, value[name], root, (*path, name))
    if isinstance(value, list):
        tuples = schema.get("prefixItems", [])
        for index, item in enumerate(value):
            inner = tuples[index] if index < len(tuples) else schema.get("items", {})
            yield from broken(inner, item, root, (*path, index))


def put(arguments, path, value):
    if value is not NOTHING:
        return replaced(arguments, path, value)
    copied = copy.deepcopy(arguments)
    del at(copied, path[:-1])[path[-1]]
    return copied


def cases():
    for tool in TOOLS:
        example = tool.example
        if tool.name == "quote_shipment":
            for transport in (
                {"mode": "road", "max_tolls": 10},
                {"mode": "sea", "containers": [{"seal": "ABCD1", "feet": 20}]},
            ):
                other = {**example, "transport": transport, "customer": "Ana"}
                yield from each(tool, other)
        yield from each(tool, example)


def each(tool, example):
    for path, keyword, value in broken(tool.input_schema, example, tool.input_schema):
        arguments = put(example, path, value) if path else example
        if checker(tool.input_schema)(arguments):  # another branch of a union may take it
            name = f"{tool.name}-{named(path)}-{keyword}-{value!r:.20}"
            yield pytest.param(tool, path, keyword, value, arguments, id=name)


CASES = list(cases())


def test_every_tool_accepts_its_own_example():
    for tool in TOOLS:
        assert service().call(tool.name, tool.example, "http").errors == ()


@pytest.mark.parametrize(("tool", "path", "keyword", "value", "arguments"), CASES)
def test_a_broken_place_is_named_and_repaired(tool, path, keyword, value, arguments):
    server = service()
    outcome = server.call(tool.name, arguments, "http")
    assert outcome.errors, "accepted"
    error = outcome.errors[0]
    assert error["type"].endswith("/validation-error")
    assert error["tool_name"] == tool.name
    names = [one["parameter_name"] for one in outcome.errors]
    parent = keyword == "additionalProperties" and error["suggested_value"] is not None
    place = path[:-1] if parent else path
    assert any(name == named(place) for name in names), (names, keyword)
    if keyword == "additionalProperties" and not parent:
        return
    suggested = error["suggested_value"]
    if suggested is None:
        lacks_offset = keyword == "format" and value == WITHOUT_OFFSET
        assert lacks_offset or keyword not in MENDABLE, error
        return
    repaired = repair(outcome, arguments, tool)
    assert value is NOTHING or not same(at(repaired, path), value)
    for _ in range(5):
        outcome = server.call(tool.name, repaired, "http")
        if not outcome.errors:
            return
        repaired = repair(outcome, repaired, tool)
    pytest.fail(f"not repaired: {outcome.errors}")


def repair(outcome, arguments, tool):
    """Apply all suggestions together, the deepest first."""
    for error in sorted(outcome.errors, key=lambda one: -len(steps(one["parameter_name"]))):
        if error["suggested_value"] is not None:
            where = steps(error["parameter_name"])
            value = decode_for(tool, where, error["suggested_value"], arguments)
            arguments = replaced(arguments, where, value)
    return arguments


def decode_for(tool, path, text, arguments):
    """The string itself where it is valid for the parameter, else its JSON."""
    found = checker(tool.input_schema)(replaced(arguments, path, text))
    clean = not any(violation.path[: len(path)] == path for violation in found)
    return text if clean else json.loads(text)


def steps(name):
    path = []
    for part in name.split("."):
        head, *indexes = part.split("[")
        path.append(head)
        path.extend(int(index.rstrip("]")) for index in indexes)
    return tuple(path)
