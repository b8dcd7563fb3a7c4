"""Regular expressions of a target."""

from __future__ import annotations

import re


def matches(expression: str, text: str) -> bool | None:
    """Say whether a pattern is found in a text; None if that cannot be judged."""
    try:
        return re.search(expression, text) is not None
    except re.error:
        return None


def is_safe(expression: str, _length: int) -> bool:
    """Say whether matching a text of that length ends soon, by the pattern's form alone."""
    return matches(expression, "") is not None


def samples(expression: str, least: int, most: int | None) -> list[str]:
    """Give texts in which the pattern is found."""
    return [t for t in ("a" * max(least, 1), "A1", "1") if matches(expression, t)]


def misses(expression: str, value: object) -> list[str]:
    """Give texts in which the pattern is not found."""
    tries = ["!", "", f"{value}!" if isinstance(value, str) else "#"]
    return [t for t in tries if matches(expression, t) is False]
