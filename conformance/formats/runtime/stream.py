"""Checks the order of events in a stream, and reads and writes the two wire forms of a stream.

Serves RT-ORD-002 to RT-ORD-009 and RT-WIRE-002 to RT-WIRE-004.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.problem import Place, shown
from conformance.formats.runtime.assembly import CUT_OFF
from conformance.formats.runtime.kinds import Broken
from conformance.formats.text.json_text import read_json
from conformance.formats.text.sse import LINE_END, SseEvent, sse_events
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import StreamEventName, TerminationReason, WireForm

NO_JSON = object()
"""The result for a line that is not JSON."""

_SSE_LINE = re.compile(r"(event|data|id|retry)?:|(event|data|id|retry)$")

WIRE_CLAUSES = {WireForm.SSE: "RT-WIRE-002", WireForm.NDJSON: "RT-WIRE-003"}
"""The clause that defines each wire form."""

_CUT_OFF = tuple(CUT_OFF)
TERMINAL = frozenset({StreamEventName.STREAMEND.value, StreamEventName.STREAMERROR.value})
_ABOUT_CALLS = frozenset(
    {StreamEventName.PARTIALTOOLCALL.value, StreamEventName.TOOLCALLENDED.value}
)


@dataclass(frozen=True, slots=True)
class Disorder:
    """An event out of order: the clause, its number (None: the whole stream), the message."""

    clause: str
    at: int | None
    said: Message


@dataclass(slots=True)
class _Seen:
    """The calls of a stream so far; `open` has the number of each open call's first event."""

    open: dict[str, int] = field(default_factory=dict)
    ever: set[str] = field(default_factory=set)
    fragments: dict[str, list[str]] = field(default_factory=dict)
    index: dict[str, int] = field(default_factory=dict)
    taken: Counter[int] = field(default_factory=Counter)
    """How many open calls have an index."""
    complete: bool = False
    """Whether a call has ended."""


def disorder(events: Iterable[Any]) -> Iterator[Disorder]:
    """Yield each violation of the order in the events of one stream, in one pass."""
    seen = _Seen()
    ended = False
    for number, event in enumerate(events):
        members = event if isinstance(event, dict) else {}
        name = str(members.get("event"))
        if ended:
            yield Disorder("RT-ORD-005", number, message("documents.stream.after_end"))
            continue
        if name in TERMINAL:
            ended = True
            if name == StreamEventName.STREAMEND.value:
                yield from _left_open(seen, members)
                yield from _reason(seen, number, members.get("finish_reason"))
        else:
            yield from _of_calls(seen, number, name, members.get("tool_call_id"), members)
    if not ended:
        yield Disorder("RT-ORD-005", None, message("documents.stream.endless"))


def _of_calls(
    seen: _Seen, number: int, name: Any, given: Any, members: Mapping[str, Any]
) -> Iterator[Disorder]:
    if not isinstance(given, str):
        return  # the schema reports it
    yield from _of_index(seen, number, given, members.get("index"))
    if name == StreamEventName.TOOLCALLSTARTED.value:
        if given in seen.ever:
            said = message("documents.stream.started_twice", given=shown(given))
            yield Disorder("RT-ORD-003", number, said)
            return
        seen.ever.add(given)
        yield from _same_index(seen, number, given)
        seen.open[given] = number
        if given in seen.index:
            seen.taken[seen.index[given]] += 1
        seen.fragments[given] = []
    elif name in _ABOUT_CALLS and given not in seen.open:
        said = message("documents.stream.not_open", given=shown(given))
        yield Disorder("RT-ORD-002", number, said)
    elif name == StreamEventName.PARTIALTOOLCALL.value:
        seen.fragments[given].append(str(members.get("arguments", "")))
    elif name == StreamEventName.TOOLCALLENDED.value:
        del seen.open[given]
        if given in seen.index:
            seen.taken[seen.index[given]] -= 1
        seen.complete = True
        text = "".join(seen.fragments.pop(given))
        if not _is_object(text):
            said = message("documents.stream.no_json", given=shown(given), value=shown(text))
            yield Disorder("RT-ORD-006", number, said)


def _of_index(seen: _Seen, number: int, given: str, index: Any) -> Iterator[Disorder]:
    if type(index) is not int:
        return  # absent, or the schema reports it
    if given not in seen.index and given in seen.open:
        seen.taken[index] += 1
    before = seen.index.setdefault(given, index)
    if before != index:
        said = message(
            "documents.stream.other_index",
            given=shown(given),
            before=shown(before),
            index=shown(index),
        )
        yield Disorder("RT-ORD-007", number, said)


def _same_index(seen: _Seen, number: int, given: str) -> Iterator[Disorder]:
    index = seen.index.get(given)
    if index is not None and seen.taken[index]:
        said = message("documents.stream.same_index", given=shown(given), index=shown(index))
        yield Disorder("RT-ORD-009", number, said)


def _reason(seen: _Seen, number: int, reason: Any) -> Iterator[Disorder]:
    """Yield a reason that does not fit the calls (RT-ORD-008); RT-ORD-004 is about open calls."""
    wrong = TerminationReason.END_TURN if seen.complete else TerminationReason.TOOL_USE
    if reason == wrong and (seen.complete or not seen.ever):
        yield Disorder("RT-ORD-008", number, message(f"documents.stream.{wrong.value}"))


