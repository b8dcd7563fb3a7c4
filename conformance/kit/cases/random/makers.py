"""Makers of values for a normalized schema.

Values for plain keywords are made here. The library draws the rest: it evaluates the schema again
at each draw, which is fifty times slower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from conformance.kit.cases.random.chance import (
    WIDE,
    Chance,
    Maker,
    NotDrawable,
    Unlucky,
    always,
    among,
    fitting,
    items,
    members,
    one_of,
    place,
)
from conformance.kit.cases.random.drawable import Schema
from conformance.kit.cases.random.effort import Effort
from conformance.kit.cases.random.library import library_maker
from conformance.kit.cases.random.texts import format_of, is_own
from conformance.kit.schema import numbers
from conformance.kit.schema.constraints import GREATEST, constraints, type_of
from conformance.kit.schema.view import Node

_MORE: Final = 3
"""The most members or items that are drawn in addition to those that a schema names."""
_TRIES: Final = 4
"""A schema counts as impossible after this many times `count` values failed."""
_NUMBER: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                            "multipleOf"})  # fmt: skip
_PLAIN: Final = {
    "string": frozenset({"format", "minLength", "maxLength"}),
    "integer": _NUMBER,
    "number": _NUMBER,
    "boolean": frozenset[str](),
    "null": frozenset[str](),
    "object": frozenset({"properties", "required", "additionalProperties", "propertyNames",
                         "minProperties", "maxProperties", "dependencies"}),
    "array": frozenset({"items", "additionalItems", "minItems", "maxItems", "uniqueItems"}),
}  # fmt: skip
"""The keywords of each type that are handled here, if the schema has no others."""
_OTHER: Final = {
    "string": frozenset({"pattern"}),
    "object": frozenset({"patternProperties"}),
    "array": frozenset({"contains"}),
}
"""Other keywords that apply to one type only."""
_OF: Final = {kind: words | _OTHER.get(kind, frozenset()) for kind, words in _PLAIN.items()}
_ALL: Final = frozenset({"type"}).union(*_OF.values())


@dataclass(frozen=True, slots=True)
class Makers:
    """Builds makers of values.

    For each schema that the library draws, it draws `count` values with this `seed`. All together
    take at most this `effort`.
    """

    seed: int
    count: int
    effort: Effort = field(default_factory=Effort, compare=False)

    def of(self, schema: Schema) -> Maker | None:
        """Return a maker of values for a normalized schema, or None if it has no values.

        Some values may be invalid, so each must be validated. Raises `NotDrawable` if the library
        fails.
        """
        if not isinstance(schema, dict):
            return None if schema is False else self._library(schema)
        words = schema.keys()
        for keyword in ("anyOf", "oneOf", "allOf"):
            if words == {keyword} and (keyword != "allOf" or len(schema[keyword]) == 1):
                return _any([self.of(each) for each in schema[keyword]])
        if words <= {"type", "enum", "const"} and words & {"enum", "const"}:
            return _choice(schema)
        kind = schema.get("type")
        if isinstance(kind, list) and words <= _ALL:
            return _any([self.of(_of_kind(schema, each)) for each in kind])
        if not isinstance(kind, str) or not words - {"type"} <= _PLAIN.get(kind, frozenset()):
            return self._library(schema)
        return self._plain(schema, kind)

    def sure(self, schema: Schema) -> Maker | None:
        """Return a maker as `of` does, after it has made a value.

        Raises the `Unlucky`, `TooLarge` or `NotDrawable` of the last try if it makes none.
        """
        make = self.of(schema)
        if make is None:
            return None
        chance = Chance(self.seed)
        for left in reversed(range(_TRIES * self.count)):
            chance.begin()
            try:
                make(chance)
                break
            except (Unlucky, NotDrawable):
                if not left:
                    raise
        return make

    def _plain(self, schema: dict[str, Any], kind: str) -> Maker | None:
        made: Maker | None = None
        if kind == "object" and _by_name(schema) and _says_of_what(schema):
            return self._object(schema)
        if kind == "array" and "items" in schema:
            return self._array(schema)
        if kind in ("boolean", "null"):
            return among((True, False)) if kind == "boolean" else always(None)
        if kind in ("integer", "number"):
            made = numbers_of(schema, kind)
        elif kind == "string" and is_own(schema.get("format")):
            made = fitting(format_of(schema["format"]), _Length.of(schema).holds)
        return made or self._library(schema)

    def _library(self, schema: Schema) -> Maker | None:
        return library_maker(schema, self.seed, self.count, self.effort)

    def _object(self, schema: dict[str, Any]) -> Maker | None:
        properties = schema.get("properties", {})
        known = {name: self.of(each) for name, each in properties.items()}
        more = schema.get("additionalProperties", False)
        rest = self.of(more)
        names = None if rest is None else self.of(schema.get("propertyNames", {"type": "string"}))
        needed = tuple(schema.get("required", ()))
        if any(known.get(name, rest) is None for name in needed):
            return None
        return _Members(
            {name: make for name, make in known.items() if make is not None},
            needed,
            rest,
            names,
            schema.get("dependencies", {}),
            int(schema.get("minProperties", 0)),
            int(schema.get("maxProperties", len(known) + _MORE)),
        ).made

    def _array(self, schema: dict[str, Any]) -> Maker | None:
        each = schema["items"]
        first = [self.of(one) for one in each] if isinstance(each, list) else []
        rest = self.of(schema.get("additionalItems", True) if first else each)
        least = max(schema.get("minItems", 0) - len(first), 0)
        most = max(schema.get("maxItems", len(first) + _MORE) - len(first), 0)
        if least > most or (rest is None and least):
            return None
        unique = schema.get("uniqueItems") is True
        more = always(()) if rest is None else items(rest, least, most, unique=unique)
        sure = [make for make in first if make is not None]
        if len(sure) < len(first):
            return None
        return lambda chance: [*(make(chance) for make in sure), *more(chance)]


def _any(makers: Sequence[Maker | None]) -> Maker | None:
    sure = [make for make in makers if make is not None]
    return one_of(sure) if sure else None


def _choice(schema: dict[str, Any]) -> Maker | None:
    values = schema.get("enum", [schema.get("const")])
    if "const" in schema and "enum" in schema:
        values = [schema["const"]]
    named = schema.get("type")
    if named is not None:
        kinds = [named] if isinstance(named, str) else named
        values = [value for value in values if _is_one(value, kinds)]
    return among(values) if values else None


def _is_one(value: Any, kinds: Sequence[str]) -> bool:
    kind = type_of(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _of_kind(schema: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return what a schema of several types says about one of them."""
    about = _OF.get(kind, frozenset())
    return {"type": kind, **{word: said for word, said in schema.items() if word in about}}


