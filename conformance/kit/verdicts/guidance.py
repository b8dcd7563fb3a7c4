"""What a suggestion would look like for a refusal that gave none, from the tool's own schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fractions import Fraction
from math import ceil, floor
from typing import Any

from conformance.kit.evidence.evidence import Call
from conformance.kit.model.case import Violation
from conformance.kit.model.results import Advice
from conformance.kit.repair.suggestions import schemas_at
from conformance.kit.schema.constraints import Constraints, constraints
from conformance.kit.schema.places import from_pointer, put
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of


def advice(refused: Iterable[tuple[str, Call]]) -> tuple[Advice, ...]:
    """One piece of advice for each keyword, of the first refusal that one can be worked out for.

    `refused` are calls that were refused without a suggestion, with the keyword that each broke.
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
    """A `suggested_value` that makes a refused call valid; None where the schema gives none."""
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
        return None  # a schema or a place that no call can be repaired at
    return None


def _candidates(call: Call, violation: Violation) -> Iterator[Any]:
    """Values that may be right at the broken place, the one that is nearest to what was sent first.

    The value that the valid call had there comes last: it is right, but says least.
    """
    view = view_of(call.tool.input_schema)
    for nodes in schemas_at(view, None, violation.pointer):
        asked = constraints(nodes)
        yield from _allowed(asked, violation.sent)
        yield from _bounds(asked, violation.sent)
        for node in asked.flat:
            if isinstance(node.schema, dict):
                if "default" in node.schema:
                    yield node.schema["default"]
                shown = node.schema.get("examples")
                yield from shown if isinstance(shown, list) else ()
    if not violation.was_absent:
        yield violation.was


def _allowed(asked: Constraints, sent: Any) -> Iterator[Any]:
    if asked.allowed is None:
        return
    texts = {str(value): value for value in asked.allowed}
    yield from (texts[near] for near in get_close_matches(str(sent), texts, 3, 0.5))
    yield from asked.allowed


def _bounds(asked: Constraints, sent: Any) -> list[Any]:
    """The multiples and the bounds near a number that was sent, the nearest first."""
    if isinstance(sent, bool) or not isinstance(sent, (int, float)):
        return []
    there = Fraction(str(sent))
    near: list[Fraction] = []
    for multiple in asked.multiples:
        step = Fraction(str(multiple))
        if step:
            near += (floor(there / step) * step, ceil(there / step) * step)
    for bound, away in ((asked.low, 1), (asked.high, -1)):
        if bound is not None:
            near += (bound.exact, bound.exact + away)
    return [_number(value) for value in sorted(near, key=lambda value: abs(value - there))]


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _written(value: Any) -> str:
    """As a `suggested_value` is written: a text as it is, any other value as its JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
