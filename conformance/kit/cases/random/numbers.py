"""Numbers drawn by chance, between the bounds that a normalised schema gives."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from conformance.kit.cases.random.chance import WIDE, Chance, Maker, place
from conformance.kit.schema import numbers
from conformance.kit.schema.constraints import GREATEST, constraints
from conformance.kit.schema.view import Node

_NEAR: Final = (1, 100, 10_000)
"""How far from zero, or the end next to it, some numbers of a very wide range stay."""
_DIGITS: Final = 2


def numbers_of(schema: dict[str, Any], kind: str) -> Maker | None:
    """Give how to make numbers of a schema; None if a bound is missing or none lies between."""
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
    """Whole ones, readable ones and those with all digits that a machine holds."""
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
