"""How a plan grows: its branches and their ids, what is dropped, and what is a fault of the kit."""

import re

import pytest

from conformance.formats.tool.tool import Invocation, Tool, ToolForm
from conformance.kit.cases import drawn as by_chance
from conformance.kit.cases import expectations as judge
from conformance.kit.cases.deviations import Deviation
from conformance.kit.cases.drawn import Drawn, case_of, is_smallest, smaller
from conformance.kit.cases.members import Change
from conformance.kit.cases.naming import Ids
from conformance.kit.cases.plan import plan
from conformance.kit.cases.planner import DEEPEST_BRANCH, MOST_BRANCHES, Planner, Start
from conformance.kit.cases.valid_values import generate
from conformance.kit.cases.walk import spot_at
from conformance.kit.model.case import CaseKind, Strictness
from conformance.kit.model.case_id import CaseId
from conformance.kit.schema.string_formats import SOMEDAY
from conformance.kit.schema.view import view_of
from tests.kit.samples import HTTP, MCP

ID = CaseId("http", "book", "i")
WHOLE = {"type": "integer"}
TEXT = {"type": "string"}


def tool(schema, **more):
    return Tool("book", schema, ToolForm.CATALOG, {}, **more)


def of(**properties):
    return {"type": "object", "properties": properties, "required": [*properties]}


def planned(schema, baseline=None):
    return plan(tool(schema), HTTP, generate(schema) if baseline is None else baseline)


def test_the_call_of_a_branch_says_what_it_is_and_beside_which_call_it_proves_something():
    schema = of(pay={"oneOf": [of(pin=WHOLE), of(coin=TEXT, more={"anyOf": [of(a=WHOLE), TEXT]})]})
    outer, inner = planned(schema).branches
    assert (outer.id.text, outer.kind, outer.scenario, outer.neighbour.text) == (
        "http/book/branch-2/pay", CaseKind.BASELINE, "branch-2", "http/book/baseline",
    )  # fmt: skip
    assert (inner.id.text, inner.scenario, inner.neighbour) == (
        "http/book/branch-2/pay.more/branch-2-pay", "branch-2", outer.id,
    )  # fmt: skip


def test_an_id_names_the_scenario_the_place_and_the_branch():
    schema = of(pay={"oneOf": [of(pin={**WHOLE, "maximum": 9}), of(coin={"enum": ["x", "y"]})]})
    ids = {case.id.text for case in planned(schema).cases}
    assert {
        "http/book/maximum/pay.pin",
        "http/book/above-maximum/pay.pin",
        "http/book/enum-value/pay.coin-y/branch-2-pay",
        "http/book/enum-case/pay.coin/branch-2-pay",
    } <= ids


def test_only_what_is_needed_is_filled_in():
    schema = {"properties": {"f": {**of(n=WHOLE), "properties": {"n": WHOLE, "more": TEXT}}}}
    assert [branch.arguments for branch in planned(schema, {}).branches] == [{"f": {"n": 1}}]


def test_branches_of_very_many_are_no_more_than_a_server_can_bear():
    many = {"properties": {f"p{n}": of(n=WHOLE) for n in range(MOST_BRANCHES + 5)}}
    result = planned(many, {})
    assert len(result.branches) == MOST_BRANCHES


def test_branches_are_followed_four_levels_deep():
    deep = WHOLE
    for _ in range(DEEPEST_BRANCH + 2):
        deep = {"type": "object", "properties": {"in": deep}}
    calls = [{}]
    for _ in range(DEEPEST_BRANCH):
        calls.append({"in": calls[-1]})
    assert [branch.arguments for branch in planned(deep, {}).branches] == calls[1:]


def test_what_turns_out_otherwise_than_meant_is_counted_and_no_problem():
    # What is beyond one branch's bound, the other takes.
    either = {"anyOf": [{**WHOLE, "maximum": 9}, {**WHOLE, "minimum": 9}]}
    result = planned(of(x=either), {"x": 9})
    assert (result.dropped, result.problems) == (2, ())
    assert not [c for c in result.cases if c.scenario in {"above-maximum", "below-minimum"}]


TWO = {
    "type": "object",
    "properties": {"a": {}, "b": {"type": "object", "properties": {"c": {}}}, "c": {}},
    "required": ["a", "b", "c"],
    "if": {"properties": {"a": {"const": "odd"}}},
    "then": {"properties": {"b": {"properties": {"c": {"type": "null"}}}, "c": {"type": "null"}}},
}
VALID = {"a": "x", "b": {"c": 1}, "c": 1}


