"""Finds the position of each value in the text of a JSON document, on request."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from conformance.formats.problem import Place

_TOKEN = re.compile(
    r"""(?P<text>"[^"\\]*(?:\\.[^"\\]*)*+")"""
    r"""|(?P<mark>[{}\[\],:])|(?P<word>[^ \t\n\r{}\[\],:"]+)""",
    re.DOTALL,
)
"""A match starts at the token, not at the space before it. Otherwise the spaces after the last
token would be read again from each position.
"""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column in characters, both from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A value's place, and the offset of its name or, in an array, of the value.

    `again` means that the object already had a member with this name.
    """

    place: Place
    offset: int
    again: bool = False


@dataclass(slots=True)
class _Frame:
    """An open object or array: its place, and its latest item or name."""

    place: Place
    names: set[str] | None
    index: int = 0
    name: str | None = None
    offset: int = 0


def position_at(text: str, offset: int) -> Position:
    """Return the line and column of an offset; only LF and CRLF end a line."""
    line = text.count("\n", 0, offset)
    return Position(line + 1, offset - text.rfind("\n", 0, offset))


def position_of_word(text: str, wanted: Callable[[str], bool]) -> Position | None:
    """Return the position of the first wanted number or keyword, outside all strings, or None."""
    for token in _TOKEN.finditer(text):
        if token["word"] is not None and wanted(token["word"]):
            return position_at(text, token.start("word"))
    return None


def spots(text: str) -> Iterator[Spot]:
    """Yield each value of `text`, which is valid JSON, in order.

    A member has the offset of its name.
    """
    open_: list[_Frame] = []
    for token in _TOKEN.finditer(text):
        mark, start = token["mark"], token.start(token.lastgroup or 0)
        frame = open_[-1] if open_ else None
        if mark in ("}", "]"):
            open_.pop()
        elif mark == ":":
            continue
        elif mark == "," and frame is not None:
            frame.index += 1
            frame.name = None
        elif frame is not None and frame.names is not None and frame.name is None:
            if token["text"] is not None:
                frame.name, frame.offset = json.loads(token["text"], strict=False), start
        else:
            place, offset, again = _met(frame, start)
            yield Spot(place, offset, again)
            if mark is not None:
                open_.append(_Frame(place, set() if mark == "{" else None))


def _met(frame: _Frame | None, start: int) -> tuple[Place, int, bool]:
    if frame is None:
        return (), start, False
    if frame.names is None or frame.name is None:
        return (*frame.place, frame.index), start, False
    again = frame.name in frame.names
    frame.names.add(frame.name)
    return (*frame.place, frame.name), frame.offset, again


def positions_in(text: str, wanted: Iterable[Place]) -> dict[Place, Position]:
    """Return the position of each wanted place in `text`, which is valid JSON.

    For a place that the text does not have, such as a missing member, it is the position of the
    nearest place around it.
    """
    asked = set(wanted)
    near = {place[:length] for place in asked for length in range(len(place) + 1)}
    offsets = {spot.place: spot.offset for spot in spots(text) if spot.place in near}
    ends = [0, *(found.end() for found in re.finditer("\n", text))]
    return {place: _position(offsets[nearest(place, offsets)], ends) for place in asked if offsets}


def nearest(place: Place, known: Iterable[Place]) -> Place:
    """Return the longest beginning of `place` that is in `known`, which has at least the root."""
    held = known if isinstance(known, dict) else set(known)
    while place and place not in held:
        place = place[:-1]
    return place


def _position(offset: int, line_starts: list[int]) -> Position:
    line = bisect_right(line_starts, offset)
    return Position(line, offset - line_starts[line - 1] + 1)
