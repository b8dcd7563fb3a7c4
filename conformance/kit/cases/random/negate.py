"""Ways to break one place of a valid call by chance: one node of the schema, negated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from conformance.formats.ecma import patterns
from conformance.kit.cases import numbers
from conformance.kit.cases.explore import Spot
from conformance.kit.cases.facts import Facts
from conformance.kit.cases.near_misses import is_near_miss
from conformance.kit.cases.pointer import Tokens
from conformance.kit.cases.random.texts import texts

Strategy = st.SearchStrategy[Any]

_LONGEST: Final = 2_000
"""A text is sent too long by chance where its limit is not above this."""
_FAR: Final = st.integers(1, 50) | st.integers(51, 5_000) | st.integers(5_001, 3_000_000)
"""How far beyond a bound, in steps: a check that looks at a window, or at one byte, is met."""
_WORDS: Final = st.text("bcdghjklmpqrsvwxzñéжλ語", min_size=2, max_size=24)
"""Texts that nobody reads as a number, a truth or a date."""
_NO_FORM: Final = st.builds("{} {}".format, _WORDS, _WORDS)
_FORMED: Final = frozenset({"date", "date-time", "time", "duration", "email", "uri", "uuid",
                            "hostname", "ipv4", "ipv6"})  # fmt: skip
"""Formats that two words and a space break in everybody's reading."""
_SCALAR: Final = st.integers(-1_000, 1_000) | _WORDS | st.booleans()
_OTHERS: Final[dict[str, Strategy]] = {
    "string": _WORDS,
    "number": st.integers(2, 1_000_000),
    "boolean": st.booleans(),
    "array": st.lists(_SCALAR, max_size=4),
    "object": st.dictionaries(_WORDS, _SCALAR, max_size=3),
    "null": st.none(),
}


TYPE: Final = "random-type"


@dataclass(frozen=True, slots=True)
class Negation:
    """How to break a place: the scenario's name, new values for it, and what inside is blamed."""

    scenario: str
    value: Strategy
    blamed: Tokens = ()


def negations(spot: Spot) -> list[Negation]:
    """Give the ways in which a place can be broken; the place must have a value."""
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
    return found


def _types(spot: Spot) -> list[Negation]:
    """A value of another type that no lossless reading turns into one of the right type."""
    asked = spot.asked
    numeric = bool({"integer", "number"} & set(asked.kinds))
    other = tuple(
        kind
        for kind in _OTHERS
        if kind not in asked.kinds
        and not (kind == "null" and asked.nullable)
        and not (kind in ("number", "boolean") and numeric)
    )

    def is_far(value: Any) -> bool:
        return not is_near_miss(asked.kinds, asked.formats, value, spot.value)

    if not asked.kinds or not other:
        return []
    return [Negation(TYPE, _any_of(other).filter(is_far))]


@cache
def _any_of(kinds: tuple[str, ...]) -> Strategy:
    """Values of these types; the library takes longer to get ready for it than to draw one."""
    return st.one_of([_OTHERS[kind] for kind in kinds])


def _choices(asked: Facts) -> Iterator[Negation]:
    allowed = asked.allowed or ()
    if any(isinstance(value, str) for value in allowed):
        yield Negation("random-enum", _WORDS.filter(lambda value: value not in allowed))


def _texts(asked: Facts) -> Iterator[Negation]:
    least, most = asked.min_length, asked.max_length
    plain = not asked.patterns and not asked.formats
    if plain and least:
        few = min(least - 1, _LONGEST)
        yield Negation("random-too-short", st.text("abcxyz", max_size=few))
    if plain and most is not None and most <= _LONGEST:
        yield Negation("random-too-long", texts(most + 1, most + 1 + max(most, 200)))
    for expression in asked.patterns:
        missing = texts(least, min(most if most is not None else least + 32, least + 64))
        yield Negation("random-pattern", missing.filter(_misses(expression)))
    for name in asked.formats:
        if name in _FORMED:
            yield Negation(f"random-format-{name}", _NO_FORM)


def _misses(expression: str) -> Callable[[str], bool]:
    r"""Tell texts that a pattern misses in every dialect: some read digits of any script as `\\d`,
    and a last newline as none.
    """
    loose = re.compile(expression) if patterns.is_python(expression) else None

    def misses(text: str) -> bool:
        return patterns.matches(expression, text) is False and not (loose and loose.search(text))

    return misses


def _numbers(asked: Facts, value: int | float) -> Iterator[Negation]:
    whole = "number" not in asked.kinds
    low, high = numbers.ends(asked, whole)
    step = numbers.step_of(asked, whole) or Fraction(1)
    like = 1 if whole else 1.5

    def beyond(end: Fraction, way: int) -> Strategy:
        return _FAR.map(lambda steps: numbers.to_json(end + way * steps * step, like))

    if asked.high is not None and high is not None and high not in numbers.MACHINE:
        yield Negation("random-above-maximum", beyond(high, 1))
    if asked.low is not None and low is not None and low not in numbers.MACHINE:
        yield Negation("random-below-minimum", beyond(low, -1))
    if whole:
        parts = st.integers(1, 99).map(lambda part: float(value) + part / 100)
        yield Negation("random-fraction", parts.filter(lambda number: not number.is_integer()))


def _members(spot: Spot, value: dict[str, Any]) -> Iterator[Negation]:
    for name in spot.asked.required:
        if name in value:
            rest = {n: v for n, v in value.items() if n != name}
            yield Negation("random-missing", st.just(rest), (name,))


def _items(asked: Facts, value: list[Any]) -> Iterator[Negation]:
    if 0 < asked.min_items <= len(value):
        yield Negation(
            "random-too-few", st.integers(0, asked.min_items - 1).map(lambda n: value[:n])
        )
    room = asked.max_items is None or len(value) < asked.max_items
    if asked.unique and value and room:
        places = st.tuples(st.integers(0, len(value) - 1), st.integers(0, len(value)))
        yield Negation("random-duplicate", places.map(lambda at: _twice(value, *at)))
    most = asked.max_items
    if most is not None and value and not asked.unique and most < 200:
        counts = st.integers(most + 1, most + 20)
        yield Negation(
            "random-too-many", counts.map(lambda n: [value[i % len(value)] for i in range(n)])
        )


def _twice(value: list[Any], source: int, target: int) -> list[Any]:
    """The array with one of its items once more, somewhere."""
    return [*value[:target], value[source], *value[target:]]
