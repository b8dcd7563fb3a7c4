"""`--as event-stream`: recorded streams in both forms, and frames of providers with a manifest."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path

import pytest

from conformance.cli.validate import main
from conformance.formats.runtime.stream import wire_of, written
from conformance.spec.vocabulary import WireForm
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures" / "examples" / "runtime"
MANIFEST = EXAMPLES / "valid" / "anthropic.json"
EVENTS = json.loads((EXAMPLES / "valid/two-calls-stream.json").read_text("utf-8"))["events"]
REPLAY = json.loads((EXAMPLES / "valid/rules-replayed.json").read_text("utf-8"))


@pytest.fixture
def said(capsys):
    def run(*arguments):
        code = main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return code, out + err

    return run


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return write


def stream(*events, wire=WireForm.NDJSON):
    return written(events, wire)


CONTENT = {"event": "PartialContentDelta", "content": "a"}
END = {"event": "StreamEnd", "finish_reason": "end_turn"}
CALLS = {**END, "finish_reason": "tool_use"}
START = {"event": "ToolCallStarted", "tool_call_id": "a", "tool_name": "t"}
PART = {"event": "PartialToolCall", "tool_call_id": "a", "arguments": "{"}
ENDED = {"event": "ToolCallEnded", "tool_call_id": "a"}


@pytest.mark.parametrize("wire", list(WireForm))
def test_a_stream_without_faults_is_valid_in_either_form(said, file, wire):
    code, text = said(file("s.txt", stream(*EVENTS, wire=wire)), "--as", "event-stream")
    assert code == 0, text
    assert f"in {wire}, {len(EVENTS)} events, ending in StreamEnd tool_use: valid" in text


FAULTS = {
    "a fragment before its start": ((PART, END), "RT-ORD-002", 1),
    "a start twice": ((START, ENDED, START, CALLS), "RT-ORD-003", 3),
    "a call left open": ((CONTENT, START, END), "RT-ORD-004", 2),
    "no end": ((CONTENT, CONTENT), "RT-ORD-005", 2),
    "something after the end": ((CONTENT, END, CONTENT), "RT-ORD-005", 3),
    "arguments that are no object": ((START, PART, ENDED, CALLS), "RT-ORD-006", 3),
    "a name outside the eight": (({"event": "Delta"}, END), "RT-EVT-002", 1),
    "an empty fragment": (({**CONTENT, "content": ""}, END), "RT-EVT-004", 1),
    "a reason outside the five": (({**END, "finish_reason": "stop"},), "RT-TRM-001", 1),
}


@pytest.mark.parametrize("fault", list(FAULTS))
@pytest.mark.parametrize("wire", list(WireForm))
def test_each_fault_of_a_stream_is_told_by_its_clause_at_its_line(said, file, wire, fault):
    events, clause, number = FAULTS[fault]
    code, text = said(file("s.txt", stream(*events, wire=wire)), "--as", "event-stream")
    line = number if wire is WireForm.NDJSON else 3 * number - 2
    assert code == 1
    (problem,) = (each for each in text.splitlines() if "error: " in each)
    assert problem.strip().startswith(f"{line}:1  ")
    assert problem.endswith(f"[{clause}]")


@pytest.mark.parametrize(
    ("text", "clause", "line"),
    [
        ('{"event": "StreamEnd"}\nfoo\n', "RT-WIRE-003", 2),
        ('{"event": "StreamEnd"}\n{"a": 1}\n', "RT-WIRE-003", 2),
        ('{"event": "StreamEnd"}\n{"event": "Metadata", "usage": NaN}\n', "RT-WIRE-003", 2),
        ('{"event": "StreamEnd", "event": "StreamError"}\n', "RT-WIRE-003", 1),
        ('{"event": "PartialContentDelta", "content": "\\ud83d"}\n', "RT-WIRE-003", 1),
        ('event: Metadata\ndata: {"model": "a", "model": "b"}\n\n', "RT-WIRE-002", 1),
        ("data: {}\n\n", "RT-WIRE-002", 1),
        ("data: {}\n\nevent: StreamEnd\n\n", "RT-WIRE-002", 3),
        ("event: StreamEnd\ndata: x\n\n", "RT-WIRE-002", 1),
        (': ping\n\nevent: A\ndata: {"event": "B"}\n\n', "RT-WIRE-002", 3),
        (': ping\n\nevent: StreamEnd\ndata: {"finish_reason": "end_turn"}\n', "RT-WIRE-002", 3),
        ('event: StreamEnd\ndata: {"finish_reason": "end_turn"}', "RT-WIRE-002", 1),
    ],
)
def test_what_is_no_event_is_told_by_the_clause_of_its_form(said, file, text, clause, line):
    code, told = said(file("s.ndjson", text), "--as", "event-stream")
    assert code == 1
    assert f"{line}:1  $  error: " in told
    assert f"[{clause}]" in told


@pytest.mark.parametrize("wire", list(WireForm))
@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8-sig", 0), ("utf-16", 1), ("utf-16-le", 1)]
)
def test_a_stream_is_known_in_any_encoding_and_valid_in_one(said, file, encoding, expected, wire):
    raw = stream(CONTENT, END, wire=wire).encode(encoding)
    code, text = said(file("s.ndjson", raw), "--as", "event-stream")
    assert (code, f"in {wire}, 2 events" in text) == (expected, True)
    clause = "RT-WIRE-002" if wire is WireForm.SSE else "RT-WIRE-003"
    assert (f"[{clause}]" in text) == bool(expected)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
@pytest.mark.parametrize("wire", list(WireForm))
def test_a_separator_within_a_text_ends_no_line(said, file, separator, wire):
    raw = stream({**CONTENT, "content": f"a{separator}b"}, END, wire=wire)
    assert said(file("s.ndjson", raw), "--as", "event-stream")[0] == 0


def test_a_first_line_that_is_no_json_does_not_hide_the_others(said, file):
    raw = "Listening …\n" + stream(CONTENT, END)
    code, text = said(file("s.ndjson", raw), "--as", "event-stream")
    assert (code, "1:1  $  error: " in text, "[RT-WIRE-003]" in text) == (1, True, True)


def test_documents_of_streams_are_judged_as_what_they_are(said):
    for name in ("two-calls-stream", "stream-as-sse", "stream-as-ndjson"):
        assert said(EXAMPLES / f"valid/{name}.json", "--as", "event-stream")[0] == 0
    code, text = said(EXAMPLES / "invalid/stream-after-end.json", "--as", "event-stream")
    assert (code, "RT-ORD-005" in text) == (1, True)


@pytest.mark.parametrize("content", ["", "Hello\n", "[1, 2]", b"\xff\xfa\x00", "{\n", "%PDF-1.4"])
def test_what_is_no_stream_at_all_is_said_in_words(said, file, content):
    code, text = said(file("s.txt", content), "--as", "event-stream")
    assert code in (1, 2)
    assert " error: " in text
    assert "Traceback" not in text


FRAMES = {
    "openai": {"choices": [{"index": 0, "delta": {"content": "a"}}]},
    "responses": {"type": "response.created", "response": {}},
    "gemini": {"candidates": [{"content": {"parts": []}}]},
}


@pytest.mark.parametrize("provider", FRAMES)
@pytest.mark.parametrize("wire", ["data: {}\n\ndata: [DONE]\n\n", "{}\n"])
def test_nobody_is_told_to_change_the_frames_of_a_provider(said, file, provider, wire):
    text = wire.replace("{}", json.dumps(FRAMES[provider]))
    code, told = said(file("s.sse", text))
    assert code == 2
    assert "in the form of a model provider's API" in told
    assert "--manifest" in told
    assert "event:" not in told


ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "t"}]}}
NOTE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}


@pytest.mark.parametrize("wire", ["event: message\ndata: {}\n\n", "{}\n"])
@pytest.mark.parametrize("by", ["name", "option", "look"])
def test_the_answer_of_an_mcp_server_in_a_stream_is_judged_as_that(said, file, wire, by):
    text = "".join(wire.replace("{}", json.dumps(each)) for each in (NOTE, ANSWER))
    options = ["--as", "event-stream"] if by == "option" else []
    code, told = said(file("s.sse" if by == "name" else "s.txt", text), *options)
    if by == "look" and wire == "{}\n":
        assert code == 2
        return
    assert (code, "atdf catalog" in told, "RT-" in told) == (1, True, False)
    line = 1 + text[: text.index('"result"')].count("\n") - wire.startswith("event")
    assert f"  {line}:" in told
    assert "$.result.tools[0]" in told


@pytest.mark.parametrize("answers", [0, 2])
def test_a_stream_of_an_mcp_server_without_one_answer_is_not_judged(said, file, answers):
    sent = [NOTE, *[ANSWER] * answers]
    code, told = said(file("s.sse", "".join(f"data: {json.dumps(each)}\n\n" for each in sent)))
    assert (code, f"{answers} answers" in told, "RT-" in told) == (2, True, False)


def test_standard_input_may_be_a_stream(monkeypatch, said):
    raw = stream(CONTENT, END, wire=WireForm.SSE).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert said("-", "--as", "event-stream")[0] == 0


def test_a_file_is_known_for_a_stream_by_its_name(said, file):
    code, text = said(file("s.sse", stream(CONTENT, END, wire=WireForm.SSE)))
    assert (code, "event-stream in sse" in text) == (0, True)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.ndjson", "{}\n" * 300_000),
        ("s.sse", "data: {}\n\n" * 300_000),
        ("r.sse", "\r" * 300_000),
    ],
)
def test_a_stream_of_more_events_than_memory_holds_is_not_read(said, file, name, content):
    code, text = said(file(name, content))
    assert (code, "more than 200000 lines" in text) == (2, True)


def test_streams_of_a_directory_are_read_where_they_are_asked_for(said, file, tmp_path):
    file("a.ndjson", stream(CONTENT, END))
    file("b.sse", stream(CONTENT, wire=WireForm.SSE))
    code, text = said(tmp_path, "--as", "event-stream")
    assert (code, "2 read: 1 valid, 1 not valid" in text) == (1, True)


def frames(*listed, wire=WireForm.NDJSON):
    if wire is WireForm.NDJSON:
        return "".join(json.dumps(each) + "\n" for each in listed)
    return "".join(f"event: {each.get('type')}\ndata: {json.dumps(each)}\n\n" for each in listed)


@pytest.mark.parametrize("wire", list(WireForm))
def test_frames_are_read_by_the_manifest_of_their_provider(said, file, tmp_path, wire):
    manifest = file("m.json", json.dumps(whole_manifest()))
    path = file("frames.txt", frames(*REPLAY["frames"], wire=wire))
    code, text = said(path, "--as", "event-stream", "--manifest", manifest)
    count = f"{len(REPLAY['events'])} events from {len(REPLAY['frames'])} frames"
    assert (code, count in text) == (0, True), text


def test_rules_that_ask_for_too_much_are_not_followed_for_ever(said, file):
    manifest = whole_manifest()
    many = " && ".join(["$.a[*] != 'b'"] * 100)
    rules = manifest["streaming"]["event_map"]
    manifest["streaming"] |= {"event_map": [*rules, *({**rules[0], "match": many},) * 100]}
    frame = json.dumps({"a": ["b"] * 100 + ["c"]})
    path = file("frames.ndjson", f"{frame}\n" * 1000)
    began = time.process_time()
    held = file("m.json", json.dumps(manifest))
    code, text = said(path, "--as", "event-stream", "--manifest", held)
    assert time.process_time() - began < 40
    assert code == 1
    assert "steps for these frames" in text


def whole_manifest():
    """The manifest of the replayed example, with what only a whole one has."""
    return json.loads(MANIFEST.read_text("utf-8")) | REPLAY["manifest"]


def test_a_stream_of_a_provider_that_breaks_off_ends_in_an_error(said, file):
    path = file("frames.txt", frames(*REPLAY["frames"][:1]))
    manifest = file("m.json", json.dumps(whole_manifest()))
    code, text = said(path, "--as", "event-stream", "--manifest", manifest)
    assert (code, "ending in StreamError E3001" in text) == (0, True)


def test_a_last_frame_that_no_empty_line_ends_is_given_to_nobody(said, file):
    text = frames(*REPLAY["frames"], wire=WireForm.SSE).removesuffix("\n")
    manifest = file("m.json", json.dumps(whole_manifest()))
    code, told = said(file("f.txt", text), "--as", "event-stream", "--manifest", manifest)
    assert code == 1
    assert "The stream ends before the empty line that ends its last event" in told


def test_frames_that_no_rule_matches_are_told_once_each(said, file):
    path = file("frames.txt", frames({"a": 1}, {"a": 1}, {"b": 1}, *REPLAY["frames"]))
    manifest = file("m.json", json.dumps(whole_manifest()))
    _, text = said(path, "--as", "event-stream", "--manifest", manifest)
    assert text.count('No rule matched this frame: {"a": 1}') == 1
    assert '3:1  $  warning: No rule matched this frame: {"b": 1}' in text


def test_a_frame_that_is_no_json_is_told_and_the_signal_of_the_end_is_not(said, file):
    manifest = file("m.json", json.dumps(whole_manifest() | {"streaming": DONE}))
    path = file("frames.txt", '{"text": "a"}\nfoo\n{"stop": "end_turn"}\n[DONE]\n')
    code, text = said(path, "--as", "event-stream", "--manifest", manifest)
    assert code == 1
    assert '2:1  $  error: This frame is not JSON: "foo"' in text
    assert "DONE" not in text


DONE = {
    "decoder": {"format": "sse", "done_signal": "[DONE]"},
    "event_map": [
        {"match": "$.text", "emit": "PartialContentDelta", "extract": {"content": "$.text"}},
        {"match": "$.stop", "emit": "StreamEnd", "extract": {"finish_reason": "$.stop"}},
    ],
}


@pytest.mark.parametrize("bad", ["missing.json", "stream.ndjson"])
def test_a_manifest_that_is_none_stops_with_one_sentence(said, file, tmp_path, bad):
    file("stream.ndjson", stream(CONTENT, END))
    path = tmp_path / "stream.ndjson"
    code, text = said(path, "--as", "event-stream", "--manifest", tmp_path / bad)
    assert code == 2
    assert len(text.strip().splitlines()) == 1
    assert "not a usable provider manifest" in text


@pytest.mark.parametrize(
    ("given", "kind"),
    [({"tools": []}, "catalog"), ({"type": "object", "properties": {}}, "json-schema")],
)
def test_a_manifest_of_another_kind_is_named_in_the_language_of_the_reader(said, file, given, kind):
    manifest = file("m.json", json.dumps(given))
    path = file("stream.ndjson", stream(CONTENT, END))
    code, text = said(path, "--as", "event-stream", "--manifest", manifest, "--language", "es")
    assert code == 2
    assert f"es un documento del tipo {kind}." in text


@pytest.mark.parametrize("kind", ["a pipe", "a device"])
def test_a_manifest_that_never_ends_is_not_read(said, file, tmp_path, kind):
    given = Path("/dev/zero")
    if kind == "a pipe":
        os.mkfifo(given := tmp_path / "pipe")
    stream_of = file("stream.ndjson", stream(CONTENT, END))
    code, text = said(stream_of, "--as", "event-stream", "--manifest", given)
    assert code == 2
    assert "neither a file nor a directory" in text


def test_a_manifest_is_for_streams_only(said, tmp_path):
    code, text = said(tmp_path, "--manifest", MANIFEST)
    assert (code, "--as event-stream" in text) == (2, True)


def test_the_form_of_a_stream_is_known_by_its_first_line():
    for text in ("event: a\n", "data: {}\n", ": hello\n", "\n\nid: 7\nevent: a\n", "data\n"):
        assert wire_of(text) is WireForm.SSE
    assert wire_of('\n{"event": "a"}\n') is WireForm.NDJSON
    for text in ("", "{\n", "hello", "eventual: a"):
        assert wire_of(text) is None


def test_a_stream_without_messages_of_json_rpc_is_not_told_of_them(said, file):
    code, text = said(file("stream.sse", ": ping\n\n: ping\n\n"), "--as", "event-stream")
    assert (code, "no terminal event" in text, "JSON-RPC" in text) == (1, True, False)
