"""What a model does not see, and where MCP places it: RT-INJ-002, RT-SD-007, RT-MCP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.formats.problem import json_path, shown
from conformance.formats.schema.equality import difference, same
from conformance.formats.tool.meta import held, key_in
from conformance.kit.evidence.evidence import ToolEvidence
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown
from conformance.runtime.records import (
    BOUNDS,
    Record,
    as_object,
    ended,
    not_called,
    records,
)
from conformance.runtime.scripts import CANARY, RESERVED
from conformance.spec.messages import listed
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey, Outcome


def _declares(tool: ToolEvidence) -> bool:
    return bool(tool.entry is not None and tool.entry.get("server_data"))


@clause("RT-INJ-002")
def test_an_injected_field_of_the_caller_is_not_obeyed(tool: ToolEvidence) -> Checks:
    """A call with an injected field is refused, or gets the same result as without it.

    The plain calls before and after it must have equal results; otherwise nothing is known.
    """
    by_step = {each.step: each for each in records(tool)}
    record = by_step.get("injected")
    if record is None:
        return
    if not record.reading.accepted:
        yield holds()
        return
    plain, again = (_given(by_step.get(step)) for step in ("plain", "plain-again"))
    given = _given(record)
    if CANARY in str(given):
        yield broken(record.at, "finding.runtime.injected_echoed", value=CANARY)
    elif plain is None or not same(plain, again):
        yield unknown("kit.not_verified.unsteady", record.at)
    elif not same(given, plain):
        place, wrong, right = difference(given, plain)
        values = {"value": shown(CANARY), "given": shown(wrong), "plain": shown(right)}
        values["place"] = json_path(("result", *place))
        yield broken(record.at, "finding.runtime.injected_obeyed", **values)
    else:
        yield holds()


def _given(record: Record | None) -> Any:
    return as_object(record.result).get("result") if record is not None else None


@clause("RT-SD-007")
def test_the_tool_does_not_receive_the_reserved_argument(tool: ToolEvidence) -> Checks:
    """A call with the reserved argument is not refused as invalid input."""
    for record in records(tool):
        if RESERVED not in record.arguments or not _declares(tool):
            continue
        if record.reading.outcome is Outcome.INPUT_REFUSED:
            yield broken(record.at, "finding.runtime.reserved_refused", argument=RESERVED)
        elif record.reading.accepted:
            yield holds()


@clause("RT-MCP-001")
def test_error_and_hint_stand_in_their_places(tool: ToolEvidence) -> Checks:
    """A result with `isError` has the error in `_meta`, and no retry hint in another place."""
    if tool.left_out is not None:
        yield not_called(tool.left_out)
        return
    for record in records(tool):
        result = as_object(record.reading.result)
        if result.get("isError") is not True:
            continue
        meta = as_object(result.get("_meta"))
        places = (
            result,
            as_object(result.get("structuredContent")),
            as_object(held(meta, MetaKey.ERROR)),
        )
        if not isinstance(held(meta, MetaKey.ERROR), dict):
            path = f'$._meta["{META_KEY_NAME[MetaKey.ERROR]}"]'
            yield broken(record.at, "finding.runtime.no_error_meta", path=path)
        elif any("retry_hint" in place for place in places):
            yield broken(
                record.at, "finding.runtime.hint_elsewhere", place=META_KEY_NAME[MetaKey.RETRY_HINT]
            )
        else:
            yield holds()


@clause("RT-MCP-002")
def test_a_bounded_tool_declares_its_bounds_over_mcp(tool: ToolEvidence) -> Checks:
    """A bounded tool has its bounds in the output schema, and in the data of each success."""
    if tool.entry is None or tool.entry.get("bounded") is not True:
        return
    schema = as_object(tool.tool.raw.get("outputSchema"))
    absent = [name for name in BOUNDS if name not in as_object(schema.get("properties"))]
    if absent:
        yield broken(None, "finding.runtime.bounds_undeclared", fields=listed(absent))
    else:
        yield holds()
    for record in ended(tool):
        given = as_object(as_object(record.reading.result).get("structuredContent"))
        if record.reading.accepted and not {"returned", "truncated"} <= given.keys():
            yield broken(record.at, "finding.runtime.bounds_not_given")


@clause("RT-MCP-003")
def test_server_data_stands_in_its_place(tool: ToolEvidence) -> Checks:
    """Server data is under its key in `_meta`, and not elsewhere in the result."""
    if not _declares(tool):
        return
    for record in ended(tool):
        for place, found in _places(record):
            if RESERVED in found:
                values = {"place": place, "right": META_KEY_NAME[MetaKey.SERVER_DATA]}
                yield broken(record.at, "finding.runtime.data_elsewhere", **values)
                break
        else:
            if key_in(as_object(record.reading.result).get("_meta"), MetaKey.SERVER_DATA):
                yield holds()


def _places(record: Record) -> Iterator[tuple[str, dict[str, Any]]]:
    result = as_object(record.reading.result)
    yield shown("result"), result
    yield shown("structuredContent"), as_object(result.get("structuredContent"))
    yield shown("_meta"), as_object(result.get("_meta"))
