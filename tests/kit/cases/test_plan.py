"""Which members and items are taken away or added, and what a plan is narrowed to."""

from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.members import broken_members, valid_members
from conformance.kit.cases.naming import Ids, place_of
from conformance.kit.cases.plan import only, plan, spread
from conformance.kit.cases.valid_values import Maker
from conformance.kit.cases.walk import spot_at
from conformance.kit.model.case import Expectation, Strictness
from conformance.kit.schema.view import view_of
from tests.kit.samples import HTTP

WHOLE, TEXT = {"type": "integer"}, {"type": "string"}
ABC = {"properties": {"a": WHOLE, "b": WHOLE, "c": TEXT}}


def planned(schema, baseline):
    return plan(Tool("book", {"type": "object", **schema}, ToolForm.CATALOG, {}), HTTP, baseline)


def changes(given, schema, value):
    view = view_of({"properties": {"x": schema}})
    spot = spot_at(view, {"x": value}, ("x",))
    return [(c.deviation.scenario, c.deviation.value, c.blamed) for c in given(spot, Maker(view))]


BROKEN = [
    ({**ABC, "required": ["a", "b"]}, {"a": 1, "b": 2, "c": "d"},
     [("missing", {"b": 2, "c": "d"}, ("a",)), ("missing", {"a": 1, "c": "d"}, ("b",))]),
    ({**ABC, "additionalProperties": False}, {"a": 1},
     [("extra-property", {"a": 1, "unexpected_property": "abc"}, ("unexpected_property",))]),
    ({"additionalProperties": WHOLE}, {"unexpected_property": 1},
     [("extra-property", {"unexpected_property": 1, "unexpected_property_": "abc"},
       ("unexpected_property_",)),
      ("extra-property-number", {"unexpected_property": 1, "unexpected_property_": 7},
       ("unexpected_property_",))]),
    ({**ABC, "maxProperties": 2}, {"b": 4},
     [("too-many-properties", {"b": 4, "a": 1, "c": "c"}, ())]),
    ({"maxProperties": 1}, {}, [("too-many-properties", {"extra1": "extra1", "extra2": "extra2"},
                                 ())]),
    ({**ABC, "minProperties": 2, "required": ["b"]}, {"a": 1, "b": 2},
     [("missing", {"a": 1}, ("b",)), ("too-few-properties", {"b": 2}, ())]),
    ({"items": WHOLE, "maxItems": 2}, [5], [("too-many-items", [5, 1, 1], ())]),
    ({"items": WHOLE, "maxItems": 2, "uniqueItems": True}, [5],
     [("too-many-items", [1, 2, 3], ())]),
    ({"items": WHOLE, "contains": {"minimum": 5}}, [7, 1, 9], [("contains-none", [1], ())]),
    ({"prefixItems": [WHOLE, TEXT], "items": False}, [1, "a"],
     [("extra-item", [1, "a", "abc"], ())]),
    ({"prefixItems": [WHOLE, TEXT], "maxItems": 3}, [1],
     [("too-many-items", [1, "item", "item", "item"], ())]),
    ({}, {"a": 1}, []),
    ({"items": WHOLE}, [1], []),
    ({}, "text", []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), BROKEN)
def test_each_rule_on_members_and_items_is_broken_at_the_place_to_blame(schema, value, expected):
    assert changes(broken_members, schema, value) == expected


VALID = [
    ({**ABC, "required": ["a"]}, {"a": 1, "b": 2}, [("only-required", {"a": 1}, ())]),
    ({**ABC, "required": ["a"]}, {"a": 1}, []),
    ({"items": WHOLE}, [5], [("several-items", [5, 1, 1], ())]),
    ({"items": WHOLE, "minItems": 4}, [5, 5, 5, 5], [("several-items", [5, 5, 5, 5, 1], ())]),
    ({"items": WHOLE, "maxItems": 2}, [5], [("most-items", [5, 1], ())]),
    ({"items": WHOLE, "maxItems": 2}, [5, 5], []),
    ({"items": WHOLE}, [5, 5, 5, 5], [("several-items", [5, 5, 5], ())]),
    ({"items": False}, [], []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), VALID)
def test_as_few_members_and_as_many_items_as_are_allowed_are_sent(schema, value, expected):
    assert changes(valid_members, schema, value) == expected