def deviated(schema, place, value, valid=VALID):
    """A planner that was asked to break a place by a value."""
    view = view_of(schema)
    planner = Planner("book", "http", view, SOMEDAY, Ids("http", "book"))
    planner.broken(Start(valid, None), spot_at(view, valid, place), Change(Deviation("odd", value)))
    return planner


def test_a_deviation_that_breaks_other_places_alone_is_a_fault_of_the_kit_that_is_named():
    planner = deviated(TWO, ("a",), "odd")
    assert (planner.cases, planner.dropped) == ([], 1)
    assert planner.problems == ["odd at '/a' breaks ['/b/c', '/c'] instead"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (of(b={"type": "object", "properties": {"c": WHOLE}}), {"c": "x"}),
        ({**of(b={}), "not": {"properties": {"b": {"const": 7}}}}, 7),
    ],
    ids=["below", "around"],
)
def test_one_that_breaks_what_is_around_it_or_below_it_is_dropped_in_silence(schema, value):
    planner = deviated(schema, ("b",), value, {"b": {"c": 1}})
    assert (planner.cases, planner.dropped, planner.problems) == ([], 1, [])


def test_of_several_broken_keywords_the_type_is_named_first():
    schema = of(x={"enum": ["a", "b"], "type": "string"})
    cases = [c for c in planned(schema).cases if c.scenario == "wrong-type-number"]
    assert [case.violation.keywords for case in cases] == [("type", "enum")]


@pytest.mark.parametrize(
    ("more", "known"),
    [
        ({}, True),
        ({"format": "date", "pattern": "^2"}, True),
        ({"format": "currency"}, False),
        ({"pattern": "^\\p{Script=Unheard}$"}, False),
        ({"format": "currency", "pattern": "^[A-Z]+$"}, False),
        ({"format": "date", "pattern": "^\\p{Script=Unheard}$"}, False),
    ],
)
def test_texts_are_judged_only_where_every_pattern_and_format_is_known(more, known):
    view = view_of(of(x={**TEXT, **more}))
    asked = spot_at(view, {"x": "y"}, ("x",)).asked
    assert judge.is_judgeable(asked) is known


@pytest.mark.parametrize(
    ("more", "repairable"),
    [
        ({}, True),
        ({"format": "date"}, True),
        ({"format": "currency"}, False),
        ({"pattern": "^2"}, False),
        ({"not": {"const": "root"}}, False),
    ],
)
def test_where_more_than_plain_keywords_decides_not_even_a_default_repairs(more, repairable):
    schema = of(x={**TEXT, "default": "2027-01-01", **more})
    found = {c.scenario: c.repairable for c in planned(schema, {"x": "2027-01-02"}).cases}
    assert found["missing"] is repairable
    assert found["wrong-type-boolean"] is repairable


def test_what_a_discriminator_ought_to_be_is_not_filled_in():
    schema = of(pay={"oneOf": [of(kind={"const": "card"}), of(kind={"const": "cash"})]})
    (gone,) = (c for c in planned(schema).cases if c.id.text == "http/book/missing/pay.kind")
    assert (gone.violation.keywords, gone.repairable) == (("required",), False)


def test_the_smallest_form_of_a_case_is_known_by_its_id_and_has_the_same_in_every_session():
    first = Drawn(
        CaseId("http", "book", by_chance.VALID, "1"), by_chance.VALID, {"b": 1, "a": [True]}
    )
    less = smaller(first, {"b": 1, "a": []})
    assert less.id == smaller(first, {"a": [], "b": 1}).id
    assert re.fullmatch(re.escape(first.id.text) + "/smallest-[0-9a-f]{8}", less.id.text)
    made = [case_of(each, tool(of(a={}, b={})), HTTP) for each in (first, less)]
    assert [is_smallest(case) for case in made] == [False, True]


def test_what_means_the_same_as_text_is_broken_only_where_it_does_not_travel_as_text():
    get = tool(of(n=WHOLE), invocation=Invocation("/book", "GET"))
    text = Drawn(ID, "random-type", {"n": "2"}, "/n", 2)
    assert case_of(text, get, HTTP) is None
    assert case_of(text, get, MCP).violation.sent == "2"
    word = Drawn(ID, "random-type", {"n": "two"}, "/n", 2)
    assert case_of(word, get, HTTP).strictness is Strictness.STRICT
