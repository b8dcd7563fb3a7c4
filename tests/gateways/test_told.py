"""What a gateway told its client is read by the rules of the profile."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from conformance.gateway.replies import FOREIGN, FOREIGN_STREAMS
from conformance.gateway.scripts import ENDINGS, WHOLE
from conformance.gateway.test_requests import mapped
from conformance.gateway.timeline import reply_words
from conformance.gateway.told import END, ERROR, Told, told, waits_told
from conformance.kit.model.exchange import Answer
from conformance.kit.model.performance import Moment
from conformance.kit.model.step import Step
from conformance.spec.vocabulary import RuntimeErrorName as Error
from conformance.spec.vocabulary import Seen
from tests.gateways.test_late import judged, refused
from tests.kit.samples import web

LAYOUTS = ("crlf", "several-lines", "split")
STREAM = [("content-type", "text/event-stream")]
CHUNK = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": None}]}
LAST = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("status", "error", "meant"),
    [
        (404, {"type": "invalid_request_error", "code": None}, Error.NOT_FOUND),
        (401, {"type": "invalid_request_error", "code": None}, Error.AUTHENTICATION),
        (503, {"type": "api_error", "code": 503}, Error.OVERLOADED),
        (503, {"type": "server_error", "code": None}, Error.OVERLOADED),
        (200, {"type": "server_error", "code": None}, Error.SERVER_ERROR),
        (200, {"type": "overloaded_error"}, Error.OVERLOADED),
        (200, {"message": "x", "code": "503"}, Error.OVERLOADED),
        (400, {"code": "context_length_exceeded"}, Error.REQUEST_TOO_LARGE),
        (500, {"name": "overloaded", "code": "E3002"}, Error.OVERLOADED),
        (418, {"message": "x"}, Error.UNKNOWN),
    ],
)
def test_an_error_has_the_class_that_it_is_told_as(status, error, meant):
    said = Told(status, error=error)
    meanings = {each for each in Error if said.is_class(each)}
    assert meanings - {Error.UNKNOWN} == {meant} - {Error.UNKNOWN}  # any 5xx may tell the latter
    assert meant in meanings


def streamed(*events):
    text = "".join(f"{name}data: {json.dumps(data)}\n\n" for name, data in events)
    exchange, _ = web(200, {}), None
    return told(replaced(exchange, text))


def replaced(exchange, text):
    return replace(exchange, answer=Answer(200, tuple(STREAM), text.encode()))


@pytest.mark.parametrize(
    "late",
    [{"tool_calls": [{"index": 0, "function": {"name": "x"}}]}, {"reasoning_content": "hm"}],
)
def test_what_follows_the_end_of_a_stream_is_seen(late):
    chunk = {"choices": [{"index": 0, "delta": late, "finish_reason": None}]}
    assert streamed(("", LAST), ("", chunk)).order[-1] not in {END, ERROR}


AT = "Mon, 23 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "error", "seconds"),
    [
        ({"retry-after": "3600"}, {}, [3600]),
        ({"retry-after": "Mon, 23 Nov 2026 11:00:00 GMT", "date": AT}, {}, [3600]),
        ({"retry-after-ms": "2500"}, {}, [2.5]),
        ({"retry-after": "soon"}, {"retry_after_ms": 1500}, [1.5]),
        ({}, {"retry_after_ms": True}, []),
        ({"retry-after": "inf"}, {}, []),
        ({"retry-after": "nan"}, {}, []),
        ({"retry-after": "9" * 400}, {}, []),
        ({"retry-after-ms": "-1"}, {}, []),
        ({}, {"retry_after_ms": float("inf")}, []),
        ({}, {"retry_after_ms": 10**400}, []),
    ],
)
def test_the_wait_that_a_client_is_told_is_read(headers, error, seconds):
    answer = Answer(429, tuple(headers.items()), b"")
    assert list(waits_told(answer, Told(429, error=error))) == seconds


def test_a_name_that_the_vocabulary_has_not_changes_no_event():
    for name in ("", "event: message\n", "event: completion.chunk\n"):
        said = streamed((name, CHUNK), (name, LAST))
        assert (said.content, said.reason, said.succeeded) == ("hi", "end_turn", True)
    said = streamed(("event: error\n", {"error": {"code": "overloaded"}}))
    assert said.order == [ERROR]
    assert said.is_class(Error.OVERLOADED)


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": [{"delta": {"tool_calls": [{"index": [], "function": {"name": "x"}}]}}]},
        {"choices": [{"delta": {}, "finish_reason": ["x"]}]},
        {"choices": 7, "usage": [1]},
    ],
)
def test_an_odd_value_is_read_past(odd):
    assert streamed(("", odd), ("", LAST)).succeeded


@pytest.mark.parametrize("odd", [{"tool_call_id": {}, "tool_name": "x"}, {"usage": [1]}])
def test_an_odd_event_of_the_vocabulary_is_read_past(odd):
    names = ("ToolCallStarted", "PartialToolCall", "Metadata")
    events = [(f"event: {name}\n", odd) for name in names]
    assert streamed(*events, ("event: StreamEnd\n", {"finish_reason": "end_turn"})).succeeded


def test_of_a_parameter_that_did_not_arrive_no_word_of_python_is_shown():
    arrival = Moment(Seen.ARRIVED, 0.0, 1, body=b'{"model": "afn-1"}')
    first = next(iter(mapped(web(200), arrival, "openai")))
    assert "None" not in first.finding.message.words()


def test_a_reason_is_kept_in_the_word_that_the_gateway_wrote():
    said = streamed(("", CHUNK), ("", LAST))
    assert (said.reason, said.written_reason) == ("end_turn", "stop")


@pytest.mark.parametrize("name", [*ENDINGS, *FOREIGN, *FOREIGN_STREAMS, *WHOLE, *LAYOUTS])
def test_each_reply_that_a_finding_names_has_words(name):
    assert reply_words(name).words()


@pytest.mark.parametrize(
    ("message", "finding"),
    [
        ({"role": "assistant", "content": "hi"}, "finding.gateway.calls_lost"),
        (
            {"role": "assistant", "tool_calls": [
                {"id": "a", "function": {"name": "get_weather", "arguments": "{}"}}
            ]},
            "finding.gateway.arguments",
        ),
    ],
    ids=["none", "one of two"],
)  # fmt: skip
def test_tool_calls_that_do_not_arrive_are_lost_and_not_mixed(message, finding):
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    answer = Answer(200, (("content-type", "application/json"),), json.dumps(body).encode())
    got = replace(refused(0.1), answer=answer, step=Step("tools", place="openai"))
    verdict = judged("GW-STR-007", got, script="gateway_answers")
    assert [found.message.id for found in verdict.findings] == [finding]
