"""The recorder: a session's exchanges, and only so much of them in memory."""

from conformance.kit.evidence import recorder as recording
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.exchange import Answer, StdioRequest, Trouble
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import CUT_KEPT, Received

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
