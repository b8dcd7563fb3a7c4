"""Tool results: their content, their bounds, their ids (RT-META, RT-BND-010, RT-HTTP-001)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.runtime.calls import items
from conformance.formats.schema.equality import same
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.verdicts.checks import (
    Checks,
    broken,
    broken_rule,
    by_rules,
    clause,
    family,
    holds,
)
from conformance.runtime.records import (
    BOUNDS,
    Members,
    Record,
    as_object,
    ended,
    not_called,
    records,
)
from conformance.spec.clauses import Clause
from conformance.spec.vocabulary import Family, Outcome, ToolTrait

_TRAITS: Mapping[ToolTrait, Callable[[Members], bool]] = {
    ToolTrait.AGENT: lambda entry: entry.get("kind") == "agent",
    ToolTrait.BOUNDED: lambda entry: entry.get("bounded") is True,
    ToolTrait.UNBOUNDED: lambda entry: entry.get("bounded") is not True,
    ToolTrait.SERVER_DATA: lambda entry: bool(entry.get("server_data")),
}


@family(Family.TOOL_RESULT)
def test_each_tool_result(tool: ToolEvidence, clause: Clause) -> Checks:
    """Each tool result follows the rules. A result without a clause's fields is not a pass."""
    when = clause.when
    if when.tool is not None and (tool.entry is None or not _TRAITS[when.tool](tool.entry)):
        return
    if tool.left_out is not None:
        yield not_called(tool.left_out)
        return
    for record in ended(tool):
        given = when.always or any(name in as_object(record.result) for name in when.has)
        yield from by_rules(record.at, record.problems, clause.id, counts=given)


@clause("RT-HTTP-001")
def test_the_body_is_the_tool_result(tool: ToolEvidence) -> Checks:
    """The body of an accepted call, or of a call with refused arguments, is a tool result."""
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


@clause("RT-BND-010")
def test_a_result_is_cut_exactly_where_a_larger_one_has_more(tool: ToolEvidence) -> Checks:
    """A result says `truncated: true` exactly if it has fewer items than there are.

    The script asks for all items, for one more, and for one fewer.
    """
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
        if not fewer and not same(given, whole):
            continue  # the items changed since the first call, so they cannot be compared
        if not given and fewer:
            continue  # RT-BND-002: an empty page may say either, with the total that fits
        if cut is fewer:
            yield holds()
        elif fewer:
            told = "finding.runtime.cut_in_silence"
            yield broken(record.at, told, returned=len(given), whole=len(whole))
        else:
            yield broken(record.at, "finding.runtime.whole_called_cut", whole=len(whole))


def _list(record: Record | None) -> list[Any] | None:
    """Return the items of a success, without the bounds that MCP places among them."""
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
            yield broken_rule(record.at, problem, None)
        if not problems:
            yield holds()


@clause("RT-META-006")
def test_each_call_without_meta_has_an_id_of_its_own(tool: ToolEvidence) -> Checks:
    """No id appears twice. RT-RES-001 and RT-META-005 report an answer without an id."""
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
