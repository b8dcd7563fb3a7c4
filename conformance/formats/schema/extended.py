"""A dialect's validator that judges some keywords otherwise, wherever it is led."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import currentframe
from typing import Any, Final

from jsonschema.validators import extend

_LEADING: Final = ("$ref", "$dynamicRef", "$recursiveRef")
"""Keywords that lead to another schema, which may be the same again without an end."""
_LOOKED: Final = 8
"""References within each other after which it is looked again how much of the stack is left."""
_ROOM: Final = 250
"""Calls of the stack that stay free: so many references take fewer."""


def extended(kind: Any, keywords: Mapping[str, Callable[..., Any]]) -> Any:
    """The validator class of a dialect, with own functions for some keywords.

    The library chooses the validator anew for each part of a schema: where `$schema` stands, also
    in the root that a reference leads back to, it would go on with the dialect's own. And it does
    not say where the error of a `false` stands, nor in which branch.
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
    """How many references are being followed, each within the one before."""

    followed = 0


_REFERENCES: Final = _References()


def _within_the_stack(keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """A keyword that raises RecursionError before the stack of Python ends.

    The library that looks a reference up is written in Rust. Where the stack ends within it, it
    writes to the terminal.
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
