"""The JSON Schema keywords that contain schemas, and those that the kit validates differently."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from jsonschema import ValidationError

from conformance.formats.schema.ecma import patterns
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem

_ONE = (
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items",
    "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LIST = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_MAP = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties",
        "properties")  # fmt: skip
_MOST_KEPT: Final = 10_000
"""The most values in the cache."""
_SCALARS: Final = (str, int, float, bool, type(None))


class Properties(threading.local):
    """Validates `properties`, with a cache of valid values inside `remembering`.

    Most calls of a plan differ in one parameter only, so most values are validated once. Scalars
    are cached by value, arrays and objects by identity: do not change a value after it was
    validated. A schema is not cached if the meaning of its references depends on the path to it.
    """

    def __init__(self) -> None:
        self._remembers = False
        self._valid: dict[tuple[int, Any, Any], tuple[Any, Any]] = {}
        """The schema and the value by their key. Holding both keeps their identities unique."""

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Cache valid values of this thread inside the block."""
        self._remembers = True
        try:
            yield
        finally:
            self._remembers = False
            self._valid.clear()

    def __call__(self, validator: Any, properties: Any, instance: Any, _schema: Any) -> Any:
        """Yield the errors of the keyword."""
        if not validator.is_type(instance, "object"):
            return
        for name, schema in properties.items():
            if name not in instance:
                continue
            value = instance[name]
            kind = value.__class__
            key = (id(schema), kind, value if kind in _SCALARS else id(value))
            if key in self._valid:
                continue
            broken = False
            for error in validator.descend(value, schema, path=name, schema_path=name):
                broken = True
                yield error
            if self._remembers and not broken:
                if len(self._valid) >= _MOST_KEPT:
                    self._valid.clear()
                self._valid[key] = (schema, value)


def subschemas(schema: Any) -> Iterator[Any]:
    """Return the schemas directly inside a schema, at keyword positions only."""
    if not isinstance(schema, dict):
        return
    for name in _ONE:
        if isinstance(schema.get(name), dict | bool):
            yield schema[name]
    for name in _LIST:
        if isinstance(schema.get(name), list):
            yield from schema[name]
    for name in _MAP:
        if isinstance(schema.get(name), dict):
            yield from (v for v in schema[name].values() if isinstance(v, dict | bool))


def pattern(validator: Any, expression: str, instance: Any, _schema: Any) -> Any:
    """Validate `pattern` as ECMAScript does, within a time limit. A pattern that cannot be used
    passes.
    """
    if validator.is_type(instance, "string") and patterns.matches(expression, instance) is False:
        yield ValidationError(f"{instance!r} does not match {expression!r}")


def check_names(schema: Any) -> None:
    """Raise `SchemaProblem` if a pattern for property names cannot be matched safely."""
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict) and isinstance(here.get("patternProperties"), dict):
            for expression in here["patternProperties"]:
                if not (patterns.is_safe(expression, 64) and patterns.is_python(expression)):
                    raise SchemaProblem(
                        ProblemKind.UNREADABLE_PATTERN,
                        f"patternProperties {expression!r} cannot be matched in safe time",
                    )
        waiting.extend(subschemas(here))
