"""The values that can be sent at a place instead of the one there: valid ones and broken ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from conformance.formats.schema.ecma import patterns
from conformance.formats.schema.exact_numbers import exact
from conformance.kit.cases.near_misses import Taken, is_near_miss
from conformance.kit.cases.valid_values import LONGEST_TEXT, fitted
from conformance.kit.schema import numbers
from conformance.kit.schema.constraints import Constraints, type_of
from conformance.kit.schema.places import Absent
from conformance.kit.schema.string_formats import FORMATS

LONGEST_SENT: Final = 20_000
"""The most characters of a text that is sent to test a bound. Larger bounds are not tested."""
MOST_SENT: Final = 200
"""The most items of an array that is sent to test a bound."""

MOST_CHOICES: Final = 50
"""The most values of one enum that are sent."""

WHOLE_FLOAT: Final = "whole-float"
"""The scenario of an integer written with a fraction of zero."""
LARGE_ID: Final = 2**31
"""The first integer above those of 32 bits with a sign, the size of many columns of ids."""
_ID: Final = re.compile(r"(?:\A|[_.-])(?:id|Id|ID)\Z|[a-z0-9]I[dD]\Z")
UNICODE: Final = "Zoë 東京 🚀"
WIDE: Final = "東"


@dataclass(frozen=True, slots=True)
class Deviation:
    """A value to send at a place. `variant` distinguishes those of one scenario there."""

    scenario: str
    value: Any
    variant: str = ""
    near_miss: bool = False
    extreme: bool = False
    """Valid but unusual: it proves only that the server answers."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place: its constraints, and a valid value (or ABSENT).

    `taken` is what any branch accepts there. `judgeable` is False if a pattern or format applies
    there that the kit cannot check. `name` is the name of the property there, if it is one.
    """

    asked: Constraints
    value: Any
    taken: Taken
    judgeable: bool = True
    name: str = ""


def valid(place: Place) -> Iterator[Deviation]:
    """Yield values that a server should accept like the one that is there."""
    asked, kinds = place.asked, place.asked.kinds
    if asked.allowed is not None:
        several = len(asked.allowed) > 1
        for number, value in enumerate(asked.allowed[:MOST_CHOICES]):
            name = "enum-value" if several else "const"
            yield Deviation(name, value, _shown(value) or str(number))
        return
    default = asked.first("default")
    if not isinstance(default, Absent):
        yield Deviation("default", default)
    said = asked.first("examples")
    for number, value in enumerate(said if isinstance(said, list) else ()):
        yield Deviation("example", value, str(number + 1))
    if "boolean" in kinds:
        yield Deviation("true", True)
        yield Deviation("false", False)
    for kind in ("integer", "number"):
        if kind in kinds:
            yield from _valid_numbers(asked, kind == "integer")
            break
    if "string" in kinds and place.judgeable and not asked.patterns and not asked.formats:
        yield from _valid_texts(asked)
    if "null" in kinds:
        yield Deviation("null-value", None)
    if "array" in kinds and isinstance(place.value, list):
        yield from _valid_arrays(asked, place.value)
    if "object" in kinds and place.value != {} and not asked.required:
        yield Deviation("empty-object", {})


def extremes(place: Place, now: datetime) -> Iterator[Deviation]:
    """Yield values that the schema allows but few servers expect. Some depend on the time `now`."""
    asked = place.asked
    if asked.allowed is not None:
        return
    for name in asked.formats:
        for variant, made in FORMATS[name].extremes if name in FORMATS else ():
            yield Deviation(f"extreme-{name}", made(now), variant, extreme=True)
    if not asked.kinds:
        for kind, value in ANY_TYPE_SAMPLES:
            yield Deviation("any-type", value, kind, extreme=True)
    elif "number" not in asked.kinds and "integer" in asked.kinds:
        whole = next(numbers.some(asked, True), None)
        if whole is not None and abs(whole) < 2**53:
            yield Deviation(WHOLE_FLOAT, float(whole))  # an integer in JSON Schema
        if _may_be_large(place):
            yield Deviation("large-id", LARGE_ID, extreme=True)
    if "string" in asked.kinds and not asked.patterns and not asked.formats:
        yield Deviation("with-slash", fitted("a/b", asked), extreme=True)
        yield Deviation("blank-text", " " * max(asked.min_length, 1), extreme=True)


def _may_be_large(place: Place) -> bool:
    """Return whether a place takes the large id. A large count could cost too much to be sent."""
    asked = place.asked
    most = LARGE_ID if asked.high is None else asked.high.exact
    inside = most == LARGE_ID or (most > LARGE_ID and most in numbers.MACHINE)
    return bool(_ID.search(place.name)) and inside and set(asked.formats) <= {"int64"}


def _valid_numbers(asked: Constraints, whole: bool) -> Iterator[Deviation]:
    low, high = numbers.ends(asked, whole)
    step = numbers.step_of(asked, whole) or Fraction(1)
    like = 1 if whole else _like(asked)
    if low is not None and low not in numbers.MACHINE:
        yield Deviation("minimum", numbers.to_json(low, like))
        yield Deviation("above-the-minimum", numbers.to_json(low + step, like))
    if high is not None and high not in numbers.MACHINE:
        yield Deviation("below-the-maximum", numbers.to_json(high - step, like))
        yield Deviation("maximum", numbers.to_json(high, like))
    for value in (Fraction(0), step, -step):
        inside = (low is None or value >= low) and (high is None or value <= high)
        if inside and (low is None or high is None):
            name = "zero" if value == 0 else "positive" if value > 0 else "negative"
            yield Deviation(name, numbers.to_json(value))
    if not whole and not asked.multiples:
        middle = Fraction(5, 2) if low is None or high is None else (low + high) / 2
        yield Deviation("with-fraction", round(float(middle), 2))


def _like(asked: Constraints) -> float | int:
    ends = [b.value for b in (asked.low, asked.high) if b is not None] + list(asked.multiples)
    return 1.0 if any(isinstance(e, float) for e in ends) else 1


def _valid_texts(asked: Constraints) -> Iterator[Deviation]:
    least, most = asked.min_length, asked.max_length
    if least == 0:
        yield Deviation("empty-text", "")
    elif least <= LONGEST_SENT:
        yield Deviation("shortest", "a" * least)
        yield Deviation("above-the-shortest", "a" * (least + 1))
    if most is not None and most <= LONGEST_SENT:
        yield Deviation("longest", "a" * most)
        if most > 1:
            yield Deviation("below-the-longest", "a" * (most - 1))
        # Each has three bytes in UTF-8 and one unit in UTF-16. A length counts characters.
        yield Deviation("longest-unicode", WIDE * most)
    elif most is None and least <= LONGEST_TEXT:
        yield Deviation("long", "a" * LONGEST_TEXT)
    yield Deviation("unicode", fitted(UNICODE, asked))


def _valid_arrays(asked: Constraints, value: list[Any]) -> Iterator[Deviation]:
    if asked.min_items == 0:
        yield Deviation("empty-array", [])
    elif len(value) > asked.min_items:
        yield Deviation("fewest-items", value[: asked.min_items])


def broken(place: Place) -> Iterator[Deviation]:
    """Yield values that a server should refuse at this place, most informative ones first."""
    asked = place.asked
    if asked.allowed is not None:
        yield from _broken_choices(asked, place.value)
    kinds = asked.kinds
    if not kinds:
        return
    if "string" in kinds:
        yield from _broken_texts(place)
    if "integer" in kinds or "number" in kinds:
        yield from _broken_numbers(asked, "number" not in kinds)
    if "array" in kinds and isinstance(place.value, list):
        yield from _broken_arrays(asked, place.value)
    yield from _near_misses(place)
    yield from _wrong_types(place)


def _broken_choices(asked: Constraints, value: Any) -> Iterator[Deviation]:
    """Yield values close to the one that is there, which a lenient server accepts."""
    allowed = asked.allowed or ()
    texts = [v for v in allowed if isinstance(v, str) and v]
    name = "enum" if len(allowed) > 1 else "const"
    if texts:
        meant = value if value in texts else texts[0]
        yield Deviation(f"{name}-neighbour", f"{meant}_x")
        swapped = meant.upper() if meant.upper() != meant else meant.lower()
        if swapped != meant:
            yield Deviation(f"{name}-case", swapped)
        yield Deviation(f"{name}-space", f"{meant} ")
        yield Deviation(f"{name}-empty", "")
    if len(allowed) == 1 and isinstance(allowed[0], bool):
        yield Deviation("const-neighbour", not allowed[0], "boolean")
    counts = [v for v in allowed if type_of(v) in ("integer", "number")]
    if counts:
        yield Deviation(f"{name}-neighbour", max(counts) + 1, "number")
    held = [v for v in allowed if isinstance(v, dict | list)]
    if held:
        more = [*held[0], "abc"] if isinstance(held[0], list) else {**held[0], "extra": "abc"}
        yield Deviation(f"{name}-neighbour", more, type_of(more))


def _broken_texts(place: Place) -> Iterator[Deviation]:
    asked = place.asked
    if 0 < asked.min_length <= LONGEST_SENT:
        short = "a" * (asked.min_length - 1)
        if isinstance(place.value, str) and (asked.patterns or asked.formats):
            short = place.value[: asked.min_length - 1]
        yield Deviation("too-short", short)
    if asked.max_length is not None and asked.max_length <= LONGEST_SENT:
        yield Deviation("too-long", "a" * (asked.max_length + 1))
    if place.judgeable:
        for number, expression in enumerate(asked.patterns):
            for text in patterns.misses(expression, place.value)[:2]:
                yield Deviation("pattern-broken", fitted(text, asked), str(number + 1))
    for name in asked.formats:
        if name in FORMATS:
            for variant, text in FORMATS[name].broken:
                yield Deviation(f"format-{name}", text, variant)
            yield Deviation(f"format-{name}", "", "empty")
            yield Deviation(f"format-{name}", " ", "blank")


def _broken_numbers(asked: Constraints, whole: bool) -> Iterator[Deviation]:
    low, high = numbers.ends(asked, whole)
    step = numbers.step_of(asked, whole) or Fraction(1)
    if asked.low is not None and low is not None:
        if asked.low.exclusive:
            yield Deviation("at-excluded-minimum", asked.low.value)
        yield Deviation("below-minimum", _beyond(low - step, asked.low.value))
    if asked.high is not None and high is not None:
        if asked.high.exclusive:
            yield Deviation("at-excluded-maximum", asked.high.value)
        yield Deviation("above-maximum", _beyond(high + step, asked.high.value))
    for multiple in asked.multiples:
        each = exact(multiple)
        inside = next(numbers.some(asked, whole), Fraction(0))
        part = Fraction(1) if whole and each > 1 else each / 2
        yield Deviation("not-a-multiple", numbers.to_json(inside + part), str(multiple))
    if whole:
        inside = next(numbers.some(asked, whole), Fraction(1))
        yield Deviation("fraction", numbers.to_json(inside + Fraction(1, 2)))


def _beyond(value: Fraction, limit: int | float) -> int | float:
    if isinstance(limit, float) and not limit.is_integer():
        return numbers.to_json(value, like=0.5)
    return numbers.to_json(value)


def _broken_arrays(asked: Constraints, value: list[Any]) -> Iterator[Deviation]:
    if 0 < asked.min_items <= MOST_SENT:
        yield Deviation("too-few-items", value[: asked.min_items - 1])
    if asked.unique and value:
        most = asked.max_items
        kept = value if most is None or len(value) < most else value[: max(most - 1, 1)]
        yield Deviation("duplicate-items", [*kept, kept[0]])


def _near_misses(place: Place) -> Iterator[Deviation]:
    """Yield the values in the closed list of ATDF-CALL-002, and no others."""
    kinds = place.asked.kinds
    value = place.value
    if not isinstance(value, str | Absent) and "string" not in kinds:
        text = json.dumps(value, ensure_ascii=False)
        yield Deviation("near-miss-json-text", text, near_miss=True)
    if "integer" in kinds or "number" in kinds:
        yield Deviation("near-miss-true", True, near_miss=True)
        yield Deviation("near-miss-false", False, near_miss=True)
    if "string" in kinds and not {"integer", "number"} & set(kinds):
        yield from _numbers_as_text(place)
    if "boolean" in kinds:
        yield Deviation("near-miss-0", 0, near_miss=True)
        yield Deviation("near-miss-1", 1, near_miss=True)
        yield Deviation("near-miss-yes", "yes", near_miss=True)
    for name in ("date", "date-time"):
        if name in place.asked.formats:
            yield Deviation(f"near-miss-number-for-{name}", 2_000_000_000, near_miss=True)
            other = "2035-06-15T10:00:00Z" if name == "date" else "2035-06-15"
            kind = "date-time" if name == "date" else "date"
            yield Deviation(f"near-miss-{kind}-for-{name}", other, near_miss=True)


ANY_TYPE_SAMPLES: Final[tuple[tuple[str, Any], ...]] = (
    ("null", None),
    ("number", 1.5),
    ("boolean", True),
    ("array", []),
    ("object", {}),
)
"""A value of each type, for a place whose schema allows every value. Strings are sent anyway."""


def _numbers_as_text(place: Place) -> Iterator[Deviation]:
    """Yield a number whose text is allowed: a 7 for each character of the shortest valid text."""
    digits = max(place.asked.min_length, 1)
    number = int("7" * digits) if digits <= _MOST_DIGITS else 7
    dated = {"date", "date-time"} & set(place.asked.formats)  # dates get another number
    if place.taken.takes_text(str(number)) and not dated:
        yield Deviation("near-miss-number", number, near_miss=True)


_MOST_DIGITS: Final = 15
"""The most digits of a number that every JSON parser reads exactly."""

WRONG_TYPE_SAMPLES: Final = (
    ("string", "abc"),
    ("number", 7),
    ("boolean", True),
    ("array", ["abc", 7]),
    ("object", {"key": "value"}),
    ("null", None),
)
"""A value of each type that no lossless reading turns into another type."""


def _wrong_types(place: Place) -> Iterator[Deviation]:
    asked = place.asked
    kinds = asked.kinds
    for kind, sample in WRONG_TYPE_SAMPLES:
        if kind in kinds or (kind == "number" and "integer" in kinds):
            continue
        if kind == "null" and asked.nullable:
            continue
        if is_near_miss(place.taken, sample, place.value):
            continue
        yield Deviation(f"wrong-type-{kind}", sample)


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""
