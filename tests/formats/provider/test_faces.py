"""Each face of the fake provider speaks as the manifest of its provider says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from conformance.formats.provider.completion import Completion, ToolCall, Usage
from conformance.formats.provider.faces import FACES, face_of
from conformance.formats.runtime.assembly import reading_of, replay
from conformance.formats.runtime.provider_errors import classify
from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import RuntimeErrorName, TerminationReason
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures" / "examples" / "runtime" / "valid"
MANIFESTS = {
    "openai-chat": "openai",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
}
SAID = Completion(
    pieces=("Hel", "lo."),
    thinking=("Two and", " two."),
    calls=(
        ToolCall("call_1", "get_weather", ('{"city":', ' "Lima"', "}")),
        ToolCall("call_2", "get_weather", ('{"city": "Recife"}',)),
    ),
    reason=TerminationReason.TOOL_USE,
    usage=Usage(20, 9, cached=4, reasoning=3),
)
BODIES = {
    "openai-chat": ("/x/openai/v1/chat/completions", "", {"model": "m", "stream": True}),
    "openai-responses": ("/openai/v1/responses", "", {"model": "m", "stream": True}),
    "anthropic": ("/anthropic/v1/messages", "", {"model": "m", "stream": True}),
    "gemini": ("/gemini/v1beta/models/m:streamGenerateContent", "alt=sse", {}),
}


def manifest(face):
    return json.loads((EXAMPLES / f"{MANIFESTS[face.name]}.json").read_text("utf-8"))


def events(face, said):
    frames = [json.loads(each.data) for each in face.frames(said) if each.data != "[DONE]"]
    return replay(reading_of(manifest(face)), frames)[0]


faces = pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)


@faces
def test_a_stream_is_read_as_what_the_model_said(face):
    found = events(face, SAID)
    assert validate({"events": found}, "event-stream") == []
    joined = Counter()
    for event in found:
        for name in ("content", "thinking"):
            joined[name] = (joined[name] or "") + event.get(name, "")
    assert joined["content"] == SAID.text
    assert joined["thinking"] == "".join(SAID.thinking)
    calls = [each["tool_name"] for each in found if each["event"] == "ToolCallStarted"]
    assert calls == ["get_weather", "get_weather"]
    ids = [each["tool_call_id"] for each in found if each["event"] == "ToolCallStarted"]
    for id, call in zip(ids, SAID.calls, strict=True):
        parts = [
            each["arguments"]
            for each in found
            if each["event"] == "PartialToolCall" and each["tool_call_id"] == id
        ]
        assert json.loads("".join(parts)) == json.loads(call.arguments)
    # Gemini says STOP after a call, too: assembly knows that there was one.
    assert found[-1] == {"event": "StreamEnd", "finish_reason": "tool_use"}


@faces
@pytest.mark.parametrize(
    "reason", [TerminationReason.END_TURN, TerminationReason.MAX_TOKENS], ids=str
)
def test_a_finish_reason_keeps_its_meaning(face, reason):
    found = events(face, Completion(("Hello.",), reason=reason))
    assert found[-1] == {"event": "StreamEnd", "finish_reason": reason.value}


@faces
def test_a_raw_reason_is_the_providers_own(face):
    found = events(face, Completion(("Hello.",), raw_reason="model_was_tired"))
    assert found[-1] == {"event": "StreamEnd"}
    assert {"event": "Metadata", "raw_finish_reason": "model_was_tired"} in found


@faces
@pytest.mark.parametrize("error", list(RuntimeErrorName), ids=str)
def test_a_refusal_is_classified_as_the_error_that_it_is(face, error):
    refusal = face.refusal(error, "req_1")
    classification = manifest(face)["error_classification"]
    found = classify(
        classification, codes=(refusal.code,), said=refusal.message, status=refusal.status
    )
    assert found.name is error
    assert refusal.code in json.dumps(refusal.body)


@faces
def test_an_error_inside_a_stream_is_read_as_one(face):
    frame = json.loads(face.broken_off(RuntimeErrorName.OVERLOADED).data)
    found, _ = replay(reading_of(manifest(face)), [frame])
    assert [each["event"] for each in found] == ["StreamError"]
    assert found[0]["error"]["name"] == "overloaded"


@faces
def test_a_face_knows_its_own_requests_and_no_others(face):
    path, query, body = BODIES[face.name]
    found, asked = face_of(path, query, body)
    assert found is face
    assert (asked.model, asked.stream) == ("m", True)
    others = [other for other in FACES if other is not face]
    assert [other.asked(path, query, body) for other in others] == [None] * len(others)


def test_a_path_of_no_provider_has_no_face():
    assert face_of("/openai/v1/embeddings", "", {}) is None
    assert face_of("/gemini/v1beta/models/m:countTokens", "", {}) is None


@faces
def test_a_whole_answer_holds_what_the_stream_said(face):
    text = json.dumps(face.whole(SAID))
    assert SAID.text in text
    assert "Two and two." in text
    assert text.count("get_weather") == 2
