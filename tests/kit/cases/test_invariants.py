"""What holds for every plan, whatever the schema: checked against two validators."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import nullcontext

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.plan import MOST_CASES, plan
from conformance.kit.cases.valid_values import generate
from conformance.kit.model.case import CaseKind, Expectation, Strictness
from conformance.kit.schema.breaks import breaks
from conformance.kit.schema.places import ABSENT, from_pointer, get, put
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import SchemaView, view_of
from conformance.spec.format_checker import format_checker
from conformance.spec.pointer import to_pointer
from tests.kit.samples import HTTP

CARD = {
    "type": "object",
    "properties": {"kind": {"const": "card"}, "number": {"type": "string", "minLength": 4}},
    "required": ["kind", "number"],
    "additionalProperties": False,
}
IBAN = {
    "type": "object",
    "properties": {"kind": {"const": "iban"}, "iban": {"type": "string", "pattern": "^[A-Z]{2}"}},
    "required": ["kind", "iban"],
}

TRICKY = {
    "a branch that takes all beside a list that holds something": {
        "properties": {
            "a": {"anyOf": [True, {"type": "array", "items": {}, "contains": {"type": "string"}}]}
        },
    },
    "no properties at all": {"type": "object"},
    "nothing": {},
    "required without properties": {"type": "object", "required": ["a", "b"]},
    "boolean schemas": {"properties": {"a": True, "b": False, "c": {}}, "required": ["a", "c"]},
    "type arrays": {
        "properties": {"a": {"type": ["integer", "null"], "minimum": 2}, "b": {"type": ["string"]}},
        "required": ["a"],
    },
    "nullable": {"properties": {"a": {"type": "string", "nullable": True}}, "required": ["a"]},
    "exclusive bounds": {
        "properties": {
            "a": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "b": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
        },
        "required": ["a", "b"],
    },
    "multiple of a tenth": {
        "properties": {
            "a": {"type": "number", "multipleOf": 0.1, "minimum": 0, "maximum": 1},
            "b": {"type": "integer", "multipleOf": 5, "minimum": 3},
        },
        "required": ["a", "b"],
    },
    "machine bounds": {
        "properties": {
            "a": {"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991}
        },
        "required": ["a"],
    },
    "unique items": {
        "properties": {
            "a": {
                "type": "array", "items": {"type": "string", "minLength": 1},
                "uniqueItems": True, "minItems": 1, "maxItems": 3,
            }
        },
        "required": ["a"],
    },
    "unique items of an enum": {
        "properties": {
            "a": {"type": "array", "items": {"enum": ["x", "y"]}, "uniqueItems": True}
        },
        "required": ["a"],
    },
    "prefix items": {
        "properties": {
            "a": {
                "type": "array", "prefixItems": [{"type": "number"}, {"enum": ["km", "mi"]}],
                "items": False, "minItems": 2,
            }
        },
        "required": ["a"],
    },
    "contains": {
        "properties": {
            "a": {"type": "array", "contains": {"type": "integer", "minimum": 5}, "maxItems": 4}
        },
        "required": ["a"],
    },
    "a schema for additional properties": {
        "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"},
    },
    "closed": {
        "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False,
    },
    "closed by unevaluatedProperties": {
        "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}],
        "properties": {"b": {"type": "integer"}},
        "unevaluatedProperties": False,
    },
    "recursion": {
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "maxLength": 5},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    "next": {"$ref": "#/$defs/node"},
                },
                "required": ["name"],
            }
        },
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "required": ["root"],
    },
    "a union in the items of an array": {
        "properties": {
            "payments": {"type": "array", "items": {"oneOf": [CARD, IBAN]}, "minItems": 1}
        },
        "required": ["payments"],
    },
    "a union by reference, with members beside it": {
        "$defs": {"card": CARD, "iban": IBAN},
        "properties": {
            "pay": {
                "type": "object",
                "properties": {"amount": {"type": "integer", "minimum": 1}},
                "required": ["amount"],
                "anyOf": [{"$ref": "#/$defs/iban"}, {"$ref": "#/$defs/iban"}],
            }
        },
        "required": ["pay"],
    },
    "an optional union": {
        "properties": {"a": {"anyOf": [CARD, {"type": "null"}], "default": None}},
    },
    "optional parameters as pydantic writes them": {
        "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "b": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        },
    },
    "a union of scalars": {
        "properties": {
            "a": {"oneOf": [{"type": "integer", "maximum": 9}, {"enum": ["auto", "none"]}]}
        },
        "required": ["a"],
    },
    "a condition": {
        "properties": {"kind": {"enum": ["a", "b"]}, "x": {"type": "integer"}},
        "required": ["kind"],
        "if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
        "then": {"required": ["x"]},
        "else": {"properties": {"y": {"type": "string"}}, "required": ["y"]},
    },
    "dependent members": {
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "string"}},
        "dependentRequired": {"a": ["b"]},
        "required": ["a", "b"],
    },
    "counted members": {
        "properties": {
            "a": {
                "type": "object", "additionalProperties": {"type": "integer"},
                "minProperties": 1, "maxProperties": 3,
            }
        },
        "required": ["a"],
    },
    "named by patterns": {
        "properties": {
            "a": {
                "type": "object", "patternProperties": {"^x-": {"type": "integer"}},
                "propertyNames": {"maxLength": 6}, "additionalProperties": False,
            }
        },
        "required": ["a"],
    },
    "not": {
        "properties": {"a": {"type": "string", "not": {"enum": ["root", "admin"]}}},
        "required": ["a"],
    },
    "all formats": {
        "properties": {
            name: {"type": "string", "format": name}
            for name in ("email", "date", "date-time", "uri", "uuid", "time", "ipv4", "hostname")
        },
        "required": ["email", "date", "date-time", "uri", "uuid"],
    },
    "an unknown format": {
        "properties": {"a": {"type": "string", "format": "currency"}}, "required": ["a"],
    },
    "merged by allOf": {
        "properties": {
            "a": {
                "allOf": [{"type": "integer", "minimum": 3}, {"maximum": 8}, {"$ref": "#/$defs/m"}]
            }
        },
        "$defs": {"m": {"multipleOf": 2}},
        "required": ["a"],
    },
    "names that must be escaped": {
        "properties": {
            "a/b": {"type": "integer"}, "c~d": {"type": "integer"}, "e.f[0]": {"type": "integer"},
            "</script>": {"type": "integer"}, "ключ": {"type": "integer"}, "": {"type": "integer"},
        },
        "required": ["a/b", "c~d"],
    },
    "a dialect of its own": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"p": {"type": "integer", "minimum": 1}},
        "properties": {
            "a": {"$ref": "#/definitions/p"},
            "b": {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
        },
        "required": ["a", "b"],
    },
    "twenty parameters": {
        "properties": {
            f"p{n}": {"type": "object", "properties": {"x": {"type": "integer", "maximum": n}}}
            for n in range(20)
        },
        "required": [f"p{n}" for n in range(10)],
    },
}  # fmt: skip


def tool_of(schema, name="tool"):
    return Tool(name, schema, ToolForm.CATALOG, {})


def plan_of(schema):
    return plan(tool_of(schema), HTTP, generate(schema))


def starts_of(schema, planned):
    """The arguments of each baseline call by its id; None is the tool's own."""
    return {None: generate(schema), **{b.id: b.arguments for b in planned.branches}}


