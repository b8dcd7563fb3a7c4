"""Finds where a value is broken: turns the validator's errors into places, also inside unions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.formats.schema.ecma import patterns
from conformance.kit.schema.applies import UNIONS
from conformance.kit.schema.places import Absent, Tokens, get
from conformance.kit.schema.view import Node, SchemaView

_LEFTOVER = ("unevaluatedProperties", "unevaluatedItems")


@dataclass(frozen=True, slots=True)
class Break:
    """One keyword that a value breaks, with the place that is to blame.

    For a missing or an extra property, that place is the property, not its object.
    """

    tokens: Tokens
    keyword: str
    said: Any
    """The value of the keyword in the schema. For `format`, this is the name of the format."""


def breaks(view: SchemaView, nodes: Sequence[Node], value: Any, before: Any) -> list[Break]:
    """Return what is wrong with `value`, with places relative to it; nothing if it is valid.

    `before` is the valid value that it replaced. In a union, the errors of the branch that `before`
    used are returned. Raises `SchemaProblem` as the view does.
    """
    errors = view.errors(nodes, value)
    found = [b for e in errors for b in _of(view, e, (), value, before)]
    primary = [b for b in found if b.keyword not in _LEFTOVER]
    return primary or found


def _of(view: SchemaView, error: Any, base: Tokens, value: Any, before: Any) -> Iterator[Break]:
    here = (*base, *error.relative_path)
    keyword = str(error.validator) if error.validator is not None else "false"
    if keyword in UNIONS and error.context:
        used = _used_branch(view, error, get(before, here))
        for inner in error.context:
            if inner.relative_schema_path[0] in (used, *_as_good(error, used)):
                yield from _of(view, inner, here, value, before)
        return
    said = error.validator_value
    for tokens in _blamed(error, keyword, here, value, before):
        yield Break(tokens, keyword, said)


def _used_branch(view: SchemaView, error: Any, before: Any) -> int:
    """Return the branch that the earlier value satisfied; else the one whose errors are deepest."""
    context = list(error.context or ())
    if not isinstance(before, Absent):
        for index, branch in enumerate(error.validator_value):
            if view.is_valid((Node(branch, view.root.resolver),), before):
                return index

    def depth(index: int) -> tuple[int, int]:
        mine = [e for e in context if e.relative_schema_path[0] == index]
        return (min(len(e.relative_path) for e in mine), -len(mine))

    return max(sorted({int(e.relative_schema_path[0]) for e in context}), key=depth)


def _as_good(error: Any, used: int) -> list[int]:
    """Return the other branches that a server may apply to a container which its own branch
    refuses.

    If an array or an object replaces another value, a branch that allows arrays or objects reports
    errors inside it. Both readings are right.
    """
    mine = [e for e in error.context if e.relative_schema_path[0] == used]
    if not isinstance(error.instance, dict | list) or any(e.relative_path for e in mine):
        return []
    refusing = {
        e.relative_schema_path[0]
        for e in error.context
        if not e.relative_path and e.validator in ("type", "const", "enum", None)
    }
    branches = sorted({int(e.relative_schema_path[0]) for e in error.context} - refusing)
    return [index for index in branches if index != used]


def _blamed(error: Any, keyword: str, here: Tokens, value: Any, before: Any) -> Iterator[Tokens]:
    instance = error.instance
    if keyword == "required" and isinstance(instance, dict):
        named = [n for n in error.validator_value if n not in instance]
        yield from ((*here, name) for name in named)
    elif keyword in ("dependentRequired", "dependencies") and isinstance(instance, dict):
        yield from ((*here, name) for name in _missing_dependents(error))
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        was = get(before, here)
        known = was if isinstance(was, dict) else {}
        extras = _extras(error, keyword, known)
        yield from ((*here, name) for name in extras)
        if not extras:
            yield here
    elif isinstance(instance, str) and isinstance(get(value, here), dict):  # a property name
        yield (*here, instance)
    else:
        yield here


def _missing_dependents(error: Any) -> list[str]:
    instance = error.instance
    return list(
        dict.fromkeys(
            name
            for holder, names in error.validator_value.items()
            if holder in instance and isinstance(names, list)
            for name in names
            if name not in instance
        )
    )


def _extras(error: Any, keyword: str, known: dict[str, Any]) -> list[str]:
    instance = error.instance
    if keyword == "unevaluatedProperties":
        return [name for name in instance if name not in known]
    own = error.schema.get("properties", {})
    named = error.schema.get("patternProperties", {})
    return [
        name
        for name in instance
        if name not in own and not any(patterns.matches(p, name) for p in named)
    ]
