"""Where a value is broken, whether that can be repaired, and which numbers are tried."""

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.plan import plan
from conformance.kit.cases.valid_values import generate
from conformance.kit.schema.breaks import breaks
from conformance.kit.schema.constraints import constraints
from conformance.kit.schema.numbers import ends, some, step_of, to_json
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.view import view_of
from tests.kit.samples import HTTP

WHOLE = {"type": "integer"}
OF_THREE = {"properties": {"a": {"anyOf": [
    {"type": "string"}, {"const": 1}, {"enum": [2]}, {"type": "array", "items": WHOLE},
]}}}  # fmt: skip
DEEPER = {
    "anyOf": [
        {"properties": {"a": WHOLE}, "required": ["a"]},
        {"properties": {"a": {"properties": {"c": WHOLE}, "type": "object"}}},
    ]
}
FEWEST = {"properties": {"a": {"anyOf": [
    {"minLength": 3}, {"minLength": 3, "pattern": "^y"},
]}}}  # fmt: skip
OF_TYPES = {"properties": {"a": {"anyOf": [
    {"type": "string"}, {"type": "integer"}, {"type": "array", "items": WHOLE},
]}}}  # fmt: skip
NESTED = {"properties": {"a": {"anyOf": [
    {"properties": {"b": {"anyOf": [WHOLE, {"properties": {"c": WHOLE}, "type": "object"}]}}},
    {"type": "string"},
]}}}  # fmt: skip
OPEN = {"allOf": [{"properties": {"a": WHOLE}}], "unevaluatedProperties": False}
CLOSED = {
    "properties": {"a": WHOLE},
    "patternProperties": {"^p": WHOLE},
    "additionalProperties": False,
}
DEPENDENT = {"dependentRequired": {"a": ["b", "c"], "d": ["e"]}}
OLD = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "dependencies": {"a": ["b"], "d": ["e"], "f": {"required": ["g"]}},
}
NAMES = {"propertyNames": {"maxLength": 2}}
OTHER_NAMES = {"propertyNames": {"anyOf": [{"maxLength": 2}, {"const": "long"}]}}
NAMED_SO = {"properties": {"propertyNames": WHOLE}}
NEVER = {"properties": {"a": False, "b": {"prefixItems": [False]}}}
NEVER_SO = {"properties": {"a": {"anyOf": [False, {"type": "string"}]}}}
ELSEWHERE = {
    "$defs": {"text": {"type": "string"}},
    "properties": {"a": {"anyOf": [{"items": WHOLE, "type": "array"}, {"$ref": "#/$defs/text"}]}},
}


def broken(schema, value, before):
    view = view_of({"type": "object", **schema})
    return [(each.tokens, each.keyword) for each in breaks(view, (view.root,), value, before)]


@pytest.mark.parametrize(
    ("schema", "before", "value", "expected"),
    [
        ({"properties": {"a": WHOLE}}, {"a": 1}, {"a": 2}, []),
        ({"properties": {"a": WHOLE}}, {"a": 1}, {"a": "x"}, [(("a",), "type")]),
        ({"required": ["a", "b"]}, {"a": 1, "b": 1}, {"b": 1}, [(("a",), "required")]),
        # the branch that the value used, and not the one whose errors lie deepest
        (DEEPER, {"a": 1}, {"a": {"c": "x"}}, [(("a",), "type")]),
        (DEEPER, ABSENT, {"a": {"c": "x"}}, [(("a", "c"), "type")]),
        ({"anyOf": DEEPER["anyOf"][::-1]}, ABSENT, {"a": {"c": "x"}}, [(("a", "c"), "type")]),
        (FEWEST, ABSENT, {"a": "x"}, [(("a",), "minLength")]),
        (NESTED, {"a": {"b": 1}}, {"a": {"b": "x"}}, [(("a", "b"), "type")]),
        (NESTED, {"a": {"b": 1}}, {"a": {"b": {"c": "x"}}},
         [(("a", "b"), "type"), (("a", "b", "c"), "type")]),
        (OF_TYPES, {"a": "x"}, {"a": ["y"]}, [(("a",), "type"), (("a", 0), "type")]),
        # an array where a text stood: of the others, the branch that takes arrays is as good
        (OF_THREE, {"a": "x"}, {"a": ["y"]}, [(("a",), "type"), (("a", 0), "type")]),
        (OF_THREE, {"a": "x"}, {"a": 5}, [(("a",), "type")]),
        (OPEN, {"a": 1}, {"a": 1, "x": 1}, [(("x",), "unevaluatedProperties")]),
        (OPEN, ABSENT, {"x": 1}, [(("x",), "unevaluatedProperties")]),
        (CLOSED, {"a": 1}, {"a": 1, "p1": 1, "x": 1}, [(("x",), "additionalProperties")]),
        (DEPENDENT, {}, {"a": 1, "b": 1}, [(("c",), "dependentRequired")]),
        (OLD, {}, {"a": 1}, [(("b",), "dependencies")]),
        (OLD, {}, {"f": 1}, [(("g",), "required")]),
        (NAMES, {}, {"abc": 1, "ab": 1}, [(("abc",), "maxLength")]),
        (OTHER_NAMES, {}, {"abc": 1, "long": 1}, [(("abc",), "maxLength")]),
        (NAMED_SO, {"propertyNames": 1}, {"propertyNames": "x"}, [(("propertyNames",), "type")]),
        (NEVER, {}, {"a": 1}, [(("a",), "false")]),
        (NEVER, {"b": []}, {"b": [1]}, [(("b", 0), "false")]),
        (NEVER_SO, {"a": "x"}, {"a": 5}, [(("a",), "type")]),
        (ELSEWHERE, {"a": "x"}, {"a": 5}, [(("a",), "type")]),
        (ELSEWHERE, {"a": "x"}, {"a": ["y"]}, [(("a", 0), "type"), (("a",), "type")]),
    ],
)  # fmt: skip
def test_a_keyword_is_broken_at_the_place_to_blame(schema, before, value, expected):
    assert broken(schema, value, before) == expected


