"""A dialect's validator that judges some keywords otherwise, wherever it is led."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jsonschema.validators import extend


def extended(kind: Any, keywords: Mapping[str, Callable[..., Any]]) -> Any:
    """The validator class of a dialect, with own functions for some keywords.

    The library chooses the validator anew for each part of a schema: where `$schema` stands, also
    in the root that a reference leads back to, it would go on with the dialect's own.
    """
    make: Any = extend  # untyped in the library
    made = make(kind, keywords)
    go_on = made.evolve

    def evolve(validator: Any, **changes: Any) -> Any:
        schema = changes.setdefault("schema", validator.schema)
        if isinstance(schema, Mapping) and "$schema" in schema:
            changes["schema"] = {name: schema[name] for name in schema if name != "$schema"}
        return go_on(validator, **changes)

    made.evolve = evolve
    return made
