"""Lays out a JSON value for the page: shortened, with one place marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from itertools import groupby
from operator import itemgetter
from typing import Any

from conformance.kit.report.reporter import Report
from conformance.spec.pointer import steps_of, to_pointer

_CHARACTERS = 5_000
_DEPTH = 14
_MEMBERS = 40
_STRING = 400


class Piece(Enum):
    """The kind of a piece of the layout. A template has the markup for each."""

    PLAIN = "plain"
    KEY = "key"
    ABSENT = "absent"
    MARK = "mark"
    MARK_END = "mark end"


Pieces = list[tuple[Piece, str]]


def layout(value: Any, report: Report, mark: str | None = None, absent: str = "") -> Pieces:
    """Return `value` as indented lines, about 5,000 characters at most.

    `mark` is a JSON Pointer to the place to mark. If nothing is there, `absent` is shown instead.
    """
    path = None if mark is None else list(steps_of(mark))
    printed = _Printer(report, absent).value(value, path, 0)
    return [(kind, "".join(said for _, said in some)) for kind, some in groupby(printed, _kind)]


_kind = itemgetter(0)


def pointer_of(json_path: str) -> str | None:
    """Return the JSON Pointer of a simple JSON path (`$.errors[0].type`); None for other text."""
    if not json_path.startswith("$"):
        return None
    steps = json_path[1:].replace("[", ".").replace("]", "").split(".")[1:]
    return to_pointer(step.strip("'\"") for step in steps)


class _Printer:
    """Writes one value, and leaves out members as soon as the size limit is reached."""

    def __init__(self, report: Report, absent: str) -> None:
        self._report = report
        self._absent = absent
        self._left = _CHARACTERS

    def value(self, value: Any, path: list[str] | None, depth: int) -> Iterator[tuple[Piece, str]]:
        """Write a value; `path` leads from it to the marked place, if it contains that place."""
        here = path == []
        if here:
            yield Piece.MARK, ""
        if isinstance(value, dict) and (value or path):
            yield from self._members(value, path, depth)
        elif isinstance(value, (list, tuple)) and value:
            yield from self._elements(value, path, depth)
        else:
            yield Piece.PLAIN, self._scalar(value)
        if here:
            yield Piece.MARK_END, ""

    def _members(
        self, value: dict[str, Any], path: list[str] | None, depth: int
    ) -> Iterator[tuple[Piece, str]]:
        step = path[0] if path else None
        pad = "  " * (depth + 1)
        yield Piece.PLAIN, "{"
        between, cut = "\n", False
        for count, (key, member) in enumerate(value.items()):
            wanted = key == step
            if not wanted and (count >= _MEMBERS or self._full(depth)):
                cut = True
                continue
            rest = path[1:] if wanted and path else None
            yield Piece.PLAIN, f"{between}{pad}"
            yield Piece.KEY, self._scalar(key)
            yield Piece.PLAIN, ": "
            yield from self.value(member, rest, depth + 1)
            between = ",\n"
        if step is not None and path is not None and len(path) == 1 and step not in value:
            yield Piece.PLAIN, f"{between}{pad}"
            yield Piece.MARK, ""
            yield Piece.PLAIN, f"{self._scalar(step)}: "
            yield Piece.ABSENT, self._absent
            yield Piece.MARK_END, ""
        if cut:
            yield Piece.PLAIN, f"{between}{pad}…"
        yield Piece.PLAIN, f"\n{'  ' * depth}}}"

    def _elements(
        self, value: Any, path: list[str] | None, depth: int
    ) -> Iterator[tuple[Piece, str]]:
        step = path[0] if path else None
        pad = "  " * (depth + 1)
        yield Piece.PLAIN, "["
        between, cut = "\n", False
        for index, element in enumerate(value):
            wanted = str(index) == step
            if not wanted and (index >= _MEMBERS or self._full(depth)):
                cut = True
                continue
            rest = path[1:] if wanted and path else None
            yield Piece.PLAIN, f"{between}{pad}"
            yield from self.value(element, rest, depth + 1)
            between = ",\n"
        if cut:
            yield Piece.PLAIN, f"{between}{pad}…"
        yield Piece.PLAIN, f"\n{'  ' * depth}]"

    def _scalar(self, value: Any) -> str:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except ValueError:
            text = "…"  # an integer with more digits than Python converts
        shown = self._report.text(text, _STRING)
        self._left -= len(shown)
        return shown

    def _full(self, depth: int) -> bool:
        return self._left <= 0 or depth >= _DEPTH
