"""Calls: the form of their results, and of their refusals (MCP-CALL, MCP-MRTR, MCP-TASK)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.text import rpc
from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence
from conformance.kit.evidence.listing import takes_tasks
from conformance.kit.evidence.script import INITIALIZE
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import (
    Checks,
    absent,
    broken,
    clause,
    disguised_words,
    holds,
    unknown,
)
from conformance.mcp.script_wire import UNKNOWN_TOOL
from conformance.mcp.seen import (
    answered,
    code_of,
    method_of,
    not_taken,
    own_version,
    proves_nothing,
    result_of,
    shape_checks,
    usable,
)
from conformance.mcp.shapes import ShapeFault
from conformance.spec.vocabulary import Disguise, Missing

_MAY_NEED_INPUT = frozenset({"tools/call", "prompts/get", "resources/read"})


@clause("MCP-CALL-001", protocol=True)
def test_a_result_of_a_call_has_its_form(tool: ToolEvidence) -> Checks:
    """Each result has the right form. Other clauses report answers that are not results."""
    for call in tool.calls:
        if call.reading.result is not None:
            yield from shape_checks(call.exchange, "tools/call", tool.run.version, _others)


def _others(fault: ShapeFault) -> bool:
    return fault.steps[:1] in {("resultType",), ("inputRequests",), ("requestState",)}


@clause("MCP-CALL-002")
def test_an_unknown_tool_is_no_success(run: RunEvidence) -> Checks:
    """A call of an unknown tool gets an error, or a result with `isError`."""
    found: list[Exchange] = []
    yield from usable(run, "mcp_wire", "unknown-tool", found)
    for exchange in found:
        result = result_of(exchange)
        if exchange.answer is None or exchange.trouble is not None:
            yield unknown("kit.not_verified.no_answer", exchange)
        elif result is not None and result.get("isError") is not True:
            yield broken(exchange, "finding.mcp.unknown_tool", tool=UNKNOWN_TOOL)
        else:
            yield holds()


@clause("MCP-CALL-003")
def test_an_invalid_input_is_refused_in_a_result(tool: ToolEvidence) -> Checks:
    """An invalid input is refused in a result, not with the protocol's own error.

    Calls whose `arguments` is not an object are left out, because that error is right for them.
    """
    for call in tool.broken:
        if not isinstance(call.case.arguments, dict) or not call.reading.refused:
            continue
        if call.reading.rpc_code == rpc.INVALID_PARAMS and not tool.neighbour_accepted(call.case):
            yield unknown("kit.not_verified.baseline", call)
        elif call.reading.rpc_code == rpc.INVALID_PARAMS:
            yield broken(call, "finding.mcp.protocol_error", code=rpc.INVALID_PARAMS)
        elif call.reading.result is not None:
            yield holds()


@clause("MCP-CALL-004")
def test_embedded_resources_are_declared(run: RunEvidence) -> Checks:
    """A server that embeds resources declares the capability.

    A link to a resource does not count.
    """
    for call in run.calls:
        if not any(block.get("type") == "resource" for block in _blocks(call)):
            continue
        if "resources" in run.capabilities:
            yield holds()
        else:
            yield broken(call, "finding.mcp.resources_undeclared", tool=call.case.tool)


def _blocks(call: Call) -> list[Mapping[str, Any]]:
    content = (call.reading.result or {}).get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]


@clause("MCP-CALL-005")
def test_an_invalid_input_is_no_internal_error(tool: ToolEvidence) -> Checks:
    """An invalid input is not refused with the code for an internal error."""
    for call in tool.broken:
        if not call.reading.refused:
            continue
        if call.reading.rpc_code != rpc.INTERNAL_ERROR:
            yield holds()
        elif tool.neighbour_accepted(call.case):
            yield broken(call, "finding.mcp.internal_error", code=rpc.INTERNAL_ERROR)
        else:
            yield unknown("kit.not_verified.baseline", call)


@clause("MCP-CALL-006")
def test_a_failure_is_no_success(tool: ToolEvidence) -> Checks:
    """A result whose form shows a failure has `isError`. ATDF's envelope has another clause."""
    for call in tool.calls:
        if call.reading.disguise is Disguise.NOT_A_VALUE:
            continue  # it may be a right answer, but cannot be a baseline
        if call.reading.missing is not None and call.reading.missing[0] is Missing.QUOTA:
            continue  # it cannot be reproduced: a new process counts from zero
        if call.reading.disguise is not None:
            yield broken(call, "finding.mcp.disguised", **disguised_words(call.reading))
        elif call.reading.result is not None and call.reading.result.get("isError") is True:
            yield holds()


@clause("MCP-MRTR-001")
def test_a_result_that_asks_for_input_says_for_which(run: RunEvidence) -> Checks:
    """A result that asks for input has `inputRequests` or `requestState`.

    It may only answer a method that may need input.
    """
    for exchange in run.exchanges:
        result = result_of(exchange)
        if result is None or not _needs_input(result) or not own_version(run.run, exchange):
            continue
        method = method_of(exchange)
        if method not in _MAY_NEED_INPUT:
            yield broken(exchange, "finding.mcp.input_for_method", method=method)
        elif "inputRequests" not in result and "requestState" not in result:
            yield broken(exchange, "finding.mcp.input_for_nothing", method=method)
        else:
            yield holds()


@clause("MCP-MRTR-002")
def test_only_declared_input_is_asked_for(run: RunEvidence) -> Checks:
    """No result has `inputRequests`, because the kit declares no capability."""
    for exchange in run.exchanges:
        result = result_of(exchange)
        if result is None or not _needs_input(result) or not own_version(run.run, exchange):
            continue
        requests = result.get("inputRequests")
        if isinstance(requests, dict) and requests:
            asked = sorted({str(r.get("method")) for r in requests.values() if isinstance(r, dict)})
            yield broken(
                exchange,
                "finding.mcp.input_undeclared",
                methods=", ".join(asked) or "inputRequests",
            )
        else:
            yield holds()


def _needs_input(result: Mapping[str, Any]) -> bool:
    return result.get("resultType") == "input_required"


@clause("MCP-TASK-001")
def test_a_plain_call_of_a_task_is_refused(tool: ToolEvidence) -> Checks:
    """A plain call of a task is refused.

    The clause applies if the server declares tasks for calls.
    """
    if not tool.tool.task_required:
        return
    opening = {e.step: e for e in tool.played("mcp_handshake")}.get(INITIALIZE)
    if opening is None:
        yield not_taken("mcp_handshake", INITIALIZE)
        return
    if not takes_tasks((result_of(opening) or {}).get("capabilities")):
        yield absent("finding.mcp.no_tasks")
        return
    step = Step("call", tool=tool.tool.name)
    exchange = {e.step: e for e in tool.played("mcp_tasks")}.get(step)
    if exchange is None:
        yield not_taken("mcp_tasks", step)
    elif exchange.answer is None or proves_nothing(exchange):
        yield unknown("kit.not_verified.no_answer", exchange)
    elif code_of(exchange) == rpc.METHOD_NOT_FOUND:
        yield holds()
    else:
        yield broken(exchange, "finding.mcp.task_called", answer=answered(exchange))
