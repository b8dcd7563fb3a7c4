"""What a suggestion would look like where none was given: valid, and near to what was sent."""

import contextlib
import json
from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.plan import plan
from conformance.kit.evidence.evidence import call_of
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.verdicts.guidance import advice, suggestion
from tests.kit.samples import HTTP

SCHEMA = {
    "type": "object",
    "properties": {
        "room": {"type": "string", "enum": ["single", "double", "suite"]},
        "guests": {"type": "integer", "minimum": 1, "maximum": 4},
        "price": {"type": "number", "multipleOf": 0.5, "exclusiveMaximum": 10},
        "day": {"type": "string", "format": "date"},
        "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "names": {"type": "array", "items": {"type": "string", "minLength": 2}, "minItems": 1},
    },
    "required": ["room", "guests", "price", "day", "code", "names"],
    "additionalProperties": False,
}
GOOD = {"room": "single", "guests": 2, "price": 1.5, "day": "2027-01-31", "code": "ABC",
        "names": ["Ada"]}  # fmt: skip
TOOL = Tool("book", SCHEMA, ToolForm.MCP, {})


def refused(case):
    answer = Answer(400, (), b'{"detail": "no"}')
    request = HttpRequest("POST", "http://h/")
    return call_of(Exchange(1, "http", request, answer, None, 0.0, 0.0, case=case), TOOL)


BROKEN = [
    refused(case)
    for case in plan(TOOL, HTTP, GOOD).cases
    if case.kind is CaseKind.BROKEN and case.violation is not None and case.violation.parameter
]


def of(parameter, scenario):
    return next(
        suggestion(call)
        for call in BROKEN
        if call.case.violation.parameter == parameter and call.case.scenario.startswith(scenario)
    )


def test_a_day_that_does_not_exist_gets_the_nearest_one():
    days = {
        call.case.violation.sent: suggestion(call)
        for call in BROKEN
        if call.case.violation.parameter == "day" and call.case.scenario == "format-date"
    }
    assert days["2036-02-30"] == "2036-02-29"
    assert days["2035-13-01"] == "2035-12-01"


def test_a_fraction_for_an_integer_gets_the_nearest_one_and_not_the_default():
    page = {"type": "object", "properties": {"page": {"type": "integer", "default": 10}}}
    tool = Tool("book", page, ToolForm.MCP, {})
    (case,) = (each for each in plan(tool, HTTP, {}).cases if each.scenario == "fraction")
    call = replace(refused(case), tool=tool)
    assert case.violation.sent == 1.5
    assert suggestion(call) == "2"


def test_a_value_of_a_list_in_another_schema_comes_before_the_default():
    of_branch, level = {"$ref": "#/$defs/branch"}, {"$ref": "#/$defs/level"}
    schema = {
        "type": "object",
        "properties": {
            "branch": {"anyOf": [of_branch, {"type": "null"}], "default": None},
            "level": {"allOf": [level], "default": "normal"},
        },
        "$defs": {"branch": {"enum": ["north", "south"]}, "level": {"enum": ["low", "normal"]}},
    }
    tool, good = Tool("book", schema, ToolForm.MCP, {}), {"branch": "north", "level": "low"}
    cases = (each for each in plan(tool, HTTP, good).cases if each.violation is not None)
    near = {
        each.violation.parameter: suggestion(replace(refused(each), tool=tool))
        for each in cases
        if isinstance(each.violation.sent, str) and each.violation.sent.startswith(("nor", "lo"))
    }
    assert near == {"branch": "north", "level": "low"}


@pytest.mark.parametrize(
    ("parameter", "scenario", "suggested"),
    [
        ("guests", "above-maximum", "4"),
        ("guests", "below-minimum", "1"),
        ("guests", "missing", "2"),
        ("room", "missing", "single"),
        ("day", "missing", "2027-01-31"),
        ("code", "missing", "ABC"),
    ],
)
def test_the_nearest_right_value_is_suggested(parameter, scenario, suggested):
    assert of(parameter, scenario) == suggested


def test_every_suggestion_mends_its_call_and_most_calls_get_one():
    from conformance.kit.schema.places import from_pointer, put
    from conformance.kit.schema.view import view_of

    view, given = view_of(SCHEMA), 0
    for call in BROKEN:
        suggested = suggestion(call)
        if suggested is None:
            continue
        given += 1
        tokens = from_pointer(call.case.violation.pointer, call.case.arguments)
        readings = [suggested]
        with contextlib.suppress(ValueError):  # a text other than JSON is itself
            readings.append(json.loads(suggested))
        assert any(view.accepts(put(call.case.arguments, tokens, one)) for one in readings)
    assert given >= 0.8 * len(BROKEN)


def test_there_is_one_piece_of_advice_for_each_keyword():
    calls = [(call.case.violation.keywords[0], call) for call in BROKEN]
    made = advice(calls)
    assert len({each.keyword for each in made}) == len(made)
    assert {"enum", "maximum", "required", "type"} <= {each.keyword for each in made}
    missing = next(each for each in made if each.keyword == "required")
    assert missing.sent is None
