"""Evidence made by hand, for the tests of the MCP chapter's judges."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import count

from conformance.formats.catalog.normalize import Source, tools_of
from conformance.kit.evidence.catalog import TOOLS_LIST
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence, call_of
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Answer, Exchange, StdioRequest
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import binding_of
from conformance.kit.verdicts.checks import load
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import Binding

JSON = ("content-type", "application/json")
MODERN_RUN = Run("mcp-2026-07-28", "t", Binding.MCP, "http://127.0.0.1:1/mcp", "2026-07-28")
LEGACY_RUN = Run("mcp-2025-11-25", "t", Binding.MCP, "http://127.0.0.1:1/mcp", "2025-11-25")
MODERN_STDIO = Run("stdio-2026-07-28", "t", Binding.STDIO, "server", "2026-07-28")
LEGACY_STDIO = Run("stdio-2025-11-25", "t", Binding.STDIO, "server", "2025-11-25")
OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}}

_numbers = count(1)


@cache
def judges():
    """The chapter's clause tests by their clause."""
    return {test.clause: test for test, _ in load("conformance.mcp").tests}


def verdict(clause, evidence, tool=None):
    """What the chapter says of one clause: its item."""
    question = Question(judges()[clause], clauses()[clause], evidence.run.id, tool)
    return judge(question, evidence)


def said(clause, run, tool=None):
    """The verdict alone."""
    return verdict(clause, run, tool).verdict


def speaker(run):
    return replace(binding_of(run, Settings()), shaken=True)


def exchange(run, step, reply=None, *, method="tools/list", params=None, script="s", **more):
    """An answered request. `reply` is what comes with `id`, or a whole body as bytes.

    `status`, `headers`, `trouble`, `noise`, `others` (messages before the answer), `elapsed`,
    `request`, `case` and `bare` (no answer at all) change the rest.
    """
    number = next(_numbers)
    request = more.get("request") or speaker(run).request(method, params or {}, id=number)
    answer = None if more.get("bare") else _answer(request, reply, more)
    return Exchange(
        id=number,
        run=run.id,
        request=request,
        answer=answer,
        trouble=more.get("trouble"),
        started=0.0,
        elapsed=more.get("elapsed", 0.01),
        case=more.get("case"),
        script=script,
        step=Step(step) if isinstance(step, str) else step,
    )


def _answer(request, reply, more):
    stdio = isinstance(request, StdioRequest)
    others = tuple(more.get("others", ()))
    noise = tuple(more.get("noise", ()))
    headers = tuple(more.get("headers", (JSON,)))
    if reply is None:
        return Answer(more.get("status", 0), headers, messages=others, noise=noise)
    if isinstance(reply, bytes):
        return Answer(more.get("status", 200), headers, reply, others, noise)
    message = {"jsonrpc": "2.0", "id": request.answer_to, **reply}
    body = json.dumps(message).encode()
    if stdio:
        return Answer(0, (), body, (*others, message), noise)
    messages = (*others, message) if others else ()
    return Answer(more.get("status", 200), headers, body, messages, noise)


def result(**members):
    return {"result": members}


def error(code, **data):
    said = {"code": code, "message": "no"}
    return {"error": {**said, "data": data} if data else said}


def evidence(run, **scripts):
    """A run with these scripts: each a list of exchanges, renamed to it."""
    own = {
        name: tuple(replace(one, script=name) for one in exchanges)
        for name, exchanges in scripts.items()
    }
    return RunEvidence(run, scripts=own)


def with_tool(run, declared, *calls, scripts=None, **more):
    """A run with one tool; each call is (kind, reply) or (kind, reply, case fields)."""
    found = tools_of({"tools": [declared]}, Source.MCP).tools
    made = []
    for kind, reply, *fields in calls:
        case = Case(
            CaseId(run.id, declared["name"], f"c{next(_numbers)}"),
            kind,
            "scenario",
            {},
            Expectation.ACCEPT,
        )
        case = replace(case, **fields[0]) if fields else case
        request = speaker(run).call(found[0], {}, id=next(_numbers))
        made.append(
            call_of(exchange(run, None, reply, request=request, case=case, script=None), found[0])
        )
    own = ToolEvidence(run, found[0], tuple(made))
    by_tool = {declared["name"]: own}
    return RunEvidence(run, found, by_tool=by_tool, scripts=scripts or {}, **more)


def tool(name="count", **fields):
    return {"name": name, "inputSchema": OBJECT, **fields}


def text(words):
    return {"type": "text", "text": words}


BASELINE = CaseKind.BASELINE
BROKEN, VALID, SECOND = CaseKind.BROKEN, CaseKind.VALID, CaseKind.SECOND


def refused(step, code, run=MODERN_RUN, script="mcp_requests", status=400, good="good", **data):
    return evidence(
        run,
        **{
            script: [
                exchange(run, good, result(resultType="complete")),
                exchange(run, step, error(code, **data), status=status),
            ]
        },
    )


def answer(reply, run=MODERN_RUN, **more):
    return evidence(run, discovery=[exchange(run, Step(TOOLS_LIST, number=1), reply, **more)])