def _by_name(schema: dict[str, Any]) -> bool:
    """Return whether all dependencies between members are lists of names."""
    return all(isinstance(each, list) for each in schema.get("dependencies", {}).values())


def _says_of_what(schema: dict[str, Any]) -> bool:
    """Return whether an object that needs members says which unnamed ones are valid."""
    return "minProperties" not in schema or "additionalProperties" in schema


@dataclass(frozen=True, slots=True)
class _Length:
    least: int
    most: float

    @classmethod
    def of(cls, schema: dict[str, Any]) -> _Length:
        return cls(schema.get("minLength", 0), schema.get("maxLength", float("inf")))

    def holds(self, text: str) -> bool:
        return self.least <= len(text) <= self.most


@dataclass(frozen=True, slots=True)
class _Members:
    """Makes the members of an object.

    `known` has makers of the members that the schema names, and `needed` the required names. `rest`
    and `names` make all other members and their names. `demands` says which names a member
    requires. An object has `least` to `most` members.
    """

    known: dict[str, Maker]
    needed: tuple[str, ...]
    rest: Maker | None
    names: Maker | None
    demands: dict[str, list[str]]
    least: int
    most: int

    def made(self, chance: Chance) -> dict[str, Any]:
        """Make the members. Raises `Unlucky` if a required one cannot be made."""
        found: dict[str, Any] = {}
        for name in self.needed:
            self._add(chance, found, name)
        for name in self.known:
            if name not in found and len(found) < self.most and chance.whether():
                self._add(chance, found, name)
                for other in self.demands.get(name, ()):
                    self._add(chance, found, other)
        missing = max(self.least - len(found), 0)
        if self.rest is None or self.names is None:
            left = [name for name in self.known if name not in found]
            if missing > len(left):
                raise Unlucky
            for name in chance.sample(left, missing) if missing else ():
                self._add(chance, found, name)
            return found
        most = max(min(max(self.most - len(found), 0), _MORE), missing)
        others = members(self.names, self.rest, most, least=missing, taken=found)
        return {**others(chance), **found}

    def _add(self, chance: Chance, found: dict[str, Any], name: str) -> None:
        make = self.known.get(name, self.rest)
        if make is None:
            raise Unlucky
        if name not in found:
            chance.spend()
            found[name] = make(chance)


_NEAR: Final = (1, 100, 10_000)
"""How far some numbers of a very wide range are from zero, or from the end next to it, at most."""
_DIGITS: Final = 2


def numbers_of(schema: dict[str, Any], kind: str) -> Maker | None:
    """Return a maker of numbers for a schema; None without both bounds, or a number between."""
    asked = constraints((Node(schema, None),))
    low, high = numbers.ends(asked, kind == "integer")
    if low is None or high is None or low > high or high - low > GREATEST:
        return None
    step = numbers.step_of(asked, kind == "integer")
    return _steps(low, high, step) if step else _reals(low, high)


def _steps(low: Fraction, high: Fraction, step: Fraction) -> Maker:
    count = math.floor((high - low) / step)
    near = min(max(round(-low / step), 0), count)
    return lambda chance: numbers.to_json(low + place(chance, count, near) * step)


def _reals(low: Fraction, high: Fraction) -> Maker:
    """Return a maker of whole numbers, readable decimals, and floats with all their digits."""
    first, last = math.ceil(low), math.floor(high)
    near = float(min(max(Fraction(0), low), high))
    lowest, highest = float(low), float(high)
    wide = highest - lowest > WIDE

    def made(chance: Chance) -> int | float:
        sort = chance.random()
        if sort < 0.25 and first <= last:
            return first + place(chance, last - first, round(near) - first)
        start, end = lowest, highest
        if wide and chance.whether():
            reach = chance.choice(_NEAR)
            start, end = max(lowest, near - reach), min(highest, near + reach)
        value = chance.uniform(start, end)
        readable = round(value, _DIGITS)
        return readable if sort < 0.7 and lowest <= readable <= highest else value

    return made
