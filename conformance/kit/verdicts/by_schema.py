"""Whether the value of an answer is valid for the schema that the tool gives it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance.formats.problem import Place, json_path
from conformance.formats.schema.instances import Unjudgeable, errors_of, nearest
from conformance.formats.schema.keyword_words import words
from conformance.kit.evidence.evidence import Call
from conformance.kit.model.case import Expectation
from conformance.kit.verdicts.checks import Check, Checks, broken, holds, unknown

_ONLY_SAID = frozenset({"format", "contentEncoding", "contentMediaType"})
"""Keywords that describe a value, but make no value invalid."""


def by_schema(call: Call, schema: Mapping[str, Any], value: Any, *at: str) -> Checks:
    """Yield the check of `value`, which the answer to `call` has at the path `at`.

    Each error is a finding. A schema that takes too much work is not verified.
    """
    try:
        errors = [nearest(each) for each in errors_of(schema, value)]
    except Unjudgeable as beyond:
        yield unknown(beyond.reason.id, call, **dict(beyond.reason.values))
        return
    errors = [error for error in errors if error.validator not in _ONLY_SAID]
    for error in errors:
        path = json_path((*at, *error.absolute_path))
        yield broken(call, "documents.promised", path=path, problem=words(error))
    if not errors:
        yield holds()


class Distinct:
    """Checks each value once. Those of invalid calls come last: the server only repeats them."""

    def __init__(self) -> None:
        self._judged: set[str] = set()
        self._of_invalid: dict[str, list[Check]] = {}

    def check(self, call: Call, schema: Mapping[str, Any], value: Any, *at: str) -> Checks:
        """Yield the check of a value, unless it was checked, or the call is invalid."""
        key = json.dumps([call.reading.status, value], sort_keys=True)
        if key in self._judged:
            return
        checks = by_schema(call, schema, value, *at)
        if call.case.expects is not Expectation.REJECT:
            self._judged.add(key)
            yield from checks
        elif key not in self._of_invalid:
            self._of_invalid[key] = list(checks)

    def rest(self) -> Checks:
        """Yield the checks of the values that only invalid calls got."""
        for key, checks in self._of_invalid.items():
            if key not in self._judged:
                yield from checks


def without_value(schema: Any) -> Place | None:
    """Return the place of an empty `enum` because of which no arguments are valid; None if there is
    none.

    It looks only at what valid arguments must have: the required properties, and the items of an
    array that is not empty.
    """
    waiting: list[tuple[Place, Any]] = [((), schema)]
    while waiting:
        place, node = waiting.pop()
        if not isinstance(node, Mapping):
            continue
        if node.get("enum") == []:
            return (*place, "enum")
        properties, least = node.get("properties"), node.get("minItems")
        if node.get("type") == "object" and isinstance(properties, Mapping):
            names = node.get("required")
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str) and name in properties:
                    waiting.append(((*place, "properties", name), properties[name]))
        if node.get("type") == "array" and isinstance(least, int) and least > 0:
            waiting.append(((*place, "items"), node.get("items")))
    return None
