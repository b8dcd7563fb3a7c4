"""What a reading keeps of an answer in addition to its class: status, words, documents, trouble."""

import json
from dataclasses import replace

import pytest

from conformance.kit.evidence.body import json_in
from conformance.kit.evidence.response import read, response_of
from conformance.kit.evidence.tool_result import envelope_in_content
from conformance.kit.model.exchange import Trouble
from conformance.spec.vocabulary import META_KEY_NAME, MetaKey, Outcome
from tests.kit.samples import MCP, case, envelope, error, result, rpc, web

ENRICHED = {"status": "error", "data": {"code": "bad", "message": "No such day."}}
HOLLOW = {"errors": []}
EMPTY = b'{"n":%d,"rows":[' + b"[]," * 5000 + b"[]]}"


@pytest.mark.parametrize(
    ("exchange", "status"),
    [
        (web(422, b"no"), 422),
        (web(204), 204),
        (web(200, b"x" * 9, trouble=Trouble.TOO_LARGE), 200),
        (web(0, answered=False, trouble=Trouble.TOO_LARGE), 0),
        (rpc(b"", status=403), 403),
        (rpc({"result": "odd"}, status=200), 200),
        (rpc(result("done"), status=200), 200),
        (rpc(result("no", isError=True), status=200), 200),
        (rpc({"error": {"code": -32602, "message": "no"}}, status=400), 400),
    ],
)
def test_the_status_is_kept_whatever_the_answer_means(exchange, status):
    assert read(exchange).status == status


@pytest.mark.parametrize(
    "exchange",
    [
        web(0, answered=False, trouble=Trouble.TIMEOUT),
        web(0, answered=False, trouble=Trouble.CLOSED),
        web(0, answered=False, trouble=Trouble.REFUSED),
        web(200, b"x", trouble=Trouble.TOO_LARGE),
        web(200, b"x", trouble=Trouble.GARBLED),
        rpc(b"", trouble=Trouble.REDIRECTED),
    ],
    ids=lambda exchange: exchange.trouble.value,
)
def test_what_went_wrong_on_the_way_is_kept(exchange):
    assert read(exchange).trouble is exchange.trouble


def test_an_answer_that_is_too_large_is_no_answer():
    assert read(web(200, b"x", trouble=Trouble.TOO_LARGE)).outcome is Outcome.NO_ANSWER


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(199, Outcome.OTHER_REFUSED), (200, Outcome.ACCEPTED), (299, Outcome.ACCEPTED),
     (300, Outcome.OTHER_REFUSED), (499, Outcome.OTHER_REFUSED), (500, Outcome.SERVER_FAULT)],
)  # fmt: skip
def test_success_is_2xx_from_its_first_to_its_last_number(status, outcome):
    assert read(web(status)).outcome is outcome


def test_an_mcp_answer_without_a_message_is_a_refusal_from_300_on():
    assert read(rpc(b"", status=299)).outcome is Outcome.SERVER_FAULT
    assert read(rpc(b"", status=300)).outcome is Outcome.OTHER_REFUSED


def test_an_mcp_answer_without_a_message_keeps_its_words_also_where_they_are_no_text():
    assert read(rpc(b"no \xff entry", status=403)).text == "no � entry"


def test_of_very_long_refusals_the_head_is_read():
    assert len(read(web(422, b"x" * 70_000)).text) == len(read(rpc(b"x" * 70_000)).text) == 65_536


@pytest.mark.parametrize(
    "reply",
    [{"result": "odd"}, result("done"), result("no", isError=True),
     {"error": {"code": -32602, "message": "no"}}],
)  # fmt: skip
def test_the_response_is_kept_as_it_came(reply):
    exchange = rpc(reply)
    assert read(exchange).document == response_of(exchange)
    assert read(exchange).result == (reply["result"] if isinstance(reply.get("result"), dict)
                                     else None)  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        ({"code": 1, "message": "too long"}, "too long"),
        ({"code": 1, "message": "wrong", "data": {"at": "day"}}, 'wrong {"at": "day"}'),
        ({"code": 1, "data": [1]}, "[1]"),
        ({"code": 1}, ""),
        ("odd", ""),
    ],
)
def test_the_words_of_an_rpc_error_are_its_message_and_its_data(problem, text):
    assert read(rpc({"error": problem})).text == text


@pytest.mark.parametrize(("code", "kept"), [(-32000, -32000), ("x", None), (True, None)])
def test_a_code_is_a_number(code, kept):
    assert read(rpc({"error": {"code": code, "message": "m"}})).rpc_code == kept


