"""Retry hints in the repair loop: followed where no error suggests anything, and only there."""

from __future__ import annotations

import pytest

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.response import Reading
from conformance.kit.model.case import CaseKind
from conformance.kit.repair.hints import follow, hint_of, is_valid
from conformance.kit.verdicts.rates import repair
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey, Outcome, Verdict
from tests.kit.drive.test_driving import calls, judged, right
from tests.kit.samples import envelope, error


def hinting(example, **more):
    """A server of `count` that refuses with a hint, and suggests nothing."""

    def answer(_, arguments):
        if right(arguments):
            return 200, {"ok": True}
        hint = {"reason": "invalid_arguments", "tool": "count", "example_input": example, **more}
        told = error(parameter="n", suggested_value=None, tool_name="count")
        return 400, {**envelope(told), "retry_hint": hint}

    return answer


def test_a_call_is_repaired_by_the_example_of_a_hint():
    items, session, _ = judged(hinting({"n": 3}))
    steps = list(calls(session).of(CaseKind.REPAIR))
    assert steps
    assert {step.case.arguments["n"] for step in steps} == {3}
    assert repair([calls(session)]).rate.rate == 1
    assert items["ATDF-ERR-012", "count"].verdict is Verdict.PASS


def test_a_hint_whose_example_is_invalid_is_a_wrong_suggestion():
    _, session, _ = judged(hinting({"n": 99}))
    assert repair([calls(session)]).rate.rate == 0
    assert repair([calls(session)]).wrong > 0


@pytest.mark.parametrize("reason", ["bored", None, ["timeout"]])
def test_a_hint_with_an_unknown_reason_counts_as_absent(reason):
    _, session, _ = judged(hinting({"n": 3}, reason=reason))
    assert not list(calls(session).of(CaseKind.REPAIR))


def test_what_is_missing_is_filled_in_and_the_rest_kept():
    hint = {"reason": "missing_fields", "missing_fields": ["a"], "example_input": {"a": 1, "b": 2}}
    assert follow(hint, {"b": 9}) == {"a": 1, "b": 9}


@pytest.mark.parametrize(
    ("hint", "arguments"),
    [
        ({"reason": "invalid_arguments", "missing_fields": ["a"]}, {"b": 9}),
        ({"reason": "missing_fields", "missing_fields": ["other"]}, {"b": 9}),
        ({"reason": "missing_fields", "missing_fields": ["a"]}, None),
        ({"reason": "missing_fields", "missing_fields": "a"}, {"b": 9}),
        ({"reason": "missing_fields", "missing_fields": []}, {"b": 9}),
        ({"reason": "missing_fields", "missing_fields": ["a", 1]}, {"b": 9}),
    ],
)
def test_a_hint_that_cannot_be_filled_in_is_taken_whole(hint, arguments):
    example = {"a": 1, "b": 2}
    assert follow({**hint, "example_input": example}, arguments) == example


@pytest.mark.parametrize(
    ("schema", "valid"),
    [
        ({"properties": {"n": {"type": "integer"}}}, True),
        ({"properties": {"n": {"type": "string"}}}, False),
        ({"type": "objekt"}, True),
    ],
)
def test_an_example_is_right_unless_the_schema_refuses_it(schema, valid):
    tool = Tool("count", schema, ToolForm.CATALOG, {})
    assert is_valid({"example_input": {"n": 1}}, tool) is valid


@pytest.mark.parametrize("hint", [None, [], {"reason": "timeout"}, {"example_input": "x"}])
def test_what_leads_nowhere_is_no_hint_to_follow(hint):
    reading = Reading(Outcome.INPUT_REFUSED, document={"retry_hint": hint})
    assert hint_of(reading) is None


def test_the_hint_of_a_result_is_read_from_its_meta_alone():
    hint = {"reason": "invalid_arguments", "example_input": {"a": 1}}
    beside = {"retry_hint": {"example_input": {"b": 2}}}
    result = {"_meta": {META_KEY_NAME[MetaKey.RETRY_HINT]: hint}}
    assert hint_of(Reading(Outcome.INPUT_REFUSED, document=beside, result=result)) == hint
    for none in ({}, {"_meta": None}, {"_meta": {"retry_hint": hint}}):
        assert hint_of(Reading(Outcome.INPUT_REFUSED, document=beside, result=none)) is None


@pytest.mark.parametrize("document", [None, "text", ["retry_hint"]])
def test_a_refusal_that_is_no_object_has_no_hint(document):
    assert hint_of(Reading(Outcome.INPUT_REFUSED, document=document)) is None


def test_a_call_that_was_accepted_has_no_hint():
    hint = {"example_input": {"a": 1}}
    assert hint_of(Reading(Outcome.ACCEPTED, document={"retry_hint": hint})) is None
