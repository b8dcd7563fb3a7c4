"""Both ends of a model call on one axis."""

from __future__ import annotations

import json
from dataclasses import replace

from conformance.formats.validate.validate import validate
from conformance.kit.model.exchange import Answer, Exchange, ModelCall
from conformance.kit.model.performance import Moment
from conformance.kit.record.exchanges import ExchangeWriter
from conformance.kit.report.html.timeline import hidden, lanes
from conformance.spec.vocabulary import Seen

PATH = "/openai/v1/chat/completions"
CALL = ModelCall("POST", "http://127.0.0.1:1/v1/chat/completions")
TIMELINE = (
    Moment(Seen.ARRIVED, 0.1, 1, "POST", PATH),
    Moment(Seen.HEAD, 0.2, 1, "429"),
    Moment(Seen.SENT, 0.2, 1, "12"),
    Moment(Seen.ENDED, 0.2, 1),
    Moment(Seen.ARRIVED, 0.5, 2, "POST", PATH),
    Moment(Seen.HEAD, 0.6, 2, "200"),
    Moment(Seen.CLIENT_STATUS, 0.7, detail="200"),
    Moment(Seen.CLIENT_CONTENT, 0.8),
    Moment(Seen.BROKEN, 0.9, 2),
    Moment(Seen.CLIENT_DONE, 1.0, detail="closed"),
)
EXCHANGE = Exchange(1, "native", CALL, Answer(200, (), b""), None, 0.0, 1.0, timeline=TIMELINE)


def test_each_request_has_a_lane_and_the_client_the_last_one():
    first, second, client = lanes(EXCHANGE)
    assert [each.number for each in (first, second, client)] == [1, 2, 0]
    assert (first.path, first.status, first.end) == (PATH, "429", "ended")
    assert (second.status, second.end) == ("200", "broken")
    assert (client.status, client.content_at, client.end) == ("200", 0.8, "failed")


def test_a_gap_is_from_the_end_of_one_request_to_the_next():
    first, second, client = lanes(EXCHANGE)
    assert (first.gap, client.gap) == (None, None)
    assert second.gap is not None
    assert abs(second.gap - 0.3) < 1e-9


def test_the_parts_lie_on_one_axis_of_a_hundred():
    for lane in lanes(EXCHANGE):
        assert all(part.at >= 0 and part.at + part.width <= 100.001 for part in lane.parts)
    first, second, _ = lanes(EXCHANGE)
    assert [round(part.at) for part in first.parts] == [10, 20]
    assert [round(part.width) for part in second.parts] == [10, 30]


def test_what_has_no_end_is_open():
    (only, client) = lanes(replace(EXCHANGE, timeline=TIMELINE[:1]))
    assert (only.end, client.end, only.status) == ("open", "open", "")


def test_many_requests_are_cut_and_counted():
    arrived = tuple(Moment(Seen.ARRIVED, n / 100, n) for n in range(1, 41))
    many = replace(EXCHANGE, timeline=arrived)
    assert len(lanes(many)) + hidden(many) == 40 + 1
    assert hidden(EXCHANGE) == 0


def test_a_call_without_a_provider_has_no_picture():
    assert lanes(replace(EXCHANGE, timeline=())) == []


def test_what_a_record_holds_of_both_ends_is_a_timeline(tmp_path):
    path = tmp_path / "exchanges.ndjson"
    arrived = Moment(Seen.ARRIVED, 0.1, 1, "POST", PATH, (("host", "127.0.0.1"),), b"\xff{")
    with ExchangeWriter(path, kit="0", started="") as writer:
        writer.write(replace(EXCHANGE, timeline=(arrived, *TIMELINE[1:])))
    _, line, _ = path.read_text("utf-8").splitlines()
    held = {"timeline": json.loads(line)["timeline"]}
    assert len(held["timeline"]) == len(TIMELINE)
    assert validate(held, "timeline") == []
