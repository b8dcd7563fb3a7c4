"""The recorder: a session's exchanges, and only so much of them in memory."""

import pytest

from conformance.kit.evidence import recorder as recording
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.evidence.spill import cost
from conformance.kit.model.exchange import Answer, HttpRequest, ModelCall, StdioRequest, Trouble
from conformance.kit.model.performance import Moment
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import CUT_KEPT, Received
from conformance.spec.vocabulary import Seen

LONG = b"a" * 1_000_000


def recorded(recorder, number, body=LONG):
    received = Received(Answer(200, body=body), None, 0.1)
    step = Step("ask")
    return recorder.record(number, "mcp", StdioRequest(b"x"), received, script="s", step=step)


def test_of_answers_beyond_what_may_be_held_only_the_beginning_is_kept(monkeypatch):
    monkeypatch.setattr(recording, "HELD_CAP", 4_500_000)
    recorder = Recorder()
    first, second, third = (recorded(recorder, number) for number in (1, 2, 3))
    assert (first.answer.body, first.trouble) == (LONG, None)
    assert (second.answer.body, second.trouble) == (LONG, None)
    assert (third.answer.body, third.trouble) == (LONG[:CUT_KEPT], Trouble.TOO_LARGE)
    short = recorded(recorder, 4, b"a")
    assert (short.answer.body, short.trouble) == (b"a", None), "a short answer always has room"


def test_what_is_put_away_leaves_room(monkeypatch):
    monkeypatch.setattr(recording, "HELD_CAP", 4_500_000)
    recorder = Recorder()
    for number in range(1, 9):
        one = recorded(recorder, number)
        assert one.trouble is None
        recorder.put_away([one])
    assert recorder.by_id.weight == 0


def test_the_answers_of_several_targets_are_held_within_one_limit(monkeypatch):
    monkeypatch.setattr(recording, "HELD_CAP", 4_500_000)
    recorder = Recorder()
    for first in range(1, 13, 2):
        draft = recorder.draft()
        for number in (first, first + 1):
            recorded(draft, number)
        recorder.accept(draft, {"mcp": "mcp"})
    assert recorder.by_id.weight < 4_500_000
    assert recorder.by_id[12].trouble is Trouble.TOO_LARGE


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=200, headers=(("x", "y" * 90_000),)),
        Answer(noise=("y" * 90_000,)),
        Answer(late=({"result": ["y" * 90_000]},)),
        Answer(messages=({"method": "y" * 90_000}, {"result": {}})),
    ],
)
def test_what_comes_beside_a_body_is_counted_and_cut_as_well(answer, monkeypatch):
    assert 80_000 < answer.weight < 200_000
    monkeypatch.setattr(recording, "HELD_CAP", 1_000_000)
    recorder = Recorder()
    for number in range(1, 51):
        received = Received(answer, None, 0.0)
        recorder.record(number, "http", HttpRequest(), received, script="x", step=Step("x"))
    assert recorder.by_id.weight < 1_000_000
    assert recorder.by_id[50].trouble is Trouble.TOO_LARGE


def test_a_timeline_for_which_there_is_no_room_is_not_kept(monkeypatch):
    monkeypatch.setattr(recording, "HELD_CAP", 1_000_000)
    recorder = Recorder()
    asked = Moment(Seen.ARRIVED, 0.1, 1, path="/x", headers=(("a", "b"),) * 2_000)
    for number in range(1, 11):
        received = Received(None, Trouble.TIMEOUT, 0.0, timeline=(asked,))
        recorder.record(number, "g", ModelCall(), received, script="x", step=Step("x"))
    assert recorder.by_id.weight < 1_000_000
    assert recorder.by_id[1].timeline == (asked,)
    assert recorder.by_id[10].timeline == ()
    recorder.put_away(recorder.by_id.held)
    assert recorder.by_id.weight == 0


def test_of_the_answers_behind_gigabytes_a_few_bytes_are_kept(monkeypatch):
    monkeypatch.setattr(recording, "MOST_WRITTEN", 100_000)
    recorder = Recorder()
    for number, body in enumerate((b"y" * 60_000, b"y" * 60_000, b"{}"), start=1):
        received = Received(Answer(status=200, body=body), None, 0.0)
        recorder.record(number, "http", HttpRequest(), received)
    kept = [recorder.by_id[number] for number in (1, 2, 3)]
    assert [len(each.answer.body) for each in kept] == [60_000, 1024, 2]
    assert [each.trouble for each in kept] == [None, Trouble.TOO_LARGE, None]


def test_the_address_and_the_headers_of_a_request_count_as_its_body_does():
    """An OpenAPI document may have each call repeat long texts there."""
    recorder = Recorder()
    long = ((("X-Note", "x" * 50_000),), "http://h/?" + "x" * 40_000)
    request = HttpRequest("GET", long[1], long[0])
    exchange = recorder.record(1, "http", request, Received(Answer(status=200), None, 0.0))
    assert cost(exchange) > 90_000
    assert recorder.sent > 90_000
