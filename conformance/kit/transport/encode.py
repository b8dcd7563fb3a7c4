"""JSON as bytes, for every value that a case can hold."""

from __future__ import annotations

import json
from typing import Any


def to_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8; a lone surrogate is written as its escape."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def to_text(value: Any) -> str:
    """A string as it is, everything else as JSON (query parameters, header mirrors)."""
    return value if isinstance(value, str) else to_bytes(value).decode("utf-8")
