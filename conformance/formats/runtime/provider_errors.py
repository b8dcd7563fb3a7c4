"""Classifies the errors of model providers, and makes their envelopes.

Serves RT-ERR-003 to RT-ERR-006.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.formats.runtime.event_rules import MOST_RULES
from conformance.formats.schema.ecma.patterns import matches
from conformance.spec.vocabulary import (
    RUNTIME_ERROR_NAME_CATEGORY,
    RUNTIME_ERROR_NAME_CODE,
    RUNTIME_ERROR_NAME_FALLBACKABLE,
    RUNTIME_ERROR_NAME_RETRYABLE,
    RUNTIME_ERROR_NAME_STATUSES,
    RuntimeErrorName,
)

_LONGEST_MESSAGE = 10_000
"""The most characters of a provider's message that are searched."""


class By(StrEnum):
    """What decided the class of an error."""

    CODE = "code"
    MESSAGE = "message"
    STATUS = "status"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Classified:
    """The class of an error, and what decided it."""

    name: RuntimeErrorName
    by: By


_NAMES = tuple(RuntimeErrorName)


def named(value: Any) -> RuntimeErrorName | None:
    """Return the error with this name; None if there is none."""
    return RuntimeErrorName(value) if value in _NAMES else None


def classify(
    classification: Mapping[str, Any],
    *,
    codes: tuple[Any, ...] = (),
    said: Any = None,
    status: Any = None,
) -> Classified:
    """Return the class of a provider's error, by its codes, then its message, then the HTTP status.

    `classification` comes from a manifest; its invalid parts are ignored. A status that it does not
    list has its meaning in the table of errors.
    """
    by_code = classification.get("by_error_code")
    for code in codes:
        name = named(by_code.get(str(code))) if isinstance(by_code, dict) else None
        if name is not None:
            return Classified(name, By.CODE)
    patterns = classification.get("by_error_message")
    if isinstance(said, str):
        for entry in patterns[:MOST_RULES] if isinstance(patterns, list) else ():
            name = named(entry.get("maps_to")) if isinstance(entry, dict) else None
            if name is not None and _says(entry.get("pattern"), said):
                return Classified(name, By.MESSAGE)
    if type(status) is int:
        by_status = classification.get("by_http_status")
        name = named(by_status.get(str(status))) if isinstance(by_status, dict) else None
        name = name or _by_table(status)
        if name is not None:
            return Classified(name, By.STATUS)
    return Classified(RuntimeErrorName.UNKNOWN, By.NOTHING)


def envelope(
    name: RuntimeErrorName, said: str, provider_error: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the envelope of an error, with the flags from the table of errors."""
    made: dict[str, Any] = {
        "code": RUNTIME_ERROR_NAME_CODE[name].value,
        "name": name.value,
        "message": said,
        "category": RUNTIME_ERROR_NAME_CATEGORY[name].value,
        "retryable": RUNTIME_ERROR_NAME_RETRYABLE[name],
        "fallbackable": RUNTIME_ERROR_NAME_FALLBACKABLE[name],
    }
    return {**made, "provider_error": dict(provider_error)} if provider_error else made


def _by_table(status: int) -> RuntimeErrorName | None:
    for name, statuses in RUNTIME_ERROR_NAME_STATUSES.items():
        if status in statuses:
            return name
    return None


def _says(pattern: Any, said: str) -> bool:
    """Return whether a pattern matches in a message; RT-MAN-015 reports a faulty pattern."""
    return isinstance(pattern, str) and matches(pattern, said[:_LONGEST_MESSAGE]) is True
