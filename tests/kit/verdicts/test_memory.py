"""No check of a run holds what it has looked at: the calls of all tools would fill the memory."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.kit.evidence.catalog import Offered
from conformance.kit.evidence.evidence import ToolEvidence, call_again
from conformance.kit.verdicts.judge import Question, judge, judge_all
from conformance.spec.vocabulary import Scope
from tests.kit.samples import (
    HTTP,
    LEGACY,
    STDIO,
    TOOL,
    case,
    judges,
    result,
    rpc,
    run_evidence,
    web,
)

TOOLS = 30


class Body(bytes):
    """A body that says how many of its kind there are at the same time."""

    alive = most = 0

    def __new__(cls, content):
        cls.alive += 1
        cls.most = max(cls.most, cls.alive)
        return super().__new__(cls, content)

    def __del__(self):
        type(self).alive -= 1


class ReadBack(Sequence):
    """One call, made anew for each look, as what is read from a file is."""

    def __init__(self, run, tool):
        own = case(run=run)
        made = web(200, b"{}", of=own) if run is HTTP else rpc(result("ok"), of=own, run=run)
        self._exchange, self._tool = replace(made, run=run.id), tool

    def __len__(self):
        return 1

    def __getitem__(self, index):
        request = self._exchange.request
        body = Body(getattr(request, "body", b"{}"))
        again = replace(self._exchange, request=replace(request, body=body))
        return [call_again(again, tool=self._tool)][index]


@pytest.mark.parametrize("run", [HTTP, LEGACY, STDIO], ids=lambda run: run.id)
def test_a_check_holds_few_of_the_calls_that_it_looks_at(run):
    tools = [replace(TOOL, name=f"tool_{n}") for n in range(TOOLS)]
    found = run_evidence(
        *(ToolEvidence(run, tool, ReadBack(run, tool)) for tool in tools),
        run=run,
        known_scripts=frozenset(),
    )
    holding, looked = [], 0
    for id, (test, clause) in judges().items():
        if clause.scope is Scope.TARGET:
            Body.most = 0
            judge(Question(test, clause, run.id), found)
            looked += Body.most > 0
            holding += [id] if Body.most > TOOLS / 2 else []
    assert looked, "no check looked at a call"
    assert holding == []


@pytest.mark.parametrize("run", [HTTP, LEGACY], ids=lambda run: run.id)
def test_the_checks_of_a_tool_do_not_hold_its_calls_when_the_next_tool_has_its_turn(run):
    tools = [replace(TOOL, name=f"tool_{n}") for n in range(TOOLS)]
    entries = {tool.name: {"id": f"a.b.{tool.name}", "description": "d"} for tool in tools}
    found = run_evidence(
        *(ToolEvidence(run, tool, ReadBack(run, tool), entry=entries[tool.name]) for tool in tools),
        run=run,
        scripts={"runtime_calls": ()},
        offered=Offered(catalog={"tools": list(entries.values())}, entries=entries),
    )
    asked = [
        Question(test, clause, run.id, tool.name)
        for tool in tools
        for test, clause in judges().values()
        if clause.scope is Scope.TOOL
    ]
    Body.most = 0
    judge_all(asked, {run.id: found})
    assert 0 < Body.most < TOOLS / 2
