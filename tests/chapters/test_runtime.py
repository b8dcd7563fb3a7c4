"""Tool calls of the runtime vocabulary: what claims a tool, and what gives correct servers no
finding.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from conformance.kit.evidence.catalog import CATALOG, Offered, offered
from conformance.kit.evidence.script import Send, Stage
from conformance.kit.model.case import CaseKind
from conformance.kit.model.exchange import Answer, Exchange
from conformance.kit.model.step import Step
from conformance.kit.transport.http import HttpBinding
from conformance.kit.verdicts.checks import load
from conformance.kit.verdicts.judge import Question, judge, questions
from conformance.runtime.scripts import LATER, META_HEADER, POLL, SENT, runtime_calls, runtime_later
from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import Offer, Scope, Verdict
from tests.chapters.test_ardf import page
from tests.kit.samples import HTTP, TOOL, accepted, called, case, run_evidence, tool_evidence, web

JUDGES = {test.clause: test for test, _ in load("conformance.runtime").tests}
SERVED = replace(HTTP, endpoint="http://127.0.0.1:1/api")
ENTRY = {
    "id": f"shop.stock.{TOOL.name}",
    "service": "shop",
    "toolset": "stock",
    "description": "Counts.",
    "payload": {"schema": TOOL.input_schema},
}
OWN = {"name": ENTRY["id"], "tool_call_id": "c-1"}


def answered(body, kind=CaseKind.BASELINE, status=200, **changes):
    return called(web(status, body, of=case(kind, **changes)))


def step(name, body, arguments, *, meta=None):
    made = answered(body, arguments=arguments).exchange
    headers = made.request.headers + (((META_HEADER, json.dumps(meta)),) if meta else ())
    request = replace(made.request, headers=headers)
    own = Step(name, tool=TOOL.name)
    return Exchange(made.id, made.run, request, made.answer, None, 0, 0, script=SENT, step=own)


def told(clause, *calls, **evidence):
    return result(clause, *calls, **evidence).verdict


def result(clause, *calls, entry=ENTRY, steps=(), scripts=None):
    catalog = {"tools": [entry]}
    offers = Offered(catalog=catalog, entries={TOOL.name: entry})
    own = calls or (accepted(),)  # a tool that was not called shows nothing
    played = scripts or {SENT: steps}
    run = run_evidence(tool_evidence(*own, scripts=played), scripts=played, offered=offers)
    name = TOOL.name if clauses()[clause].scope is Scope.TOOL else None
    return judge(Question(JUDGES[clause], clauses()[clause], HTTP.id, name), run)


def bounded(count, *, limit, truncated, total=None):
    bounds = {"returned": count, "truncated": truncated, "refinement_hint": "Ask for fewer."}
    bounds |= {} if total is None else {"total": total}
    result = {"rows": [f"row {n}" for n in range(count)]}
    return {**OWN, "tool_call_id": f"c-{limit}-{count}", "result": result, "bounds": bounds}


def test_an_entry_is_found_by_the_last_part_of_its_id():
    found = offered([page(CATALOG.name, {"tools": [ENTRY]})], (TOOL,))
    assert found.names == {Offer.TOOLSETS: (TOOL.name,)}


def test_an_entry_that_two_share_is_about_no_tool():
    twin = {**ENTRY, "id": f"shop.other.{TOOL.name}"}
    found = offered([page(CATALOG.name, {"tools": [ENTRY, twin]})], (TOOL,))
    assert found.names == {Offer.TOOLSETS: ()}


def test_a_catalog_that_is_not_there_is_not_offered():
    assert offered([page(CATALOG.name, {"tools": [ENTRY]}, status=404)], (TOOL,)).names == {}


@pytest.mark.parametrize("clause", sorted(JUDGES))
def test_a_target_without_toolsets_is_asked_each_clause_once_and_owes_none(clause):
    run = run_evidence(tool_evidence(accepted()))
    known = {HTTP.id: (HTTP, (TOOL.name, "other"))}
    (asked,) = questions([(JUDGES[clause], clauses()[clause])], known, {})
    assert judge(asked, run).verdict is Verdict.NOT_APPLICABLE


def test_only_tools_of_toolsets_are_asked_about():
    known = {HTTP.id: (HTTP, (TOOL.name, "other"))}
    offers = {HTTP.id: {Offer.TOOLSETS: (TOOL.name,)}}
    asked = questions([(JUDGES["RT-BND-001"], clauses()["RT-BND-001"])], known, offers)
    assert [each.tool for each in asked] == [TOOL.name]


def test_an_unbounded_tool_may_give_any_result():
    call = answered({**OWN, "result": {"rows": []}})
    assert told("RT-BND-006", call) is Verdict.NOT_APPLICABLE
    assert told("RT-BND-009", call) is Verdict.PASS


def test_a_clause_about_bounded_tools_is_asked_of_them_alone():
    call = answered(bounded(2, limit=5, truncated=False))
    entry = {**ENTRY, "bounded": True}
    assert told("RT-BND-006", call, entry=entry) is Verdict.PASS
    assert told("RT-BND-009", call, entry=entry) is Verdict.NOT_APPLICABLE


def test_a_clause_about_server_data_is_asked_of_tools_that_declare_them():
    call = answered({**OWN, "result": {"n": 1}})
    data = [{"kind": "chart", "schema": {"type": "object"}}]
    declaring = {**ENTRY, "server_data": data, "server_data_default": "off"}
    assert told("RT-SD-006", call) is Verdict.NOT_APPLICABLE
    assert told("RT-SD-006", call, entry=declaring) is Verdict.PASS


def test_a_clause_about_a_field_of_the_catalog_needs_a_tool_that_has_it():
    assert told("RT-CAT-001") is Verdict.PASS
    assert told("RT-KIND-001") is Verdict.NOT_APPLICABLE
    assert told("RT-KIND-001", entry={**ENTRY, "kind": "agent"}) is Verdict.PASS


def test_a_refusal_of_an_agent_needs_no_run():
    agent = {**ENTRY, "kind": "agent"}
    refusal = {**OWN, "error": {"message": "No."}, "errors": []}
    assert told("RT-KIND-002", answered(refusal, status=422), entry=agent) is Verdict.NOT_APPLICABLE


def test_a_refusal_of_the_router_need_not_be_a_tool_result():
    call = answered({"errors": [{"type": "https://e.org/rate-limited"}]}, status=429)
    assert told("RT-HTTP-001", call) is Verdict.NOT_APPLICABLE


def sizes(whole, **cut):
    limits = {"exactly": whole, "larger": whole + 1, "fewer": whole - 1}
    every = [step("all", bounded(whole, limit=99, truncated=False), {"limit": 99})]
    for name, limit in limits.items():
        count = min(whole, limit)
        answer = bounded(count, limit=limit, truncated=cut.get(name, count < whole))
        every.append(step(name, answer, {"limit": limit}))
    return every


def test_results_of_four_sizes_hold_when_cut_where_more_follows():
    assert told("RT-BND-010", steps=sizes(4)) is Verdict.PASS


@pytest.mark.parametrize("cut", [{"exactly": True}, {"larger": True}, {"fewer": False}])
def test_a_result_that_is_cut_or_whole_in_the_wrong_place_is_found(cut):
    assert told("RT-BND-010", steps=sizes(4, **cut)) is Verdict.FAIL


def test_nothing_returned_is_nothing_cut_whatever_more_there_is():
    whole = step("all", bounded(1, limit=50, truncated=False), {"limit": 50})
    none = step("fewer", bounded(0, limit=0, truncated=False), {"limit": 0})
    assert told("RT-BND-010", steps=[whole, none]) is Verdict.NOT_APPLICABLE


def played(script, *, tool=TOOL, entry=ENTRY, answers):
    """What a script sends first at each step; `answers` has the answers of `actions`."""
    sent = {}
    for action in actions(script, tool=tool, entry=entry, answers=answers):
        sent.setdefault(action.step.name, action.request)
    return sent


def actions(script, *, tool=TOOL, entry=ENTRY, answers):
    """All that a script sends; `answers` gives for each step a status, headers and JSON."""
    offers = Offered(catalog={"tools": [entry]}, entries={tool.name: entry})
    stage = Stage(HttpBinding(SERVED), (tool,), {tool.name: {}}, offered=offers)
    sent, steps, given = [], script(stage), None
    while True:
        try:
            action = steps.send(given)
        except StopIteration:
            return sent
        if not isinstance(action, Send):
            continue
        status, headers, body = answers(action.step)
        answer = Answer(status, headers, json.dumps(body).encode())
        given = Exchange(1, HTTP.id, action.request, answer, None, 0, 0, step=action.step)
        sent.append(action)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_no_fewer_than_one_is_asked_for(count):
    schema = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    tool = replace(TOOL, input_schema=schema)
    answer = (200, (), bounded(count, limit=9, truncated=False))
    sent = played(
        runtime_calls, tool=tool, entry=ENTRY | {"bounded": True}, answers=lambda _: answer
    )
    limits = {json.loads(each.body).get("limit", 1) for each in sent.values()}
    assert min(limits) == 1


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/api/calls/7", "http://127.0.0.1:1/api/calls/7"),
        ("/calls/7", "http://127.0.0.1:1/calls/7"),
        ("calls/7", "http://127.0.0.1:1/api/tools/book/calls/7"),
        ("http://127.0.0.1:1/x", "http://127.0.0.1:1/x"),
        ("http://[", "http://["),
    ],
)
def test_where_a_status_is_depends_on_what_was_called(location, expected):
    def answers(step):
        if step.name == "started":
            return 202, (("location", location),), {}
        return 200, (), {"status": "completed"}

    sent = played(runtime_later, tool=replace(TOOL, safe=True), answers=answers)
    assert sent["started"].url == "http://127.0.0.1:1/api/tools/book/invoke"
    assert sent["poll"].url == expected


@pytest.mark.parametrize(
    ("poll_after_ms", "times", "seconds"),
    [(None, 40, 3.9), (0, 40, 3.9), ("soon", 40, 3.9), (2000, 4, 5), (10**300, 2, 5)],
)
def test_a_result_that_takes_time_is_waited_for(poll_after_ms, times, seconds):
    running = {"tool_call_id": "7", "status": "running", "poll_after_ms": poll_after_ms}

    def answers(step):
        return (
            (202, (("location", "/calls/7"),), {}) if step.name == "started" else (200, (), running)
        )

    sent = actions(runtime_later, tool=replace(TOOL, safe=True), answers=answers)
    waits = [action.after for action in sent if action.step.name == POLL]
    assert (len(waits), round(sum(waits), 6), waits[0]) == (times, seconds, 0)


def test_a_call_whose_end_was_not_seen_proves_nothing_of_its_end():
    running = {"tool_call_id": "c-1", "status": "running"}
    steps = [
        replace(answered(body, status=code).exchange, script=LATER, step=Step(name, tool=TOOL.name))
        for name, code, body in [("started", 202, {}), (POLL, 200, running)]
    ]
    assert told("RT-ASYNC-005", scripts={LATER: steps}) is Verdict.NOT_VERIFIED


def test_a_list_that_changed_between_two_calls_is_not_compared():
    steps = sizes(4)
    other = bounded(4, limit=4, truncated=True)
    other["result"]["rows"][0] = "a new row"
    steps[1] = step("exactly", other, {"limit": 4})
    assert told("RT-BND-010", steps=steps) is Verdict.PASS


def test_data_that_change_by_themselves_prove_nothing_of_injected_fields():
    entry = {**ENTRY, "injected": ["session"]}
    given = [
        step(name, {**OWN, "result": {"at": n}}, {"count": 2})
        for n, name in enumerate(("plain", "injected", "plain-again"))
    ]
    assert told("RT-INJ-002", entry=entry, steps=given) is Verdict.NOT_VERIFIED


def test_a_result_that_obeys_an_injected_field_is_shown_next_to_the_one_without_it():
    entry = {**ENTRY, "injected": ["session"]}
    sent = (("plain", [1]), ("injected", []), ("plain-again", [1]))
    given = [
        step(name, {**OWN, "result": {"at": 1, "rows": rows}}, {"count": 2}) for name, rows in sent
    ]
    (finding,) = result("RT-INJ-002", entry=entry, steps=given).findings
    assert "`$.result.rows` is []; without it, it is [1]." in finding.words("en")


def test_the_same_result_with_and_without_an_injected_field_holds():
    entry = {**ENTRY, "injected": ["session"]}
    given = [
        step(name, {**OWN, "result": {"at": 1}}, {"count": 2})
        for name in ("plain", "injected", "plain-again")
    ]
    assert told("RT-INJ-002", entry=entry, steps=given) is Verdict.PASS


@pytest.mark.parametrize(("status", "expected"), [(200, Verdict.FAIL), (500, Verdict.NOT_VERIFIED)])
def test_a_status_that_could_not_be_read_again_did_not_change(status, expected):
    done, other = ({"tool_call_id": "c-1", "status": each} for each in ("completed", "failed"))
    made = [("started", 202, {}), (POLL, 200, done), ("again", status, other)]
    steps = [
        replace(answered(body, status=code).exchange, script=LATER, step=Step(name, tool=TOOL.name))
        for name, code, body in made
    ]
    assert told("RT-ASYNC-005", scripts={LATER: steps}) is expected


def test_an_echo_is_judged_only_where_meta_was_sent():
    meta = {"run_id": "r", "session_id": "s", "tool_call_id": "mine"}
    body = {**OWN, "result": 1}
    assert told("RT-META-005", answered(body)) is Verdict.NOT_APPLICABLE
    assert told("RT-META-005", steps=[step("meta", body, {}, meta=meta)]) is Verdict.FAIL
    assert isinstance(answered(body).exchange.answer, Answer)
