"""Judges numeric keywords by the decimal numbers that JSON text has.

A binary float only approximates most decimal numbers: `19.99 % 0.01` is not 0. JSON Schema means
mathematical numbers, so each float counts as the shortest decimal number that reads back as it.
Serves ATDF-CALL-001 and ATDF-CALL-004.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from operator import ge, gt, le, lt
from typing import Any

from jsonschema.exceptions import ValidationError

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]

_BOUNDS: Mapping[str, tuple[Callable[[Any, Any], bool], str]] = {
    "minimum": (ge, "less than the minimum of"),
    "maximum": (le, "greater than the maximum of"),
    "exclusiveMinimum": (gt, "less than or equal to the minimum of"),
    "exclusiveMaximum": (lt, "greater than or equal to the maximum of"),
}


def exact(number: float) -> Fraction:
    """Return the decimal number that JSON text has for `number`.

    Raises ValueError for NaN and inf.
    """
    return Fraction(number if isinstance(number, int) else repr(number))


def exact_keywords(dialect: Any) -> dict[str, Keyword]:
    """Return the numeric keywords for the validator of a dialect.

    In draft 4 a flag next to a bound makes it exclusive, so that dialect keeps its bounds.
    """
    bounds = _BOUNDS if "exclusiveMinimum" in dialect.VALIDATORS else {}
    return {"multipleOf": _multiple_of, **{name: _bound(*how) for name, how in bounds.items()}}


def _multiple_of(validator: Any, step: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    del schema
    if not validator.is_type(value, "number"):
        return
    if not _is_finite(step):
        holds = value == 0
    else:
        holds = _is_finite(value) and exact(value) % exact(step) == 0
    if not holds:
        yield ValidationError(f"{value!r} is not a multiple of {step!r}")


def _bound(holds: Callable[[Any, Any], bool], said: str) -> Keyword:
    def keyword(validator: Any, bound: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        del schema
        if not validator.is_type(value, "number"):
            return
        if not holds(_comparable(value), _comparable(bound)):
            yield ValidationError(f"{value!r} is {said} {bound!r}")

    return keyword


def _comparable(number: float) -> Any:
    """Return the decimal number; infinity (the value of the JSON text 1e400) and NaN unchanged."""
    return exact(number) if _is_finite(number) else number


def _is_finite(value: float) -> bool:
    """Return whether a number is finite: 1e400 is read as infinity."""
    return isinstance(value, int) or math.isfinite(value)