def assert_sound(schema, planned):
    view = view_of(schema)
    starts = starts_of(schema, planned)
    ids = [case.id.text for case in (*planned.cases, *planned.branches)]
    assert len(ids) == len(set(ids))
    assert all(each.isascii() and not set(each) & set("<>&\"' \x1b") for each in ids)
    assert planned.problems == ()
    assert len(planned.cases) <= MOST_CASES
    sent = [
        json.dumps(each.arguments, sort_keys=True) for each in (*planned.cases, *planned.branches)
    ]
    assert len(sent) == len(set(sent))
    for branch in planned.branches:
        assert branch.neighbour
        assert view.accepts(branch.arguments), branch.id
    for case in planned.cases:
        if case.kind is CaseKind.VALID:
            assert case.expects is not Expectation.REJECT
            assert case.violation is None
            assert view.accepts(case.arguments), (case.id, case.arguments)
        else:
            assert_broken(view, case, starts[case.neighbour])


def assert_broken(view, case, start):
    violation = case.violation
    assert case.expects is Expectation.REJECT
    assert case.strictness is not None
    if {"oneOf", "anyOf", "not"}.issuperset(violation.keywords):
        assert not view.accepts(case.arguments)  # which branch was meant, nobody knows
        assert view.accepts(start)
        found = breaks(view, (view.root,), case.arguments, start)
        assert all(to_pointer(b.tokens).startswith(violation.pointer) for b in found)
        return
    if violation.parameter is None:
        assert case.arguments in (None, [], {})
        return
    found = breaks(view, (view.root,), case.arguments, start)
    places = {to_pointer(b.tokens) for b in found}
    if violation.was_absent and not violation.sent_absent:
        # a union at the absent member is seen from the call in which it is filled in
        assert places
        assert all(place.startswith(violation.pointer) for place in places)
        return
    assert places == {violation.pointer}, (case.id, found)
    assert {b.keyword for b in found} == set(violation.keywords)
    tokens = from_pointer(violation.pointer, case.arguments)
    sent = get(case.arguments, tokens)
    assert violation.sent_absent == (sent is ABSENT)
    assert violation.sent == (None if sent is ABSENT else sent)
    if not violation.sent_absent and not violation.was_absent:
        repaired = put(case.arguments, tokens, violation.was)
        assert json.dumps(repaired, sort_keys=True) == json.dumps(start, sort_keys=True)


