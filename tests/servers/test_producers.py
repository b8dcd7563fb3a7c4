"""The producer that was written from the runtime vocabulary alone, and what is asked of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.formats.runtime.stream import lined_stream
from conformance.formats.validate.stream_text import stream_of
from conformance.spec.vocabulary import StreamEventName, TerminationReason, WireForm
from fixtures.producers.chat import FORMS, STORIES
from tests.root import ROOT

PRODUCER = ROOT / "fixtures" / "producers" / "chat.py"


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("story", list(STORIES))
def test_every_stream_of_the_producer_is_valid(form, story):
    found = stream_of("".join(FORMS[form](STORIES[story]())))
    assert found is not None
    assert (found.wire, found.told) == (WireForm(form), ())
    assert list(found.events) == list(STORIES[story]())


def test_the_producer_s_stories_show_every_event_and_its_forms_agree():
    events = [event for story in STORIES.values() for event in story()]
    assert {event["event"] for event in events} == set(StreamEventName)
    for story in STORIES.values():
        read = [
            [event for _, event in lined_stream("".join(FORMS[form](story())), WireForm(form))]
            for form in FORMS
        ]
        assert read[0] == read[1]
    ended = {event["finish_reason"] for event in events if "finish_reason" in event}
    assert ended <= set(TerminationReason)


def test_what_the_producer_pipes_to_the_validator_is_judged():
    program = Path(sys.executable).with_name("agent-formats")
    made = subprocess.run(
        [sys.executable, PRODUCER, "sse", "tools"], capture_output=True, check=True
    )
    done = subprocess.run(
        [program, "validate", "-", "--as", "event-stream"],
        input=made.stdout,
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, b"ending in StreamEnd tool_use: valid" in done.stdout) == (0, True)


def test_the_producer_uses_nothing_of_this_project():
    tree = ast.parse(PRODUCER.read_text(encoding="utf-8"))
    names = [each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    names += [n.name for each in ast.walk(tree) if isinstance(each, ast.Import) for n in each.names]
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("at", range(5))
def test_a_stream_of_the_producer_that_lost_an_event_of_a_call_or_its_end_is_caught(at):
    """Leaving out a start, a piece, an end of a call, or the end of the stream breaks a clause."""
    events = list(STORIES["tools"]())
    kinds = ("ToolCallStarted", "PartialToolCall", "ToolCallEnded", "StreamEnd", "StreamEnd")
    lost = next(n for n, event in enumerate(events) if event["event"] == kinds[at])
    broken = events[:lost] + events[lost + 1 :] if at < 4 else [*events, events[0]]
    found = stream_of("".join(FORMS["ndjson"](broken)))
    assert found is not None
    assert {told.problem.clause[:6] for told in found.told} == {"RT-ORD"}
