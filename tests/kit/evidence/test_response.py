"""What an answer to a tool call means: the table of outcomes, row by row, over both bindings."""

import json

import pytest

from conformance.kit.evidence.response import read, response_of
from conformance.kit.model.case import CaseKind, Strictness
from conformance.kit.model.exchange import Trouble
from conformance.spec.vocabulary import Outcome
from tests.kit.samples import (
    LEGACY,
    MCP,
    STDIO,
    case,
    envelope,
    error,
    result,
    rpc,
    web,
)

ACCEPTED, REFUSED = Outcome.ACCEPTED, Outcome.INPUT_REFUSED
OTHER, FAULT, SILENT = Outcome.OTHER_REFUSED, Outcome.SERVER_FAULT, Outcome.NO_ANSWER
MEANING = ["business-rule", "authentication", "authorization", "not-found", "conflict",
           "rate-limited"]  # fmt: skip


def outcome(exchange):
    return read(exchange).outcome


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_2xx_without_an_error_body_is_an_acceptance(status):
    assert outcome(web(status, {"anything": 1})) is ACCEPTED


@pytest.mark.parametrize("status", [400, 422])
def test_400_and_422_refuse_the_input_whatever_their_body(status):
    assert outcome(web(status, b"no JSON at all")) is REFUSED


@pytest.mark.parametrize("status", [401, 403, 404, 405, 408, 409, 413, 423, 429, 503])
def test_a_status_about_something_else_proves_nothing_about_the_input(status):
    assert outcome(web(status)) is OTHER


@pytest.mark.parametrize("status", [500, 501, 502, 504, 599])
def test_another_5xx_is_a_fault_of_the_server(status):
    assert outcome(web(status)) is FAULT


def test_a_5xx_stays_a_fault_even_with_an_envelope():
    assert outcome(web(500, envelope(error()))) is FAULT


def test_a_503_with_an_envelope_is_read_by_the_envelope():
    assert outcome(web(503, envelope(error("rate-limited")))) is OTHER


def test_an_envelope_of_a_validation_error_refuses_the_input_even_with_2xx():
    assert outcome(web(200, envelope(error()))) is REFUSED


@pytest.mark.parametrize("kind", MEANING)
def test_an_error_of_state_proves_nothing_even_with_a_status_that_refuses_input(kind):
    assert outcome(web(400, envelope(error(kind)))) is OTHER


@pytest.mark.parametrize("kind", ["invalid-date", "invalid-route"])
def test_an_error_of_meaning_refuses_input_where_it_names_the_broken_parameter(kind):
    assert outcome(web(422, envelope(error(kind, "count")))) is REFUSED


@pytest.mark.parametrize("kind", ["invalid-date", "invalid-route"])
def test_an_error_of_meaning_proves_nothing_where_it_names_another_parameter(kind):
    assert outcome(web(422, envelope(error(kind, "day")))) is OTHER


@pytest.mark.parametrize("kind", ["invalid-date", "invalid-route"])
def test_an_error_of_meaning_on_a_valid_case_judges_meaning_and_not_form(kind):
    valid = case(CaseKind.VALID)
    assert outcome(web(422, envelope(error(kind, "count")), of=valid)) is OTHER


def test_one_validation_error_among_errors_of_state_refuses_the_input():
    assert outcome(web(422, envelope(error("conflict"), error()))) is REFUSED


@pytest.mark.parametrize("trouble", [Trouble.CLOSED, Trouble.GARBLED])
def test_a_closed_connection_is_a_fault_of_the_server(trouble):
    assert outcome(web(0, trouble=trouble, answered=False)) is FAULT


def test_an_answer_that_broke_off_is_a_fault_whatever_its_status():
    assert outcome(web(200, b'{"o', trouble=Trouble.CLOSED)) is FAULT


def test_no_answer_in_time_is_no_answer():
    assert outcome(web(0, trouble=Trouble.TIMEOUT, answered=False)) is SILENT


@pytest.mark.parametrize("run", [MCP, LEGACY, STDIO], ids=lambda run: run.id)
def test_a_result_without_isError_is_an_acceptance(run):
    assert outcome(rpc(result("done"), run=run)) is ACCEPTED


def test_a_result_that_asks_for_more_input_has_accepted_the_form():
    asks = {"result": {"resultType": "input_required", "inputRequests": {}}}
    assert outcome(rpc(asks)) is ACCEPTED


@pytest.mark.parametrize("run", [MCP, LEGACY, STDIO], ids=lambda run: run.id)
def test_isError_refuses_the_input(run):
    assert outcome(rpc(result("bad count", isError=True), run=run)) is REFUSED


