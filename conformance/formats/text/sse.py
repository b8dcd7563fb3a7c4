"""Server-sent events in a text, as the HTML standard has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line; other separators of Unicode stand within texts."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: its name, "" where it has none, its data, and the line on which it begins.

    `ended`: an empty line follows it, without which no reader is given it.
    """

    name: str
    data: str
    line: int
    ended: bool = True


def sse_events(text: str) -> Iterator[SseEvent]:
    """The events of a text.

    One with a name and no data, which readers drop, is given too, so that it can be told, and so
    is a last one that no empty line follows.
    """
    name, data, first = "", list[str](), 0
    *whole, rest = LINE_END.split(text.removeprefix("\ufeff"))
    for number, line in enumerate([*whole, rest] if rest else whole, 1):
        if not line:
            if name or data:
                yield SseEvent(name, "\n".join(data), first)
            name, data, first = "", [], 0
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field in ("event", "data"):
            first = first or number
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
    if name or data:
        yield SseEvent(name, "\n".join(data), first, ended=False)
