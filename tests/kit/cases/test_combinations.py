"""What breaks how schemas are combined: unions, `not`, and members that ask for others."""

from __future__ import annotations

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.plan import plan
from conformance.kit.cases.valid_values import generate
from conformance.kit.model.case import Expectation, Strictness
from tests.kit.samples import HTTP

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
LIST = {"type": "array", "items": TEXT}


def of(*required, **properties):
    return {"type": "object", "properties": properties, "required": list(required)}


PAID = {"oneOf": [of("card", card=TEXT), of("iban", iban=TEXT)]}
A_AND_B = of(a=TEXT, b=TEXT)
NEEDS_B = {"required": ["b"]}


def cases(schema):
    return plan(Tool("pay", schema, ToolForm.CATALOG, {}), HTTP, generate(schema)).cases


def at_x(prop):
    """What is sent at `x`, with the keywords that it breaks, by scenario."""
    found = {}
    for case in cases(of("x", x=prop)):
        if case.violation is not None and case.violation.pointer.startswith("/x"):
            told = (case.arguments.get("x"), case.violation.keywords)
            found.setdefault(case.scenario, []).append(told)
    return found


BROKEN = [
    (PAID, "two-branches", {"card": "card", "iban": "iban"}, "oneOf"),
    (PAID, "no-branch", {}, "oneOf"),
    ({"anyOf": PAID["oneOf"]}, "no-branch", {}, "anyOf"),
    ({"oneOf": [{**WHOLE, "multipleOf": 3}, {**WHOLE, "multipleOf": 5}]}, "two-branches", 15,
     "oneOf"),
    ({**TEXT, "not": {"const": "admin"}}, "matches-not", "admin", "not"),
    ({"not": TEXT}, "matches-not", "x", "not"),
    ({"anyOf": [{**TEXT, "not": {"const": "admin"}}, {"type": "null"}]}, "matches-not", "admin",
     "not"),
    ({**A_AND_B, "not": {"required": ["a", "b"]}}, "matches-not", {"a": "a", "b": "b"}, "not"),
    ({**A_AND_B, "dependentRequired": {"a": ["b"]}}, "missing-dependent", {"a": "a"},
     "dependentRequired"),
    ({**A_AND_B, "dependentSchemas": {"a": NEEDS_B}}, "missing-dependent", {"a": "a"}, "required"),
    ({"type": "object", "patternProperties": {"^s_": WHOLE}}, "pattern-property", {"s_": "abc"},
     "type"),
    ({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}, "bad-name",
     {"wrong name ×!": "abc"}, "pattern"),
    ({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": WHOLE,
      "required": ["k"]}, "bad-name", {"k": 1, "wrong name ×!": 1}, "pattern"),
    ({**LIST, "contains": {"const": "a"}, "minContains": 2}, "contains-too-few", ["a"],
     "minContains"),
    ({**LIST, "contains": {"const": "a"}, "maxContains": 2}, "contains-too-many", ["a"] * 3,
     "maxContains"),
    ({"type": "array", "prefixItems": [TEXT], "minItems": 1, "unevaluatedItems": False},
     "extra-item", ["x", "abc"], "unevaluatedItems"),
]  # fmt: skip


@pytest.mark.parametrize(("prop", "scenario", "sent", "keyword"), BROKEN)
def test_a_combination_is_broken_by(prop, scenario, sent, keyword):
    assert at_x(prop)[scenario] == [(sent, (keyword,))]


def test_what_an_optional_member_must_not_be_is_sent():
    forbids = cases(of(x={**TEXT, "not": {"const": "admin"}}))
    assert [c.arguments for c in forbids if c.scenario == "matches-not"] == [{"x": "admin"}]


def test_members_of_arguments_are_a_union_as_well():
    either = [{"required": [name]} for name in ("card", "iban")]
    one_of_two = {**of(card=TEXT, iban=TEXT), "oneOf": either}
    found = {c.scenario: c for c in cases(one_of_two) if c.violation is not None}
    assert found["two-branches"].arguments == {"card": "card", "iban": "iban"}
    assert found["no-branch"].arguments == {}
    assert {found[n].violation.parameter for n in ("two-branches", "no-branch")} == {None}
    assert found["two-branches"].strictness is Strictness.STRICT


def test_what_two_branches_cannot_share_is_not_sent():
    kinds = {"oneOf": [of("t", t={"const": "a"}), of("t", t={"const": "b"})]}
    assert "two-branches" not in at_x(kinds)


def test_two_branches_of_any_of_are_no_deviation():
    assert "two-branches" not in at_x({"anyOf": PAID["oneOf"]})


def test_a_member_that_is_required_anyhow_stays_where_no_branch_is_met():
    both = {**of("id", id=TEXT), **PAID}
    assert at_x(both)["no-branch"] == [({"id": "id"}, ("oneOf",))]


def test_a_dependent_of_a_member_that_the_baseline_lacks_is_taken_out_one_by_one():
    three = {**of(a=TEXT, b=TEXT, c=TEXT), "dependentRequired": {"a": ["b", "c"]}}
    sent = [value for value, _ in at_x(three)["missing-dependent"]]
    assert sent == [{"a": "a", "c": "c"}, {"a": "a", "b": "b"}]


def test_an_integer_with_a_fraction_of_zero_has_to_be_accepted():
    (found,) = (c for c in cases(of("n", n=WHOLE)) if c.scenario == "whole-float")
    assert repr(found.arguments) == "{'n': 1.0}"
    assert found.expects is Expectation.ACCEPT


def test_the_first_draft_without_such_integers_gets_none():
    old = {"$schema": "http://json-schema.org/draft-04/schema#", **of("n", n=WHOLE)}
    assert not [c for c in cases(old) if c.scenario == "whole-float"]