@pytest.mark.parametrize("kind", MEANING)
def test_isError_with_an_envelope_of_state_proves_nothing(kind):
    text = json.dumps(envelope(error(kind)))
    assert outcome(rpc(result(text, isError=True))) is OTHER


def test_an_envelope_is_found_in_meta_before_any_other_place():
    carried = result(
        "words", isError=True, _meta={"io.github.agent-formats/error": envelope(error())}
    )
    assert read(rpc(carried)).envelope is not None


def test_an_envelope_is_found_in_structured_content():
    carried = result("words", isError=True, structuredContent=envelope(error("conflict")))
    assert outcome(rpc(carried)) is OTHER


def test_invalid_params_refuses_the_input():
    assert outcome(rpc({"error": {"code": -32602, "message": "count"}})) is REFUSED


def test_an_internal_error_is_a_refusal():
    assert outcome(rpc({"error": {"code": -32603, "message": "oops"}})) is REFUSED


def test_the_code_of_a_refusal_is_kept_for_the_clause_that_warns_of_it():
    assert read(rpc({"error": {"code": -32603, "message": "oops"}})).rpc_code == -32603


@pytest.mark.parametrize("code", [-32600, -32601, -32700])
def test_any_rpc_error_refuses_arguments_that_are_malformed_themselves(code):
    malformed = case(run=MCP, strictness=Strictness.MALFORMED, arguments=None)
    assert outcome(rpc({"error": {"code": code, "message": "?"}}, of=malformed)) is REFUSED


@pytest.mark.parametrize("code", [-32600, -32601, -32700, -32000])
def test_another_rpc_error_on_arguments_that_are_an_object_proves_nothing(code):
    assert outcome(rpc({"error": {"code": code, "message": "?"}})) is OTHER


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_an_mcp_answer_without_a_message_is_read_by_its_status(status):
    assert outcome(rpc(b"", status=status)) is OTHER


def test_an_mcp_answer_of_2xx_without_a_message_is_a_fault():
    assert outcome(rpc(b"", status=200)) is FAULT


def test_a_result_that_is_no_object_is_a_fault():
    assert outcome(rpc({"result": "done"})) is FAULT


def test_the_words_of_a_refusal_are_all_its_text_blocks():
    assert read(rpc(result("one", "two", isError=True))).text == "one\ntwo"


def test_an_accepted_answer_has_no_words_of_refusal():
    assert read(web(200, {"detail": "count"})).text == ""


def test_the_response_with_the_request_s_id_is_preferred_in_a_stream():
    stranger = {"jsonrpc": "2.0", "id": "other", "result": {"content": []}}
    made = rpc(b"", messages=(stranger,))
    own = {"jsonrpc": "2.0", "id": made.request.answer_to, "result": {"isError": True}}
    both = rpc(b"", messages=(stranger, own))
    own["id"] = both.request.answer_to
    assert response_of(both) is own


def test_a_response_under_another_id_is_still_read():
    assert outcome(rpc(result("done"), own_id="stranger")) is ACCEPTED


def test_a_notification_in_a_stream_is_no_response():
    assert response_of(rpc(b"", messages=({"jsonrpc": "2.0", "method": "x"},))) is None


@pytest.mark.parametrize("body", [b"\xff\xfe", b"[" * 100_000, b"{", b"null"])
def test_a_body_that_no_reader_can_decode_is_read_without_an_exception(body):
    assert outcome(web(200, body)) is ACCEPTED


@pytest.mark.parametrize(
    "odd",
    [
        {"error": "text"},
        {"error": {"code": "x"}},
        {"error": {"code": True, "message": 3}},
        {"result": {"isError": True, "content": "text"}},
        {"result": {"isError": True, "content": [1, {"text": 2}]}},
        {"result": {"isError": True, "content": 5}},
        {"result": {"isError": True, "content": {"a": 1}, "_meta": 4}},
    ],
)
def test_an_odd_message_is_read_as_a_refusal_without_an_exception(odd):
    assert outcome(rpc(odd)) in {REFUSED, OTHER}


@pytest.mark.parametrize("more", [{"data": "😀" * 200_000}, {"message": ["é"] * 200_000}])
def test_only_the_beginning_of_an_error_over_mcp_is_kept(more):
    error = {"code": -32602, "message": "count: is too large", **more}
    reading = read(rpc({"error": error}))
    assert reading.outcome is Outcome.INPUT_REFUSED
    assert len(reading.text) == 100_000
