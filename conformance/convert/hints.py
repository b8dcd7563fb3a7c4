"""A failed call as a planner reads it, and as anyone does: the retry hint and the ATDF error.

`error_types` of the vocabulary of retry reasons is the table between the two.
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
    """The error document of a retry hint: one error for each missing field, else a single one."""
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
    """The retry hint of an error document; raises NotConvertible where no planner could retry.

    That a parameter is missing an error does not say: the reason is that of its type.
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
    """The first reason whose types include one."""
    found = (
        reason
        for reason, types in RETRY_REASON_ERROR_TYPES.items()
        if word in [each.value for each in types]
    )
    return next(found, None)
