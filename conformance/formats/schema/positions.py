"""Finds each schema inside a JSON Schema, without recursion and without following references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place

ONE = frozenset(
    {
        "items",
        "contains",
        "unevaluatedItems",
        "additionalItems",
        "additionalProperties",
        "propertyNames",
        "unevaluatedProperties",
        "not",
        "if",
        "then",
        "else",
        "contentSchema",
    }
)
LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
MAP = frozenset(
    {
        "properties",
        "patternProperties",
        "dependentSchemas",
        "dependencies",
        "$defs",
        "definitions",
    }
)

"""The keywords of any dialect that hold a schema, an array of schemas, or an object of schemas."""

Position = tuple[Place, tuple[str, ...] | None, Mapping[str, Any]]
"""The place of a schema; the property names from the root on if only `properties` lead there, or
None; and the schema.
"""


def positions(root: Any) -> Iterator[Position]:
    """Yield each object schema in `root`, in the order of the document, beginning with `root`.

    Data under `default`, `enum`, `const` and `examples` is not a schema. No `$ref` is followed, so
    the walk ends on every JSON value.
    """
    waiting: list[tuple[Place, tuple[str, ...] | None, Any]] = [((), (), root)]
    while waiting:
        place, names, node = waiting.pop()
        if isinstance(node, dict):
            yield place, names, node
            waiting += reversed(list(_below(place, names, node)))


def _below(
    place: Place, names: tuple[str, ...] | None, node: Mapping[str, Any]
) -> Iterator[tuple[Place, tuple[str, ...] | None, Any]]:
    for keyword, value in node.items():
        if isinstance(value, dict) and keyword in ONE:
            yield (*place, keyword), None, value
        elif isinstance(value, list) and keyword in LIST:
            for index, each in enumerate(value):
                yield (*place, keyword, index), None, each
        elif isinstance(value, dict) and keyword in MAP:
            for name, each in value.items():
                reached = names is not None and keyword == "properties"
                yield (*place, keyword, name), (*(names or ()), name) if reached else None, each
