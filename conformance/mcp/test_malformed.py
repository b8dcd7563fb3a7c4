"""How a server answers malformed messages (MCP-RPC, MCP-WIRE)."""

from __future__ import annotations

from dataclasses import replace

from conformance.formats.problem import shown
from conformance.formats.text import rpc
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.bindings import traits_of
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, other_refusal, unknown
from conformance.kit.verdicts.sent_words import step_words
from conformance.mcp.script_wire import BEFORE, FRACTION
from conformance.mcp.seen import (
    answered,
    code_of,
    error_of,
    is_answered,
    is_ok,
    proves_nothing,
    responses_of,
    status_of,
)
from conformance.spec.messages import Message

_WIRE = "mcp_wire"
_WELL_FORMED = frozenset({BEFORE, "unknown-notification", "unknown-method", "unknown-tool"})
_LONG = "long-text"
"""The server may close the connection while it reads a message that is too long."""
_UNREADABLE = ("not-json", "cut-json")
_NO_MESSAGE = ("a-number", "method-number")
_REFUSALS = frozenset({rpc.PARSE_ERROR, rpc.INVALID_REQUEST})
_READ = frozenset({rpc.METHOD_NOT_FOUND, rpc.INVALID_PARAMS})
"""Codes that also refuse a message whose JSON was read: a number cannot be a method's name."""
_ODD_IDS = ("id-fraction", "id-null")
_ROUNDED = (1, 2, "1", "2", "1.5", None)
"""Ids that a server may send if it changes the id 1.5."""


@clause("MCP-RPC-011")
def test_what_is_no_message_is_refused_as_such(run: RunEvidence) -> Checks:
    """A malformed message is refused with a JSON-RPC error.

    MCP-WIRE-002 reports server failures.
    """
    for step in (*_UNREADABLE, *_NO_MESSAGE):
        exchange = run.step(_WIRE, step)
        if exchange is None:
            continue
        if proves_nothing(exchange):
            yield other_refusal(exchange)
        elif _is_failure(run, exchange) or _is_passed_over(exchange):
            continue
        elif _is_refusal(exchange, _REFUSALS if step in _UNREADABLE else _REFUSALS | _READ):
            yield holds()
        else:
            yield broken(
                exchange,
                "finding.mcp.malformed",
                step=step_words(step),
                answer=answered(exchange),
                wanted=str(rpc.PARSE_ERROR if step in _UNREADABLE else rpc.INVALID_REQUEST),
            )


def _is_refusal(exchange: Exchange, codes: frozenset[int]) -> bool:
    return code_of(exchange) in codes


def _is_passed_over(exchange: Exchange) -> bool:
    """Return whether nothing came. Over stdio, a server need not answer an unreadable message."""
    if exchange.over_http:
        return exchange.answer is None
    return not any(True for _ in responses_of(exchange))


@clause("MCP-RPC-012")
def test_a_request_with_an_odd_id_is_not_left_waiting(run: RunEvidence) -> Checks:
    """A request with an odd id gets an answer with that id, or an error; over stdio, or none.

    The protocol does not allow null, so a server may take such a message for a notification.
    """
    for step in _ODD_IDS:
        exchange = run.step(_WIRE, step)
        after = run.steps(_WIRE).get(Step(step, mark=Mark.ALIVE))
        if exchange is None or after is None or not is_answered(after):
            yield unknown("kit.not_verified.step", exchange, reason=step_words(step))
        elif proves_nothing(exchange):
            yield other_refusal(exchange)
        elif _is_failure(run, exchange):
            continue
        elif (said := _waits(run, exchange, after, step)) is not None:
            yield broken(exchange, "finding.mcp.odd_id", step=step_words(step), answer=said)
        else:
            yield holds()


def _waits(
    run: RunEvidence, exchange: Exchange, after: Exchange, step: str
) -> str | Message | None:
    """Return what came instead of the right answer, or None if that came or is not needed."""
    sent = FRACTION if step == "id-fraction" else None
    if not traits_of(run.run).over_http:
        found = [one for each in (exchange, after) for one in responses_of(each) if "result" in one]
        wrong = [one["id"] for one in found if sent is not None and one.get("id", 0) in _ROUNDED]
        return f"id {shown(wrong[0])}" if wrong else None
    if error_of(exchange) is not None or status_of(exchange) >= 400:
        return None
    if status_of(exchange) == 202 and sent is None:
        return None
    if not is_ok(exchange):
        return answered(exchange)
    found = [one for one in responses_of(exchange) if "result" in one]
    wrong = [shown(one.get("id")) for one in found if one.get("id") != sent]
    return f"id {wrong[0]}" if wrong else None


@clause("MCP-WIRE-002")
def test_a_malformed_message_is_no_failure_of_the_server(run: RunEvidence) -> Checks:
    """A malformed message does not make the server fail. The server may accept or refuse it."""
    for step, exchange in run.steps(_WIRE).items():
        if step.name in _WELL_FORMED or step.mark is not None:
            continue
        if proves_nothing(exchange):
            yield other_refusal(exchange)
        elif _is_failure(run, exchange):
            words, answer = step_words(step.name), answered(exchange)
            yield broken(exchange, "finding.mcp.wire_fault", step=words, answer=answer)
        elif exchange.answer is not None:
            yield holds()


def _is_failure(run: RunEvidence, exchange: Exchange) -> bool:
    """Return whether the answer is a failure of the server, or the server dropped the connection.

    Another clause reports a server that does not run afterwards.
    """
    if status_of(exchange) >= 500 or code_of(exchange) == rpc.INTERNAL_ERROR:
        return True
    step = exchange.step
    if step is None or exchange.trouble is not Trouble.CLOSED or step.name == _LONG:
        return False
    steps = run.steps(_WIRE)
    after = (steps.get(replace(step, mark=mark)) for mark in (Mark.ALIVE, Mark.AGAIN))
    alive = any(each is not None and is_answered(each) for each in after)
    return exchange.over_http and exchange.answer is None and alive
