"""What makes valid streams of what rules without memory give."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.formats.runtime.assembly import Assembly, reading_of, replay
from conformance.formats.runtime.rule_language import TooMuchWork, limited
from conformance.formats.runtime.stream import disorder

FIELDS = {
    "PartialContentDelta": ["content"],
    "ThinkingDelta": ["thinking"],
    "ToolCallStarted": ["tool_call_id", "tool_name", "index"],
    "PartialToolCall": ["tool_call_id", "tool_name", "arguments", "index"],
    "ToolCallEnded": ["tool_call_id", "index"],
    "Metadata": ["usage", "model"],
    "StreamEnd": ["finish_reason"],
    "StreamError": ["error"],
}
MANIFEST = {
    "streaming": {
        "event_map": [
            {"match": f"$.e == '{name}'", "emit": name, "extract": {f: f"$.{f}" for f in fields}}
            for name, fields in FIELDS.items()
        ]
    },
    "termination": {"mapping": {"stop": "end_turn", "length": "max_tokens"}},
    "error_classification": {"by_error_code": {"busy": "overloaded"}},
}
READING = reading_of(MANIFEST)


def frame(name: str, **fields: Any) -> dict[str, Any]:
    return {"e": name, **fields}


def names(*frames: dict[str, Any]) -> list[str]:
    return [event["event"] for event in replay(READING, frames)[0]]


END = frame("StreamEnd", finish_reason="stop")


def test_an_index_stands_for_the_call_that_was_started_with_it():
    events, _ = replay(
        READING,
        [
            frame("ToolCallStarted", tool_call_id="a", tool_name="t", index=4),
            frame("PartialToolCall", arguments="{}", index=4),
            frame("ToolCallEnded", index=4),
            END,
        ],
    )
    assert [event.get("tool_call_id") for event in events[:3]] == ["a", "a", "a"]


def test_a_first_fragment_starts_its_call():
    found = names(frame("PartialToolCall", tool_name="t", arguments={"a": 1}), END)
    assert found == ["ToolCallStarted", "PartialToolCall", "ToolCallEnded", "StreamEnd"]


def test_a_call_without_arguments_starts_and_ends():
    found = names(frame("PartialToolCall", tool_name="t"), END)
    assert found == ["ToolCallStarted", "ToolCallEnded", "StreamEnd"]


def test_calls_without_ids_get_ids_of_their_own():
    events, _ = replay(
        READING,
        [
            frame("PartialToolCall", tool_name="t", arguments={}),
            frame("PartialToolCall", tool_name="t", arguments={}),
            END,
        ],
    )
    started = [each["tool_call_id"] for each in events if each["event"] == "ToolCallStarted"]
    assert len(set(started)) == 2


def test_a_name_that_is_repeated_starts_nothing_again():
    found = names(
        frame("PartialToolCall", tool_call_id="a", tool_name="t", arguments="{", index=0),
        frame("PartialToolCall", tool_name="t", arguments="}", index=0),
        END,
    )
    assert found.count("ToolCallStarted") == 1


def test_the_stop_of_a_block_that_is_no_call_ends_nothing():
    assert names(frame("ToolCallEnded", index=0), END) == ["StreamEnd"]


def test_a_call_is_ended_once_by_its_block_and_by_the_finish():
    start = frame("ToolCallStarted", tool_call_id="a", tool_name="t", index=0)
    stop = frame("ToolCallEnded", index=0)
    assert names(start, stop, stop, END).count("ToolCallEnded") == 1


def test_fragments_of_no_call_of_ours_are_left_out():
    assert names(frame("PartialToolCall", arguments="{}", index=0), END) == ["StreamEnd"]


def test_an_empty_fragment_emits_nothing():
    frames = [
        frame("PartialContentDelta", content=""),
        frame("ThinkingDelta", thinking=""),
        frame("Metadata", usage=None),
    ]
    assert names(*frames, END) == ["StreamEnd"]


def test_the_end_is_held_back_until_usage_came():
    assert names(END, frame("Metadata", usage={"n": 1})) == ["Metadata", "StreamEnd"]


def test_a_stream_without_a_finish_is_an_error():
    events, _ = replay(READING, [frame("PartialContentDelta", content="Hi")])
    assert events[-1]["error"]["code"] == "E3001"


def test_an_empty_stream_is_an_error():
    assert names() == ["StreamError"]


def test_a_reason_is_put_into_our_words():
    events, _ = replay(READING, [frame("StreamEnd", finish_reason="length")])
    assert events == [{"event": "StreamEnd", "finish_reason": "max_tokens"}]


def test_a_reason_that_maps_to_none_is_kept_as_it_came():
    events, _ = replay(READING, [frame("StreamEnd", finish_reason="pause")])
    assert events == [{"event": "Metadata", "raw_finish_reason": "pause"}, {"event": "StreamEnd"}]


def test_no_reason_is_made_up_where_none_came():
    assert replay(READING, [frame("StreamEnd")])[0] == [{"event": "StreamEnd"}]


def test_an_error_of_the_provider_is_classified_and_ends_all():
    failed = frame("StreamError", error={"type": "busy", "message": "Later."})
    events, _ = replay(READING, [failed, frame("PartialContentDelta", content="Hi"), END])
    assert [each["error"]["name"] for each in events] == ["overloaded"]


def test_an_error_that_is_only_words_is_unknown():
    events, _ = replay(READING, [frame("StreamError", error="It broke.")])
    assert (events[0]["error"]["code"], events[0]["error"]["message"]) == ("E9999", "It broke.")


def test_a_call_that_was_cut_off_is_not_ended():
    start = frame("PartialToolCall", tool_name="t", arguments='{"a')
    found = names(start, frame("StreamEnd", finish_reason="length"))
    assert found == ["ToolCallStarted", "PartialToolCall", "StreamEnd"]


def test_arguments_that_are_no_json_are_an_error():
    start = frame("PartialToolCall", tool_name="t", arguments='{"a')
    assert names(start, END)[-1] == "StreamError"


def test_whole_calls_are_ended_also_after_one_that_is_not():
    found = names(
        frame("PartialToolCall", tool_call_id="a", tool_name="t", arguments='{"a', index=0),
        frame("PartialToolCall", tool_call_id="b", tool_name="t", arguments="{}", index=1),
        END,
    )
    assert found[-2:] == ["ToolCallEnded", "StreamError"]


def test_a_new_id_at_an_old_index_ends_the_call_before():
    found = names(
        frame("PartialToolCall", tool_call_id="a", tool_name="t", arguments="{}", index=0),
        frame("PartialToolCall", tool_call_id="b", tool_name="t", arguments="{}", index=0),
        END,
    )
    assert found.count("ToolCallStarted") == found.count("ToolCallEnded") == 2


def test_a_frame_that_no_rule_matched_is_kept():
    assembly = Assembly(READING)
    assembly.feed({"e": "ping"})
    assert assembly.unmatched == [{"e": "ping"}]


_VALUES = st.sampled_from(["", "a", "b", "{", "}", "{}", '{"a":1}', 0, 1, -1, None, {}, {"x": 1}])


@given(
    st.lists(
        st.sampled_from(sorted(FIELDS)).flatmap(
            lambda name: st.fixed_dictionaries(
                {"e": st.just(name)}, optional=dict.fromkeys(FIELDS[name], _VALUES)
            )
        ),
        max_size=12,
    )
)
def test_whatever_the_rules_give_the_stream_is_valid(frames):
    events, _ = replay(READING, frames)
    assert list(disorder(events)) == []
    json.dumps(events)


def started(number: int, **fields: Any) -> dict[str, Any]:
    return frame("ToolCallStarted", tool_call_id=f"c{number}", tool_name="t", **fields)


MANY = 20_000
LONG = {
    "open calls, each at its index": [started(n, index=n) for n in range(MANY)],
    "open calls of the provider at no index": [started(n) for n in range(MANY)],
    "calls at one index that never become whole": [
        each
        for n in range(MANY)
        for each in (started(n, index=0), frame("PartialToolCall", arguments="{", index=0))
    ],
    "ids that are like those made up": [
        *(frame("ToolCallStarted", tool_call_id=f"call_{n}", tool_name="t")
          for n in range(MANY, 2 * MANY)),
        *(frame("ToolCallStarted", tool_name="t") for _ in range(MANY)),
    ],
    "calls that end from the last to the first": [
        *(started(n) for n in range(MANY)),
        *(frame("ToolCallEnded") for _ in range(MANY)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("frames", LONG.values(), ids=list(LONG))
def test_a_stream_of_many_calls_is_assembled_in_time(frames):
    began = time.process_time()
    replay(READING, [*frames, END])
    assert time.process_time() - began < 5


def test_a_long_text_is_not_read_again_for_each_word_that_it_has_ended():
    opened = [
        frame("ToolCallStarted", tool_call_id="a", tool_name="t"),
        frame("PartialToolCall", arguments='{"a": "' + "b" * 5_000_000),
    ]
    again = [frame("ToolCallEnded", tool_call_id="a")] * 100_000
    began = time.process_time()
    with limited(), pytest.raises(TooMuchWork):
        replay(READING, [*opened, *again])
    assert time.process_time() - began < 20


def test_a_frame_does_not_become_more_events_than_memory_holds():
    rule = {"match": "$.a", "emit": "PartialContentDelta", "extract": {"content": "$.a[*].b"}}
    reading = reading_of({"streaming": {"event_map": [rule] * 100}})
    with limited(), pytest.raises(TooMuchWork):
        replay(reading, [{"a": [{"b": "c"}] * 10_000}])
