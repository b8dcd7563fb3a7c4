"""Checks quickly that a schema of the newest dialect is valid; `schemas.py` finds the faults.

The metaschema has the same rules for each schema at any depth: rules for its keywords, and that its
subschemas are schemas. So each schema is checked alone, without its subschemas and without members
that may have any value. The rest is alike in most tools, and is checked once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema_specifications import REGISTRY

from conformance.formats.schema.positions import LIST, MAP, ONE, positions
from conformance.formats.schema.work import quick

_ANY_VALUE: Final = frozenset({"const", "default"})
_ANY_TEXT: Final = frozenset({"$comment", "description", "format", "pattern", "title"})
_ANY_ITEMS: Final = frozenset({"enum", "examples"})
_ANY_NUMBER: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"})


def is_surely_valid(schema: Mapping[str, Any]) -> bool:
    """Return whether the metaschema allows a schema, and each schema inside it."""
    return all(is_allowed(_alone(node)) for _, _, node in positions(schema))


def _alone(node: Mapping[str, Any]) -> str:
    """Return a schema without its subschemas, as JSON text."""
    kept = {keyword: _shortened(keyword, value) for keyword, value in node.items()}
    return json.dumps({name: kept[name] for name in sorted(kept) if name not in _ANY_VALUE})


def _shortened(keyword: str, value: Any) -> Any:
    """Return the shortest value that the metaschema judges alike; a forbidden one unchanged."""
    if isinstance(value, dict):
        if keyword in ONE:
            return True
        return {} if keyword in MAP and _are_schemas(value.values()) else value
    if isinstance(value, list):
        if keyword in _ANY_ITEMS:
            return []
        return [True] if value and keyword in LIST and _are_schemas(value) else value
    if isinstance(value, str):
        return "" if keyword in _ANY_TEXT else value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return 0 if is_number and keyword in _ANY_NUMBER else value


def _are_schemas(values: Any) -> bool:
    return all(isinstance(value, dict | bool) for value in values)


@lru_cache(maxsize=4096)
def is_allowed(text: str) -> bool:
    """Return whether the metaschema allows a schema, given as JSON text."""
    return bool(_metaschema().is_valid(json.loads(text)))


@cache
def keywords() -> frozenset[str]:
    """Return all keywords of the newest dialect."""
    whole = Draft202012Validator.META_SCHEMA
    base = whole["$id"].removesuffix("schema")
    parts = [whole, *(REGISTRY.contents(f"{base}{each['$ref']}") for each in whole["allOf"])]
    return frozenset(name for part in parts for name in part.get("properties", ()))


@cache
def _metaschema() -> Any:
    return quick(Draft202012Validator)(Draft202012Validator.META_SCHEMA, registry=REGISTRY)
