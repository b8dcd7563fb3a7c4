"""What can be wrong with a schema from which cases are to be made."""

from __future__ import annotations

from enum import StrEnum


class ProblemKind(StrEnum):
    """Why a schema, or a place of it, yields no cases."""

    INVALID_SCHEMA = "invalid_schema"
    """The schema breaks its own dialect's meta-schema."""
    UNKNOWN_DIALECT = "unknown_dialect"
    """`$schema` names a dialect that no validator here speaks."""
    REMOTE_REFERENCE = "remote_reference"
    """A `$ref` leaves the document; it is never fetched."""
    BROKEN_REFERENCE = "broken_reference"
    """A local `$ref` resolves to nothing."""
    TOO_COMPLEX = "too_complex"
    """Nested or referenced so deep that judging it would not end in time."""
    UNREADABLE_PATTERN = "unreadable_pattern"
    """A property-name pattern that cannot be matched safely here."""
    NO_VALUE = "no_value"
    """No valid value was found: contradictory, endless, or beyond the generator."""


class SchemaProblem(Exception):
    """A schema cannot be used; `kind` says why, `detail` where and what."""

    def __init__(self, kind: ProblemKind, detail: str) -> None:
        super().__init__(f"{kind.value}: {detail}")
        self.kind = kind
        self.detail = detail
