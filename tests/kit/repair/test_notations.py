"""What a refused value says in other words."""

import json

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.model.case import Violation
from conformance.kit.repair.notations import meant
from conformance.kit.schema.places import ABSENT
from tests.kit.samples import case


def said(was, sent, schema=None, keywords=("type",)):
    root = {"type": "object", "properties": {"x": schema or {}}, "required": ["x"]}
    broken = Violation("/x", "x", keywords, was=was, sent=sent)
    tool = Tool("t", root, ToolForm.CATALOG, {})
    return meant(case(arguments={"x": sent}, violation=broken), tool)


@pytest.mark.parametrize(
    ("was", "sent", "value"),
    [
        (2, "2", 2),
        (2.5, "2.5", 2.5),
        (True, "yes", True),
        (False, "yes", True),
        (True, "false", False),
        (False, 1, True),
        (True, 0, False),
    ],
)
def test_another_notation_of_a_value_says_that_value(was, sent, value):
    read = said(was, sent)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("sent", ["DELUXE", " deluxe ", "Deluxe"])
def test_a_word_in_other_letters_says_the_allowed_one(sent):
    assert said("deluxe", sent, {"enum": ["deluxe", "suite"]}, ("enum",)) == "deluxe"


@pytest.mark.parametrize(
    ("was", "sent"), [(2, "3"), (2, "two"), (2, True), (True, "maybe"), (True, 7), (None, "null?")]
)
def test_what_says_nothing_for_certain_has_no_meaning(was, sent):
    assert said(was, sent) is ABSENT


def test_a_text_that_breaks_a_pattern_by_its_letters_may_mean_anything():
    assert said("abc", "ABC", {"pattern": "^[a-z]+$"}, ("pattern",)) is ABSENT


@pytest.mark.parametrize("was", [{"a": 1}, [1, 2]])
def test_the_text_of_an_object_or_a_list_may_be_meant_for_another_branch(was):
    assert said(was, json.dumps(was)) is ABSENT


def test_a_number_that_breaks_no_type_is_meant_as_it_is():
    assert said(2, "2", keywords=("anyOf",)) is ABSENT


def test_a_truth_value_that_the_schema_does_not_allow_is_not_meant():
    assert said(True, "no", {"type": "boolean", "const": True}) is ABSENT


@pytest.mark.parametrize(
    ("allowed", "value"), [({"type": "boolean"}, True), ({"const": 0}, ABSENT)]
)
def test_what_is_meant_has_to_be_valid_where_it_stands_in_a_list(allowed, value):
    schema = {"properties": {"xs": {"type": "array", "items": allowed}}}
    broken = Violation("/xs/1", "xs[1]", ("type",), was=False, sent="yes")
    call = case(arguments={"xs": [0 if value is ABSENT else True, "yes"]}, violation=broken)
    assert meant(call, Tool("t", schema, ToolForm.CATALOG, {})) is value


def test_a_call_without_a_broken_value_means_nothing_else():
    tool = Tool("t", {"type": "object"}, ToolForm.CATALOG, {})
    assert meant(case(violation=None), tool) is ABSENT
    gone = Violation("/x", "x", ("required",), was=2, sent_absent=True)
    assert meant(case(violation=gone), tool) is ABSENT
