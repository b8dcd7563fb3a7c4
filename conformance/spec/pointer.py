"""Reads and writes JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable

from jsonpointer import escape, unescape


def to_pointer(steps: Iterable[str | int]) -> str:
    """Write steps as a JSON Pointer. No steps become "", the whole document."""
    return "".join("/" + escape(str(step)) for step in steps)


def steps_of(pointer: str) -> tuple[str, ...]:
    """Return the steps of a JSON Pointer, with indexes as text."""
    return tuple(unescape(part) for part in pointer.split("/")[1:])
