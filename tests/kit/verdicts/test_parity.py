"""Parity: what one server says over two bindings, judged where it can be compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.atdf.test_parity import test_a_call_means_the_same_over_each_binding as judge
from conformance.formats.tool.tool import Annotations, Tool, ToolForm
from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence, side_by_side
from conformance.kit.evidence.response import Reading
from conformance.kit.model.case import Case, CaseKind, Expectation, Violation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Exchange, HttpRequest
from conformance.kit.model.run import Run
from conformance.kit.verdicts.checks import Said
from conformance.spec.vocabulary import Binding, Outcome

HTTP = Run("http", "http://x", Binding.HTTP, "http://x")
MCP = Run("mcp-2026-07-28", "http://x", Binding.MCP, "http://x/mcp", "2026-07-28")
OLD = Run("mcp-2025-11-25", "http://x", Binding.MCP, "http://x/mcp", "2025-11-25")
TOOL = Tool("t", {}, ToolForm.CATALOG, {}, annotations=Annotations(read_only=True))
BREAKS = Violation("/n", "n", ("type",), 1, False, "x", False)


def call(run, outcome, *, arguments=None, violation=BREAKS):
    kind = CaseKind.BROKEN if violation else CaseKind.VALID
    expects = Expectation.REJECT if violation else Expectation.ACCEPT
    sent = arguments or {"n": "x"}
    case = Case(CaseId(run.id, "t", "c"), kind, "c", sent, expects, violation)
    exchange = Exchange(1, run.id, HttpRequest(), None, None, 0.0, 0.0, case=case)
    return Call(case, exchange, TOOL, Reading(outcome))


def said(here, there, tool=TOOL):
    other = ToolEvidence(HTTP, tool, (there,) if there else ())
    return [check.said for check in judge(ToolEvidence(MCP, tool, (here,), beside=other))]


ACCEPTED, REFUSED = Outcome.ACCEPTED, Outcome.INPUT_REFUSED


@pytest.mark.parametrize(
    ("here", "there", "found"),
    [
        (ACCEPTED, REFUSED, [Said.BROKEN]),
        (REFUSED, ACCEPTED, [Said.BROKEN]),
        (REFUSED, REFUSED, [Said.HOLDS]),
        (REFUSED, Outcome.OTHER_REFUSED, []),
        (Outcome.SERVER_FAULT, REFUSED, []),
    ],
)
def test_acceptance_is_compared_and_what_proves_nothing_is_not(here, there, found):
    assert said(call(MCP, here), call(HTTP, there)) == found


def test_calls_with_other_arguments_are_not_compared():
    assert said(call(MCP, ACCEPTED, arguments={"n": "y"}), call(HTTP, REFUSED)) == []


def test_a_valid_call_is_compared_only_where_the_tool_changes_nothing():
    pair = (call(MCP, ACCEPTED, violation=None), call(HTTP, REFUSED, violation=None))
    assert said(*pair) == [Said.BROKEN]
    assert said(*pair, tool=replace(TOOL, annotations=Annotations())) == []


def test_a_run_is_put_beside_the_first_of_another_binding_before_it():
    runs = {r.id: RunEvidence(r, by_tool={"t": ToolEvidence(r, TOOL)}) for r in (HTTP, MCP, OLD)}
    beside = {name: one.by_tool["t"].beside for name, one in side_by_side(runs).items()}
    assert {name: b.run.id if b else None for name, b in beside.items()} == {
        "http": None,
        "mcp-2026-07-28": "http",
        "mcp-2025-11-25": "http",
    }
