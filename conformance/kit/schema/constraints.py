"""Collects what all schemas of one place require of a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from sys import float_info
from typing import Any, Final

from conformance.formats.schema.equality import same
from conformance.formats.schema.exact_numbers import exact
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.view import Node

GREATEST: Final = float_info.max
"""The largest number that every JSON parser can read."""
_IMPLIED: Final = (
    ("object", ("properties", "required", "additionalProperties", "patternProperties",
                "minProperties", "maxProperties", "propertyNames")),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
    ("string", ("minLength", "maxLength", "pattern", "format")),
)  # fmt: skip
"""Keywords that apply to one type, and imply that type if a schema names none."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range. `value` is written as in the schema."""

    value: int | float
    exclusive: bool

    @property
    def exact(self) -> Fraction:
        """The exact decimal value: 0.1 is one tenth."""
        return exact(self.value)


@dataclass(frozen=True, slots=True)
class Constraints:
    """What is required of a value at one place.

    If there are several bounds, the tightest is kept. `types` is None if every type is allowed.
    `allowed` holds the values of `enum` and `const`, and is None if every value is allowed.
    """

    flat: tuple[Node, ...]
    types: tuple[str, ...] | None
    allowed: tuple[Any, ...] | None
    low: Bound | None
    high: Bound | None
    multiples: tuple[int | float, ...]
    min_length: int
    max_length: int | None
    patterns: tuple[str, ...]
    formats: tuple[str, ...]
    min_items: int
    max_items: int | None
    unique: bool
    min_members: int
    max_members: int | None
    required: tuple[str, ...]
    names: tuple[str, ...]
    forbids: bool
    """Whether the schemas have a `not`."""
    nullable: bool
    """Whether the schemas have OpenAPI's `nullable`: the author allows null, in every dialect."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types, or those that other keywords imply; empty if nothing implies one."""
        if self.types is not None:
            return self.types
        if self.allowed is not None:
            return tuple(dict.fromkeys(type_of(value) for value in self.allowed))
        return tuple(
            name
            for name, words in _IMPLIED
            if any(w in n.schema for n in self.flat if isinstance(n.schema, dict) for w in words)
        )

    def first(self, keyword: str) -> Any:
        """Return the first value that a schema has for a keyword, or ABSENT."""
        return next((node.schema[keyword] for node in self._holders(keyword)), ABSENT)

    def has(self, keyword: str) -> bool:
        """Return whether any of the schemas has a keyword."""
        return any(True for _ in self._holders(keyword))

    def under(self, keyword: str) -> list[Node]:
        """Return the schemas that a keyword contains, each with its own base."""
        return [node.sub(node.schema[keyword]) for node in self._holders(keyword)]

    def _holders(self, keyword: str) -> Iterator[Node]:
        return (n for n in self.flat if isinstance(n.schema, dict) and keyword in n.schema)


def type_of(value: Any) -> str:
    """Return the JSON type of a value. A whole number is an integer, even if written as 2.0."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def constraints(flat: Sequence[Node]) -> Constraints:
    """Collect what flat schemas (see `applies`) require together."""
    schemas = [n.schema for n in flat if isinstance(n.schema, dict)]
    low, high = _range(schemas)

    def most(keyword: str, least: int) -> int:
        return max((int(s[keyword]) for s in schemas if _is_number(s.get(keyword))), default=least)

    def fewest(keyword: str) -> int | None:
        return min((int(s[keyword]) for s in schemas if _is_number(s.get(keyword))), default=None)

    def each(keyword: str) -> tuple[Any, ...]:
        return tuple(s[keyword] for s in schemas if keyword in s)

    return Constraints(
        flat=tuple(flat),
        types=_types(schemas),
        allowed=_allowed(schemas),
        low=low,
        high=high,
        multiples=tuple(m for m in each("multipleOf") if _is_number(m) and m > 0),
        min_length=most("minLength", 0),
        max_length=fewest("maxLength"),
        patterns=each("pattern"),
        formats=each("format"),
        min_items=most("minItems", 0),
        max_items=fewest("maxItems"),
        unique=any(s.get("uniqueItems") is True for s in schemas),
        min_members=most("minProperties", 0),
        max_members=fewest("maxProperties"),
        required=tuple(dict.fromkeys(n for s in schemas for n in s.get("required", ()))),
        names=tuple(dict.fromkeys(n for s in schemas for n in s.get("properties", {}))),
        forbids=any("not" in s for s in schemas),
        nullable=any(s.get("nullable") is True for s in schemas),
    )


def _types(schemas: list[dict[str, Any]]) -> tuple[str, ...] | None:
    found: tuple[str, ...] | None = None
    for schema in schemas:
        if "type" not in schema:
            continue
        named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if found is None:
            found = tuple(dict.fromkeys(named))
            continue
        narrowed = [t for t in found if t in named or (t == "integer" and "number" in named)]
        if "integer" in named and "number" in found and "integer" not in narrowed:
            narrowed.append("integer")
        found = tuple(narrowed)
    return found


def _allowed(schemas: list[dict[str, Any]]) -> tuple[Any, ...] | None:
    found: list[Any] | None = None
    for schema in schemas:
        lists = [schema["enum"]] if "enum" in schema else []
        if "const" in schema:
            lists.append([schema["const"]])
        for values in lists:
            kept = (
                values if found is None else [v for v in found if any(same(v, w) for w in values)]
            )
            found = list(kept)
    return None if found is None else tuple(found)


def _range(schemas: list[dict[str, Any]]) -> tuple[Bound | None, Bound | None]:
    lows: list[Bound] = []
    highs: list[Bound] = []
    for schema in schemas:
        for ends, plain, strict in (
            (lows, "minimum", "exclusiveMinimum"),
            (highs, "maximum", "exclusiveMaximum"),
        ):
            limit: Any = schema.get(plain)
            other: Any = schema.get(strict)
            if _is_number(limit):
                ends.append(Bound(limit, exclusive=other is True))
            if _is_number(other):
                ends.append(Bound(other, exclusive=True))
    low = max(lows, key=lambda b: (b.exact, b.exclusive), default=None)
    high = min(highs, key=lambda b: (b.exact, not b.exclusive), default=None)
    return low, high


def _is_number(value: Any) -> bool:
    """Return whether a value can be a bound. 1e999, or an integer beyond every float, cannot."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= GREATEST
