"""Computes a suggestion for a refusal that had none, from the tool's own schema."""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fractions import Fraction
from math import ceil, floor
from typing import Any

from conformance.kit.evidence.evidence import Call
from conformance.kit.model.case import Violation
from conformance.kit.model.results import Advice
from conformance.kit.repair.suggestions import schemas_at
from conformance.kit.schema.applies import alternatives, applied
from conformance.kit.schema.constraints import Constraints, constraints
from conformance.kit.schema.places import ABSENT, from_pointer, put
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_MOST_BRANCHES = 16
_DATED = frozenset({"date", "date-time"})


def advice(refused: Iterable[tuple[str, Call]]) -> tuple[Advice, ...]:
    """Return one piece of advice for each keyword, from the first refusal for which there is one.

    `refused` are calls that were refused without a suggestion, each with its broken keyword.
    """
    found: dict[str, Advice] = {}
    for keyword, call in refused:
        violation = call.case.violation
        if keyword in found or violation is None or violation.parameter is None:
            continue
        suggested = suggestion(call)
        if suggested is not None:
            sent = None if violation.sent_absent else _written(violation.sent)
            tool = call.tool.name
            found[keyword] = Advice(keyword, tool, violation.parameter, sent, suggested)
    return tuple(found[keyword] for keyword in sorted(found))


def suggestion(call: Call) -> str | None:
    """Return a `suggested_value` that makes a refused call valid; None if the schema has none."""
    violation = call.case.violation
    if violation is None:
        return None
    arguments = call.case.arguments
    try:
        view = view_of(call.tool.input_schema)
        tokens = from_pointer(violation.pointer, arguments)
        for value in _candidates(call, violation):
            if view.accepts(put(arguments, tokens, value)):
                return _written(value)
    except (SchemaProblem, ValueError, TypeError, LookupError):
        return None  # the schema cannot be used, or nothing can be put at this place
    return None


def _candidates(call: Call, violation: Violation) -> Iterator[Any]:
    """Yield values that may be right at the broken place, those most like the sent one first.

    The value of the valid call comes last. It is right, but helps the reader least.
    """
    view = view_of(call.tool.input_schema)
    was = ABSENT if violation.was_absent else violation.was
    for nodes in schemas_at(view, None, violation.pointer):
        found = applied(view, nodes, was)
        branches = alternatives(view, nodes, _MOST_BRANCHES) if found.unions else ()
        asked = [constraints(flat) for flat in (found.flat, *branches)]
        for nearest in (_allowed, _bounds, _days):
            for each in asked:
                yield from nearest(each, violation.sent)
        for each in asked:
            yield from _shown(each, violation)
    if not violation.was_absent:
        yield violation.was


def _shown(asked: Constraints, violation: Violation) -> Iterator[Any]:
    """Yield the default and the examples. `null` does not help who sent something."""
    for node in asked.flat:
        if isinstance(node.schema, dict):
            default = node.schema.get("default", ABSENT)
            if default is not ABSENT and (default is not None or violation.sent_absent):
                yield default
            shown = node.schema.get("examples")
            yield from shown if isinstance(shown, list) else ()


def _allowed(asked: Constraints, sent: Any) -> Iterator[Any]:
    if asked.allowed is None:
        return
    texts = {str(value): value for value in asked.allowed}
    yield from (texts[near] for near in get_close_matches(str(sent), texts, 3, 0.5))
    yield from asked.allowed


def _bounds(asked: Constraints, sent: Any) -> list[Any]:
    """Return the integers, multiples and bounds near a number that was sent, the nearest first."""
    if isinstance(sent, bool) or not isinstance(sent, (int, float)):
        return []
    there = Fraction(str(sent))
    near: list[Fraction] = []
    if "number" not in asked.kinds and "integer" in asked.kinds:
        near += (Fraction(ceil(there)), Fraction(floor(there)))
    for multiple in asked.multiples:
        step = Fraction(str(multiple))
        if step:
            near += (floor(there / step) * step, ceil(there / step) * step)
    for bound, away in ((asked.low, 1), (asked.high, -1)):
        if bound is not None:
            near += (bound.exact, bound.exact + away)
    return [_number(value) for value in sorted(near, key=lambda value: abs(value - there))]


def _days(asked: Constraints, sent: Any) -> Iterator[str]:
    """Yield the day of the calendar that is nearest to one that does not exist."""
    found = _DATE.match(sent) if isinstance(sent, str) else None
    if found is None or not _DATED & set(asked.formats):
        return
    year, month, day = map(int, found.groups())
    month = min(max(month, 1), 12)
    day = min(max(day, 1), monthrange(year, month)[1])
    yield f"{year:04}-{month:02}-{day:02}{sent[found.end() :]}"


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _written(value: Any) -> str:
    """Write a value as a `suggested_value`: a string as it is, every other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
