"""Which named scenarios each keyword yields, what they expect, and whether they can be repaired."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.formats.schema.equality import same
from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.plan import plan
from conformance.kit.cases.valid_values import generate
from conformance.kit.model.case import CaseKind, Strictness
from tests.kit.samples import HTTP


def planned(schema, **more):
    return plan(Tool("book", schema, ToolForm.CATALOG, {}), HTTP, generate(schema), **more)


def cases_at(prop, **root):
    """The cases at one required parameter `x`, by scenario."""
    schema = {"type": "object", "properties": {"x": prop}, "required": ["x"], **root}
    found = {}
    for case in planned(schema).cases:
        at_x = case.violation is None or case.violation.pointer == "/x"
        if at_x:
            found.setdefault(case.scenario, []).append(case)
    return found


def sent(prop, scenario):
    return [case.arguments["x"] for case in cases_at(prop)[scenario]]


VALID = [
    ({"enum": ["a", "b", "c"]}, "enum-value", ["b", "c"]),
    ({"type": "integer", "minimum": 2, "maximum": 9}, "above-the-minimum", [3]),
    ({"type": "integer", "minimum": 2, "maximum": 9}, "below-the-maximum", [8]),
    ({"type": "integer", "minimum": 2, "maximum": 9}, "maximum", [9]),
    ({"type": "integer", "exclusiveMinimum": 2, "maximum": 9}, "above-the-minimum", [4]),
    ({"type": "integer", "multipleOf": 5, "minimum": 3}, "above-the-minimum", [10]),
    ({"type": "integer"}, "zero", [0]),
    ({"type": "integer"}, "negative", [-1]),
    ({"type": "number"}, "with-fraction", [2.5]),
    ({"type": "boolean"}, "false", [False]),
    ({"type": "string"}, "empty-text", [""]),
    ({"type": "string", "minLength": 2}, "shortest", ["aa"]),
    ({"type": "string", "maxLength": 3}, "longest", ["aaa"]),
    ({"type": "string", "maxLength": 3}, "below-the-longest", ["aa"]),
    ({"type": "string", "maxLength": 3}, "longest-unicode", ["東東東"]),
    ({"type": "string"}, "unicode", ["Zoë 東京 🚀"]),
    ({"type": ["string", "null"]}, "null-value", [None]),
    ({"type": "string", "default": "d", "examples": ["e", "f"]}, "example", ["e", "f"]),
    ({"type": "array", "items": {"type": "integer"}}, "empty-array", [[]]),
    ({"type": "array", "items": {"const": 1}, "maxItems": 2}, "most-items", [[1, 1]]),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "branch-2", [None]),
]


@pytest.mark.parametrize(("prop", "scenario", "expected"), VALID)
def test_a_valid_scenario_sends(prop, scenario, expected):
    assert sent(prop, scenario) == expected


BROKEN = [
    ({"type": "integer", "minimum": 2}, "below-minimum", [1], ("minimum",)),
    ({"type": "integer", "maximum": 9}, "above-maximum", [10], ("maximum",)),
    ({"type": "number", "exclusiveMinimum": 0}, "at-excluded-minimum", [0], ("exclusiveMinimum",)),
    ({"type": "number", "multipleOf": 0.5}, "not-a-multiple", [0.75], ("multipleOf",)),
    ({"type": "integer"}, "fraction", [1.5], ("type",)),
    ({"type": "string", "minLength": 3}, "too-short", ["aa"], ("minLength",)),
    ({"type": "string", "maxLength": 3}, "too-long", ["aaaa"], ("maxLength",)),
    ({"enum": ["ab", "cd"]}, "enum-case", ["AB"], ("enum",)),
    ({"enum": ["ab", "cd"]}, "enum-space", ["ab "], ("enum",)),
    ({"enum": ["ab", "cd"]}, "enum-neighbour", ["ab_x"], ("enum",)),
    ({"const": "v1"}, "const-neighbour", ["v1_x"], ("const",)),
    (
        {"type": "array", "items": {"type": "integer"}, "minItems": 2},
        "too-few-items",
        [[1]],
        ("minItems",),
    ),
    (
        {"type": "array", "items": {"type": "integer"}, "maxItems": 1},
        "too-many-items",
        [[1, 1]],
        ("maxItems",),
    ),
    (
        {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
        "duplicate-items",
        [[1, 1]],
        ("uniqueItems",),
    ),
    ({"type": "boolean"}, "wrong-type-string", ["abc"], ("type",)),
    ({"type": "boolean"}, "wrong-type-number", [7], ("type",)),
    ({"type": "string"}, "wrong-type-null", [None], ("type",)),
]


ONLY_THE_CALLER_KNOWS: list[tuple[dict[str, Any], str]] = [
    ({"type": "integer"}, "fraction"),
    ({"type": "string", "minLength": 3}, "too-short"),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, "too-few-items"),
    ({"type": "boolean"}, "wrong-type-string"),
    ({"type": "boolean"}, "wrong-type-number"),
    ({"type": "string"}, "wrong-type-null"),
    ({"type": "string", "examples": ["Ana Souza"]}, "wrong-type-null"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "near-miss-number"),
    ({"type": "string", "format": "uuid"}, "near-miss-number"),
    ({"type": "array", "items": {"type": "integer"}}, "wrong-type-string"),
    ({"type": "array", "items": {"enum": [1, 2]}}, "wrong-type-string"),
    ({"type": "array", "items": {"enum": [1, 2]}, "minItems": 1}, "too-few-items"),
    ({"anyOf": [{"type": "array"}, {"type": "null"}], "default": None}, "wrong-type-string"),
    ({"type": "object", "properties": {"y": {"type": "string"}}}, "wrong-type-number"),
    (
        {"type": "object", "properties": {"y": {"enum": ["a"]}}, "required": ["y"]},
        "wrong-type-number",
    ),
]
"""A free text, number, flag, list or object: nothing in the schema gives one, so none is asked of
the server. What is made up of samples, or is empty, is an order that nobody gave."""


@pytest.mark.parametrize(("prop", "scenario"), ONLY_THE_CALLER_KNOWS)
def test_a_value_that_only_the_caller_knows_is_not_repairable(prop, scenario):
    assert {case.repairable for case in cases_at(prop)[scenario]} == {False}


@pytest.mark.parametrize(
    ("scenario", "sent", "repairable"),
    [
        ("format-date-time", "2035-06-15T10:00:00", False),
        ("format-date-time", "2036-02-30T10:00:00Z", True),
        ("near-miss-date-for-date-time", "2035-06-15", False),
    ],
)
def test_of_a_time_without_an_offset_only_the_caller_knows_the_moment(scenario, sent, repairable):
    cases = cases_at({"type": "string", "format": "date-time"})[scenario]
    assert {c.repairable for c in cases if c.violation.sent == sent} == {repairable}


DEFAULTS = {"integer": 3, "string": "abc", "array": [1, 2], "boolean": True, "object": {"y": "a"}}


@pytest.mark.parametrize(
    ("prop", "scenario"), [(p, s) for p, s in ONLY_THE_CALLER_KNOWS if "type" in p]
)
def test_with_a_default_it_is(prop, scenario):
    uuid = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    given = prop | {"default": uuid if "format" in prop else DEFAULTS[prop["type"]]}
    assert {case.repairable for case in cases_at(given)[scenario]} == {True}


@pytest.mark.parametrize(("prop", "scenario", "expected", "keywords"), BROKEN)
def test_a_broken_scenario_is_strict_and_repairable(prop, scenario, expected, keywords):
    cases = cases_at(prop)[scenario]
    assert [case.arguments["x"] for case in cases] == expected
    assert [case.violation.keywords for case in cases] == [keywords]
    assert [case.strictness for case in cases] == [Strictness.STRICT]
    assert [case.repairable for case in cases] == [(prop, scenario) not in ONLY_THE_CALLER_KNOWS]


NEAR = [
    ({"type": "integer"}, {"1", True, False}),
    ({"type": "number", "minimum": 0.5}, {"1", True, False}),
    ({"type": "boolean"}, {"true", 0, 1, "yes"}),
    ({"type": "array", "items": {"type": "integer"}}, {"[1]"}),
    ({"type": "string", "format": "date"}, {2_000_000_000, "2035-06-15T10:00:00Z"}),
    ({"type": "string", "format": "date-time"}, {2_000_000_000, "2035-06-15"}),
    ({"type": "string", "format": "time"}, {7}),
    ({"type": "string"}, {7}),
    ({"type": "string", "format": "email"}, {7}),
    ({"type": "string", "minLength": 3}, {777}),
    ({"type": "string", "minLength": 16}, set()),
    ({"type": "string", "pattern": "^[a-z]+$"}, set()),
    ({"type": "string", "pattern": "^[0-9]$"}, {7}),
    ({"type": ["string", "integer"]}, {1.5, True, False}),
    ({"allOf": [{"type": ["string", "integer"]}, {"type": "integer"}]}, {"1", True, False}),
    ({"allOf": [{"type": ["boolean", "array"]}, {"type": "array"}]}, {'["x"]'}),
    ({"enum": ["1", "2"]}, set()),
    ({"enum": [1, 2]}, {"1", True, False}),
]


@pytest.mark.parametrize(("prop", "expected"), NEAR)
def test_near_misses_are_exactly_those_of_the_closed_list(prop, expected):
    found = [
        case.arguments["x"]
        for cases in cases_at(prop).values()
        for case in cases
        if case.strictness is Strictness.NEAR_MISS
    ]
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


EITHER = [{"type": "integer"}, {"type": "string", "pattern": "^[a-z]+$"}]
UNIONS = {
    "anyOf": {"anyOf": EITHER},
    "oneOf": {"oneOf": EITHER},
    "the text first": {"anyOf": EITHER[::-1]},
    "nested": {"anyOf": [{"type": "null"}, {"oneOf": EITHER}]},
    "by reference": {"$ref": "#/$defs/either"},
    "a branch by reference": {"anyOf": [{"$ref": "#/$defs/whole"}, EITHER[1]]},
    "beside what all ask": {"description": "either", "allOf": [{"anyOf": EITHER}]},
    "a literal or a number": {"anyOf": [{"const": "auto"}, EITHER[0]]},
    "one of both types": {"type": ["integer", "string"], "pattern": "^[a-z]+$"},
}
DEFINED = {"either": {"anyOf": EITHER}, "whole": EITHER[0]}


@pytest.mark.parametrize("good", ["auto", 3])
@pytest.mark.parametrize("name", UNIONS)
def test_a_near_miss_is_one_whatever_branch_the_good_call_uses(name, good):
    schema = {"type": "object", "properties": {"x": UNIONS[name]}, "required": ["x"],
              "$defs": DEFINED}  # fmt: skip
    made = plan(Tool("book", schema, ToolForm.CATALOG, {}), HTTP, {"x": good})
    told = {repr(c.arguments["x"]): c.strictness for c in made.cases if "x" in (c.arguments or ())}
    assert told["True"] is told["False"] is Strictness.NEAR_MISS
    assert {told.get(repr(text), Strictness.NEAR_MISS) for text in ("3", "0", "1")} == {
        Strictness.NEAR_MISS
    }
    assert told["['abc', 7]"] is Strictness.STRICT


@pytest.mark.parametrize(
    ("branches", "good", "sent"),
    [
        ([{"type": "boolean"}, {"type": "integer", "minimum": 2}], 5, 1),
        ([{"type": "boolean"}, {"type": "string", "const": "all"}], True, "yes"),
        ([{"type": "number"}, {"type": "string", "enum": ["1", "two"]}], "1", "1 "),
        ([{"type": "null"}, {"type": "string", "format": "date"}], None, 2_000_000_000),
    ],
)
def test_what_another_branch_reads_leniently_is_a_near_miss_whatever_it_was_meant_to_break(
    branches, good, sent
):
    schema = {"type": "object", "properties": {"x": {"anyOf": branches}}, "required": ["x"]}
    made = plan(Tool("book", schema, ToolForm.CATALOG, {}), HTTP, {"x": good})
    found = [c.strictness for c in made.cases if c.arguments and same(c.arguments["x"], sent)]
    assert set(found) == {Strictness.NEAR_MISS}


def test_a_member_of_an_object_is_read_by_each_branch_of_the_object():
    whole, text = ({"properties": {"n": {"type": kind}}} for kind in ("integer", "string"))
    schema = {"type": "object", "required": ["n"], "anyOf": [text, whole]}
    made = plan(Tool("book", schema, ToolForm.CATALOG, {}), HTTP, {"n": "a"})
    told = {repr(c.arguments["n"]): c.strictness for c in made.cases
            if isinstance(c.arguments, dict) and "n" in c.arguments}  # fmt: skip
    assert told["True"] is Strictness.NEAR_MISS
    assert told["None"] is Strictness.STRICT


FORMATS = [
    ("email", Strictness.FORMAT),
    ("date", Strictness.FORMAT),
    ("date-time", Strictness.FORMAT),
    ("uri", Strictness.FORMAT),
    ("uuid", Strictness.OTHER_FORMAT),
    ("ipv4", Strictness.OTHER_FORMAT),
]


@pytest.mark.parametrize(("name", "expected"), FORMATS)
def test_what_breaks_a_format_alone_is_told_apart(name, expected):
    cases = cases_at({"type": "string", "format": name})[f"format-{name}"]
    assert len(cases) >= 2
    assert {case.strictness for case in cases} == {expected}


def test_a_value_that_breaks_the_type_and_a_format_is_judged_by_its_type():
    case = cases_at({"type": "string", "format": "email"})["wrong-type-boolean"][0]
    assert case.strictness is Strictness.STRICT


NOT_REPAIRABLE = [
    ({"type": "string", "pattern": "^[a-z]{3}$", "maxLength": 3}, "too-long"),
    ({"type": "string", "format": "currency"}, "near-miss-number"),
    ({"type": "string", "not": {"const": "root"}}, "near-miss-number"),
    (
        {
            "type": "object",
            "properties": {"y": {"type": "string", "pattern": "^a"}},
            "required": ["y"],
        },
        "wrong-type-string",
    ),
    ({"type": "string"}, "missing"),
]


@pytest.mark.parametrize(("prop", "scenario"), NOT_REPAIRABLE)
def test_what_the_schema_alone_does_not_settle_is_not_repairable(prop, scenario):
    assert [case.repairable for case in cases_at(prop)[scenario]] == [False]


@pytest.mark.parametrize("prop", [{"const": 3}, {"type": "integer", "default": 3}])
def test_a_missing_value_is_repairable_where_the_schema_gives_one(prop):
    assert [case.repairable for case in cases_at(prop)["missing"]] == [True]


def test_an_extra_property_is_broken_only_where_the_object_is_closed():
    closed = planned({"type": "object", "properties": {}, "additionalProperties": False}).cases
    assert [c.strictness for c in closed if c.scenario == "extra-property"] == [Strictness.CLOSED]
    assert not [c for c in planned({"type": "object"}).cases if c.scenario == "extra-property"]


def test_an_integer_written_with_a_fraction_of_zero_is_not_sent_as_broken():
    assert 2.0 not in [c.arguments["x"] for cs in cases_at({"type": "integer"}).values()
                       for c in cs if isinstance(c.arguments.get("x"), float)]  # fmt: skip


def test_null_is_not_sent_where_openapi_says_nullable():
    assert "wrong-type-null" not in cases_at({"type": "string", "nullable": True})


def test_a_type_that_another_branch_takes_is_not_sent_as_broken():
    either = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert "wrong-type-string" not in cases_at(either)


def test_arguments_themselves_are_broken_too():
    found = {c.scenario: c for c in planned({"properties": {"x": {}}, "required": ["x"]}).cases}
    assert found["arguments-null"].strictness is Strictness.NEAR_MISS
    assert found["arguments-array"].strictness is Strictness.MALFORMED
    assert found["arguments-array"].violation.parameter is None


def test_no_arguments_at_all_are_broken_only_if_something_is_required():
    two = {"type": "object", "required": ["x", "y"]}
    assert "arguments-empty" in {c.scenario for c in planned(two).cases}
    assert not [c for c in planned({"type": "object"}).cases if c.arguments == {}]


def test_a_near_miss_of_an_enum_is_near_the_value_that_was_accepted():
    schema = {"type": "object", "properties": {"x": {"enum": ["ab", "cd"]}}}
    cases = plan(Tool("book", schema, ToolForm.CATALOG, {}), HTTP, {"x": "cd"}).cases
    missed = {case.arguments["x"] for case in cases if case.scenario.startswith("enum-n")}
    assert missed == {"cd_x"}


def test_a_nested_place_is_named_by_dots_and_indexes():
    schema = {
        "properties": {
            "guests": {
                "type": "array",
                "items": {"type": "object", "properties": {"age": {"type": "integer"}},
                          "required": ["age"]},
                "minItems": 1,
            }
        },
        "required": ["guests"],
    }  # fmt: skip
    names = {c.violation.parameter for c in planned(schema).cases if c.violation}
    assert {"guests", "guests[0]", "guests[0].age"} <= names


PAY = {
    "properties": {
        "amount": {"type": "integer"},
        "pay": {
            "type": "object",
            "oneOf": [
                {"properties": {"kind": {"const": "card"}, "pin": {"type": "integer"}},
                 "required": ["kind", "pin"]},
                {"properties": {"kind": {"const": "cash"}, "coin": {"enum": ["eur", "usd"]}},
                 "required": ["kind", "coin"]},
            ],
        },
    },
    "required": ["amount", "pay"],
}  # fmt: skip


def test_each_branch_of_a_union_has_a_baseline_call_from_which_its_deviations_start():
    result = planned(PAY)
    (branch,) = result.branches
    assert branch.kind is CaseKind.BASELINE
    assert branch.arguments["pay"] == {"kind": "cash", "coin": "eur"}
    inside = [c for c in result.cases if c.violation and c.violation.parameter == "pay.coin"]
    assert inside
    assert {c.neighbour for c in inside} == {branch.id}
    assert {c.neighbour for c in result.cases if c.violation and
            c.violation.parameter == "pay.pin"} == {None}  # fmt: skip


def test_a_broken_discriminator_is_a_case_but_not_a_repairable_one():
    kinds = [c for c in planned(PAY).cases if c.violation and c.violation.parameter == "pay.kind"]
    assert kinds
    assert not any(c.repairable for c in kinds)


def test_an_item_is_repeated_also_where_the_default_is_an_empty_list():
    tags = {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "default": []}
    schema = {"type": "object", "properties": {"x": tags}}
    made = {case.scenario: case.arguments for case in planned(schema).cases}
    first, second = made["duplicate-items"]["x"]
    assert first == second


def test_an_absent_optional_parameter_is_broken_by_adding_it():
    schema = {"properties": {"limit": {"type": "integer", "maximum": 9}}}
    case = next(c for c in planned(schema).cases if c.scenario == "above-maximum")
    assert case.arguments == {"limit": 10}
    assert case.violation.was_absent


def test_an_absent_optional_object_is_filled_in_before_it_is_broken_inside():
    schema = {
        "properties": {"f": {"type": "object", "properties": {"n": {"type": "integer"}},
                             "required": ["n"]}}
    }  # fmt: skip
    result = planned(schema)
    assert [b.arguments for b in result.branches] == [{"f": {"n": 1}}]
    inside = [c for c in result.cases if c.violation and c.violation.pointer == "/f/n"]
    assert {c.neighbour for c in inside} == {result.branches[0].id}


def test_ids_are_stable_readable_and_begin_with_the_run_and_the_tool():
    ids = [c.id.text for c in planned({"properties": {"n": {"type": "integer"}}}).cases]
    assert "http/book/fraction/n" in ids


def test_a_hostile_name_leaves_no_trace_in_ids():
    schema = {"properties": {"</script>\x1b[31m": {"type": "integer"}}}
    tool = Tool("<b>" + "x" * 10_000, schema, ToolForm.CATALOG, {})
    for case in plan(tool, HTTP, {}).cases:
        assert case.id.text.isascii()
        assert "<" not in case.id.text
        assert "\x1b" not in case.id.text
        assert len(case.id.text) < 250


def test_a_baseline_that_the_schema_refuses_leaves_only_cases_about_arguments_themselves():
    schema = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
    result = plan(Tool("t", schema, ToolForm.CATALOG, {}), HTTP, {"n": "x"})
    assert {c.violation.pointer for c in result.cases} == {""}
    assert len(result.problems) == 1


@pytest.mark.parametrize("scale", [15, 60])
def test_a_large_tool_stays_within_the_cap_and_forgets_no_parameter(scale):
    schema = {
        "properties": {f"p{n}": {"type": "integer", "minimum": 0} for n in range(scale)},
        "required": [f"p{n}" for n in range(scale)],
    }
    cases = planned(schema).cases
    assert len(cases) <= 400
    broken = {c.violation.parameter for c in cases if c.violation and c.violation.parameter}
    assert len(broken) == scale


def test_an_object_where_another_branch_takes_objects_is_not_sent_as_a_wrong_type():
    either = {
        "oneOf": [
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        ]
    }
    found = cases_at(either)
    assert "wrong-type-object" not in found
    assert "wrong-type-string" in found


def test_the_tightest_of_several_bounds_is_broken():
    twice = {"type": "integer", "allOf": [{"minimum": 3, "maximum": 9}, {"minimum": 1}]}
    assert sent(twice, "below-minimum") == [2]
    assert sent({**twice, "maximum": 7}, "above-maximum") == [8]


def test_what_a_condition_adds_is_broken_too():
    schema = {
        "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}},
        "required": ["kind", "n"],
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"properties": {"n": {"maximum": 5}}},
        "else": {"properties": {"n": {"maximum": 50}}},
    }
    assert [c.arguments["n"] for c in planned(schema).cases if c.scenario == "above-maximum"] == [6]


def test_a_broken_branch_does_not_blame_what_it_leaves_unevaluated():
    schema = {
        "properties": {"n": {"type": "integer"}},
        "anyOf": [{"properties": {"x": {"type": "string"}}, "required": ["x"]}],
        "required": ["n"],
        "unevaluatedProperties": False,
    }
    at_x = [c for c in planned(schema).cases if c.violation and c.violation.pointer == "/x"]
    assert "wrong-type-boolean" in {c.scenario for c in at_x}


def test_members_beside_a_union_are_broken_once_and_not_again_in_each_branch():
    schema = {
        "properties": {"amount": {"type": "integer"}},
        "required": ["amount"],
        "oneOf": [
            {"properties": {"pin": {"type": "integer"}}, "required": ["pin"]},
            {"properties": {"coin": {"type": "string"}}, "required": ["coin"]},
        ],
    }
    result = planned(schema)
    assert len(result.branches) == 1
    at_amount = [c for c in result.cases if c.violation and c.violation.parameter == "amount"]
    assert {c.neighbour for c in at_amount} == {None}
    at_coin = [c for c in result.cases if c.violation and c.violation.parameter == "coin"]
    assert {c.neighbour for c in at_coin} == {result.branches[0].id}