@pytest.mark.parametrize("problem", ["odd", {"code": "x"}, {"code": True}, {"message": "m"}])
def test_an_rpc_error_without_a_code_refuses_the_input(problem):
    assert read(rpc({"error": problem})).outcome is Outcome.INPUT_REFUSED


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(403, Outcome.OTHER_REFUSED), (429, Outcome.OTHER_REFUSED), (404, Outcome.INPUT_REFUSED),
     (400, Outcome.INPUT_REFUSED)],
)  # fmt: skip
def test_an_rpc_error_without_a_code_is_read_by_a_status_that_is_about_something_else(
    status, outcome
):
    assert read(rpc({"error": {"message": "m"}}, status=status)).outcome is outcome


def test_an_enriched_response_that_says_error_is_a_refusal_whatever_its_status():
    assert read(web(200, ENRICHED)).outcome is Outcome.INPUT_REFUSED
    assert "No such day" in read(web(200, ENRICHED)).text


@pytest.mark.parametrize("status", [404, 500])
def test_an_enriched_response_does_not_soften_a_status(status):
    assert read(web(status, ENRICHED)).outcome is read(web(status)).outcome


@pytest.mark.parametrize(
    "body",
    [
        {"status": "success", "data": ENRICHED["data"]},
        {"data": ENRICHED["data"]},
        {"status": "error"},
        {"status": "error", "data": "text"},
        {"status": "error", "data": {"code": "bad"}},
        {"status": "error", "data": {"message": "m"}},
        {"status": "error", "data": {"code": 1, "message": "m"}},
        ["status", "error"],
    ],
)
def test_a_body_that_only_resembles_one_is_an_acceptance(body):
    assert read(web(200, body)).outcome is Outcome.ACCEPTED


@pytest.mark.parametrize("body", [HOLLOW, {"errors": ["no"]}, {"errors": [1], "title": "T"}])
def test_a_list_of_errors_that_holds_none_is_kept_as_a_hollow_envelope(body):
    assert read(web(400, body)).hollow == body
    assert read(rpc(result("x", json.dumps(body), isError=True))).hollow == body


@pytest.mark.parametrize("body", [{}, {"errors": "none"}, {"errors": [{"a": 1}]}, ["errors"]])
def test_no_other_body_is_one(body):
    assert read(web(400, body)).hollow is None
    assert read(rpc(result("x", json.dumps(body), isError=True))).hollow is None


def test_of_several_errors_one_about_the_input_is_enough_wherever_it_stands():
    errors = error("invalid-date", "day"), error("conflict"), error()
    assert read(web(422, envelope(*errors))).outcome is Outcome.INPUT_REFUSED


def test_an_mcp_error_of_meaning_refuses_input_where_it_names_the_broken_parameter():
    def outcome(parameter):
        content = envelope(error("invalid-date", parameter))
        of = case(run=MCP)
        return read(
            rpc(result(isError=True, _meta={META_KEY_NAME[MetaKey.ERROR]: content}), of=of)
        ).outcome

    assert outcome("count") is Outcome.INPUT_REFUSED
    assert outcome("day") is Outcome.OTHER_REFUSED


def test_an_error_of_meaning_without_a_case_or_a_violation_is_not_about_the_input():
    answered = envelope(error("invalid-date", None))
    whole = case(violation=None)
    without = replace(web(422, answered), case=None)
    for exchange in (web(422, answered, of=whole), without):
        assert read(exchange).outcome is Outcome.OTHER_REFUSED


def test_an_envelope_is_found_in_any_text_that_is_json():
    own = json.dumps(envelope(error()))
    assert envelope_in_content(result("words", "{broken", f"\n {own}")["result"]) is not None
    assert envelope_in_content(result("words", "{}")["result"]) is None
    assert read(rpc(result("words", "{broken", f"\n {own}", isError=True))).envelope is not None


def test_a_stream_is_read_by_its_messages_alone():
    request = rpc(b"").request.answer_to
    told = {"jsonrpc": "2.0", "method": "notifications/progress"}
    body = json.dumps({"jsonrpc": "2.0", "id": request, "result": {}}).encode()
    assert response_of(rpc(body, messages=(told,))) is None


@pytest.mark.parametrize(("body", "is_kept"), [(b'{"n":%d,"t":"text"}', True), (EMPTY, False)])
def test_few_bodies_are_kept_as_values_that_take_much_memory(body, is_kept):
    first, *others = [web(200, body % number).answer for number in range(40)]
    before = json_in(first)
    for answer in others:
        json_in(answer)
    assert (json_in(first) is before) == is_kept
