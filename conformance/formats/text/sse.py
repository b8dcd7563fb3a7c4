"""Reads server-sent events, as the HTML standard defines them, from a whole text or in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINE_END = re.compile(r"\r\n|\n|\r")
"""The end of a line; other Unicode separators may be part of a text."""


_DIGITS = 9
"""The most digits of a wait that are read: it is longer than any session."""


def is_stream(media_type: str | None) -> bool:
    """Return whether a `Content-Type` is that of an event stream, in any case."""
    return (media_type or "").lower().startswith("text/event-stream")


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: its name ("" if it has none), its data, and its first line.

    `ended` means that an empty line follows it. Readers drop an event without this line.
    """

    name: str
    data: str
    line: int
    ended: bool = True


class SseReader:
    """Takes text in pieces, and yields the events that are complete.

    It also yields an event with a name and no data, which readers drop, so that it can be reported.
    `last_id` is the id from which a client may go on, and `retry` how long it waits before that, in
    milliseconds.
    """

    def __init__(self) -> None:
        self.last_id = ""
        self.retry: int | None = None
        self._id = ""
        self._begun = False
        self._half = ""
        self._pieces: list[str] = []
        self._number = 0
        self._begin()

    def _begin(self) -> None:
        self._name, self._data, self._first = "", list[str](), 0

    def feed(self, text: str) -> Iterator[SseEvent]:
        """Yield the events that `text` completes, in order."""
        if text and not self._begun:
            text, self._begun = text.removeprefix("\ufeff"), True
        text = self._half + text
        # A CR may be the first half of a line end: it waits for the next piece.
        self._half = "\r" if text.endswith("\r") else ""
        *lines, rest = LINE_END.split(text.removesuffix(self._half))
        for line in lines:
            yield from self._take("".join((*self._pieces, line)))
            self._pieces = []
        self._pieces.append(rest)

    def end(self) -> Iterator[SseEvent]:
        """Yield the events at the end of the text; the last one may lack its empty line."""
        rest = "".join(self._pieces)
        if rest or self._half:
            yield from self._take(rest)
        if self._name or self._data:
            yield SseEvent(self._name, "\n".join(self._data), self._first, ended=False)

    def _take(self, line: str) -> Iterator[SseEvent]:
        self._number += 1
        if not line:
            self.last_id = self._id
            if self._name or self._data:
                yield SseEvent(self._name, "\n".join(self._data), self._first)
            self._begin()
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field in ("event", "data"):
            self._first = self._first or self._number
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdecimal():
            self.retry = int(value[:_DIGITS])


def sse_events(text: str) -> Iterator[SseEvent]:
    """Yield the events of a whole text; the last one may lack its empty line."""
    reader = SseReader()
    yield from reader.feed(text)
    yield from reader.end()
