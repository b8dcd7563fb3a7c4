"""Calls and runs made by hand, for the tests of the kit's session."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import count

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence, call_of
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.case import Case, CaseKind, Expectation, Strictness, Violation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Answer, Exchange
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.bindings import binding_of
from conformance.kit.transport.http import HttpBinding
from conformance.kit.verdicts.checks import load
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.vocabulary import Binding
from tests.root import ROOT

HERE = "http://127.0.0.1:1"
HTTP = Run("http", HERE, Binding.HTTP, HERE)
MCP = Run("mcp-2026-07-28", HERE, Binding.MCP, f"{HERE}/mcp", "2026-07-28")
LEGACY = Run("mcp-2025-11-25", HERE, Binding.MCP, f"{HERE}/mcp", "2025-11-25")
STDIO = Run("stdio-2025-11-25", "stdio:serve", Binding.STDIO, "serve", "2025-11-25")
SCHEMA = {
    "type": "object",
    "properties": {"day": {"type": "string"}, "count": {"type": "integer", "maximum": 9}},
    "required": ["count"],
}
TOOL = Tool("book", SCHEMA, ToolForm.CATALOG, {"name": "book"})
JSON = (("content-type", "application/json"),)

_numbers = count(1)


def error(kind="validation-error", parameter="count", **more):
    """One ATDF error."""
    return {
        "type": f"https://agentformats.org/errors/{kind}",
        "title": "T",
        "detail": "D",
        "instance": f"/errors/{next(_numbers)}",
        "tool_name": "book",
        "parameter_name": parameter,
        **more,
    }


def envelope(*errors):
    """An `errors[]` body."""
    return {"errors": list(errors)}


def case(kind=CaseKind.BROKEN, *, run=HTTP, tool=TOOL, **changes):
    """A case: a broken one is a `count` of 10 where 9 is the most; others are right."""
    broken = kind is CaseKind.BROKEN
    made = Case(
        id=CaseId(run.id, tool.name, f"{kind.value}-{next(_numbers)}"),
        kind=kind,
        scenario="above-maximum" if broken else kind.value,
        arguments={"count": 10 if broken else 2},
        expects=Expectation.REJECT if broken else Expectation.ACCEPT,
        violation=Violation("/count", "count", ("maximum",), was=2, sent=10) if broken else None,
        strictness=Strictness.STRICT if broken else None,
        repairable=broken,
    )
    return replace(made, **changes)


def web(status, body=b"", *, of=None, trouble=None, answered=True, headers=JSON, tool=TOOL):
    """The exchange of a call over HTTP; `body` is bytes or a JSON value."""
    of = of or case()
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = Answer(status, headers, content) if answered else None
    request = HttpBinding(HTTP).call(tool, of.arguments)
    return Exchange(next(_numbers), "http", request, answer, trouble, 0.0, 0.01, of)


def rpc(reply, *, of=None, run=MCP, status=200, trouble=None, messages=(), own_id=None):
    """The exchange of a call over MCP; `reply` comes with `jsonrpc` and `id`, or is bytes."""
    of = of or case(run=run)
    number = next(_numbers)
    request = replace(binding_of(run, Settings()), shaken=True).call(TOOL, of.arguments, id=number)
    body = reply
    if not isinstance(reply, bytes):
        answer_id = number if own_id is None else own_id
        body = json.dumps({"jsonrpc": "2.0", "id": answer_id, **reply}).encode()
    answer = Answer(status, JSON, body, messages)
    return Exchange(number, run.id, request, answer, trouble, 0.0, 0.01, of)


def result(*texts, **more):
    """An MCP result of text blocks."""
    content = [{"type": "text", "text": text} for text in texts]
    return {"result": {"content": content, **more}}


def called(exchange, tool=TOOL):
    """The exchange as a call."""
    return call_of(exchange, tool)


def accepted(kind=CaseKind.BASELINE, **changes):
    """A call that was accepted over HTTP."""
    return called(web(200, {"ok": True}, of=case(kind, **changes)))


def refused(*errors, kind=CaseKind.BROKEN, **changes):
    """A call that was refused over HTTP with an envelope."""
    return called(web(422, envelope(*errors or (error(),)), of=case(kind, **changes)))


def tool_evidence(*calls, tool=TOOL, run=HTTP, **more):
    """One tool's evidence."""
    return ToolEvidence(run, tool, tuple(calls), **more)


def run_evidence(*tools, run=HTTP, claims=False, scripts=None, **more):
    """A run's evidence, of tools' evidence."""
    return RunEvidence(
        run,
        tuple(one.tool for one in tools),
        by_tool={one.tool.name: one for one in tools},
        scripts={LOOKED: (), **(scripts or {})},
        claims_atdf=claims,
        **more,
    )


@cache
def judges():
    """The clause tests of all chapters by their clause."""
    chapters = {file.parent.name for file in ROOT.glob("conformance/*/test_*.py")}
    loaded = [load(f"conformance.{chapter}") for chapter in sorted(chapters)]
    return {clause.id: (test, clause) for chapter in loaded for test, clause in chapter.tests}


def verdict(clause, run, tool=None):
    """What the chapters say of one clause: its item. Of `tool` only where the clause is of one."""
    test, about = judges()[clause]
    return judge(Question(test, about, run.run.id, tool), run)


def of_tool(clause, *calls, **more):
    """The item of a clause about one tool, by calls of it; ATDF is claimed."""
    return verdict(clause, run_evidence(tool_evidence(*calls, **more), claims=True), TOOL.name)
