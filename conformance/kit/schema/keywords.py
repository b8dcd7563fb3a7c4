"""The keywords of JSON Schema that hold schemas, and those that are judged here differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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


def subschemas(schema: Any) -> Iterator[Any]:
    """Give the schemas that stand directly in a schema, at keyword positions only."""
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
    """Judge `pattern` in ECMA's sense, within a time limit; one that cannot be judged passes."""
    if validator.is_type(instance, "string") and patterns.matches(expression, instance) is False:
        yield ValidationError(f"{instance!r} does not match {expression!r}")


def check_names(schema: Any) -> None:
    """Raise SchemaProblem if a pattern for property names cannot be matched safely."""
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
