"""Reasons why the kit cannot make cases from a schema."""

from __future__ import annotations

from enum import StrEnum


class ProblemKind(StrEnum):
    """Why a schema, or a place in it, yields no cases."""

    INVALID_SCHEMA = "invalid_schema"
    """The schema is invalid against the meta-schema of its dialect."""
    UNKNOWN_DIALECT = "unknown_dialect"
    """`$schema` names a dialect for which the kit has no validator."""
    REMOTE_REFERENCE = "remote_reference"
    """A `$ref` points outside the document. The kit never fetches it."""
    BROKEN_REFERENCE = "broken_reference"
    """A `$ref` points to a place in the document that does not exist."""
    TOO_COMPLEX = "too_complex"
    """The schema is nested or referenced so deeply that validation would take too long."""
    UNREADABLE_PATTERN = "unreadable_pattern"
    """A pattern for property names cannot be matched safely."""
    NO_VALUE = "no_value"
    """No valid value was found: the schema is contradictory, endless, or too hard for the
    generator.
    """


class SchemaProblem(Exception):
    """A schema cannot be used. `kind` says why, and `detail` where and what."""

    def __init__(self, kind: ProblemKind, detail: str) -> None:
        super().__init__(f"{kind.value}: {detail}")
        self.kind = kind
        self.detail = detail
