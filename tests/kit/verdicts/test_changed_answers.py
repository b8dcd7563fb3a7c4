"""Answers that are changed at random: every clause has a verdict, and nothing raises."""

import json
import random
import shlex
import sys
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.evidence import call_of
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.case import CaseKind
from conformance.kit.model.results import kit_traces
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.repair.hints import follow, hint_of, with_lists
from conformance.kit.repair.suggestions import apply
from conformance.kit.report.data import results_document
from conformance.kit.report.html.page import Page
from conformance.kit.report.reporter import Report
from conformance.kit.report.summary import Summary
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.kit.verdicts.judge import Question, judge, judge_all
from conformance.kit.verdicts.rates import Tally
from conformance.spec.vocabulary import Scope
from fixtures.gateways.beside import gateway
from fixtures.gateways.faults import Fault
from fixtures.servers.start import REFERENCE, listening
from tests.changed import changed
from tests.gateways.driving import settings as of_gateway
from tests.kit.samples import (
    HTTP,
    MCP,
    SCHEMA,
    TOOL,
    case,
    envelope,
    error,
    judges,
    result,
    rpc,
    run_evidence,
    tool_evidence,
    web,
)
from tests.thorough import up_to

SUGGESTED = error(suggested_value=3, allowed_values=[1, 2, 3], received_value=10)
BOTH = (SUGGESTED, error(parameter="day", suggested_value="2026-01-01"))


def good_answers(run):
    """Calls of one tool that a good server answers: accepted, refused, and refused for state."""
    kinds = (CaseKind.BASELINE, CaseKind.VALID, CaseKind.BROKEN, CaseKind.BROKEN, CaseKind.AFTER)
    cases = [case(kind, run=run) for kind in kinds]
    state = error("state-conflict", None)
    if run is HTTP:
        told = (
            (200, {"ok": True}),
            (200, {"count": 2}),
            (422, envelope(*BOTH)),
            (400, envelope(SUGGESTED)),
            (409, envelope(state)),
        )
        return [web(status, body, of=of) for of, (status, body) in zip(cases, told, strict=True)]
    replies = (
        result("done"),
        result("2", structuredContent={"count": 2}),
        result(json.dumps(envelope(*BOTH)), isError=True),
        {"error": {"code": -32602, "message": "no", "data": envelope(SUGGESTED)}},
        result("busy", isError=True, structuredContent=envelope(state)),
    )
    return [rpc(body, of=of, run=run) for of, body in zip(cases, replies, strict=True)]


@pytest.mark.parametrize("run", [HTTP, MCP], ids=["http", "mcp"])
@hypothesis(max_examples=up_to(40, 1000), deadline=None)
@given(st.integers(0, 2**32))
@example(0)
def test_a_call_whose_answer_is_changed_is_read_followed_and_judged(run, seed):
    draw = random.Random(seed)
    calls = [call_of(changed(draw, exchange), TOOL) for exchange in good_answers(run)]
    for call in calls:
        read, arguments = call.reading, call.case.arguments
        errors = read.envelope.errors if read.envelope is not None else ()
        apply(with_lists(arguments, errors, SCHEMA), errors, SCHEMA)
        if (hint := hint_of(read)) is not None:
            follow(hint, arguments)
    tool = tool_evidence(*calls, run=run)
    Tally().add(tool)
    evidence = run_evidence(tool, run=run, claims=True)
    items = [
        judge(Question(test, clause, run.id, TOOL.name), evidence)
        for test, clause in judges().values()
        if clause.scope is Scope.TOOL
    ]
    assert kit_traces(items) == ()


def of_reference():
    """Sessions with one tool of the reference server: over HTTP, and over MCP in both ways."""
    command = shlex.join([sys.executable, "-m", REFERENCE, "--stdio"])
    chapters = ("atdf", "ardf", "http", "mcp", "runtime")
    with listening(REFERENCE) as url:
        yield driven(
            chapters,
            Settings(
                targets=(url, f"stdio:{command}"),
                allow_calls=AllowCalls.ALL,
                include_tools=("validate_data",),
                spec_versions=("2025-11-25",),
                max_examples=0,
            ),
        )


def of_a_gateway():
    with gateway(Fault("").app) as (url, port):
        yield driven(("gateway",), of_gateway(url, port))


def driven(chapters, settings):
    """What was asked in a session, and its evidence."""
    loaded = [load(f"conformance.{name}") for name in chapters]
    session = Session(settings)
    session.scripts.extend(script for chapter in loaded for script in chapter.scripts)
    session.discover(settings.targets)
    asked = session.questions([test for chapter in loaded for test in chapter.tests])
    session.drive()
    return session, asked, session.evidence()


@pytest.fixture(scope="module", params=[of_reference, of_a_gateway])
def recorded(request):
    yield from request.param()


def other(draw, evidence):
    """The evidence of a run in which some answers are others, and all that is read from them."""
    share = draw.choice((0.02, 0.2, 0.7))

    def some(exchanges):
        return tuple(changed(draw, e) if draw.random() < share else e for e in exchanges)

    scripts = {name: some(played) for name, played in evidence.scripts.items()}
    by_tool = {
        name: replace(
            tool, calls=tuple(call_of(e, tool.tool) for e in some(c.exchange for c in tool.calls))
        )
        for name, tool in evidence.by_tool.items()
    }
    known = offered(scripts[LOOKED], evidence.tools)
    known = replace(known, families=evidence.offered.families)
    return replace(evidence, scripts=scripts, by_tool=by_tool, offered=known)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(up_to(4, 300)))
def test_a_session_whose_answers_are_changed_is_judged_and_told(recorded, seed):
    session, asked, evidence = recorded
    draw = random.Random(seed)
    session.driver.evidence = {name: other(draw, one) for name, one in evidence.items()}
    items = judge_all(asked, session.evidence())
    assert kit_traces(items.values()) == ()
    outcome = session.results(asked, items)
    assert outcome.kit_errors == ()
    report, page = Report(outcome), Page("1")
    assert "".join(page.parts(report)).encode("utf-8")
    assert page.failed.noted == []
    assert "".join(Summary().parts(report)).encode("utf-8")
    assert json.dumps(results_document(outcome))