PAY = {"properties": {"pay": {"type": "object", "oneOf": [
    {"properties": {"pin": WHOLE}, "required": ["pin"]},
    {"properties": {"coin": TEXT}, "required": ["coin"]},
]}}, "required": ["pay"]}  # fmt: skip
GOOD = {"pay": {"pin": 1}}


def test_a_plan_is_narrowed_to_one_case_and_the_call_that_it_deviates_from():
    whole = planned(PAY, GOOD)
    inside = next(c for c in whole.cases if c.violation and c.violation.parameter == "pay.coin")
    for wanted in (inside.id.text, replace(inside.id, repair=1).text):
        narrowed = only(whole, wanted)
        assert (narrowed.cases, narrowed.branches) == ((inside,), whole.branches)
    plain = next(c for c in whole.cases if c.violation and c.violation.parameter == "pay.pin")
    assert only(whole, plain.id.text).calls == (plain,)
    branch = whole.branches[0]
    assert only(whole, branch.id.text).calls == (branch,)
    assert only(whole, "http/book/unheard-of/x").calls == ()
    assert only(whole, None) == whole


def test_a_branch_keeps_what_the_good_call_says_outside_of_it():
    schema = {**PAY, "properties": {**PAY["properties"], "who": TEXT}, "required": ["pay", "who"]}
    beside = {"properties": {"note": TEXT, **schema["properties"]["pay"].get("properties", {})}}
    schema["properties"]["pay"] = {**schema["properties"]["pay"], **beside}
    (branch,) = planned(schema, {"who": "Ada", "pay": {"pin": 1, "note": "hi"}}).branches
    assert branch.arguments == {"who": "Ada", "pay": {"coin": "coin", "note": "hi"}}


def test_what_is_made_up_is_called_by_the_name_of_its_place():
    (case,) = (c for c in planned(ABC, {}).cases if c.scenario == "all-properties")
    assert case.arguments == {"a": 1, "b": 1, "c": "c"}
    alone = [c.arguments for c in planned(ABC, {}).cases if c.scenario == "optional-alone"]
    assert alone == [{"a": 1}, {"b": 1}, {"c": "c"}]
    lists = {"properties": {"names": {"type": "array", "items": TEXT, "minItems": 1}}}
    assert [b.arguments for b in planned(lists, {}).branches] == [{"names": ["name"]}]


def test_arguments_themselves_break_their_type_and_are_empty_only_where_something_is_required():
    found = {c.scenario: c for c in planned({"required": ["a"], **ABC}, {"a": 1}).cases}
    for name, value, strict in (("arguments-null", None, Strictness.NEAR_MISS),
                                ("arguments-array", [], Strictness.MALFORMED)):  # fmt: skip
        violation = found[name].violation
        assert (violation.keywords, violation.sent) == (("type",), value)
        assert found[name].strictness is strict
    few = planned({"minProperties": 1, **ABC}, {"a": 1}).cases
    assert "arguments-empty" not in {case.scenario for case in few}


def test_a_schema_that_cannot_be_used_is_a_problem_in_words():
    (said,) = planned({"properties": {"a": {"$ref": "#/$defs/none"}}}, {}).problems
    assert "'#/$defs/none': it resolves to nothing" in said
    circle = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
              "properties": {"x": {"$ref": "#/$defs/a"}}}  # fmt: skip
    problems = planned(circle, {}).problems
    assert problems
    assert all("never end" in each or "circle" in each for each in problems)


@pytest.mark.parametrize(
    ("schema", "value", "place"),
    [
        ({"patternProperties": {"^n_": WHOLE}}, {"n_1": 5}, "/x/n_1"),
        ({"items": [TEXT], "additionalItems": WHOLE}, ["a", 5], "/x/1"),
    ],
)
def test_a_place_that_only_a_pattern_or_what_is_left_over_describes_is_broken_too(
    schema, value, place
):
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"x": schema}}
    places = {c.violation.pointer for c in planned(old, {"x": value}).cases if c.violation}
    assert place in places


MANY = [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("c", 5), ("b", 6)]


@pytest.mark.parametrize(
    ("most", "kept"),
    [(1, [1]), (2, [1, 3]), (3, [1, 3, 5]), (4, [1, 2, 3, 5]), (5, [1, 2, 3, 5, 6]),
     (6, [1, 2, 3, 4, 5, 6]), (9, [1, 2, 3, 4, 5, 6])],
)  # fmt: skip
def test_what_is_kept_of_too_many_is_one_of_each_place_in_turn_and_in_order(most, kept):
    assert spread(MANY, most) == kept


