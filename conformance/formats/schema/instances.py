"""Validates a value against a foreign schema, within a limit of work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import validator_for
from jsonschema_specifications import (
    REGISTRY as METASCHEMAS,
)
from referencing.exceptions import Unresolvable

from conformance.formats.problem import shown
from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.formats.schema.ecma.patterns import is_known, is_python, is_safe, matches
from conformance.formats.schema.exact_numbers import exact_keywords
from conformance.formats.schema.extended import extended
from conformance.formats.schema.positions import positions
from conformance.formats.schema.references import broken_reference
from conformance.formats.schema.work import counted
from conformance.spec.format_checker import format_checker
from conformance.spec.messages import Message, message

_MOST_NAMES = 200
"""The most member names on which an unsafe pattern is tried."""

_MOST_STEPS = 20_000
"""The most steps: references, and comparisons by the dozen. A call needs few, a bomb billions."""

_MOST_ERRORS = 10


class Unjudgeable(Exception):
    """The schema does not allow judging in time whether a value is valid."""

    def __init__(self, reason: Message) -> None:
        self.reason = reason
        super().__init__(reason.id)


class Instances:
    """Judges values by one schema, which must be valid and whole (`schema_faults`).

    A schema is looked through once, whatever the number of values.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._kind: Any = validator_for(schema, default=Draft202012Validator)
        self._patterns = [each for _, _, node in positions(schema) for each in _names(node)]

    def errors(self, value: Any, part: Mapping[str, Any] | None = None) -> list[ValidationError]:
        """Return at most ten errors of `value` for the schema, or for `part`, a schema inside it.

        Raises `Unjudgeable` if judging takes too long or is impossible.
        """
        _check_names(self._patterns, value)
        _LEFT.set([_MOST_STEPS])
        judge = _metered(self._kind)(
            self._schema, registry=METASCHEMAS, format_checker=format_checker(self._kind)
        )
        if part is not None:
            judge = judge.evolve(schema=part)
        try:
            with ends_in_recursion_error():
                return list(islice(judge.iter_errors(value), _MOST_ERRORS))
        except RecursionError as error:
            raise Unjudgeable(message("documents.schema.endless")) from error
        except Unresolvable as error:
            keyword, reference = broken_reference(self._schema, error)
            said = message("documents.schema.dangling_ref", keyword=keyword, ref=shown(reference))
            raise Unjudgeable(said) from error


def errors_of(schema: Mapping[str, Any], value: Any) -> list[ValidationError]:
    """Return the errors of a single value. Raises `Unjudgeable`."""
    return Instances(schema).errors(value)


def nearest(error: ValidationError) -> ValidationError:
    """Return the innermost cause of an error: in a union, the deepest error of the branches."""
    while error.context:
        error = max(error.context, key=lambda each: len(each.absolute_path))
    return error


def _check_names(patterns: Sequence[str], value: Any) -> None:
    """Raise `Unjudgeable` unless matching `patternProperties`, as the library does, ends in time.

    A pattern whose form is not safe is first tried on every name, with a time limit.
    """
    if not all(is_known(each) and is_python(each) for each in patterns):
        raise Unjudgeable(message("documents.schema.unreadable_names"))
    names = _member_names(value) if patterns else set()
    length = max(map(len, names), default=0)
    if not all(_ends(each, names, length) for each in patterns):
        raise Unjudgeable(message("documents.schema.costly_names"))


def _ends(pattern: str, names: set[str], length: int) -> bool:
    if is_safe(pattern, length):
        return True
    return len(names) <= _MOST_NAMES and all(matches(pattern, n) is not None for n in names)


def _member_names(value: Any) -> set[str]:
    names: set[str] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            names.update(node)
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return names


def _names(node: Mapping[str, Any]) -> Iterator[str]:
    declared = node.get("patternProperties")
    return iter(declared) if isinstance(declared, dict) else iter(())


@cache
def _metered(kind: Any) -> Any:
    """Return a validator of a dialect that counts its steps. Making one takes milliseconds."""
    return extended(kind, {"pattern": _pattern, **exact_keywords(kind), **counted(kind, _spend)})


_LEFT: ContextVar[list[int]] = ContextVar("steps that may still be taken")


def _spend(steps: int) -> None:
    left = _LEFT.get()
    left[0] -= steps
    if left[0] < 0:
        raise Unjudgeable(message("documents.schema.endless"))


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    del schema
    if validator.is_type(instance, "string") and matches(pattern, instance) is False:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
