"""What was sent is said in words, whatever it was, and in the reader's language."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

from conformance.http import scripts as http_scripts
from conformance.kit.model.case import CaseKind, Violation
from conformance.kit.verdicts.sent_words import call_shown, call_words, step_words
from conformance.mcp import script_wire
from conformance.spec.messages import LANGUAGES
from tests.kit.samples import called, case, run_evidence, tool_evidence, verdict, web

_STEP = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+|deep")


def steps(*functions):
    """The names of steps that some functions write: the keys of dicts, and what is yielded."""
    named = set()
    for function in functions:
        for node in ast.walk(ast.parse(inspect.getsource(function))):
            parts = []
            if isinstance(node, ast.Dict):
                parts = node.keys
            elif isinstance(node, ast.Subscript):
                parts = [node.slice]
            elif isinstance(node, ast.Tuple):
                parts = node.elts[:1]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Step":
                parts = node.args[:1]
            texts = {each.value for each in parts if isinstance(each, ast.Constant)}
            named |= {text for text in texts if isinstance(text, str) and _STEP.fullmatch(text)}
    return named - {"content-type"}


SENT = steps(http_scripts.http_wire, http_scripts.strange_requests) | steps(
    script_wire.odd_requests, script_wire.malformed_bodies
)


def test_the_steps_are_found():
    assert len(SENT) > 20
    assert {"cut-json", "deep", "other-charset", "unknown-path", "id-null", "wrong-type"} <= SENT


@pytest.mark.parametrize("step", sorted(SENT))
def test_each_step_has_words_in_each_language(step):
    said = {step_words(step).words(language) for language in LANGUAGES}
    assert len(said) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_without_words_is_said_by_its_name(language):
    assert "`some-new-step`" in step_words("some-new-step").words(language)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (case(), "the call with `count` = 10"),
        (
            case(violation=Violation("/count", "count", ("required",), was=2, sent_absent=True)),
            "the call without `count`",
        ),
        (
            case(arguments=None, violation=Violation("", None, ("type",), was={}, sent=None)),
            "the call whose `arguments` are null",
        ),
        (case(CaseKind.BASELINE), "the baseline call"),
        (case(CaseKind.BASELINE, neighbour="a/b"), 'the valid call with {"count": 2}'),
        (case(CaseKind.AFTER), "the baseline call, repeated"),
        (case(CaseKind.VALID, arguments={"count": 9}), 'the valid call with {"count": 9}'),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_call_is_known_by_what_is_at_its_broken_place(sent, said):
    assert call_words(sent).words() == said


GOOD = {
    "customer": {"name": "name", "address": {"city": "city", "street": "a street of some length"}},
    "currency": "EUR",
    "lines": [{"count": 1}],
}
JPY = {**GOOD, "currency": "JPY"}


def without(*names):
    return {name: value for name, value in GOOD.items() if name not in names}


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (JPY, 'the valid call with `currency` = "JPY"'),
        ({**GOOD, "lines": [{"count": 1.0}]}, "the valid call with `lines[0].count` = 1.0"),
        ({**GOOD, "lines": []}, "the valid call with `lines` = []"),
        (without("currency"), "the valid call without `currency`"),
        (
            {**without("currency", "lines"), "note": "x"},
            'the valid call with `note` = "x" and without `currency`, `lines`',
        ),
        (
            {**GOOD, **dict.fromkeys("abcd", 1)},
            "the valid call with `a` = 1, `b` = 1, `c` = 1, …",
        ),
        ({"currency": "JPY"}, 'the valid call with {"currency": "JPY"}'),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_valid_call_with_many_arguments_is_known_by_where_it_differs_from_the_good_one(
    sent, said
):
    good = case(CaseKind.BASELINE, arguments=GOOD)
    assert call_words(case(CaseKind.VALID, arguments=sent), good).words() == said


def test_a_valid_call_beside_no_good_one_is_known_by_how_its_arguments_begin():
    sent = case(CaseKind.VALID, arguments=JPY)
    assert call_words(sent).words().startswith('the valid call with {"customer": {"name": "name"')


@pytest.mark.parametrize("status", [200, 500])
def test_a_fault_of_the_server_tells_what_the_accepted_call_did_not_send(status):
    good = case(CaseKind.BASELINE, arguments=GOOD)
    sent = case(CaseKind.VALID, arguments=JPY, neighbour=good.id)
    calls = [called(web(status, {}, of=good)), called(web(500, {}, of=sent))]
    item = verdict("ATDF-CALL-005", run_evidence(tool_evidence(*calls)), "book")
    words = item.findings[-1].message.words()
    told = 'the valid call with `currency` = "JPY" has status 500' in words
    assert told is (status == 200)


def test_a_fault_of_the_server_names_the_parameter_and_no_scenario():
    calls = [called(web(500, {}, of=case()))]
    item = verdict("ATDF-CALL-005", run_evidence(tool_evidence(*calls)), "book")
    words = item.findings[0].message.words()
    assert words.startswith("The answer to the call with `count` = 10 has status 500")
    assert "above-maximum" not in words


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (case(CaseKind.BASELINE), 'the baseline call with {"count": 2}'),
        (case(CaseKind.AFTER), 'the baseline call with {"count": 2}, repeated'),
        (case(CaseKind.BASELINE, arguments={"x": "y" * 500}), "the baseline call with {"),
        (case(), "the call with `count` = 10"),
    ],
)
def test_in_a_finding_the_good_call_shows_its_arguments(sent, said):
    shown = call_shown(sent).words()
    assert shown.startswith(said)
    assert len(shown) < 150
