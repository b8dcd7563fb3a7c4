"""Ways to break one random place of a valid call, by negating one node of the schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle, islice
from typing import Any, Final

from conformance.formats.schema.ecma import patterns
from conformance.kit.cases.near_misses import is_near_miss
from conformance.kit.cases.random.chance import (
    Chance,
    Maker,
    always,
    among,
    fitting,
    integers,
    items,
    members,
    one_of,
    run,
)
from conformance.kit.cases.random.texts import texts
from conformance.kit.cases.walk import Spot
from conformance.kit.schema import numbers
from conformance.kit.schema.constraints import Constraints
from conformance.kit.schema.places import Tokens

_LONGEST: Final = 2_000
"""The highest limit that random texts exceed, and the most characters of one too short."""
_FAR: Final = one_of((integers(1, 50), integers(51, 5_000), integers(5_001, 3_000_000)))
"""How many steps beyond a bound: far ones find a check that covers a window or one byte only."""
_LETTERS: Final = "bcdghjklmpqrsvwxzñéжλ語"


def _words(chance: Chance) -> str:
    """Return a text that nobody reads as a number, a boolean or a date."""
    return run(chance, _LETTERS, 2, 24)


def _no_form(chance: Chance) -> str:
    return f"{_words(chance)} {_words(chance)}"


_FORMED: Final = frozenset({"date", "date-time", "time", "duration", "email", "uri", "uuid",
                            "hostname", "ipv4", "ipv6"})  # fmt: skip
"""Formats that two words with a space break for every reader."""
_TRUTH: Final = among((True, False))
_SCALAR: Final = one_of((integers(-1_000, 1_000), _words, _TRUTH))
_OTHERS: Final[dict[str, Maker]] = {
    "string": _words,
    "number": integers(2, 1_000_000),
    "boolean": _TRUTH,
    "array": items(_SCALAR, 0, 4),
    "object": members(_words, _SCALAR, 3),
    "null": always(None),
}


TYPE: Final = "random-type"
_NUMBER: Final = 7
"""If the text of this number is valid for a string, so are the texts of most other numbers."""


@dataclass(frozen=True, slots=True)
class Negation:
    """How to break a place: the scenario, a maker of new values, and the blamed place inside."""

    scenario: str
    value: Maker
    blamed: Tokens = ()


def negations(spot: Spot) -> list[Negation]:
    """Return the ways to break a place, which must have a value.

    None makes a value that is valid to a lenient reader, in any branch.
    """
    asked = spot.asked
    found = _types(spot)
    if asked.allowed is not None:
        found += _choices(asked)
    elif isinstance(spot.value, str):
        found += _texts(asked)
    elif isinstance(spot.value, int | float) and not isinstance(spot.value, bool):
        found += _numbers(asked, spot.value)
    if isinstance(spot.value, dict):
        found += _members(spot, spot.value)
    elif isinstance(spot.value, list):
        found += _items(asked, spot.value)
    here = spot.taken

    def is_far(value: Any) -> bool:
        return not is_near_miss(here, value, spot.value)

    return [replace(one, value=fitting(one.value, is_far)) for one in found]


def _types(spot: Spot) -> list[Negation]:
    """Return a way to send another type that no lossless reading turns into the right one."""
    asked = spot.asked
    numeric = bool({"integer", "number"} & set(spot.taken.kinds))
    other = tuple(
        kind
        for kind in _OTHERS
        if kind not in asked.kinds
        and not (kind == "null" and asked.nullable)
        and not (kind in ("number", "boolean") and numeric)
        and not (kind == "number" and is_near_miss(spot.taken, _NUMBER, spot.value))
    )
    if not asked.kinds or not other:
        return []
    return [Negation(TYPE, one_of([_OTHERS[kind] for kind in other]))]


def _choices(asked: Constraints) -> Iterator[Negation]:
    allowed = asked.allowed or ()
    if any(isinstance(value, str) for value in allowed):
        yield Negation("random-enum", fitting(_words, lambda value: value not in allowed))


def _texts(asked: Constraints) -> Iterator[Negation]:
    least, most = asked.min_length, asked.max_length
    plain = not asked.patterns and not asked.formats
    if plain and least:
        few = min(least - 1, _LONGEST)
        yield Negation("random-too-short", lambda chance: run(chance, "abcxyz", 0, few))
    if plain and most is not None and most <= _LONGEST:
        yield Negation("random-too-long", texts(most + 1, most + 1 + max(most, 200)))
    for expression in asked.patterns:
        missing = texts(least, min(most if most is not None else least + 32, least + 64))
        yield Negation("random-pattern", fitting(missing, _misses(expression)))
    for name in asked.formats:
        if name in _FORMED:
            yield Negation(f"random-format-{name}", _no_form)


def _misses(expression: str) -> Callable[[str], bool]:
    r"""Return a test for texts that a pattern misses in every dialect.

    Some dialects read digits of any script as `\d`, and ignore a final newline.
    """
    loose = re.compile(expression) if patterns.is_python(expression) else None

    def misses(text: str) -> bool:
        return patterns.matches(expression, text) is False and not (loose and loose.search(text))

    return misses


def _numbers(asked: Constraints, value: int | float) -> Iterator[Negation]:
    whole = "number" not in asked.kinds
    low, high = numbers.ends(asked, whole)
    step = numbers.step_of(asked, whole) or Fraction(1)
    like = 1 if whole else 1.5

    def beyond(end: Fraction, way: int) -> Maker:
        return lambda chance: numbers.to_json(end + way * _FAR(chance) * step, like)

    if asked.high is not None and high is not None and high not in numbers.MACHINE:
        yield Negation("random-above-maximum", beyond(high, 1))
    if asked.low is not None and low is not None and low not in numbers.MACHINE:
        yield Negation("random-below-minimum", beyond(low, -1))
    if whole:
        yield Negation("random-fraction", fitting(_part_of(value), _is_no_integer))


def _part_of(value: int | float) -> Maker:
    return lambda chance: float(value) + chance.randint(1, 99) / 100


def _is_no_integer(number: float) -> bool:
    return not number.is_integer()


def _members(spot: Spot, value: dict[str, Any]) -> Iterator[Negation]:
    for name in spot.asked.required:
        if name in value:
            rest = {n: v for n, v in value.items() if n != name}
            yield Negation("random-missing", always(rest), (name,))


def _items(asked: Constraints, value: list[Any]) -> Iterator[Negation]:
    if 0 < asked.min_items <= len(value):
        fewer = asked.min_items - 1
        yield Negation("random-too-few", lambda chance: value[: chance.randint(0, fewer)])
    room = asked.max_items is None or len(value) < asked.max_items
    if asked.unique and value and room:
        last = len(value)
        yield Negation(
            "random-duplicate",
            lambda chance: _twice(value, chance.randint(0, last - 1), chance.randint(0, last)),
        )
    most = asked.max_items
    if most is not None and value and not asked.unique and most < 200:
        yield Negation("random-too-many", _repeated(value, most + 1, most + 20))


def _repeated(value: list[Any], least: int, most: int) -> Maker:
    """Return a maker of arrays that repeat these items, with `least` to `most` items in all."""
    return lambda chance: list(islice(cycle(value), chance.randint(least, most)))


def _twice(value: list[Any], source: int, target: int) -> list[Any]:
    """Return the array with a copy of one item inserted."""
    return [*value[:target], value[source], *value[target:]]
