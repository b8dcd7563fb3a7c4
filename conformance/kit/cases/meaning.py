"""Whether a valid call rests on what a value means, which no schema tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.kit.cases.walk import Spot, spots
from conformance.kit.schema.constraints import Constraints, same
from conformance.kit.schema.pointer import ABSENT, get
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of


def rests_on_meaning(schema: Mapping[str, Any], arguments: Any, known: Any) -> bool:
    """Say whether valid `arguments` hold a value that the server may refuse for what it means.

    That is a text or a number unlike the one at that place in `known` (arguments that were
    accepted) which the schema neither lists, nor gives as example, nor (a number) bounds at both
    ends: the name of a branch, a time zone, a path, an id. What the schema governs, such as an
    enum's value or an optional parameter left out, means nothing else than it says.
    """
    view = view_of(schema)
    try:
        return any(
            _is_open(spot.asked, spot.value)
            for spot in spots(view, arguments)
            if not _is_known(spot, known)
        )
    except SchemaProblem:
        return False


def _is_known(spot: Spot, known: Any) -> bool:
    there = get(known, spot.tokens)
    return spot.value is ABSENT or (there is not ABSENT and same(spot.value, there))


def _is_open(asked: Constraints, value: Any) -> bool:
    if asked.allowed is not None or any(same(value, one) for one in _given(asked)):
        return False
    if isinstance(value, str):
        return True
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and (asked.low is None or asked.high is None)


def _given(asked: Constraints) -> list[Any]:
    """The values that the schema itself shows."""
    examples = asked.first("examples")
    shown = list(examples) if isinstance(examples, list) else []
    return [*shown, *(asked.first(name) for name in ("default", "example") if asked.has(name))]
