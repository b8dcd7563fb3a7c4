"""Finds operations with an input for another method: a framework may read a POST as a DELETE."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

from conformance.formats.catalog.openapi_schema import LeadsElsewhere, LeadsNowhere, place_in
from conformance.formats.schema.positions import LIST, MAP, ONE

_OTHER_METHOD = re.compile(
    r"\s*(?:[_$.\[]|x[_-]?)(?:http[_-]?)?method(?:[_-]?override)?\s*(?:\[\])?"
    r"|(?:http[_-]?)?method[_-]?override",
    re.IGNORECASE,
)
"""Servers that use WSGI or CGI read `_` in a header as `-`. PHP reads `.` and `[` as `_`, and skips
blanks before a name.
"""
_BETWEEN = re.compile(r"(?<!\\)[\^$|()]|\?:")
"""What separates the names in a pattern."""
_MOST_PARTS = 20_000
"""The most parts of an operation's inputs that are read. One with more may hide such a name."""
_KEYED = frozenset({"properties", "dependentRequired", "dependentSchemas", "dependencies"})
_MAPS = MAP - {"$defs", "definitions"}
_VALUES = frozenset({"default", "const", "enum", "example", "examples"})

_Read = tuple[list[Any], list[tuple[str, Any]]]
"""The names in a part of an operation's inputs, and the parts below it, each with its kind."""


def asks_for_another(data: Mapping[str, Any], *holders: Mapping[str, Any]) -> bool:
    """Return whether a parameter, or a member of a body, may be named as one for another method.

    A value that is such a name does not count. The last of `holders` is the operation. References
    out of the document are skipped.
    """
    waiting: list[tuple[str, Any]] = [("holder", holders[-1].get("requestBody"))]
    for holder in holders:
        waiting += _each_as("holder", holder.get("parameters"))
    seen: set[tuple[str, int]] = set()
    while waiting:
        kind, node = waiting.pop()
        if (kind, id(node)) in seen or not isinstance(node, dict | list):
            continue
        seen.add((kind, id(node)))
        if kind != "value":
            reference = node.get("$ref") if isinstance(node, dict) else None
            if isinstance(reference, str):
                with suppress(LeadsElsewhere, LeadsNowhere):
                    waiting.append((kind, place_in(data, reference)[1]))
        if kind == "value" or isinstance(node, dict):
            names, below = _READ[kind](node)
            waiting += below
            if any(isinstance(each, str) and _OTHER_METHOD.fullmatch(each) for each in names):
                return True
        if len(seen) > _MOST_PARTS:
            return True
    return False


def _in_holder(node: Mapping[str, Any]) -> _Read:
    """Read a parameter, a body, one of its media types, or a named example."""
    below = [("schema", node.get("schema"))]
    below += [("value", node.get(word)) for word in ("example", "value")]
    for word in ("content", "examples"):
        below += _each_as("holder", node.get(word))
    return [node.get("name")], below


def _in_value(node: Any) -> _Read:
    return list(node) if isinstance(node, dict) else [], _each_as("value", node)


def _in_schema(node: Mapping[str, Any], kind: str = "schema") -> _Read:
    """Read a schema. One of kind "name" is that of the names of members."""
    names: list[Any] = [*_listed(node.get("required"))]
    below: list[tuple[str, Any]] = []
    patterns = node.get("patternProperties")
    texts = [*patterns] if isinstance(patterns, dict) else []
    if kind == "name":
        names += [node.get("const"), *_listed(node.get("enum"))]
        texts.append(node.get("pattern"))
    for text in texts:
        names += [each.replace("\\", "") for each in _BETWEEN.split(str(text))]
    for word, value in node.items():
        if word in _KEYED and isinstance(value, dict):
            names += [*value, *chain.from_iterable(map(_listed, value.values()))]
        if word in _VALUES:
            below.append(("value", value))
        elif word in ONE and isinstance(value, dict):
            below.append(("name" if word == "propertyNames" else kind, value))
        elif word in LIST or word in _MAPS:
            below += _each_as(kind, value)
    return names, below


_READ: Mapping[str, Callable[[Any], _Read]] = {
    "holder": _in_holder,
    "value": _in_value,
    "schema": _in_schema,
    "name": partial(_in_schema, kind="name"),
}


def _each_as(kind: str, value: Any) -> list[tuple[str, Any]]:
    listed = value.values() if isinstance(value, dict) else _listed(value)
    return [(kind, each) for each in listed]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
