"""Reads a recorded stream from a file: our events, or a provider's frames and its manifest.

Every problem has the line of its event or frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.formats.problem import Problem, problem, shown
from conformance.formats.runtime.assembly import Assembly, Event, reading_of
from conformance.formats.runtime.rule_language import MOST_STEPS, TooMuchWork, limited
from conformance.formats.runtime.stream import (
    NO_JSON,
    WIRE_CLAUSES,
    Unread,
    decoded,
    lined_stream,
    unended,
    wire_of,
)
from conformance.formats.text.json_text import other_encoding
from conformance.formats.text.source_lines import Position
from conformance.formats.text.sse import SseEvent, sse_events
from conformance.formats.validate.others import is_of_model_api
from conformance.formats.validate.validate import validate
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import WireForm

DOCUMENT = "event-stream"

_UNMATCHED = "RT-RULE-007"
_MOST_LINES = 200_000
"""Each event is a line, or more: a real stream has thousands, and more of them fill the memory."""
_MOST = 20
"""The most different frames without a rule that are reported."""


@dataclass(frozen=True, slots=True)
class Told:
    """A problem, and where in the text it is."""

    problem: Problem
    position: Position


@dataclass(frozen=True, slots=True)
class StreamText:
    """The stream in a text. `frames` is the number of frames, None for a stream of our events."""

    wire: WireForm
    events: tuple[Event, ...]
    frames: int | None
    told: tuple[Told, ...]

    @property
    def end(self) -> str:
        """The name of the last event, with its reason or the code of its error."""
        last = self.events[-1] if self.events else {}
        error = last.get("error")
        more = error.get("code") if isinstance(error, dict) else last.get("finish_reason")
        return " ".join(str(each) for each in (last.get("event", "—"), more) if each)


def too_long(text: str) -> Message | None:
    """Return the complaint about a stream with more lines than are read; None if it is short."""
    lines = text.count("\n") + text.count("\r") - text.count("\r\n")
    return message("validate.stream.too_long", limit=_MOST_LINES) if lines > _MOST_LINES else None


def stream_of(
    text: str, manifest: Mapping[str, Any] | None = None, encoding: str = "utf-8"
) -> StreamText | None:
    """Return the stream that `text` is, and its problems; None if it is not a stream.

    `encoding` is that of the bytes that the text was read from.

    With a manifest, the text holds the raw frames of its provider. The rules of the manifest turn
    them into events, and these are judged.
    """
    wire = wire_of(text)
    if wire is None:
        return None
    found = _of_events(text, wire) if manifest is None else _of_frames(text, wire, manifest)
    odd = other_encoding(encoding)
    if odd is None:
        return found
    clause = WIRE_CLAUSES[wire]
    said = _told(1, problem((), "encoding", odd, clause=clause))
    return replace(found, told=(said, *found.told))


def answer_in(text: str) -> str | Message | None:
    """Return the one answer of JSON-RPC in a stream of such messages; None for another stream.

    Blanks are before it, so that it has the line that it has in the stream. A Message says how many
    answers there are, if not one.
    """
    wire = wire_of(text)
    if wire is None:
        return None
    found, framed = [], False
    for each in _written(text, wire):
        if not each.data:
            continue
        value = decoded(each.data)
        framed = isinstance(value, dict) and "jsonrpc" in value
        if not framed:
            return None
        if "result" in value or "error" in value:
            found.append(each)
    if not framed:
        return None
    if len(found) != 1:
        return message("validate.stream.answers", count=len(found))
    return "\n" * (found[0].line - 1) + found[0].data


def is_of_a_provider(text: str) -> bool:
    """Return whether a stream has the frames of a model provider, as its first object shows."""
    wire = wire_of(text)
    if wire is None:
        return False
    objects = (frame for _, frame in _frames(text, wire, {}) if isinstance(frame, dict))
    return is_of_model_api(next(objects, {}))


def _of_events(text: str, wire: WireForm) -> StreamText:
    events: list[Event] = []
    lines: list[int] = []
    told: list[Told] = []
    for line, each in lined_stream(text, wire):
        if isinstance(each, Unread):
            told.append(_told(line, problem((), each.clause, each.said, clause=each.clause)))
        else:
            events.append(each)
            lines.append(line)
    last = max([1, *lines, *(each.position.line for each in told)])
    # An unreadable event leaves a gap, so the order is judged only in a whole stream.
    told += [] if told else _judged(events, lines, last)
    return StreamText(wire, tuple(events), None, tuple(told))


def _of_frames(text: str, wire: WireForm, manifest: Mapping[str, Any]) -> StreamText:
    with limited():
        return _assembled(text, wire, manifest)


def _assembled(text: str, wire: WireForm, manifest: Mapping[str, Any]) -> StreamText:
    assembly = Assembly(reading_of(manifest))
    events: list[Event] = []
    lines: list[int] = []
    told: list[Told] = []
    count, line = 0, 1
    passed: set[str] = set()
    for line, frame in _frames(text, wire, manifest):
        if isinstance(frame, Message):
            told.append(_told(line, problem((), "frame", frame)))
            continue
        count += 1
        try:
            made = assembly.feed(frame)
        except TooMuchWork:
            said = message("documents.rule.costly", limit=MOST_STEPS)
            told.append(_told(line, problem((), "size", said)))
            break
        events += made
        lines += [line] * len(made)
        while assembly.unmatched:
            # One frame of each kind is reported: a stream may have a hundred pings.
            words = shown(assembly.unmatched.pop())
            if words not in passed and len(passed) < _MOST:
                passed.add(words)
                said = message("documents.stream.unmatched", frame=words)
                told.append(_told(line, problem((), _UNMATCHED, said, clause=_UNMATCHED)))
    made = assembly.finish()
    events += made
    lines += [line] * len(made)
    told += _judged(events, lines, line)
    return StreamText(wire, tuple(events), count, tuple(told))


def _frames(
    text: str, wire: WireForm, manifest: Mapping[str, Any]
) -> Iterator[tuple[int, Any | Message]]:
    """Yield each frame of a provider with its line; a Message if it is not JSON."""
    done = _done_signal(manifest)
    for each in _written(text, wire):
        if not each.ended:
            yield each.line, unended(each)
        elif each.data and each.data != done:
            value = decoded(each.data)
            no_json = message("documents.stream.no_frame", value=shown(each.data))
            yield each.line, no_json if value is NO_JSON else value


def _written(text: str, wire: WireForm) -> Iterator[SseEvent]:
    """Yield each event of a stream, or each line, which has no name."""
    if wire is WireForm.SSE:
        yield from sse_events(text)
    else:
        for number, line in enumerate(text.split("\n"), 1):
            yield SseEvent("", line.strip(), number)


def _done_signal(manifest: Mapping[str, Any]) -> str | None:
    held: Any = manifest
    for step in ("streaming", "decoder", "done_signal"):
        held = held.get(step) if isinstance(held, dict) else None
    return held if isinstance(held, str) else None


def _judged(events: list[Event], lines: list[int], last: int) -> list[Told]:
    """Return the problems of the events, each at the line of its event."""
    found = []
    for each in validate({"events": events}, DOCUMENT):
        index = each.place[1] if len(each.place) > 1 else None
        found.append(_told(lines[index] if isinstance(index, int) else last, each))
    return found


def _told(line: int, found: Problem) -> Told:
    return Told(found, Position(line, 1))
