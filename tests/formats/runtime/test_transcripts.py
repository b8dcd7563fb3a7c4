"""Recorded streams of real providers, read by our manifests, become valid event streams."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from ruamel.yaml import YAML

from conformance.formats.runtime.assembly import reading_of, replay
from conformance.formats.validate.validate import examine, validate
from conformance.spec.vocabulary import Requirement
from tests.root import ROOT

DATA = ROOT.parent / "shared" / "data"
TRANSCRIPTS = DATA / "transcripts"
EXAMPLES = ROOT / "fixtures" / "examples" / "runtime" / "valid"
TABLE = YAML(typ="safe").load((ROOT / "tests/formats/runtime/transcripts.yaml").read_text("utf-8"))
SCREENED_IN = [name for name, entry in TABLE.items() if "out" not in entry]

pytestmark = pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the recorded transcripts are not beside this tree"
)


def frames(name: str) -> list:
    text = (TRANSCRIPTS / f"{name}.chunks.txt").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def reading(manifest: str):
    return reading_of(json.loads((EXAMPLES / f"{manifest}.json").read_text(encoding="utf-8")))


def test_the_table_names_every_transcript_and_no_other():
    assert sorted(TABLE) == sorted(
        path.name.removesuffix(".chunks.txt") for path in TRANSCRIPTS.iterdir()
    )


@pytest.mark.parametrize("name", SCREENED_IN)
def test_a_replayed_transcript_is_a_valid_stream(name):
    entry = TABLE[name]
    events, unmatched = replay(reading(entry["manifest"]), frames(name))
    kinds = Counter(
        str(each.get("type") or each.get("event_type") or each.get("object") or sorted(each))
        for each in unmatched
    )
    print(f"{name}: {len(unmatched)} frames that no rule matched: {dict(kinds)}")
    assert validate({"events": events}, "event-stream") == []
    assert events[-1] == {"event": "StreamEnd", "finish_reason": entry["reason"]}
    names = Counter(event["event"] for event in events)
    assert names["ToolCallStarted"] == names["ToolCallEnded"] == entry["calls"]


@pytest.mark.parametrize("name", SCREENED_IN)
def test_no_text_of_a_transcript_is_lost(name):
    """What a person would read in the raw frames is what the events say."""
    events, _ = replay(reading(TABLE[name]["manifest"]), frames(name))
    said = "".join(event.get("content", "") for event in events)
    assert said == "".join(_texts(frames(name)))


def _texts(raw: list):
    for frame in raw:
        choices = frame.get("choices") or [{}]
        yield (choices[0].get("delta") or {}).get("content") or ""
        delta = frame.get("delta")
        if frame.get("type") == "response.output_text.delta":
            yield delta
        elif isinstance(delta, dict) and delta.get("type") in ("text", "text_delta"):
            yield delta["text"]
        for candidate in frame.get("candidates", ()):
            for part in candidate.get("content", {}).get("parts", ()):
                yield "" if part.get("thought") else part.get("text", "")


def test_a_transcript_called_joined_begins_more_than_once():
    joined = [name for name, entry in TABLE.items() if entry.get("out") == "joined"]
    for name in joined:
        starts = [each for each in frames(name) if each.get("type") == "message_start"]
        assert len(starts) > 1


def test_a_transcript_called_uncovered_gives_arguments_by_their_paths():
    uncovered = [name for name, entry in TABLE.items() if entry.get("out") == "uncovered"]
    for name in uncovered:
        assert "partialArgs" in json.dumps(frames(name))


def test_only_a_transcript_called_abridged_skips_numbers():
    for name, entry in TABLE.items():
        numbers = [each["sequence_number"] for each in frames(name) if "sequence_number" in each]
        if numbers and not entry.get("abridged"):
            assert numbers == list(range(len(numbers)))


MANIFESTS = {
    "v1-openai": {"FinalCandidate"},
    "v2-openai": {"UsageReport", "refusal"},
    "v1-anthropic": {"refusal", "pause_turn"},
    "v2-anthropic": set(),
}
"""The real manifests, and the names in them that are outside the vocabularies."""


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_real_manifest_is_recognised_and_its_odd_names_are_named(name):
    raw = (DATA / "manifests" / f"{name}.yaml").read_bytes()
    examined = examine(raw, notation=_yaml())
    assert examined.recognition is not None
    assert examined.recognition.document == "provider-manifest"
    said = " ".join(each.message.words("en") for each in examined.problems)
    assert all(odd in said for odd in MANIFESTS[name])
    unknown = [each for each in examined.problems if each.clause == "RT-MAN-019"]
    assert [each.requirement for each in unknown] == [Requirement.MAY]


def _yaml():
    from conformance.formats.text.json_text import Notation

    return Notation.YAML


def test_a_stream_without_a_finish_says_so_in_the_same_words_every_time():
    events, _ = replay(reading("openai"), frames("openai-openai-text")[:3])
    assert events[-1]["error"]["code"] == "E3001"
