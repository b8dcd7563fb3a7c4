"""The text that marks content: notices when it has come, in one piece or spread over events."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, Final

from conformance.formats.text.sse import SseReader

_DEPTH: Final = 8
"""The most steps to a member of an event. The content of a chat completion is four steps deep."""
_MEMBERS: Final = 100
"""The most members whose texts are put together. An answer could name a million."""

_Place = tuple[str | int, ...]


class Marker:
    """A text that marks the content of an answer, and that is waited for.

    An event of a stream may have any part of the text, even a single character. So the texts that
    one member has in the events are put together.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._events = SseReader()
        self._end = ""
        self._ends: dict[_Place, str] = {}
        """The last characters of each member, by its place: perhaps the beginning of the mark."""

    def comes_with(self, part: bytes) -> bool:
        """Return whether the text is complete for the first time with this part of the answer."""
        if not self._mark:
            return False
        text = self._decoder.decode(part)
        # A whole answer has it, or an event, perhaps before its end.
        seen = self._mark in self._end + text
        self._end = self._kept(self._end + text)
        for event in self._events.feed(text):
            seen = seen or self._is_in(event.name, event.data)
        if seen:
            self._mark = ""
        return seen

    def _is_in(self, name: str, data: str) -> bool:
        try:
            members = json.loads(data)
        except (ValueError, RecursionError):
            return False
        for place, text in _texts((name,), members):
            whole = self._ends.get(place, "") + text
            if self._mark in whole:
                return True
            if place in self._ends or len(self._ends) < _MEMBERS:
                self._ends[place] = self._kept(whole)
        return False

    def _kept(self, text: str) -> str:
        return text[-len(self._mark) :]


def _texts(place: _Place, value: Any) -> Iterator[tuple[_Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif len(place) <= _DEPTH and isinstance(value, dict | list):
        named = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in named:
            yield from _texts((*place, name), inner)
