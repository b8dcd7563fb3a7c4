"""Compares JSON values as JSON Schema does: 1 equals 1.0, but not true.

Python's own comparison takes true for 1, at any depth.
"""

from __future__ import annotations

import sys
from typing import Any

from conformance.formats.problem import Place


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, however deep they are."""
    waiting = [(one, other)]
    while waiting:
        a, b = waiting.pop()
        if isinstance(a, bool) or isinstance(b, bool):
            if a is not b:
                return False
        elif isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            waiting.extend((value, b[name]) for name, value in a.items())
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            waiting.extend(zip(a, b, strict=True))
        elif a != b:
            return False
    return True


def difference(one: Any, other: Any) -> tuple[Place, Any, Any]:
    """Return the first place at which two JSON values differ, with what each has there.

    The place of a member or an item that only one has is the object or array around it.
    """
    place: list[str | int] = []
    while True:
        steps: list[Any] = []
        if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
            steps = list(one)
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            steps = list(range(len(one)))
        step = next((each for each in steps if not same(one[each], other[each])), None)
        if step is None:
            return tuple(place), one, other
        place.append(step)
        one, other = one[step], other[step]


def distinct(value: Any) -> Any:
    """Return a key that is equal only for equal JSON values."""
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, list):
        return ("list", *map(distinct, value))
    if isinstance(value, dict):
        return ("object", frozenset((name, distinct(each)) for name, each in value.items()))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    # Larger numbers share hashes with smaller ones; with many such keys, lookups are slow.
    if isinstance(value, int) and abs(value) >= sys.hash_info.modulus:
        return ("number", hex(value))
    return value