def test_what_is_left_over_is_not_blamed_beside_its_cause():
    schema = {"allOf": [{"properties": {"a": WHOLE}}], "unevaluatedProperties": False}
    assert broken(schema, {"a": "x"}, {"a": 1}) == [(("a",), "type")]


def asked(**schema):
    view = view_of({"properties": {"n": schema}})
    return constraints((view.root.sub(schema),))


def test_a_number_is_written_whole_where_it_is_and_as_its_neighbour_is_written():
    two = ends(asked(minimum=2), True)[0]
    half = ends(asked(minimum=0.5), False)[0]
    written = [to_json(two), to_json(two, 1.5), to_json(half), to_json(half, 1.5)]
    assert written == [2, 2.0, 0.5, 0.5]
    assert [type(each) for each in written] == [int, float, float, float]


@pytest.mark.parametrize(
    ("schema", "whole", "expected"),
    [
        ({}, True, 1),
        ({}, False, 0),
        ({"multipleOf": 0.1}, False, 0.1),
        ({"multipleOf": 0.5}, True, 1),
        ({"multipleOf": 3}, True, 3),
        ({"multipleOf": 1.5}, True, 3),
    ],
)
def test_steps_are_as_wide_as_the_multiples_ask(schema, whole, expected):
    assert float(step_of(asked(**schema), whole)) == expected


def test_of_two_multiples_a_step_is_the_least_that_both_have():
    view = view_of({})
    both = constraints((view.root.sub({"multipleOf": 0.4}), view.root.sub({"multipleOf": 0.6})))
    assert float(step_of(both, False)) == 1.2


def multiples(*each):
    return constraints(tuple(view_of({}).root.sub({"multipleOf": one}) for one in each))


def test_a_multiple_that_no_number_can_be_makes_no_step():
    assert step_of(multiples(0, -2), True) == 1
    assert step_of(multiples(3e300, 7e307), False) == 3 * 10**300


EIGHTHS = [each / 8 for each in range(1, 8)]


@pytest.mark.parametrize(
    ("schema", "whole", "expected"),
    [
        ({}, True, [*range(1, 41), 0]),
        ({"minimum": 0, "maximum": 1}, False, [1, *EIGHTHS, 0]),
        ({"minimum": 0, "maximum": 1}, True, [1, 0]),
        ({"minimum": 1, "maximum": 2}, False, [1, 2, *(1 + each for each in EIGHTHS)]),
        ({"multipleOf": 2, "maximum": 6}, True, [2, 4, 6, 0]),
        ({"multipleOf": 1.5, "maximum": 9}, True, [3, 6, 9, 0]),
        ({"maximum": 0}, True, [*range(0, -40, -1), 0]),
        ({"multipleOf": 5, "minimum": 3}, True, [*range(5, 205, 5)]),
        ({"multipleOf": 0.5, "minimum": 1, "maximum": 2}, False, [1, 1.5, 2]),
        ({"maximum": -10}, True, [*range(-10, -50, -1)]),
        ({"minimum": -3, "maximum": -1}, True, [-3, -2, -1]),
        ({"exclusiveMinimum": 1, "maximum": 3}, True, [2, 3]),
        ({"minimum": 1, "exclusiveMaximum": 3}, True, [1, 2]),
    ],
)
def test_small_valid_numbers_come_first_and_no_invalid_one_comes(schema, whole, expected):
    assert [float(each) for each in some(asked(**schema), whole)] == expected


def test_an_end_that_is_excluded_is_neared_by_a_hundredth():
    low, high = ends(asked(exclusiveMinimum=0, exclusiveMaximum=1), False)
    assert (float(low), float(high)) == (0.01, 0.99)


def test_a_union_with_a_branch_that_nothing_satisfies_is_planned():
    schema = {"type": "object", "properties": {"a": {"anyOf": [False, {"type": "string"}]}}}
    made = plan(Tool("t", schema, ToolForm.MCP, {}), HTTP, {"a": "x"})
    assert ("/a", ("type",)) in {
        (case.violation.pointer, case.violation.keywords) for case in made.cases if case.violation
    }


def repairable(properties, required=("a",), **more):
    schema = {"type": "object", "properties": properties, "required": [*required], **more}
    tool = Tool(name="t", form=ToolForm.MCP, input_schema=schema, raw={})
    found = {}
    for case in plan(tool, HTTP, generate(schema)).cases:
        if case.violation is not None:
            key = (case.violation.pointer, case.violation.keywords)
            found[key] = found.get(key, False) or case.repairable
    return found


def test_a_missing_member_can_be_repaired_only_where_its_schema_tells_its_value():
    plain = {"type": "integer", "minimum": 1}
    for told in ({"default": 4}, {"const": 4}):
        assert repairable({"a": {**plain, **told}})["/a", ("required",)]
    assert not repairable({"a": plain})["/a", ("required",)]
    governed = {"type": "string", "pattern": "^x", "default": "x"}
    assert not repairable({"a": governed})["/a", ("required",)]


def test_a_wrong_value_cannot_be_repaired_where_a_pattern_governs():
    text = {"type": "string", "pattern": "^x", "minLength": 2, "default": "xy"}
    found = repairable({"a": {"type": "integer", "minimum": 1}, "b": text}, ("a", "b"))
    assert found["/a", ("minimum",)]
    assert not any(can for (where, _), can in found.items() if where == "/b")
