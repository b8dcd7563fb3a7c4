"""The scenarios of the fake provider, as primitives: the same story for each face."""

from __future__ import annotations

import json

import pytest

from conformance.formats.provider.completion import Asked
from conformance.formats.provider.faces import FACES
from conformance.formats.runtime.assembly import reading_of, replay
from conformance.formats.text.sse import sse_events
from conformance.kit.cases.provider.scenarios import HELLO, SCENARIOS, Attempts
from conformance.kit.cases.provider.turns import NOTHING, Redirects, Scene
from conformance.kit.model.performance import End, Fin, Head, Rst, Send, Wait
from tests.formats.provider.test_faces import manifest

faces = pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
ENDS = (End, Fin, Rst)


def scene(face, *, stream=True, user="hello"):
    return Scene(face, Asked("a-model", stream, user), "req_1")


def body(acts):
    return b"".join(act.data for act in acts if isinstance(act, Send))


def frames(acts):
    held = [each.data for each in sse_events(body(acts).decode())]
    return [json.loads(each) for each in held if each and each != "[DONE]"]


@faces
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", SCENARIOS)
def test_each_turn_is_a_performance_that_can_be_played(name, stream, face):
    for attempt in range(1, len(SCENARIOS[name].turns) + 1):
        acts = SCENARIOS[name].acts(attempt, scene(face, stream=stream))
        heads = [number for number, act in enumerate(acts) if isinstance(act, Head)]
        sends = [number for number, act in enumerate(acts) if isinstance(act, Send)]
        assert len(heads) <= 1
        assert not sends or heads[0] < min(sends)
        assert isinstance(acts[-1], ENDS) or acts[-1] == Wait()
        assert sum(isinstance(act, ENDS) for act in acts[:-1]) == 0


@faces
@pytest.mark.parametrize("name", ["split-bytes", "odd-sse"])
def test_a_layout_changes_no_event(name, face):
    plain = SCENARIOS["text"].acts(1, scene(face))
    odd = SCENARIOS[name].acts(1, scene(face))
    assert frames(odd) == frames(plain)
    assert [a for a in odd if isinstance(a, Send)] != [a for a in plain if isinstance(a, Send)]


@faces
def test_a_stream_that_is_cut_holds_content_and_no_reason(face):
    for name in ("cut-no-reason", "cut-fin", "cut-rst"):
        acts = SCENARIOS[name].acts(1, scene(face))
        events, _ = replay(reading_of(manifest(face)), frames(acts))
        assert [each["content"] for each in events if "content" in each] == [HELLO.pieces[0]]
        assert events[-1]["event"] == "StreamError"


@faces
def test_a_flaky_provider_answers_in_the_end(face):
    statuses = [
        next(act.status for act in SCENARIOS["flaky-429-2"].acts(n, scene(face))
             if isinstance(act, Head))
        for n in (1, 2, 3, 4)
    ]  # fmt: skip
    assert statuses == [429, 429, 200, 200]


def test_attempts_are_counted_for_each_call_and_begin_again_after_the_last_turn():
    attempts, face = Attempts(SCENARIOS["flaky-429-2"]), FACES[0]
    one, other = scene(face, user="one"), scene(face, user="other")
    numbers = [attempts.next(face, each) for each in (one, one, other, one, one, other)]
    assert numbers == [1, 2, 1, 3, 1, 2]


def test_each_scenario_says_what_it_does():
    assert len(SCENARIOS) > 40
    assert all(each.about and each.name == name for name, each in SCENARIOS.items())


def test_calls_that_are_never_ended_are_forgotten():
    attempts = Attempts(SCENARIOS["flaky-429-3"])
    first = scene(FACES[0], user="the first")
    assert [attempts.next(FACES[0], first) for _ in range(2)] == [1, 2]
    for number in range(10_001):
        attempts.next(FACES[0], scene(FACES[0], user=str(number)))
    assert attempts.next(FACES[0], first) == 1


def test_half_a_character_in_a_call_is_no_fault():
    assert Attempts(SCENARIOS["text"]).next(FACES[0], scene(FACES[0], user="\ud800")) == 1


@faces
def test_a_name_of_megabytes_is_not_repeated_in_each_event(face):
    asked = Scene(face, Asked("x" * 1_000_000, True, "hello"), "req_1")
    assert len(body(SCENARIOS["text"].acts(1, asked))) < 100_000


@pytest.mark.parametrize(
    ("host", "other"),
    [
        ("localhost:1", "127.0.0.1"),
        ("127.0.0.1:1", "localhost"),
        ("api.example.com", "localhost"),
        ("\xe9", "localhost"),
        ("x:##vso[task.complete]", "localhost"),
        ("", "localhost"),
    ],
)
def test_a_redirect_leads_to_the_other_name_of_this_machine_whatever_the_host_header_says(
    host, other
):
    scene = Scene(FACES[0], NOTHING, "1", host, 9000)
    head = Redirects("/elsewhere").acts(scene)[0]
    assert ("location", f"http://{other}:9000/elsewhere") in head.headers
