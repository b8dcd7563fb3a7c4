"""Tool results and their bounds (RT-RES, RT-BND, RT-META, RT-HTTP-001)."""

from __future__ import annotations

from typing import Any

from conformance.formats.problem import shown
from conformance.formats.runtime.calls import items
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.verdicts.checks import Checks, broken, clause, holds
from conformance.runtime.records import (
    BOUNDS,
    Record,
    as_object,
    ended,
    judged,
    not_called,
    records,
)
from conformance.spec.vocabulary import Outcome


@clause("RT-HTTP-001")
def test_the_body_is_the_tool_result(tool: ToolEvidence) -> Checks:
    """Of accepted calls, and of those that were refused for their arguments."""
    if tool.left_out is not None:
        yield not_called(tool.left_out)
        return
    for record in records(tool):
        if record.reading.outcome not in {Outcome.ACCEPTED, Outcome.INPUT_REFUSED}:
            continue
        if record.result is None:
            yield broken(record.at, "finding.runtime.no_result")
        else:
            yield holds()


@clause("RT-RES-001")
def test_a_tool_result_has_name_and_id(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-RES-001")


@clause("RT-RES-002")
def test_a_tool_result_has_a_result_or_an_error(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-RES-002")


@clause("RT-RES-003")
def test_a_retry_hint_comes_with_an_error(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-RES-003", when="retry_hint")


@clause("RT-RES-004")
def test_a_tool_result_names_the_tool(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-RES-004", when="name")


@clause("RT-RES-005")
def test_a_run_link_has_a_run(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-RES-005", when="run_link")


@clause("RT-RES-006")
def test_a_result_is_as_the_catalog_says(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-RES-006", when="result")


@clause("RT-KIND-002")
def test_the_result_of_an_agent_links_its_run(tool: ToolEvidence) -> Checks:
    if tool.entry is not None and tool.entry.get("kind") == "agent":
        yield from judged(tool, "RT-KIND-002", when="result")


@clause("RT-BND-001")
def test_bounds_have_their_form(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-BND-001", when="bounds")


@clause("RT-BND-002")
def test_nothing_returned_is_nothing_cut(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-BND-002", when="bounds")


@clause("RT-BND-003")
def test_the_total_is_not_less_than_what_is_returned(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-BND-003", when="bounds")


@clause("RT-BND-004")
def test_a_whole_result_returns_its_total(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-BND-004", when="bounds")


@clause("RT-BND-005")
def test_a_cut_result_says_how_to_ask_for_fewer(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-BND-005", when="bounds")


@clause("RT-BND-006")
def test_a_bounded_tool_tells_its_bounds(tool: ToolEvidence) -> Checks:
    if tool.entry is not None and tool.entry.get("bounded") is True:
        yield from judged(tool, "RT-BND-006", when="result")


@clause("RT-BND-007")
def test_as_many_are_returned_as_said(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-BND-007", when="bounds")


@clause("RT-BND-008")
def test_a_failure_has_no_bounds(tool: ToolEvidence) -> Checks:
    yield from judged(tool, "RT-BND-008", when="error")


@clause("RT-BND-009")
def test_an_unbounded_tool_has_no_bounds(tool: ToolEvidence) -> Checks:
    if tool.entry is not None and tool.entry.get("bounded") is not True:
        yield from judged(tool, "RT-BND-009", when="result")


@clause("RT-BND-010")
def test_a_result_is_cut_exactly_where_a_larger_one_has_more(tool: ToolEvidence) -> Checks:
    """Asked for exactly as many as there are, for one more and for one fewer."""
    by_step = {each.step: each for each in records(tool)}
    whole = _list(by_step.get("all"))
    if whole is None:
        return
    for step in ("exactly", "larger", "fewer"):
        record = by_step.get(step)
        given = _list(record)
        if record is None or given is None:
            continue
        cut = as_object(as_object(record.result).get("bounds")).get("truncated")
        fewer = len(given) < len(whole)
        if not fewer and given != whole:
            continue  # other items than a moment ago: they cannot be compared
        if not given and fewer:
            continue  # RT-BND-002: what returns nothing is not cut
        if cut is fewer:
            yield holds()
        elif fewer:
            told = "finding.runtime.cut_in_silence"
            yield broken(record.at, told, returned=len(given), whole=len(whole))
        else:
            yield broken(record.at, "finding.runtime.whole_called_cut", whole=len(whole))


def _list(record: Record | None) -> list[Any] | None:
    """The items of a success; the bounds that stand among them over MCP are none."""
    if record is None or not record.reading.accepted:
        return None
    result = as_object(record.result).get("result")
    if isinstance(result, dict):
        result = {name: value for name, value in result.items() if name not in BOUNDS}
    return items(result)


@clause("RT-META-005")
def test_a_result_echoes_the_id_of_its_call(tool: ToolEvidence) -> Checks:
    for record in ended(tool):
        if record.meta is None:
            continue
        problems = [each for each in record.problems if each.clause == "RT-META-005"]
        for problem in problems:
            words = problem.message
            yield broken(record.at, words.id, path=None, **dict(words.values))
        if not problems:
            yield holds()


@clause("RT-META-006")
def test_each_call_without_meta_has_an_id_of_its_own(tool: ToolEvidence) -> Checks:
    """An answer without any id is no repetition: RT-RES-001 and RT-META-005 speak of it."""
    seen: set[str] = set()
    for record in ended(tool):
        own = as_object(record.result).get("tool_call_id")
        if record.meta is not None or not isinstance(own, str) or own == "-":
            continue
        if own in seen:
            yield broken(record.at, "finding.runtime.id_twice", call=shown(own))
        else:
            yield holds()
        seen.add(own)