def test_an_id_names_the_place_and_the_arguments_themselves_in_words():
    assert place_of(("guests", 0, "name")) == "guests.0.name"
    assert place_of((), "null") == "arguments-null"


def test_a_second_case_of_one_name_gets_a_number_and_a_branch_its_label():
    ids = Ids("http", "book")
    given = [ids.give("odd", "x"), ids.give("odd", "x"), ids.give("odd", "x", "branch-2")]
    assert [each.text for each in given] == [
        "http/book/odd/x",
        "http/book/odd/x~2",
        "http/book/odd/x/branch-2",
    ]


def test_what_each_side_of_a_condition_asks_is_broken():
    paid = {"properties": {"kind": {"const": "card"}}, "required": ["kind"]}
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["card", "cash"]},
            "number": {"type": "string"},
            "till": {"type": "integer"},
        },
        "required": ["kind"],
        "if": paid,
        "then": {"required": ["number"]},
        "else": {"required": ["till"], "properties": {"till": {"minimum": 3}}},
    }
    for baseline in ({"kind": "card", "number": "1"}, {"kind": "cash", "till": 5}):
        broken = {
            (case.arguments["kind"], case.scenario, case.violation.parameter)
            for case in planned(schema, baseline).cases
            if case.violation is not None and case.violation.parameter in ("number", "till")
        }
        assert ("card", "missing", "number") in broken
        assert ("cash", "missing", "till") in broken
        assert ("cash", "below-minimum", "till") in broken


def test_of_an_open_object_members_that_no_schema_names_are_sent_as_null_and_as_a_number():
    def sent(**more):
        cases = planned({"properties": {"a": WHOLE}, **more}, {"a": 1}).calls
        extreme = (case for case in cases if case.scenario == "open-property")
        return [case.arguments.get("unexpected_property") for case in extreme]

    assert sent() == [None, 7]
    assert sent(additionalProperties=False) == sent(maxProperties=1) == []


@pytest.mark.parametrize(
    "choice",
    [
        {"properties": {"a": WHOLE}, "const": {"a": 1}},
        {"type": "array", "items": TEXT, "enum": [["a"], ["b"]]},
        {"enum": [[1], [2]]},
    ],
)
def test_a_call_counts_as_valid_only_if_an_object_or_array_is_one_of_the_allowed(choice):
    schema = {"properties": {"x": choice}, "required": ["x"]}
    baseline = {"x": choice.get("const") or choice["enum"][0]}
    for case in planned(schema, baseline).calls:
        assert (case.expects is Expectation.REJECT) is not view_of(schema).accepts(case.arguments)


@pytest.mark.parametrize(
    "choice",
    [
        {"oneOf": [{"type": "string", "format": "date"}, {"type": "string", "maxLength": 4}]},
        {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "maxLength": 4}]},
        {"oneOf": [{"type": "string", "format": "email"}, {"type": "string", "format": "uri"}]},
        {"type": "array", "items": {"type": "string"}, "maxItems": 3,
         "not": {"contains": {"format": "date"}}},
        {"type": "string", "maxLength": 20, "if": {"format": "date"}, "then": {"minLength": 11}},
    ],
)  # fmt: skip
def test_a_server_may_check_no_format(choice):
    """It refuses each case that is to be refused, except those that break a format alone."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "x": choice}}
    unchecked = Draft202012Validator(schema)
    made = planned(schema, {"n": 1})
    assert made.problems == ()
    for case in made.calls:
        only_format = case.violation is not None and case.violation.keywords == ("format",)
        refused = not unchecked.is_valid(case.arguments)
        assert only_format or refused == (case.expects is Expectation.REJECT), case


def test_a_server_that_accepts_what_only_a_format_allows_checks_formats():
    either = {"oneOf": [{"type": "string", "format": "email"}, {"type": "string", "format": "uri"}]}
    schema = {"type": "object", "required": ["x"], "properties": {"x": either}}
    made = planned(schema, {"x": "user@example.com"})
    [other] = made.branches
    assert view_of(schema).accepts(other.arguments)
    assert {v.arguments["x"] for v in made.cases if v.strictness is Strictness.FORMAT}
