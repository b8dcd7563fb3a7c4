"""The ATDF error envelope as a client reads it in an answer (ATDF-ERR)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from conformance.formats.schema.uri import urlsplit
from conformance.spec.vocabulary import ERROR_TYPE_CATEGORY, ErrorCategory, ErrorType

_OWN = frozenset({"tool_name", "parameter_name", "suggested_value"})
"""Fields that only ATDF has: an error with one of them is an ATDF error."""

_SHARED = frozenset({"type", "title", "detail", "instance"})
"""Fields that RFC 9457 has too. GraphQL and JSON:API, which also use `errors`, have two at most."""


_LATER = frozenset({ErrorType.TEMPORARILY_UNAVAILABLE, ErrorType.TIMEOUT})
_OF_A_MOMENT = _LATER | {ErrorType.RATE_LIMITED}

MOST_ERRORS = 500
"""The most errors of one answer that are read. An answer with more only repeats itself."""


@dataclass(frozen=True, slots=True)
class ErrorView:
    """One error. `type` is the last path segment of its `type` URI, or None.

    `parameter_name` and `tool_name` are None if absent, empty or not a string. `suggested_value` is
    not decoded yet; `has_suggestion` is False for null.
    """

    type: str | None
    parameter_name: str | None
    tool_name: str | None
    suggested_value: Any
    has_suggestion: bool
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Envelope:
    """An `errors[]` body. `errors` has only the items that are objects; `raw` has all.

    Both have at most the first `MOST_ERRORS`.
    """

    errors: tuple[ErrorView, ...]
    raw: Mapping[str, Any]

    @property
    def says_later(self) -> bool:
        """Whether something that the server depends on failed, and not the server itself."""
        return bool(self.errors) and all(each.type in _LATER for each in self.errors)

    @property
    def of_a_moment(self) -> bool:
        """Whether an error says that the same call may succeed later."""
        return any(each.type in _OF_A_MOMENT for each in self.errors)


def envelope_of(body: Any) -> Envelope | None:
    """Return the ATDF envelope that `body`, a decoded JSON value, is; None if it is not one.

    Only `errors` at the top counts, and only if an item is recognizable as an ATDF error. The
    `errors` of another format, an empty list, and an envelope inside `detail` are not envelopes.
    """
    if not isinstance(body, dict):
        return None
    listed = body.get("errors")
    if not isinstance(listed, list):
        return None
    objects = [each for each in listed if isinstance(each, dict)]
    if not any(_is_ours(each) for each in objects):
        return None
    kept = {**body, "errors": listed[:MOST_ERRORS]} if len(listed) > MOST_ERRORS else body
    return Envelope(tuple(_view(each) for each in objects[:MOST_ERRORS]), kept)


def types_of(*categories: ErrorCategory) -> frozenset[ErrorType]:
    """Return the reserved error types of these categories."""
    return frozenset(kind for kind, about in ERROR_TYPE_CATEGORY.items() if about in categories)


def error_type(uri: object) -> str | None:
    """Return the last path segment of a `type` URI; None if it has none (ATDF-ERR-002)."""
    if not isinstance(uri, str):
        return None
    try:
        path = urlsplit(uri).path
    except ValueError:  # garbage such as `http://[`, which has no path
        return None
    segment = unquote(path.rstrip("/").rpartition("/")[2])
    return segment or None


def _is_ours(error: Mapping[str, Any]) -> bool:
    return not _OWN.isdisjoint(error) or error.keys() >= _SHARED


def _view(error: Mapping[str, Any]) -> ErrorView:
    suggested = error.get("suggested_value")
    return ErrorView(
        type=error_type(error.get("type")),
        parameter_name=_text(error.get("parameter_name")),
        tool_name=_text(error.get("tool_name")),
        suggested_value=suggested,
        has_suggestion=suggested is not None,
        raw=error,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
