"""Finds the schemas that apply to a value: follows references and chooses branches of unions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from conformance.formats.schema.ecma import patterns
from conformance.kit.schema.places import Absent
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import Node, SchemaView

UNIONS: Final = ("anyOf", "oneOf")
_CROSSING: Final = frozenset({
    "anyOf", "const", "contains", "dependencies", "dependentRequired", "dependentSchemas", "enum",
    "if", "maxProperties", "minProperties", "not", "oneOf", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "uniqueItems", "$dynamicRef", "$recursiveRef",
})  # fmt: skip
"""Keywords with which a member of a value affects the validity of other members."""
_DEEPEST: Final = 64
_MOST_TOGETHER: Final = 2_000
"""The most schemas in a flat list. References that double at each level would name billions."""
MOST_SCHEMAS: Final = 250
"""The most schemas that may apply to one value together. Each is a level of recursion here."""


@dataclass(frozen=True, slots=True)
class Union:
    """A `oneOf` or `anyOf` that applies to a value, and the index of the branch that the value
    uses.
    """

    keyword: str
    branches: tuple[Node, ...]
    used: int | None


@dataclass(frozen=True, slots=True)
class Applied:
    """The schemas that apply to one value, as a flat list without references and combinators.

    `plain` says that the validity of each member depends on its own schema alone.
    """

    flat: tuple[Node, ...]
    unions: tuple[Union, ...]
    plain: bool


def applied(view: SchemaView, nodes: Sequence[Node], value: Any) -> Applied:
    """Return the schemas that apply to a value; for ABSENT, those that apply to every value.

    Of a union, the first branch that the value matches applies. Raises `SchemaProblem` if
    references never end.
    """
    flat: list[Node] = []
    unions: list[Union] = []
    waiting = [(node, 0) for node in reversed(nodes)]
    plain = True
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            raise SchemaProblem(ProblemKind.TOO_COMPLEX, "references in a circle")
        schema = node.schema
        flat.append(node)
        if len(flat) > _MOST_TOGETHER:
            raise SchemaProblem(ProblemKind.TOO_COMPLEX, "too many schemas for one value")
        if not isinstance(schema, dict):
            continue
        plain = plain and not _CROSSING & schema.keys()
        further = [n for n in (view.follow(node),) if n is not None]
        further += [node.sub(s) for s in schema.get("allOf", ())]
        for keyword in UNIONS:
            if keyword in schema:
                union = _union(view, node, keyword, value)
                unions.append(union)
                if union.used is not None:
                    further.append(union.branches[union.used])
        further += _conditional(view, node, value)
        waiting.extend((n, depth + 1) for n in reversed(further))
    return Applied(tuple(flat), tuple(unions), plain)


def _union(view: SchemaView, node: Node, keyword: str, value: Any) -> Union:
    branches = tuple(node.sub(s) for s in node.schema[keyword])
    used = None
    if not isinstance(value, Absent):
        used = next((i for i, b in enumerate(branches) if view.is_valid((b,), value)), None)
    return Union(keyword, branches, used)


def _conditional(view: SchemaView, node: Node, value: Any) -> list[Node]:
    schema = node.schema
    if isinstance(value, Absent):
        return []
    further: list[Node] = []
    if "if" in schema:
        condition = node.sub(schema["if"])
        taken = "then" if view.is_valid((condition,), value) else "else"
        if taken in schema:
            further.append(node.sub(schema[taken]))
    if isinstance(value, dict):
        for keyword in ("dependentSchemas", "dependencies"):
            for name, dependent in schema.get(keyword, {}).items():
                if name in value and isinstance(dependent, dict | bool):
                    further.append(node.sub(dependent))
    return further


def every_branch(view: SchemaView, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return every schema that may apply to a value here, with those of all branches of all unions.

    Each schema occurs once. `not` is ignored.
    """
    flat: list[Node] = []
    seen: set[int] = set()
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if id(node.schema) in seen:
            continue
        seen.add(id(node.schema))
        flat.append(node)
        if not isinstance(node.schema, dict):
            continue
        schema = node.schema
        further = [n for n in (view.follow(node),) if n is not None]
        further += [node.sub(s) for keyword in ("allOf", *UNIONS) for s in schema.get(keyword, ())]
        further += [node.sub(schema[keyword]) for keyword in ("then", "else") if keyword in schema]
        for keyword in ("dependentSchemas", "dependencies"):
            some = schema.get(keyword, {}).values()
            further += [node.sub(s) for s in some if isinstance(s, dict | bool)]
        waiting.extend(reversed(further))
    return tuple(flat)


def alternatives(view: SchemaView, nodes: Sequence[Node], most: int) -> Iterator[tuple[Node, ...]]:
    """Return ways to satisfy the nodes. Each is a flat list with one branch of each union.

    At most `most` are returned, in the order of the branches. For a conditional, `then` comes
    before `else`.
    """
    yield from islice(_ways(view, tuple(nodes), (), 0), most)


def _ways(
    view: SchemaView, waiting: tuple[Node, ...], flat: tuple[Node, ...], depth: int
) -> Iterator[tuple[Node, ...]]:
    if depth > MOST_SCHEMAS:
        raise SchemaProblem(ProblemKind.TOO_COMPLEX, "references in a circle")
    if not waiting:
        yield flat
        return
    node, rest = waiting[0], waiting[1:]
    schema = node.schema
    flat = (*flat, node)
    if not isinstance(schema, dict):
        yield from _ways(view, rest, flat, depth + 1)
        return
    target = view.follow(node)
    fixed = (*(() if target is None else (target,)), *map(node.sub, schema.get("allOf", ())))
    choices: list[list[tuple[Node, ...]]] = [
        [(node.sub(branch),) for branch in schema[keyword]]
        for keyword in UNIONS
        if keyword in schema
    ]
    if "if" in schema:
        then, other = (
            tuple(node.sub(schema[k]) for k in ks if k in schema)
            for ks in (("if", "then"), ("else",))
        )
        choices.append([then, other])
    for chosen in _product(choices):
        yield from _ways(view, (*fixed, *chosen, *rest), flat, depth + 1)


def _product(choices: list[list[tuple[Node, ...]]]) -> Iterator[tuple[Node, ...]]:
    if not choices:
        yield ()
        return
    for head in choices[0]:
        for tail in _product(choices[1:]):
            yield (*head, *tail)


def member(flat: Sequence[Node], name: str) -> tuple[Node, ...]:
    """Return the schemas of a property, given the flat schemas of its object."""
    found: list[Node] = []
    for node in flat:
        schema = node.schema
        if not isinstance(schema, dict):
            continue
        own = schema.get("properties", {})
        named = [own[name]] if name in own else []
        for expression, sub in schema.get("patternProperties", {}).items():
            if patterns.matches(expression, name):
                named.append(sub)
        if not named and "additionalProperties" in schema:
            named.append(schema["additionalProperties"])
        found.extend(node.sub(s) for s in named)
    return tuple(found)


def item(flat: Sequence[Node], index: int) -> tuple[Node, ...]:
    """Return the schemas of an item, given the flat schemas of its array."""
    found: list[Node] = []
    for node in flat:
        schema = node.schema
        if not isinstance(schema, dict):
            continue
        prefix = schema.get("prefixItems", [])
        rest = schema.get("items")
        if isinstance(rest, list):
            prefix, rest = rest, schema.get("additionalItems")
        if index < len(prefix):
            found.append(node.sub(prefix[index]))
        elif rest is not None:
            found.append(node.sub(rest))
    return tuple(found)
