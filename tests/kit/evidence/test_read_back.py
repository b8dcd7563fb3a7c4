"""What was put into the file of a session costs little to read back."""

import dataclasses
import pickle

from conformance.kit.evidence import evidence
from conformance.kit.evidence.spill import Spill
from tests.kit.samples import MCP, TOOL, called, case, result, rpc


def read_back(count=3):
    """Calls that a spill without room has put into its file, and what they were."""
    spill = Spill(room=0)
    calls = [
        called(rpc(result("x", structuredContent={"n": n}), of=case(run=MCP))) for n in range(count)
    ]
    kept = spill.keep_calls(calls, TOOL)
    spill.keep_calls(calls[:1], TOOL)  # takes the place of what was used last
    return kept, calls


def test_an_answer_is_read_again_only_for_those_who_ask_what_it_means(monkeypatch):
    kept, calls = read_back()
    asked = []
    read = evidence.read

    def counting(exchange, tool=None):
        asked.append(exchange)
        return read(exchange, tool)

    monkeypatch.setattr(evidence, "read", counting)
    again = list(kept)
    assert [call.exchange for call in again] == [call.exchange for call in calls]
    assert asked == []
    assert [again[0].reading, again[0].reading] == [calls[0].reading] * 2
    assert len(asked) == 1


def test_no_value_is_read_back_by_asking_a_class_for_its_fields(monkeypatch):
    list(read_back()[0])  # each class is known once
    kept, calls = read_back()

    def never(_):
        raise AssertionError("the fields were asked for")

    monkeypatch.setattr(dataclasses, "fields", never)
    assert [call.exchange for call in kept] == [call.exchange for call in calls]


def test_what_is_read_back_is_as_frozen_as_it_was():
    kept, calls = read_back()
    again = kept[0].exchange
    assert again == calls[0].exchange
    assert pickle.dumps(again) == pickle.dumps(kept[0].exchange)
    try:
        again.id = 7
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError("it can be changed")
