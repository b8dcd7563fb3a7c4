"""Retry hints and ATDF errors: the table between them, and what either form loses."""

from __future__ import annotations

import json

import pytest

from conformance.convert.convert import convert
from conformance.convert.form import Form, form_of
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import RETRY_REASON_ERROR_TYPES, RetryReason
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures/examples"
HINT = json.loads((EXAMPLES / "runtime/valid/missing-site-hint.json").read_text("utf-8"))


def test_a_hint_is_known_by_its_keys():
    assert form_of(HINT) is Form.HINT


def test_each_missing_field_becomes_an_error_with_its_value():
    data = {**HINT, "missing_fields": ["site_id", "limit"]}
    data["example_input"] = {"site_id": "north", "limit": 5}
    made = convert(data, Form.ERROR)
    told = [(one["parameter_name"], one["suggested_value"]) for one in made.data["errors"]]
    assert told == [("site_id", "north"), ("limit", "5")]
    assert validate(made.data, "error") == []


@pytest.mark.parametrize("reason", list(RetryReason))
def test_each_reason_becomes_a_valid_error_of_its_type(reason):
    hint = {"reason": reason.value, "tool": "plant.devices.list", "missing_fields": ["a"]}
    made = convert(hint, Form.ERROR)
    assert validate(made.data, "error") == []
    word = RETRY_REASON_ERROR_TYPES[reason][0].value
    assert made.data["errors"][0]["type"].endswith(f"/{word}")


def test_there_and_back_a_reason_is_the_same_or_named_as_lost():
    for reason in RetryReason:
        hint = {"reason": reason.value, "tool": "t", "missing_fields": ["a"]}
        there = convert(hint, Form.ERROR)
        back = convert(there.data, Form.HINT).data
        assert validate(back, "retry-hint") == []
        assert back["reason"] == reason.value or "$.reason" in there.lost


def test_what_a_hint_says_beyond_an_error_is_named_as_lost():
    data = {**HINT, "restrict_to_tool": True, "prior_input": {"limit": 20}}
    assert {"$.restrict_to_tool", "$.prior_input"} <= set(convert(data, Form.ERROR).lost)


def test_an_error_that_no_planner_can_mend_is_no_hint():
    error = convert(HINT, Form.ERROR).data
    error["errors"][0]["type"] = "https://example.com/errors/business-rule"
    (problem,) = convert(error, Form.HINT).problems
    assert problem.message.id == "convert.no_retry"


def test_a_hint_becomes_problem_details_too():
    assert convert(HINT, Form.PROBLEM).data["type"].endswith("/validation-error")
