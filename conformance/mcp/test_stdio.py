"""Standard output, the end of the input, and what must not stop a server (MCP-STDIO, MCP-WIRE)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.formats.problem import shown
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Trouble
from conformance.kit.model.step import Mark, Step
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, other_refusal
from conformance.kit.verdicts.sent_words import step_words
from conformance.mcp.script_wire import BEFORE
from conformance.mcp.seen import (
    answered,
    is_answered,
    is_ok,
    messages_of,
    not_taken,
    proves_nothing,
)
from conformance.mcp.test_rpc import is_garbled

_LONGEST = 200
_SAYS_SOMETHING = frozenset({"method", "result", "error", "id"})


@clause("MCP-STDIO-001", protocol=True)
def test_nothing_but_messages_is_on_stdout(run: RunEvidence) -> Checks:
    """Each line on stdout is a message.

    RPC-007 reports bad encoding, RPC-002 badly formed answers.
    """
    for exchange in run.exchanges:
        if exchange.answer is None:
            continue
        lines = [line for line in exchange.answer.noise if not is_garbled(line)]
        odd = [m for m in messages_of(exchange) if not _is_message(m)]
        for line in (*lines, *odd):
            yield broken(exchange, "finding.mcp.stdout", line=shown(line, _LONGEST))
        if not lines and not odd:
            yield holds()


def _is_message(value: Any) -> bool:
    if isinstance(value, list):  # the answer to a batch, which the kit sends in every version
        return all(isinstance(each, dict) for each in value)
    return isinstance(value, dict) and not _SAYS_SOMETHING.isdisjoint(value)


@clause("MCP-STDIO-002")
def test_the_server_ends_with_its_input(run: RunEvidence) -> Checks:
    """The server exits after its input ends, before the kit has to end it by force."""
    exchange = run.step("mcp_alone", "end")
    if exchange is None or exchange.answer is None:
        yield not_taken("mcp_alone", "end")
    elif exchange.trouble is Trouble.TIMEOUT:
        yield broken(exchange, "finding.mcp.goes_on", seconds=round(exchange.elapsed, 1))
    else:
        yield holds()


@clause("MCP-WIRE-001")
def test_a_good_message_is_answered_after_each_odd_one(run: RunEvidence) -> Checks:
    """After each odd message, whatever its answer was, a good message is answered.

    A server without `ping` may answer the good message with an error before any odd one. Then an
    error is enough afterwards, too.
    """
    steps = run.steps("mcp_wire")
    before = steps.get(Step(BEFORE, mark=Mark.AGAIN)) or steps.get(Step(BEFORE))
    if before is None or not is_answered(before):
        yield not_taken("mcp_wire", BEFORE)
        return
    for step, alive in steps.items():
        if step.mark is not Mark.ALIVE:
            continue
        exchange = steps.get(replace(step, mark=Mark.AGAIN), alive)
        if is_ok(exchange) or (is_answered(exchange) and not is_ok(before)):
            yield holds()
        elif proves_nothing(exchange):
            yield other_refusal(exchange)
        else:
            words, answer = step_words(step.name), answered(exchange)
            yield broken(exchange, "finding.mcp.not_alive", step=words, answer=answer)
