"""A dialect's validator that judges some keywords otherwise, wherever it is led."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jsonschema.validators import extend


def extended(kind: Any, keywords: Mapping[str, Callable[..., Any]]) -> Any:
    """The validator class of a dialect, with own functions for some keywords.

    The library chooses the validator anew for each part of a schema: where `$schema` stands, also
    in the root that a reference leads back to, it would go on with the dialect's own. And it does
    not say where the error of a `false` stands, nor in which branch.
    """
    make: Any = extend  # untyped in the library
    made = make(kind, keywords)
    go_on, go_down = made.evolve, made.descend

    def evolve(validator: Any, **changes: Any) -> Any:
        schema = changes.setdefault("schema", validator.schema)
        if isinstance(schema, Mapping) and "$schema" in schema:
            changes["schema"] = {name: schema[name] for name in schema if name != "$schema"}
        return go_on(validator, **changes)

    def descend(
        validator: Any,
        instance: Any,
        schema: Any,
        path: Any = None,
        schema_path: Any = None,
        resolver: Any = None,
    ) -> Iterable[Any]:
        found: Iterable[Any] = go_down(validator, instance, schema, path, schema_path, resolver)
        return _placed(found, path, schema_path) if schema is False else found

    made.evolve = evolve
    made.descend = descend
    return made


def _placed(errors: Iterable[Any], path: Any, schema_path: Any) -> Iterator[Any]:
    for error in errors:
        if path is not None:
            error.path.appendleft(path)
        if schema_path is not None:
            error.schema_path.appendleft(schema_path)
        yield error
