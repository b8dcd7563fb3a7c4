"""Rewrites schemas for tests, and holds what is made of the simplest ones."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.kit.cases.random.drawable import Normalised, normalised
from conformance.kit.schema.view import view_of
from tests.ids import in_order

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
TREE = {"type": "object", "properties": {"n": {"$ref": "#/$defs/tree"}}}
PAIR = {"type": "object", "properties": {"a": WHOLE}}
DEFS = {"text": TEXT, "tree": TREE, "pair": PAIR}

ANY_TEXT = {"type": "string", "format": "kit-text-0-32"}
ANY_WHOLE = {"type": "integer", "minimum": -100, "maximum": 100}
ANYTHING = {
    "type": ["string", "integer", "boolean"],
    "format": "kit-text-0-32",
    "minimum": -100,
    "maximum": 100,
}
NAME = {"type": "string", "format": "kit-name"}


def rewritten(schema: Any, **root: Any) -> Normalised:
    """Rewrite the schema of a parameter."""
    view = view_of({"type": "object", "properties": {"x": schema}, "$defs": DEFS, **root})
    return normalised(view, view.root.sub(schema))


def becomes(*pairs: tuple[Any, Any]) -> Any:
    """Give a test each schema, and what is expected of it."""
    return pytest.mark.parametrize(("schema", "expected"), pairs, ids=in_order)
