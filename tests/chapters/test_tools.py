"""The declarations of tools: what a clause is about decides whether a tool can pass it."""

from dataclasses import replace

import pytest

from conformance.formats.problem import problem
from conformance.formats.tool.tool import ToolForm
from conformance.spec.messages import message
from conformance.spec.vocabulary import Verdict
from tests.kit.samples import SCHEMA, TOOL, of_tool


def told(clause, *, schema=SCHEMA, problems=(), form=ToolForm.CATALOG, **fields):
    raw = {"name": TOOL.name, **fields}
    tool = replace(TOOL, raw=raw, input_schema=schema, form=form)
    return of_tool(clause, tool=tool, problems=problems).verdict


def wrong(clause):
    return (problem(("name",), "type", message("kit.not_judged"), clause=clause),)


def test_a_clause_about_every_tool_is_passed_by_each():
    assert told("ATDF-TOOL-001") is Verdict.PASS
    assert told("ATDF-TOOL-001", problems=wrong("ATDF-TOOL-002")) is Verdict.PASS
    assert told("ATDF-TOOL-001", problems=wrong("ATDF-TOOL-001")) is Verdict.FAIL


@pytest.mark.parametrize(
    "fields",
    [{"tags": ["a"]}, {"metadata": {"tags": ["a"]}}, {"_meta": {"x": {"tags": ["a"]}}}],
    ids=["tool", "metadata", "_meta"],
)
def test_a_clause_about_a_field_is_passed_wherever_a_form_has_the_field(fields):
    assert told("ATDF-TOOL-010") is Verdict.NOT_APPLICABLE
    assert told("ATDF-TOOL-010", **fields) is Verdict.PASS


def test_a_clause_about_a_keyword_is_passed_only_where_a_schema_uses_it():
    inner = {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}}}
    assert told("ATDF-TOOL-005") is Verdict.NOT_APPLICABLE
    assert told("ATDF-TOOL-005", schema=inner) is Verdict.PASS


def test_a_clause_about_descriptors_is_asked_of_them_alone():
    assert told("ATDF-DESC-001") is Verdict.NOT_APPLICABLE
    assert told("ATDF-DESC-001", form=ToolForm.DESCRIPTOR) is Verdict.PASS
    assert told("ATDF-DESC-006", form=ToolForm.DESCRIPTOR) is Verdict.NOT_APPLICABLE
    versioned = told("ATDF-DESC-006", form=ToolForm.DESCRIPTOR, schema_version="1.0.0")
    assert versioned is Verdict.PASS
