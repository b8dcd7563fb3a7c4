"""One server over several bindings: the report names what it answers otherwise, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.atdf.test_parity import comparable_error
from conformance.formats.tool.errors import envelope_of
from conformance.kit.model.results import Finding, Item
from conformance.kit.report.html.page import render
from conformance.kit.report.html.parity import CLAUSE, parity
from conformance.kit.report.reporter import Report
from conformance.spec.messages import message
from conformance.spec.vocabulary import Requirement, Verdict
from tests.kit.report.sample import EVIL, sample_words, session


@pytest.fixture(autouse=True)
def _words() -> Iterator[None]:
    with sample_words():
        yield


ACCEPTED = message("answer.accepted")
REFUSED = message("answer.refused_as", errors="`validation-error` (`guests`)")


def found(parameter, here=ACCEPTED, there=REFUSED, run="mcp-2026-07-28"):
    call = message("call.without", parameter=parameter)
    said = {"case": call, "here": here, "run": run, "there": there, "other": "http"}
    return Finding(message("finding.parity", **said), parameter=parameter)


def compared(*items: Item, language: str = "en") -> Report:
    sample = session()
    run = replace(sample.runs[1], items=items)
    return Report(replace(sample, runs=(sample.runs[0], run)), language)


def shown(*items: Item, language: str = "en") -> str:
    report = compared(*items, language=language)
    return render("parity.html", report, compared=parity(report.session))


def item(verdict, *findings, tool="hotel_reservation", run="mcp-2026-07-28", checked=40):
    return Item(CLAUSE, Requirement.SHOULD, run, tool, verdict, findings, checked)


def test_a_session_in_which_nothing_was_compared_has_no_such_section():
    undecided = (item(Verdict.NOT_APPLICABLE), item(Verdict.NOT_VERIFIED))
    assert "h-parity" not in render("top.html", compared())
    assert "h-parity" not in render("top.html", compared(*undecided))
    assert "h-parity" in render("top.html", compared(item(Verdict.PASS)))


def test_calls_that_mean_the_same_are_counted():
    said = shown(item(Verdict.PASS), item(Verdict.PASS, tool="t", checked=2))
    assert "compared between the runs: 42, answered differently: 0" in said
    assert "<ul" not in said


def test_each_side_of_a_difference_is_said_in_words():
    said = shown(item(Verdict.WARN, found("guests")), language="es")
    assert "hotel_reservation" in said
    assert "la llamada sin <code>guests</code>" in said
    assert "rechazada con <code>validation-error</code> (<code>guests</code>)" in said
    assert "<dd>aceptada</dd>" in said
    assert "con respuesta distinta: 1" in said


def test_the_way_leads_to_the_row_with_the_calls_themselves():
    said = shown(item(Verdict.WARN, found("guests")))
    assert f'">{CLAUSE}</a>' in said


def test_calls_and_runs_with_the_same_difference_are_folded():
    names = ("a", "b", "c", "d", "e")
    both = (
        item(Verdict.WARN, *(found(name, run=run) for name in names), run=run)
        for run in ("mcp-2026-07-28", "mcp-2025-11-25")
    )
    said = shown(*both)
    assert said.count("<dl>") == 1
    assert "the call without <code>c</code>" in said
    assert "and 2 more" in said
    assert "mcp-2026-07-28, mcp-2025-11-25" in said


def test_a_hostile_server_is_quoted_inert():
    evil = " ".join(EVIL)
    there = message("answer.refused_as", errors=evil)
    said = shown(item(Verdict.FAIL, found(evil, there=there, run=evil), tool=evil))
    assert "<script" not in said
    assert "<img" not in said
    assert "&lt;img" in said


def test_a_refusal_names_its_errors_in_words_that_need_no_translation():
    body = {"errors": [{"type": "urn:e:validation-error", "parameter_name": "guests"}, {}]}
    envelope = envelope_of(body)
    assert [comparable_error(error) for error in envelope.errors] == [
        f"`{envelope.errors[0].type}` (`guests`)",
        "",
    ]
