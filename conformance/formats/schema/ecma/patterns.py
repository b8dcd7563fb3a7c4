"""Matches regular expressions of a target, with ECMA's meaning and within a time limit."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Final

from conformance.formats.schema.ecma import grammar, tree
from conformance.formats.schema.ecma.process import LimitedMatcher

_MOST_STEPS: Final = 200_000
"""About ten milliseconds of matching. Only longer matches use the worker process."""

_MATCHER: Final = LimitedMatcher()
"""The one worker process; it starts with the first pattern that needs it."""


def matches(expression: str, text: str) -> bool | None:
    """Return whether a pattern is found in a text; None if that cannot be judged.

    It cannot be judged if the pattern is not an ECMA pattern, has no equal in Python (Unicode
    property classes), or exceeds the time limit.
    """
    compiled = _compiled(expression)
    if compiled is None:
        return None
    source, whole = compiled
    if _steps(whole, len(text)) <= _MOST_STEPS:
        return re.search(source, text) is not None
    return _MATCHER.search(source, text)


def is_safe(expression: str, length: int) -> bool:
    """Return whether matching a text of this length ends soon, by the pattern's form alone."""
    compiled = _compiled(expression)
    return compiled is not None and _steps(compiled[1], length) <= _MOST_STEPS


def is_known(expression: str) -> bool:
    """Return whether a pattern can be judged here."""
    return _compiled(expression) is not None


def is_python(expression: str) -> bool:
    """Return whether Python's `re` compiles the pattern unchanged and without a warning."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            re.compile(expression)
    except (re.error, OverflowError, RecursionError, FutureWarning):
        return False
    return True


@lru_cache(maxsize=1024)
def samples(expression: str, least: int, most: int | None) -> list[str]:
    """Return at most six texts of an allowed length in which the pattern is found."""
    compiled = _compiled(expression)
    if compiled is None:
        return []
    found: dict[str, None] = {}
    for pick in range(6):
        for times in (0, 1, 2, 3, *range(4, min(least, 40) + 1), max(least - 1, 0), least):
            try:
                text = tree.fill(compiled[1], min(times, 200), pick)
            except tree.Unreadable:
                return []
            long_enough = len(text) >= least and (most is None or len(text) <= most)
            if long_enough and matches(expression, text):
                found[text] = None
    return sorted(found, key=lambda t: not t)[:6]


def misses(expression: str, value: object) -> list[str]:
    """Return texts in which the pattern is not found: altered valid values, and others."""
    tries = ["!", "", "#~#", "abc", "ABC", "123", " "]
    if isinstance(value, str) and value:
        tries = [f"{value}!", f"!{value}", value[:-1], value.swapcase(), value[1:], *tries]
    return [t for t in dict.fromkeys(tries) if matches(expression, t) is False]


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> tuple[str, tree.Group] | None:
    try:
        whole = grammar.read(expression)
        source = tree.render(whole)
        re.compile(source, re.ASCII)
    except (tree.Unreadable, re.error, OverflowError, RecursionError):
        return None
    return f"(?a:{source})", whole


@lru_cache(maxsize=4096)
def _steps(whole: tree.Group, length: int) -> int:
    begins = 1 if tree.is_anchored(whole) else length + 1
    return tree.steps(whole, max(length, 1)) * begins
