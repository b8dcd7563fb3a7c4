"""Where a row's message holds: in words, folded, and with nothing said twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.kit.model.case import CaseKind
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.step import Mark, Step
from conformance.kit.report.html.detail import evidence
from conformance.kit.report.html.page import render
from conformance.kit.report.html.places import NOTHING_SENT, Label, Note, call_note, step_label
from conformance.kit.report.html.rows import Terms, fold
from conformance.kit.report.reporter import Report
from conformance.spec.messages import message
from conformance.spec.vocabulary import Requirement, Verdict
from tests.kit.report.sample import case, exchange, sample_words, session

EN, ES = Report(session()), Report(session(), "es")


@pytest.fixture(autouse=True)
def _words() -> Iterator[None]:
    with sample_words():
        yield


def told(value, parameter="guests", scenario="above-maximum"):
    said = message("sample.suggestion", value=value, parameter=parameter)
    return Finding(said, scenario=scenario, parameter=parameter)


def row(*placed):
    """The one row of findings, each with its run and tool."""
    items = [
        Item("A-B-001", Requirement.MUST, run, tool, Verdict.FAIL, (finding,))
        for run, tool, finding in placed
    ]
    (only,) = fold(items).rows
    return only


def places(row, report):
    """The list of a row's places, as the page has it."""
    inside = render("detail.html", report, row=row, shown=[])
    return inside.partition('<ul class="places">')[2]


def test_a_place_that_several_runs_share_stands_once_with_its_scenario_in_words():
    shown = places(row(("http", "t", told("9")), ("mcp", "t", told("9"))), ES)
    assert shown.count("<li>") == 1
    assert "http · mcp" in shown
    assert "un número por encima del máximo (<code>above-maximum</code>)" in shown


def test_places_of_one_tool_stand_below_one_head():
    shown = places(row(("http", "t", told("9")), ("http", "t", told("9", "nights"))), EN)
    assert shown.count('class="tool"') == 1
    assert shown.count("<ul>") == 1


def test_random_calls_of_one_kind_are_counted_and_not_repeated():
    found = [
        Finding(
            message("sample.raw", text=message("call.valid", scenario=f"{n}")),
            scenario="random-valid",
        )
        for n in range(4)
    ]
    shown = places(row(*(("http", "t", each) for each in found)), EN)
    assert shown.count("random-valid") == 1
    assert "4 cases" in shown


def test_two_rules_of_one_row_have_one_heading():
    one = Finding(message("sample.silent"), exchange=1)
    items = [
        Item(clause, Requirement.MUST, "http", "t", Verdict.FAIL, (one,))
        for clause in ("ATDF-CALL-005", "ATDF-ERR-001")
    ]
    (only,) = fold(items).rows
    inside = render("detail.html", EN, row=only, shown=[])
    assert inside.count('class="rule"') == 2
    assert inside.count("<h3>The rule</h3>") == 1


def test_a_message_is_left_out_where_it_says_no_more_than_the_place():
    shown = places(row(("http", "t", told("9")), ("http", "t", told("9", "nights"))), EN)
    assert "suggested" not in shown


def test_messages_that_say_more_stand_there_without_the_end_that_they_share():
    found = [
        Finding(message("sample.raw", text=f"It was {n}. Mend it."), scenario="missing")
        for n in (1, 2)
    ]
    shown = places(row(*(("http", "t", each) for each in found)), EN)
    assert "It was 1." in shown
    assert "It was 2." in shown
    assert "Mend it" not in shown


def test_a_step_is_said_in_words_with_its_code():
    sent = replace(exchange(1), case=None, script="http_wire", step=Step("cut-json"))
    assert step_label(sent, ES) == Label(words="un JSON cortado antes de terminar", code="cut-json")
    after = step_label(replace(sent, step=Step("cut-json", mark=Mark.ALIVE)), EN)
    assert after.words.startswith("sent after JSON that is cut off before its end, to see")


def test_a_step_without_words_keeps_its_code():
    sent = replace(exchange(1), case=None, script="gateway_retries", step=Step("jitter"))
    assert step_label(sent, ES) == Label(code="jitter")


@pytest.mark.parametrize(
    ("kind", "scenario", "said", "label"),
    [
        (CaseKind.BASELINE, "baseline", "This is the baseline call.", NOTHING_SENT),
        (
            CaseKind.REPAIR,
            "above-maximum",
            "This is the call that follows the suggestion.",
            NOTHING_SENT,
        ),
        (
            CaseKind.VALID,
            "maximum",
            "A valid call:",
            Label(words="the greatest number allowed", code="maximum"),
        ),
    ],
)
def test_a_call_that_is_not_broken_says_what_it_is(kind, scenario, said, label):
    assert call_note(replace(case(), kind=kind, scenario=scenario), EN) == Note(said, label)


def test_names_that_a_list_leaves_off_are_numbered_once_for_the_search():
    items = [
        Item(clause, Requirement.MUST, "http", f"t{n}", Verdict.PASS)
        for clause in ("A-B-001", "A-B-002")
        for n in range(30)
        if clause == "A-B-001" or n != 5
    ]
    terms = Terms(EN)
    assert [terms.of(row) for row in fold(items).rows] == ["0-29", "0-4 6-29"]
    assert len(terms.listed()) == 30


def test_a_secret_in_a_name_is_gone_before_the_name_is_cut():
    secret = "hunter2-hunter2"
    report = Report(session(), redact=lambda text: text.replace(secret, "«secret-1»"))
    tools = [f"{'x' * 75}{secret}{n}" for n in range(30)]
    items = [Item("A-B-001", Requirement.MUST, "http", tool, Verdict.PASS) for tool in tools]
    terms = Terms(report)
    terms.of(fold(items).rows[0])
    assert "hunt" not in "".join(terms.listed())


def test_a_short_row_needs_no_numbers():
    assert Terms(EN).of(row(("http", "t", told("9")))) == ""


def test_the_steps_of_a_repair_are_shown_below_the_call_that_they_mend():
    made = {number: exchange(number) for number in (1, 2, 3)}
    report = replace(EN, exchange=made.get)
    only = row(("http", "t", replace(told("9"), exchange=1, then=(2, 3))))
    inside = render("detail.html", report, row=only, shown=list(evidence(only, report)))
    assert inside.count('<div class="pair">') == 3
