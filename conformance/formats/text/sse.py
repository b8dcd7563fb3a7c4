"""Server-sent events as the HTML standard has them, in a whole text or as it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line; other separators of Unicode stand within texts."""


def is_stream(media_type: str | None) -> bool:
    """Whether a `Content-Type` is that of an event stream: media types have no case."""
    return (media_type or "").lower().startswith("text/event-stream")


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: its name, "" where it has none, its data, and the line on which it begins.

    `ended`: an empty line follows it, without which no reader is given it.
    """

    name: str
    data: str
    line: int
    ended: bool = True


class SseReader:
    """Takes text as it comes, and gives the events that became complete.

    An event with a name and no data, which readers drop, is given too, so that it can be reported.
    """

    def __init__(self) -> None:
        self._begun = False
        self._half = ""
        self._pieces: list[str] = []
        self._number = 0
        self._begin()

    def _begin(self) -> None:
        self._name, self._data, self._first = "", list[str](), 0

    def feed(self, text: str) -> Iterator[SseEvent]:
        """The events that `text` completes, in order."""
        if text and not self._begun:
            text, self._begun = text.removeprefix("\ufeff"), True
        text = self._half + text
        # The first half of a line end may come alone: it waits for the second.
        self._half = "\r" if text.endswith("\r") else ""
        *lines, rest = LINE_END.split(text.removesuffix(self._half))
        for line in lines:
            yield from self._take("".join((*self._pieces, line)))
            self._pieces = []
        self._pieces.append(rest)

    def end(self) -> Iterator[SseEvent]:
        """The events with which the text ends; no empty line need follow the last one."""
        rest = "".join(self._pieces)
        if rest or self._half:
            yield from self._take(rest)
        if self._name or self._data:
            yield SseEvent(self._name, "\n".join(self._data), self._first, ended=False)

    def _take(self, line: str) -> Iterator[SseEvent]:
        self._number += 1
        if not line:
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


def sse_events(text: str) -> Iterator[SseEvent]:
    """The events of a whole text, also a last one that no empty line follows."""
    reader = SseReader()
    yield from reader.feed(text)
    yield from reader.end()
