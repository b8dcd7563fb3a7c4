"""A tool that needs what another tool makes is called once more when that one was called."""

from collections import defaultdict

import pytest

from conformance.kit.model.case import CaseKind
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_openapi_target import judged
from tests.kit.peers import answering, offering

NUMBER = {"type": "integer", "minimum": 1, "maximum": 9, "description": "The number."}
READ = {
    "name": "a_read",
    "description": "Reads a note.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {
        "type": "object",
        "properties": {"n": NUMBER},
        "required": ["n"],
        "additionalProperties": False,
    },
}
WRITE = {
    "name": "write",
    "description": "Writes a note.",
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
}


def notes(*, writes=True):
    """A server whose notes are numbered, and that begins without any."""
    held = []

    def call(name, arguments):
        if name == "write":
            if arguments != {} or not writes:
                return 422, {"detail": "nothing is expected"}
            held.append("note")
            return 200, {"n": len(held)}
        n = arguments.get("n") if isinstance(arguments, dict) else None
        if type(n) is not int or not 1 <= n <= 9 or len(arguments) != 1:
            return 422, {"detail": "n is 1 to 9"}
        return (200, {"note": held[n - 1]}) if n <= len(held) else (404, {"detail": "no such note"})

    return call


def driven(call):
    chapter = load("conformance.atdf")
    with offering([READ, WRITE], call) as url:
        session = Session(Settings(targets=(url,), profiles=("http",)))
        session.discover((url,))
        asked = session.questions(list(chapter.tests))
        session.drive()
        items = session.judge(asked)
    (evidence,) = session.evidence().values()
    by_clause = {(q.clause.id, q.tool): items[n] for n, q in enumerate(asked)}
    return evidence.by_tool["a_read"], by_clause


@pytest.mark.parametrize("_", range(2))
def test_a_tool_that_needs_what_another_makes_gets_its_baseline_call_in_the_first_session(_):
    read, items = driven(notes())
    assert read.baseline.reading.accepted
    tried = list(read.of(CaseKind.BASELINE))
    assert [call.reading.accepted for call in tried][-1]
    assert len({call.case.id.text for call in tried}) == len(tried)
    assert items["ATDF-CALL-001", "a_read"].verdict is Verdict.PASS


def test_without_a_call_that_changed_something_it_is_not_tried_again():
    read, items = driven(notes(writes=False))
    sent = [call.case.arguments for call in read.of(CaseKind.BASELINE)]
    assert len(sent) == len({str(each) for each in sent})
    assert items["ATDF-CALL-001", "a_read"].verdict is Verdict.NOT_VERIFIED


TEXT = {"type": "string"}


def test_a_tool_that_changes_nothing_takes_an_id_that_another_tool_returned():
    """No made value is one of these ids, and no tool changes anything to get them."""
    ids, asked = ["c0ffee-1", "c0ffee-2"], defaultdict(set)
    drops = {"readOnlyHint": True, "destructiveHint": True}
    needs = {"type": "object", "properties": {"order_id": TEXT}, "required": ["order_id"]}
    tools = [
        {**READ, "name": "get_order", "inputSchema": needs},
        {**READ, "name": "list_orders", "inputSchema": {"type": "object"}},
        {**WRITE, "name": "edit_order", "inputSchema": needs},
        {**READ, "name": "drop_order", "inputSchema": needs, "annotations": drops},
    ]

    def call(name, arguments):
        if name == "list_orders":
            return 200, {"orders": [{"id": each} for each in ids]}
        value = arguments.get("order_id") if isinstance(arguments, dict) else None
        asked[name].add(str(value))
        return (200, {"id": value}) if value in ids else (404, {"detail": "no such order"})

    with offering(tools, call) as url:
        wide = Settings(
            targets=(url,), profiles=("http",), max_examples=0, allow_calls=AllowCalls.ALL
        )
        session = Session(wide)
        session.discover((url,))
        session.drive()
    (evidence,) = session.evidence().values()
    assert evidence.by_tool["get_order"].baseline.case.arguments == {"order_id": ids[0]}
    assert not asked["edit_order"] & set(ids)  # it may change the order
    assert asked["drop_order"]
    assert not asked["drop_order"] & set(ids)  # one of its hints says that it destroys


@pytest.mark.parametrize("value", ["Zoë", "a\r\nX-Other: 1", " a"])
def test_a_returned_value_that_no_header_can_have_is_not_sent(value):
    """The kit blamed the server, which never got such a call."""
    place = {"name": "Customer-Name", "in": "header", "required": True, "schema": TEXT}
    answers = {"200": {"description": "ok"}}
    described = {
        "openapi": "3.1.0",
        "info": {"title": "Customers", "version": "1"},
        "paths": {
            "/all": {"get": {"operationId": "all", "responses": answers}},
            "/one": {"get": {"operationId": "one", "parameters": [place], "responses": answers}},
        },
    }

    def answer(method, path, body, headers):
        if path == "/openapi.json":
            return 200, described
        found = path == "/all"
        return (200, {"customer_name": value}) if found else (422, {"detail": "not a customer"})

    with answering(answer) as url:
        session, run = judged(url, max_examples=0)
    broken = [item.clause for item in run.items if item.verdict in (Verdict.FAIL, Verdict.WARN)]
    assert broken == []
    sent = session.evidence()[run.run.id].by_tool["one"].calls
    assert all(call.exchange.trouble is None for call in sent)
