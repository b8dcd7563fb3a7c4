"""The chapters on malformed messages: what is refused as such, what fails, what never answers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from conformance.kit.model.exchange import Trouble
from conformance.kit.model.step import Mark, Step
from conformance.mcp.script_wire import malformed_bodies
from conformance.spec.vocabulary import Verdict
from tests.chapters.mcp_evidence import (
    LEGACY_RUN,
    LEGACY_STDIO,
    MODERN_RUN,
    MODERN_STDIO,
    evidence,
    exchange,
    result,
    said,
    speaker,
)
from tests.kit.samples import envelope, error, run_evidence, tool_evidence, verdict, web

PASS, WARN, FAIL, ABSENT = Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.NOT_APPLICABLE
BODIES = malformed_bodies(b'{"jsonrpc":"2.0","id":5,"method":"ping"}')


def wire(run, step, reply=None, **more):
    """The evidence of one malformed message, and of the good one behind it."""
    sent = speaker(run).raw(BODIES[step], any_answer=True)
    mark = Step(step, mark=Mark.ALIVE)
    return evidence(
        run,
        mcp_wire=[
            exchange(run, "before", result(), method="ping"),
            exchange(run, step, reply, request=sent, script="mcp_wire", **more),
            exchange(run, mark, result(), method="ping", script="mcp_wire"),
        ],
    )


def body(code=None, *, id=None):
    reply = {"error": {"code": code, "message": "no"}} if code else {"result": {}}
    return json.dumps({"jsonrpc": "2.0", "id": id, **reply}).encode()


@pytest.mark.parametrize(
    ("run", "step", "reply", "more", "verdict"),
    [
        (MODERN_RUN, "not-json", body(-32700), {"status": 400}, PASS),
        (MODERN_RUN, "not-json", body(-32600), {"status": 400}, PASS),
        (MODERN_RUN, "not-json", body(-32602), {"status": 400}, WARN),
        (MODERN_RUN, "a-number", body(-32602), {"status": 400}, PASS),
        (MODERN_RUN, "a-number", body(-32600), {"status": 200}, PASS),
        (LEGACY_RUN, "cut-json", b"Bad request", {"status": 400}, WARN),
        (LEGACY_RUN, "not-json", b"no such user", {"status": 401}, Verdict.NOT_VERIFIED),
        (LEGACY_STDIO, "not-json", None, {}, ABSENT),
        (LEGACY_STDIO, "not-json", body(-32000), {}, WARN),
        (LEGACY_STDIO, "method-number", body(-32600), {}, PASS),
    ],
)
def test_what_is_no_message_is_refused_with_a_code_of_json_rpc(run, step, reply, more, verdict):
    assert said("MCP-RPC-011", wire(run, step, reply, **more)) is verdict


@pytest.mark.parametrize(
    ("run", "step", "reply", "more", "verdict"),
    [
        (MODERN_RUN, "deep", body(-32603), {"status": 400}, WARN),
        (MODERN_RUN, "not-utf8", b"oops", {"status": 500}, WARN),
        (MODERN_RUN, "deep", None, {"bare": True, "trouble": Trouble.CLOSED}, WARN),
        (MODERN_RUN, "long-text", None, {"bare": True, "trouble": Trouble.CLOSED}, ABSENT),
        (MODERN_RUN, "beyond-float", body(id=5), {}, PASS),
        (MODERN_RUN, "deep", b"busy", {"status": 503}, Verdict.NOT_VERIFIED),
        (MODERN_STDIO, "lone-surrogate", body(-32603), {}, WARN),
        (MODERN_STDIO, "deep", body(-32700), {}, PASS),
    ],
)
def test_a_malformed_message_is_no_failure_of_the_server(run, step, reply, more, verdict):
    assert said("MCP-WIRE-002", wire(run, step, reply, **more)) is verdict


@pytest.mark.parametrize(
    ("run", "step", "reply", "more", "waits"),
    [
        (LEGACY_RUN, "id-fraction", body(id=1.5), {}, False),
        (LEGACY_RUN, "id-fraction", body(id=1), {}, True),
        (LEGACY_RUN, "id-fraction", body(-32600), {"status": 400}, False),
        (LEGACY_RUN, "id-fraction", None, {"status": 202}, True),
        (LEGACY_RUN, "id-fraction", None, {"bare": True, "trouble": Trouble.TIMEOUT}, True),
        (LEGACY_RUN, "id-null", None, {"status": 202}, False),
        (LEGACY_RUN, "id-null", None, {"bare": True, "trouble": Trouble.TIMEOUT}, True),
        (LEGACY_STDIO, "id-fraction", None, {}, False),
        (LEGACY_STDIO, "id-fraction", body(id=1), {}, True),
        (LEGACY_STDIO, "id-fraction", body(id=1.5), {}, False),
        (LEGACY_STDIO, "id-fraction", body(-32600), {}, False),
        (LEGACY_STDIO, "id-null", None, {}, False),
    ],
)
def test_a_request_with_an_odd_id_is_not_left_waiting(run, step, reply, more, waits):
    found = said("MCP-RPC-012", wire(run, step, reply, **more))
    assert (found is WARN) is waits


def over_http(clause, step, exchange):
    """The verdict on one step of the HTTP wire; the server answers after it."""
    given = [
        replace(one, case=None, script="http_wire", step=each)
        for one, each in ((exchange, Step(step)), (web(200, {}), Step(step, mark=Mark.ALIVE)))
    ]
    scripts = {"http_wire": tuple(given)}
    evidence = run_evidence(tool_evidence(), claims=True, scripts=scripts)
    return verdict(clause, evidence).verdict


@pytest.mark.parametrize(
    ("step", "trouble", "expected"),
    [
        ("lone-surrogate", Trouble.CLOSED, WARN),
        ("lone-surrogate", Trouble.TIMEOUT, ABSENT),
        ("long-text", Trouble.CLOSED, ABSENT),
    ],
)
def test_a_dropped_connection_is_seen_on_the_exchange_itself(step, trouble, expected):
    dropped = web(0, answered=False, trouble=trouble)
    assert over_http("HTTP-WIRE-002", step, dropped) is expected


@pytest.mark.parametrize(
    ("clause", "step", "fitting"),
    [
        ("HTTP-ERR-004", "unknown-path", 404),
        ("HTTP-ERR-005", "unknown-tool", 404),
        ("HTTP-ERR-006", "wrong-method", 405),
        ("HTTP-ERR-007", "cut-json", 400),
        ("HTTP-ERR-008", "wrong-type", 415),
        ("HTTP-ERR-009", "not-json", 400),
        ("HTTP-ERR-009", "wrong-type", 415),
    ],
)
def test_a_wrong_status_is_reported_with_the_right_one(clause, step, fitting):
    sent = replace(web(501, {}), case=None, script="http_wire", step=Step(step))
    evidence = run_evidence(tool_evidence(), claims=True, scripts={"http_wire": (sent,)})
    (found,) = verdict(clause, evidence).findings
    assert found.message.words("en").endswith(f"has status 501. Answer with {fitting} instead.")


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (400, envelope(error()), PASS),
        (400, {"detail": "no"}, FAIL),
        (415, b"Not UTF-8", FAIL),
        (413, b"Too large", ABSENT),
        (200, {}, ABSENT),
        (429, b"Slow down", Verdict.NOT_VERIFIED),
    ],
)
def test_a_refusal_on_the_wire_is_in_the_envelope(status, body, expected):
    assert over_http("HTTP-ERR-011", "not-a-number", web(status, body)) is expected
