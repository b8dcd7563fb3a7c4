"""Converts failed calls between the retry hint, which a planner reads, and the ATDF error.

The table between them is `error_types` in the vocabulary of retry reasons.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from conformance.convert.errors import NotConvertible
from conformance.convert.portable import Notes
from conformance.formats.tool.errors import error_type
from conformance.spec.clauses import id_base
from conformance.spec.vocabulary import RETRY_REASON_ERROR_TYPES, RetryReason

_SAID_BY_ERRORS = frozenset({"reason", "tool", "message", "missing_fields"})


def hint_to_error(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the error document for a retry hint: an error for each missing field, at least one."""
    reason = RetryReason(data["reason"])
    example = data.get("example_input", {})
    names = data.get("missing_fields") or [None]
    word = RETRY_REASON_ERROR_TYPES[reason][0].value
    title = reason.value.replace("_", " ").capitalize()
    listed = []
    for index, name in enumerate(names):
        for member in ("title", "instance", *(() if "message" in data else ("detail",))):
            notes.make(("errors", index, member))
        error: dict[str, Any] = {
            "type": f"{id_base()}/errors/{word}",
            "title": title,
            "detail": data.get("message", title),
            "instance": f"urn:uuid:{uuid.uuid4()}",
            "tool_name": data["tool"],
            "parameter_name": name,
        }
        if name in example:
            value = example[name]
            error["suggested_value"] = value if isinstance(value, str) else json.dumps(value)
        listed.append(error)
    if _reason(word) is not reason:
        notes.lose(("reason",))
    for member in data.keys() - _SAID_BY_ERRORS:
        if member != "example_input" or example.keys() - set(names):
            notes.lose((member,))
    return {"errors": listed}


def error_to_hint(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the retry hint for an error document; raises `NotConvertible` if no retry is possible.

    The reason follows from the error's type, because an error does not say that a parameter is
    missing.
    """
    first, *others = data["errors"]
    reason = _reason(error_type(first["type"]) or "")
    if reason is None or not first.get("tool_name"):
        raise NotConvertible("convert.no_retry")
    for index in range(len(others)):
        notes.lose(("errors", index + 1))
    for member in first.keys() - {"type", "detail", "tool_name"}:
        notes.lose(("errors", 0, member))
    for member in data.keys() - {"errors"}:
        notes.lose((member,))
    return {"reason": reason.value, "tool": first["tool_name"], "message": first["detail"]}


def _reason(word: str) -> RetryReason | None:
    """Return the first reason whose error types include this one."""
    found = (
        reason
        for reason, types in RETRY_REASON_ERROR_TYPES.items()
        if word in [each.value for each in types]
    )
    return next(found, None)
