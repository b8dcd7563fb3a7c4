"""A dialect's validator with other functions for some keywords, in every part of a schema."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import currentframe
from typing import Any, Final

from jsonschema.validators import extend

_LEADING: Final = ("$ref", "$dynamicRef", "$recursiveRef")
"""Keywords that lead to another schema, perhaps in an endless loop."""
_LOOKED: Final = 8
"""The stack is measured after this number of nested references."""
_ROOM: Final = 250
"""Frames of the stack that stay free; `_LOOKED` references need fewer."""


def extended(kind: Any, keywords: Mapping[str, Callable[..., Any]]) -> Any:
    """Return the validator class of a dialect, with other functions for some keywords.

    The library chooses a validator for each part of a schema. At a `$schema`, also in the root that
    a reference leads back to, it would return to the dialect's own. Nor does it report the place of
    an error from a `false`, or its branch.
    """
    make: Any = extend  # untyped in the library
    known: Mapping[str, Callable[..., Any]] = {**kind.VALIDATORS, **keywords}
    leading = {name: _within_the_stack(known[name]) for name in _LEADING if name in known}
    made = make(kind, {**keywords, **leading})
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


class _References(threading.local):
    """How many nested references are being followed in this thread."""

    followed = 0


_REFERENCES: Final = _References()


def _within_the_stack(keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """Return a keyword function that raises RecursionError before Python's stack ends.

    The library that looks up references is written in Rust. If the stack ends inside it, it writes
    to the terminal.
    """

    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        _REFERENCES.followed += 1
        try:
            if _REFERENCES.followed % _LOOKED == 0:
                _look_at_the_stack()
            yield from keyword(validator, value, instance, schema)
        finally:
            _REFERENCES.followed -= 1

    return judge


def _look_at_the_stack() -> None:
    left, frame = sys.getrecursionlimit() - _ROOM, currentframe()
    while frame is not None:
        frame, left = frame.f_back, left - 1
    if left < 0:
        raise RecursionError("references within each other")


def _placed(errors: Iterable[Any], path: Any, schema_path: Any) -> Iterator[Any]:
    for error in errors:
        if path is not None:
            error.path.appendleft(path)
        if schema_path is not None:
            error.schema_path.appendleft(schema_path)
        yield error
