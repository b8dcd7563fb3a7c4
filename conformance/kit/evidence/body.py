"""Reads the body of an answer as JSON, and keeps what many clauses read again."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from conformance.formats.text.json_text import told_in
from conformance.kit.model.exchange import SHORT, Answer, weight

_LIGHT = 64 * 1024
"""The most bytes of memory for a body of which many are cached as values."""


def json_in(answer: Answer) -> Any:
    """Return the body of an answer as JSON; None if it is not JSON."""
    if len(answer.body) > SHORT:
        return _parsed(answer.body)
    return (_read_again if weight(answer.body) <= _LIGHT else _heavy_again)(answer.body)


def _parsed(body: bytes) -> Any:
    try:
        return told_in(body.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        return None


def is_json(answer: Answer) -> bool | None:
    """Return whether a body is JSON; None if it is nested too deep for the kit to say.

    A number may be too long for the kit to read. A server may keep such values that the kit has
    sent, and return them.
    """
    try:
        json.loads(answer.body.decode("utf-8"), parse_int=len)
    except RecursionError:
        return None
    except ValueError:
        return False
    return True


_read_again = lru_cache(maxsize=1024)(_parsed)
"""A cache, because many clauses read the answers of the same tool. No clause changes a value."""

_heavy_again = lru_cache(maxsize=32)(_parsed)
"""The same for bodies that take twenty times their length in memory, such as empty lists."""
