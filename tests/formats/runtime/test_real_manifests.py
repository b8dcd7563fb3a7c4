"""Provider manifests that others wrote: known, their deviations named, nothing unknown rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.validate import main
from conformance.formats.validate.validate import validate
from tests.root import ROOT

FOLDER = ROOT.parent / "shared" / "data" / "manifests"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the real manifests are not beside us")


@pytest.fixture
def judged(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    main([str(FOLDER), "--format", "json"])
    held = json.loads(capsys.readouterr().out)
    return {Path(each["file"]).stem: each for each in held["files"]}


def test_all_four_are_known_as_provider_manifests_and_by_their_dialects(judged: dict[str, Any]):
    assert {each["document"] for each in judged.values()} == {"provider-manifest"}
    assert len(judged) == 4
    for name, each in judged.items():
        assert ("family-by-adapter" in each["dialects"]) is True
        assert ("rule-fields" in each["dialects"]) is name.startswith("v1")


def test_what_stands_outside_the_vocabulary_is_named_at_its_line(judged: dict[str, Any]):
    said = {
        (name, word): problem
        for name, each in judged.items()
        for problem in each["problems"]
        for word in ("FinalCandidate", "UsageReport", "refusal", "pause_turn")
        if problem["message"].startswith(f'"{word}"')
    }
    assert set(said) == {
        ("v1-openai", "FinalCandidate"),
        ("v2-openai", "UsageReport"),
        ("v1-anthropic", "refusal"),
        ("v1-anthropic", "pause_turn"),
        ("v1-openai", "refusal"),
        ("v2-openai", "refusal"),
    }
    for (name, word), problem in said.items():
        lines = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
        assert word in lines[problem["line"] - 1]
        assert problem["level"] == ("error" if word[0].isupper() else "warning")


def test_only_events_outside_the_eight_keep_a_manifest_from_being_valid(judged: dict[str, Any]):
    errors = {
        (name, problem["clause"])
        for name, each in judged.items()
        for problem in each["problems"]
        if problem["level"] == "error"
    }
    assert errors == {("v1-openai", "RT-MAN-011"), ("v2-openai", "RT-MAN-011")}


def test_unknown_fields_are_one_note_and_no_error(judged: dict[str, Any]):
    for each in judged.values():
        notes = [p for p in each["problems"] if p["clause"] == "RT-MAN-019"]
        assert len(notes) == 1
        assert notes[0]["level"] == "warning"


def test_an_adapter_that_is_no_family_does_not_stand_for_one():
    bare = {"id": "ab", "protocol_version": "2", "endpoint": {"base_url": "https://a.example"}}
    names = {"400": "timeout", "401": "timeout", "429": "timeout", "500": "timeout"}
    manifest = {**bare, "error_classification": {"by_http_status": names}}
    own = {"endpoints": {"chat": {"adapter": "openai"}}}
    other = {"endpoints": {"chat": {"adapter": "acme"}}}
    assert [each.clause for each in validate(manifest | own)] == ["RT-FAM-002"]
    assert [each.clause for each in validate(manifest | other)] == ["RT-FAM-001"]