@pytest.mark.parametrize("name", TRICKY)
def test_every_case_is_broken_at_its_place_only_or_valid(name):
    assert_sound(TRICKY[name], plan_of(TRICKY[name]))


@pytest.mark.parametrize("name", TRICKY)
def test_what_is_remembered_changes_no_plan(name, monkeypatch):
    remembering = plan_of(TRICKY[name])
    monkeypatch.setattr(SchemaView, "remembering", lambda _: nullcontext())
    assert plan_of(TRICKY[name]) == remembering


@pytest.mark.parametrize("name", TRICKY)
def test_another_validator_agrees_which_cases_are_valid(name):
    schema = {"type": "object", **TRICKY[name]}
    planned = plan_of(TRICKY[name])
    other = jsonschema_rs.validator_for(schema, validate_formats=True)
    unformatted = jsonschema_rs.validator_for(schema, validate_formats=False)
    for case in (*planned.cases, *planned.branches):
        if case.expects is not Expectation.REJECT:
            assert other.is_valid(case.arguments), (case.id, case.arguments)
        elif case.strictness in (Strictness.FORMAT, Strictness.OTHER_FORMAT):
            assert unformatted.is_valid(case.arguments), case.id
        elif set(case.violation.keywords) != {"format"}:
            assert not unformatted.is_valid(case.arguments), case.id


@pytest.mark.parametrize("name", ["recursion", "a union in the items of an array"])
def test_judging_at_the_place_gives_what_judging_the_whole_gives(name):
    schema = {"type": "object", **TRICKY[name]}
    whole = jsonschema.Draft202012Validator(
        schema, format_checker=format_checker(jsonschema.Draft202012Validator)
    )
    for case in plan_of(schema).cases:
        assert whole.is_valid(case.arguments) == (case.expects is not Expectation.REJECT)


NAMES = st.sampled_from(["a", "b", "c", "name", "x.y"])
TEXT = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(3, 40),
        "format": st.sampled_from(["email", "date", "date-time", "uuid", "odd"]),
    },
)
NUMBER = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={
        "minimum": st.integers(-5, 3),
        "exclusiveMaximum": st.integers(5, 300),
        "multipleOf": st.sampled_from([1, 2, 0.5]),
    },
)
PLAIN = st.sampled_from(
    [{}, True, {"type": "boolean"}, {"enum": ["a", 1, None]}, {"const": "k"}, {"type": "null"}]
)


def _containers(inner):
    members = st.dictionaries(NAMES, inner, max_size=3)
    objects = st.builds(
        lambda properties, needed, closed: {
            "type": "object",
            "properties": properties,
            "required": sorted(properties)[:needed],
            **({"additionalProperties": False} if closed else {}),
        },
        members,
        st.integers(0, 3),
        st.booleans(),
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner},
        optional={"minItems": st.integers(0, 2), "maxItems": st.integers(2, 4)},
    )
    unions = st.builds(
        lambda word, branches: {word: branches},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(inner, min_size=1, max_size=3),
    )
    refined = st.builds(
        lambda schema, more: {**schema, **more} if isinstance(schema, dict) else schema,
        objects | arrays,
        st.fixed_dictionaries(
            {},
            optional={
                "not": st.sampled_from([{"required": ["b"]}, {"maxItems": 0}]),
                "if": st.just({"required": ["a"]}),
                "then": members.map(lambda p: {"properties": p, "required": sorted(p)[:1]}),
                "else": inner,
                "dependentRequired": st.just({"a": ["b"], "c": ["a", "x.y"]}),
                "uniqueItems": st.booleans(),
                "contains": inner,
                "minProperties": st.integers(0, 2),
                "maxProperties": st.integers(1, 3),
                "propertyNames": st.just({"maxLength": 3}),
                "unevaluatedProperties": st.booleans(),
                "anyOf": st.lists(inner, min_size=1, max_size=2),
            },
        ),
    )
    return objects | arrays | unions | refined


SCHEMAS = st.builds(
    lambda properties, needed: {
        "type": "object",
        "properties": properties,
        "required": sorted(properties)[:needed],
    },
    st.dictionaries(NAMES, st.recursive(TEXT | NUMBER | PLAIN, _containers, max_leaves=6)),
    st.integers(0, 4),
)


@given(SCHEMAS)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_plan_for_any_schema_is_sound(schema):
    try:
        made = generate(schema)
    except SchemaProblem:
        return
    planned = plan(tool_of(schema), HTTP, made)
    assert_sound(schema, planned)


def test_the_plan_is_the_same_in_every_process():
    script = (
        "import json, sys; from tests.kit.cases.test_invariants import TRICKY, plan_of;"
        "print([(c.id.text, json.dumps(c.arguments), c.repairable)"
        " for n in TRICKY for c in plan_of(TRICKY[n]).cases])"
    )

    def output(seed):
        return subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout

    assert output("1") == output("2")
