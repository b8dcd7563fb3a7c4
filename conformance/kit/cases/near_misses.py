"""Near misses: the closed list of ATDF-CALL-002, as a question."""

from __future__ import annotations

import json
from typing import Any, Final

from conformance.kit.cases.facts import same, type_of
from conformance.kit.cases.pointer import ABSENT

_WORDS: Final = ("yes", "no", "on", "off", "y", "n", "t", "f")


def is_near_miss(
    kinds: tuple[str, ...], formats: tuple[str, ...], sent: Any, valid_value: Any
) -> bool:
    """Say whether sending this where such a value is asked is on the closed list."""
    sent_kind = type_of(sent)
    numeric = "integer" in kinds or "number" in kinds
    if sent_kind == "boolean":
        return numeric
    if sent_kind in ("integer", "number"):
        if any(name in formats for name in ("date", "date-time")):
            return True
        return "boolean" in kinds and sent in (0, 1)
    if sent_kind == "string" and "string" not in kinds:
        if "boolean" in kinds and sent.strip().lower() in _WORDS:
            return True
        return _is_text_of(sent, kinds, valid_value)
    return False


def _is_text_of(sent: str, kinds: tuple[str, ...], valid_value: Any) -> bool:
    try:
        meant = json.loads(sent)
    except ValueError:
        return False
    if valid_value is not ABSENT and same(meant, valid_value):
        return True
    kind = type_of(meant)
    return kind in kinds or (kind == "integer" and "number" in kinds)
