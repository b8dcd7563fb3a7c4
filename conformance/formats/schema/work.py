"""Counts the work of a keyword before it is judged: a short schema may need years.

Lists with unique items, and constants, are compared here. The library compares every pair, and
writes all values into its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from conformance.formats.problem import shown
from conformance.formats.schema.equality import distinct
from conformance.formats.schema.extended import extended
from conformance.formats.schema.references import NAMING
from conformance.spec.published import validator

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]

_IN_A_STEP: Final = 25
"""Values that one step reads."""
_OF_A_BRANCH: Final = 20
"""The cost of a value in a branch, because all errors of all branches are kept."""
_FREE: Final = 50
"""Values that are free in a branch: the size of a usual call."""
_CHARACTERS: Final = 100
"""Characters that cost as much as one value."""


def counted(kind: Any, spend: Callable[[int], None]) -> dict[str, Keyword]:
    """Return the costly keywords of a dialect's validator, which report their steps to `spend`.

    `spend` raises if there are too many.
    """
    known: Mapping[str, Keyword] = kind.VALIDATORS
    found = {
        name: _counting(known[name], cost, spend) for name, cost in _COSTS.items() if name in known
    }
    return found | {
        "enum": _counting(_enum, _of_constants, spend),
        "uniqueItems": _counting(_unique, _of_all, spend),
    }


@cache
def quick(kind: Any) -> Any:
    """Return a dialect's validator that compares lists and constants fast, safe for any schema."""
    return extended(kind, {"enum": _enum, "uniqueItems": _unique})


def errors_in(document: str, data: Any) -> Iterator[ValidationError]:
    """Return the errors of a document by its published schema. Raises KeyError if it has none."""
    found: Iterator[ValidationError] = validator(document, quick(Draft202012Validator)).iter_errors(
        data
    )
    return found


def _counting(keyword: Keyword, cost: Callable[..., int], spend: Callable[[int], None]) -> Keyword:
    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if steps := cost(value, instance, schema):
            spend(steps)
        return keyword(validator, value, instance, schema)

    return judge


def size(value: Any) -> int:
    """Return about how many values a JSON value contains. Long texts count as several."""
    waiting, count = [value], 0
    while waiting:
        one = waiting.pop()
        count += 1
        if isinstance(one, str):
            count += len(one) // _CHARACTERS
        elif isinstance(one, dict):
            count += sum(map(len, one)) // _CHARACTERS
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return count


def _long(value: Any) -> int:
    return len(value) if isinstance(value, list | dict) else 0


def _of_reference(value: Any, instance: Any, schema: Any) -> int:
    del value, instance, schema
    return 1


def _of_branches(value: Any, instance: Any, schema: Any) -> int:
    del schema
    branches = len(value) if isinstance(value, list) else 1
    return branches * max(0, size(instance) - _FREE) * _OF_A_BRANCH // _IN_A_STEP


def _of_alternatives(value: Any, instance: Any, schema: Any) -> int:
    return _long(value) + _of_branches(value, instance, schema)


def _of_all(value: Any, instance: Any, schema: Any) -> int:
    del value, schema
    return size(instance) // _IN_A_STEP


def _of_members(value: Any, instance: Any, schema: Any) -> int:
    del schema
    return max(_long(value), _long(instance)) // _IN_A_STEP


def _of_each_with_each(value: Any, instance: Any, schema: Any) -> int:
    patterns = max(_long(schema.get("patternProperties")), _long(value), 1)
    return patterns * _long(instance) // _IN_A_STEP


def _of_evaluation(value: Any, instance: Any, schema: Any) -> int:
    del value
    return size(instance) * max(_long(each) for each in (schema, *schema.values())) // _IN_A_STEP


def _of_constants(value: Any, instance: Any, schema: Any) -> int:
    del schema
    if isinstance(instance, str):
        return _long(value) // (40 * _IN_A_STEP)  # texts are compared quickly
    return (size(instance) + size(value)) // _IN_A_STEP


_COSTS: Final[Mapping[str, Callable[..., int]]] = {
    **dict.fromkeys((*NAMING, "$recursiveRef"), _of_reference),
    **dict.fromkeys(("anyOf", "oneOf"), _of_alternatives),
    **dict.fromkeys(("allOf", "not", "if"), _of_branches),
    **dict.fromkeys(("items", "prefixItems", "contains", "properties", "propertyNames", "required",
                     "dependentRequired", "dependentSchemas", "dependencies"), _of_members),
    **dict.fromkeys(("patternProperties", "additionalProperties"), _of_each_with_each),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _of_evaluation),
}  # fmt: skip


def _enum(validator: Any, constants: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    del validator, schema
    if isinstance(instance, str):
        held = instance in constants
    else:
        own = distinct(instance)
        held = any(distinct(each) == own for each in constants)
    if not held:
        yield ValidationError(f"{shown(instance)} is not one of the values of the enum")


def _unique(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    del schema
    is_array = wanted and validator.is_type(instance, "array")
    if is_array and len(set(map(distinct, instance))) < len(instance):
        yield ValidationError(f"{shown(instance)} has non-unique elements")