def _left_open(seen: _Seen, members: Mapping[str, Any]) -> Iterator[Disorder]:
    if members.get("finish_reason") in _CUT_OFF:
        return
    for given, number in seen.open.items():
        said = message("documents.stream.unended", given=shown(given))
        yield Disorder("RT-ORD-004", number, said)


def _is_object(text: str) -> bool:
    return not text or isinstance(_decoded(text), dict)


def in_order(stream: Mapping[str, Any]) -> Iterator[tuple[str, Broken]]:
    """Yield the clauses about order that an `event-stream` breaks, and the places."""
    listed = stream.get("events")
    for each in disorder(listed) if isinstance(listed, list) else ():
        place: Place = ("events",) if each.at is None else ("events", each.at)
        yield each.clause, (place, each.said)


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a stream that is not an event: the clause that it breaks, and the message."""

    clause: str
    said: Message


Lined = tuple[int, dict[str, Any] | Unread]
"""An event, or a part that is not an event, with its first line."""


def read_stream(text: str, wire: WireForm) -> tuple[list[dict[str, Any]], list[Unread]]:
    """Return the events of a recorded stream, and its parts that are not events."""
    read = [each for _, each in lined_stream(text, wire)]
    events = [each for each in read if not isinstance(each, Unread)]
    return events, [each for each in read if isinstance(each, Unread)]


def lined_stream(text: str, wire: WireForm) -> Iterator[Lined]:
    """Yield the events of a recorded stream, and its parts that are not events, in order."""
    return _sse(text) if wire is WireForm.SSE else _ndjson(text)


def wire_of(text: str) -> WireForm | None:
    """Return the wire form of a stream, from its first nonempty line; None if it has neither form.

    JSON over several lines has neither form. If the first line is broken, a later line with an
    event decides.
    """
    lines = (line for line in LINE_END.split(text.removeprefix("\ufeff")) if line.strip())
    first = next(lines, "")
    if _SSE_LINE.match(first):
        return WireForm.SSE
    if decoded(first) is not NO_JSON or any(_names_event(line) for line in lines):
        return WireForm.NDJSON
    return None


def _names_event(line: str) -> bool:
    value = _decoded(line) if line.lstrip().startswith("{") else None
    return isinstance(value, dict) and "event" in value


def written(events: Iterable[Mapping[str, Any]], wire: WireForm) -> str:
    """Return the text of a stream of events: the inverse of `read_stream`."""
    parts = []
    for event in events:
        if wire is WireForm.NDJSON:
            parts.append(json.dumps(event, ensure_ascii=False) + "\n")
        else:
            payload = {name: value for name, value in event.items() if name != "event"}
            data = json.dumps(payload, ensure_ascii=False)
            parts.append(f"event: {event['event']}\ndata: {data}\n\n")
    return "".join(parts)


def decoded(text: str) -> Any:
    """Return the JSON value of a line; `NO_JSON` if it has none."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return NO_JSON


def _no_number(word: str) -> Any:
    raise ValueError(word)


def _decoded(text: str) -> Any:
    value = decoded(text)
    return None if value is NO_JSON else value


def _sse(text: str) -> Iterator[Lined]:
    for each in sse_events(text):
        yield each.line, _of_sse(each)


def unended(each: SseEvent) -> Message:
    """Return the message that no reader receives an event, because no empty line follows it."""
    return message("documents.wire.unended", line=each.line)


def _of_sse(each: SseEvent) -> dict[str, Any] | Unread:
    if not each.ended:
        return Unread(WIRE_CLAUSES[WireForm.SSE], unended(each))
    if not each.name:
        return Unread(WIRE_CLAUSES[WireForm.SSE], message("documents.wire.no_name", line=each.line))
    payload = _object(each.line, each.data, WIRE_CLAUSES[WireForm.SSE])
    if isinstance(payload, Unread):
        return payload
    if payload.get("event", each.name) != each.name:
        said = message(
            "documents.wire.two_names",
            line=each.line,
            name=shown(each.name),
            other=shown(payload["event"]),
        )
        return Unread(WIRE_CLAUSES[WireForm.SSE], said)
    return {"event": each.name, **payload}


def _ndjson(text: str) -> Iterator[Lined]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        yield number, _of_line(number, line)


def _of_line(number: int, line: str) -> dict[str, Any] | Unread:
    value = _object(number, line, WIRE_CLAUSES[WireForm.NDJSON])
    if isinstance(value, dict) and "event" not in value:
        return Unread(WIRE_CLAUSES[WireForm.NDJSON], message("documents.wire.unnamed", line=number))
    return value


def _object(line: int, text: str, clause: str) -> dict[str, Any] | Unread:
    """Return the object in a text, read as strictly as a document, or the fault of the text."""
    reading = read_json(text)
    if not reading.readable or not isinstance(reading.data, dict):
        said = message("documents.wire.no_object", line=line, value=shown(text))
        return Unread(clause, said)
    if reading.problems:
        return Unread(clause, reading.problems[0].message)
    return reading.data
