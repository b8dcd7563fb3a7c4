"""Exact numbers in a range, without binary rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from conformance.formats.schema.exact_numbers import exact
from conformance.kit.schema.constraints import GREATEST, Constraints

MACHINE: Final = frozenset(
    Fraction(sign * n + off)
    for sign in (1, -1)
    for n in (2**31, 2**32, 2**53, 2**63, 2**64)
    for off in (-1, 0, 1)
)
"""Limits of machine numbers. A library puts them in schemas; they say nothing about the tool."""


def to_json(value: Fraction, like: object = 1) -> int | float:
    """Convert an exact number for JSON: to an int if it is whole and `like` is not a float.

    A number that is too large for a float becomes an int and loses its fraction.
    """
    if value.denominator == 1 and not isinstance(like, float):
        return int(value)
    try:
        return float(value)
    except OverflowError:
        return int(value)


def step_of(asked: Constraints, whole: bool) -> Fraction:
    """Return the smallest useful distance between two valid numbers."""
    step = Fraction(1) if whole else Fraction(0)
    for multiple in asked.multiples:
        each = exact(multiple)
        common = each if step == 0 else _common(step, each)
        if max(common.numerator, common.denominator) > GREATEST:
            break  # no JSON number is a multiple of all of them
        step = common
    return step


def _common(one: Fraction, other: Fraction) -> Fraction:
    """Return the least common multiple."""
    top = math.lcm(one.numerator * other.denominator, other.numerator * one.denominator)
    return Fraction(top, one.denominator * other.denominator)


def ends(asked: Constraints, whole: bool) -> tuple[Fraction | None, Fraction | None]:
    """Return the lowest and the highest valid number; None at an end without a bound.

    If a bound is exclusive and there is no step, the end is one hundredth away from it.
    """
    step = step_of(asked, whole)
    near = step or Fraction(1, 100)
    low = high = None
    if asked.low is not None:
        low = asked.low.exact
        if step:
            low = math.ceil(low / step) * step
        if asked.low.exclusive and low <= asked.low.exact:
            low += near
    if asked.high is not None:
        high = asked.high.exact
        if step:
            high = math.floor(high / step) * step
        if asked.high.exclusive and high >= asked.high.exact:
            high -= near
    return low, high


def some(asked: Constraints, whole: bool) -> Iterator[Fraction]:
    """Yield a few dozen valid numbers at most, small and readable ones first."""
    low, high = ends(asked, whole)
    step = step_of(asked, whole) or Fraction(1)
    start = Fraction(1)
    if step != 1:
        start = step
    if low is not None and start < low:
        start = low
    if high is not None and start > high:
        start, step = (low, step) if low is not None else (high, -step)
    for k in range(40):
        value = start + k * step
        if (low is None or value >= low) and (high is None or value <= high):
            yield value
    if low is not None and high is not None and not whole and not asked.multiples:
        yield from (low + (high - low) * Fraction(k, 8) for k in range(1, 8))
    if (low is None or low <= 0) and (high is None or high >= 0):
        yield Fraction(0)
