"""Walks a valid call: every place in it, every place that could be in it, and its unions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.kit.cases.applies import Applied, Union, applied, item, member
from conformance.kit.cases.facts import Facts, facts
from conformance.kit.cases.pointer import ABSENT, Tokens
from conformance.kit.cases.schema import Node, SchemaView

DEEPEST: Final = 6
"""Levels of a call that are walked: real ones have three or four."""
_MOST_INDEXES: Final = 3
"""Items of one array that are walked where each has a schema of its own."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place: the schemas as they stand there, flat, and the value (or ABSENT).

    `scope` is the nearest place above, or this one, from which a whole value must be judged;
    `scope_nodes` are its schemas: above it each member is judged by its own schema alone.
    """

    tokens: Tokens
    nodes: tuple[Node, ...]
    found: Applied
    asked: Facts
    value: Any
    required: bool
    scope: Tokens
    scope_nodes: tuple[Node, ...]
    discriminator: bool = False

    @property
    def unions(self) -> tuple[Union, ...]:
        """The unions that apply to the value."""
        return self.found.unions


def spots(view: SchemaView, arguments: Any) -> Iterator[Spot]:
    """Give every place of valid `arguments`, outer ones first, in the order of the schema.

    Members and first items that are absent are given too, with ABSENT as their value.
    """
    root = (view.root,)
    yield from _walk(view, root, _Step((), arguments, True, (), root))


@dataclass(frozen=True, slots=True)
class _Step:
    tokens: Tokens
    value: Any
    required: bool
    scope: Tokens
    scope_nodes: tuple[Node, ...]
    chooses: bool = False


def _walk(view: SchemaView, nodes: Sequence[Node], step: _Step) -> Iterator[Spot]:
    found = applied(view, nodes, step.value)
    asked = facts(found.flat)
    spot = Spot(
        tokens=step.tokens,
        nodes=tuple(nodes),
        found=found,
        asked=asked,
        value=step.value,
        required=step.required,
        scope=step.scope,
        scope_nodes=step.scope_nodes,
        discriminator=step.chooses,
    )
    yield spot
    if len(step.tokens) < DEEPEST:
        for below, inner in _below(view, spot):
            yield from _walk(view, below, inner)


def _below(view: SchemaView, spot: Spot) -> Iterator[tuple[tuple[Node, ...], _Step]]:
    """The members or items of a spot's value; each a scope of its own where none looks aside."""
    free = spot.found.plain and spot.scope == spot.tokens
    flat, value = spot.found.flat, spot.value

    def step(token: str | int, inner: Any, below: tuple[Node, ...], **more: bool) -> _Step:
        place = (*spot.tokens, token)
        scope, scope_nodes = (place, below) if free else (spot.scope, spot.scope_nodes)
        return _Step(place, inner, more["required"], scope, scope_nodes, more["chooses"])

    if isinstance(value, dict):
        choosers = discriminators(view, spot.found)
        for name in dict.fromkeys((*spot.asked.names, *spot.asked.required, *value)):
            below = member(flat, name)
            required, chooses = name in spot.asked.required, name in choosers
            inner = value.get(name, ABSENT)
            yield below, step(name, inner, below, required=required, chooses=chooses)
    elif isinstance(value, list):
        for index in range(_walked(value, spot.asked)):
            below = item(flat, index)
            yield below, step(index, value[index], below, required=True, chooses=False)
        below = item(flat, 0)
        if not value and spot.asked.max_items != 0 and below:
            yield below, step(0, ABSENT, below, required=False, chooses=False)


def _walked(value: list[Any], asked: Facts) -> int:
    each_its_own = asked.has("prefixItems") or isinstance(asked.first("items"), list)
    return min(len(value), _MOST_INDEXES if each_its_own else 1)


def discriminators(view: SchemaView, found: Applied) -> frozenset[str]:
    """Name the members that choose a branch of a union, or that a condition asks about."""
    names: set[str] = set()
    for union in found.unions:
        each = [declared(view, branch) for branch in union.branches]
        names.update(n for n in each[0] if all(n in other and _chooses(other[n]) for other in each))
    for node in found.flat:
        schema = node.schema
        if isinstance(schema, dict) and isinstance(schema.get("if"), dict):
            asked = schema["if"].get("properties", {})
            names.update(n for n, sub in asked.items() if _chooses(sub))
    return frozenset(names)


def declared(view: SchemaView, branch: Node) -> dict[str, Any]:
    """Give the members that a branch declares itself, through its references and allOf."""
    members: dict[str, Any] = {}
    for node in applied(view, (branch,), ABSENT).flat:
        if isinstance(node.schema, dict):
            members.update(node.schema.get("properties", {}))
    return members


def _chooses(schema: Any) -> bool:
    return isinstance(schema, dict) and ("const" in schema or len(schema.get("enum", ())) == 1)
