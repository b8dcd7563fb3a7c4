"""Streams on the wire, the arithmetic of retries, and the classes of errors."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.formats.runtime.provider_errors import By, classify, envelope
from conformance.formats.runtime.retry import delay
from conformance.formats.runtime.stream import read_stream, written
from conformance.formats.text.sse import SseReader, sse_events
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import RuntimeErrorName, WireForm
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures" / "examples" / "runtime" / "valid"
STREAMS = ("weather-stream", "two-calls-stream", "failed-stream", "cut-off-stream")


@pytest.mark.parametrize("wire", WireForm)
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_is_written_is_read_again_as_it_was(name, wire):
    events = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))["events"]
    assert read_stream(written(events, wire), wire) == (events, [])


@given(st.text())
def test_any_text_is_read_without_raising(text):
    for wire in WireForm:
        read_stream(text, wire)
        validate({"wire": wire.value, "text": text}, "recorded-stream")


def test_an_event_may_have_any_line_end_a_comment_and_data_in_lines():
    text = ": hello\r\nevent: a\rdata: {\ndata: }\r\n\r\n\ndata:x"
    found = [(each.name, each.data) for each in sse_events(text)]
    assert found == [("a", "{\n}"), ("", "x")]


@given(st.text("ab:\r\n \ufeff"), st.integers(1, 5))
def test_a_text_in_pieces_has_the_events_of_the_whole(drawn, size):
    text = drawn.replace("a", "data:").replace("b", "event: x")
    reader = SseReader()
    pieces = (text[start : start + size] for start in range(0, len(text), size))
    found = [event for piece in pieces for event in reader.feed(piece)]
    assert [*found, *reader.end()] == list(sse_events(text))


def test_a_message_says_the_line_of_what_is_no_event():
    problems = validate({"wire": "ndjson", "text": '{"event": "StreamEnd"}\n\n[]\n'})
    assert [each.message.words("en").split(":")[0] for each in problems] == [
        "The event at line 3 is not a JSON object"
    ]


POLICY = {"initial_delay_ms": 1000, "max_delay_ms": 30000, "backoff_multiplier": 2.0}


@pytest.mark.parametrize(
    ("number", "expected"), [(0, 1000), (1, 2000), (4, 16000), (5, 30000), (10_000, 30000)]
)
def test_a_delay_grows_by_its_factor_up_to_the_longest(number, expected):
    assert delay(POLICY, number) == expected


def test_a_delay_of_nothing_stays_nothing():
    assert delay({**POLICY, "initial_delay_ms": 0}, 10_000) == 0


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "invalid_request"), (401, "authentication"), (402, "quota_exhausted"),
        (403, "permission_denied"), (404, "not_found"), (408, "timeout"), (409, "conflict"),
        (413, "request_too_large"), (422, "invalid_request"), (429, "rate_limited"),
        (499, "cancelled"), (500, "server_error"), (502, "server_error"), (503, "overloaded"),
        (504, "timeout"), (529, "overloaded"), (418, "unknown"), (None, "unknown"),
    ],
)  # fmt: skip
def test_the_table_gives_a_status_its_name(status, name):
    assert classify({}, status=status).name == name


CLASSES = {
    "by_error_code": {"insufficient_quota": "quota_exhausted", "odd": "no such name"},
    "by_error_message": [{"pattern": "[Cc]ontext [Ll]ength", "maps_to": "request_too_large"}],
    "by_http_status": {"429": "overloaded"},
}


@pytest.mark.parametrize(
    ("codes", "said", "status", "expected", "by"),
    [
        (("insufficient_quota",), "context length", 429, "quota_exhausted", By.CODE),
        (("other",), "The Context Length is too long", 429, "request_too_large", By.MESSAGE),
        ((), "slow down", 429, "overloaded", By.STATUS),
        (("odd",), None, 500, "server_error", By.STATUS),
        ((), None, None, "unknown", By.NOTHING),
    ],
)
def test_the_code_decides_before_the_message_and_that_before_the_status(
    codes, said, status, expected, by
):
    found = classify(CLASSES, codes=codes, said=said, status=status)
    assert (found.name.value, found.by) == (expected, by)


def test_a_pattern_that_would_never_end_is_given_up():
    slow = {"by_error_message": [{"pattern": "(a+)+$", "maps_to": "timeout"}]}
    assert classify(slow, said="a" * 40 + "!").name is RuntimeErrorName.UNKNOWN


@pytest.mark.parametrize("name", RuntimeErrorName)
def test_an_envelope_is_valid_and_agrees_with_the_table(name):
    assert validate({"error": envelope(name, "It failed.")}, "runtime-error") == []
