"""A JSON value as HTML: laid out, cut to a page, with one place marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from conformance.kit.report.view import View

_CHARACTERS = 6_000
_DEPTH = 14
_MEMBERS = 40
_STRING = 400


def json_html(value: Any, view: View, mark: str | None = None, absent: str = "") -> str:
    """Give `value` laid out over lines, safe for HTML and at most some 6,000 characters long.

    `mark` is a JSON Pointer: what stands there is marked. Where nothing stands there, `absent` is
    shown in its place.
    """
    path = None if mark is None else [_unescape(step) for step in mark.split("/")[1:]]
    printer = _Printer(view, absent)
    return "".join(printer.value(value, path, 0))


def pointer_of(json_path: str) -> str | None:
    """Give the pointer of a simple JSON path (`$.errors[0].type`); None for any other text."""
    if not json_path.startswith("$"):
        return None
    steps = json_path[1:].replace("[", ".").replace("]", "").split(".")[1:]
    escaped = (step.strip("'\"").replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{step}" for step in escaped)


def _unescape(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


class _Printer:
    """Writes one value, and stops writing members once the page is full."""

    def __init__(self, view: View, absent: str) -> None:
        self._view = view
        self._absent = absent
        self._left = _CHARACTERS

    def value(self, value: Any, path: list[str] | None, depth: int) -> Iterator[str]:
        """Write a value; `path` leads from here to the marked place, None leads nowhere."""
        here = path == []
        if here:
            yield "<mark>"
        if isinstance(value, dict) and (value or path):
            yield from self._members(value, path, depth)
        elif isinstance(value, (list, tuple)) and value:
            yield from self._elements(value, path, depth)
        else:
            yield self._scalar(value)
        if here:
            yield "</mark>"

    def _members(self, value: dict[str, Any], path: list[str] | None, depth: int) -> Iterator[str]:
        step = path[0] if path else None
        pad = "  " * (depth + 1)
        yield "{"
        between, cut = "\n", False
        for count, (key, member) in enumerate(value.items()):
            wanted = key == step
            if not wanted and (count >= _MEMBERS or self._full(depth)):
                cut = True
                continue
            rest = path[1:] if wanted and path else None
            yield f'{between}{pad}<span class="k">{self._scalar(key)}</span>: '
            yield from self.value(member, rest, depth + 1)
            between = ",\n"
        if step is not None and path is not None and len(path) == 1 and step not in value:
            yield f"{between}{pad}<mark>{self._scalar(step)}: <i>{self._absent}</i></mark>"
        if cut:
            yield f"{between}{pad}…"
        yield f"\n{'  ' * depth}}}"

    def _elements(self, value: Any, path: list[str] | None, depth: int) -> Iterator[str]:
        step = path[0] if path else None
        pad = "  " * (depth + 1)
        yield "["
        between, cut = "\n", False
        for index, element in enumerate(value):
            wanted = str(index) == step
            if not wanted and (index >= _MEMBERS or self._full(depth)):
                cut = True
                continue
            rest = path[1:] if wanted and path else None
            yield f"{between}{pad}"
            yield from self.value(element, rest, depth + 1)
            between = ",\n"
        if cut:
            yield f"{between}{pad}…"
        yield f"\n{'  ' * depth}]"

    def _scalar(self, value: Any) -> str:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except ValueError:
            text = "…"  # an integer of more digits than Python writes out
        shown = self._view.text(text, _STRING)
        self._left -= len(shown)
        return shown

    def _full(self, depth: int) -> bool:
        return self._left <= 0 or depth >= _DEPTH
