"""Walks a valid call: every place in it, every place that could be in it, and its unions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from conformance.kit.cases.near_misses import Taken, taken
from conformance.kit.schema.applies import Applied, Union, applied, every_branch, item, member
from conformance.kit.schema.constraints import Constraints, constraints
from conformance.kit.schema.places import ABSENT, Absent, Tokens, get
from conformance.kit.schema.view import Node, SchemaView

DEEPEST: Final = 6
"""The most levels of a call that are walked. Real calls have three or four."""
_MOST_MEMBERS: Final = 500
_MOST_INDEXES: Final = 3
"""The most items of an array that are walked if each has its own schema."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place: its schemas, flattened, and its value (or ABSENT).

    `everywhere` has the schemas of every branch, at this place and above, not only of those in use.
    `taken` is what this place accepts in any of them. `scope` is this place or the nearest one
    above from which a whole value must be validated. `scope_nodes` are its schemas. Above `scope`,
    each member is validated by its own schema alone.
    """

    tokens: Tokens
    nodes: tuple[Node, ...]
    found: Applied
    asked: Constraints
    value: Any
    required: bool
    scope: Tokens
    scope_nodes: tuple[Node, ...]
    everywhere: tuple[Node, ...]
    taken: Taken
    discriminator: bool = False

    @property
    def unions(self) -> tuple[Union, ...]:
        """The unions that apply to the value."""
        return self.found.unions


def spots(view: SchemaView, arguments: Any) -> Iterator[Spot]:
    """Yield every place of valid `arguments`, outer ones first, in the order of the schema.

    Absent members and absent first items are included, with ABSENT as their value.
    """
    root = (view.root,)
    yield from _walk(view, root, _Step((), arguments, True, (), root, root))


def spot_at(view: SchemaView, arguments: Any, tokens: Tokens) -> Spot:
    """Return the spot at one place in valid `arguments`."""
    nodes: tuple[Node, ...] = (view.root,)
    step = _Step((), arguments, True, (), nodes, nodes)
    for token in tokens:
        spot = _spot(view, nodes, step)
        if isinstance(token, str):
            nodes, step = next(_members(view, spot, (token,)))
        else:
            nodes, step = _item(spot, token)
    return _spot(view, nodes, step)


@dataclass(frozen=True, slots=True)
class _Step:
    tokens: Tokens
    value: Any
    required: bool
    scope: Tokens
    scope_nodes: tuple[Node, ...]
    branches: tuple[Node, ...]
    chooses: bool = False


def _spot(view: SchemaView, nodes: Sequence[Node], step: _Step) -> Spot:
    found = applied(view, nodes, step.value)
    asked, everywhere = constraints(found.flat), every_branch(view, step.branches)
    return Spot(
        tokens=step.tokens,
        nodes=tuple(nodes),
        found=found,
        asked=asked,
        value=step.value,
        required=step.required,
        scope=step.scope,
        scope_nodes=step.scope_nodes,
        everywhere=everywhere,
        taken=taken(view, asked, step.branches, everywhere),
        discriminator=step.chooses,
    )


def _walk(view: SchemaView, nodes: Sequence[Node], step: _Step) -> Iterator[Spot]:
    spot = _spot(view, nodes, step)
    yield spot
    if len(step.tokens) < DEEPEST:
        for below, inner in _below(view, spot):
            yield from _walk(view, below, inner)


def _below(view: SchemaView, spot: Spot) -> Iterator[tuple[tuple[Node, ...], _Step]]:
    """Yield the members or items of a spot's value that are walked."""
    if isinstance(spot.value, dict):
        names = dict.fromkeys((*spot.asked.names, *spot.asked.required, *spot.value))
        yield from _members(view, spot, islice(names, _MOST_MEMBERS))
    elif isinstance(spot.value, list):
        count = _walked(spot.value, spot.asked)
        if not spot.value and spot.asked.max_items != 0 and item(spot.found.flat, 0):
            count = 1
        for index in range(count):
            yield _item(spot, index)


def _members(
    view: SchemaView, spot: Spot, names: Iterable[str]
) -> Iterator[tuple[tuple[Node, ...], _Step]]:
    choosers = discriminators(view, spot.found)
    for name in names:
        below = member(spot.found.flat, name)
        scope, scope_nodes = _scope(spot, name, below)
        yield (
            below,
            _Step(
                tokens=(*spot.tokens, name),
                value=spot.value.get(name, ABSENT),
                required=name in spot.asked.required,
                scope=scope,
                scope_nodes=scope_nodes,
                branches=member(spot.everywhere, name),
                chooses=name in choosers,
            ),
        )


def _item(spot: Spot, index: int) -> tuple[tuple[Node, ...], _Step]:
    below = item(spot.found.flat, index)
    scope, scope_nodes = _scope(spot, index, below)
    value = get(spot.value, (index,))
    required = not isinstance(value, Absent)
    branches = item(spot.everywhere, index)
    return below, _Step((*spot.tokens, index), value, required, scope, scope_nodes, branches)


def _scope(
    spot: Spot, token: str | int, below: tuple[Node, ...]
) -> tuple[Tokens, tuple[Node, ...]]:
    """Return where the validation of a member begins: at itself, if no schema above looks at it."""
    if spot.found.plain and spot.scope == spot.tokens:
        return (*spot.tokens, token), below
    return spot.scope, spot.scope_nodes


def _walked(value: list[Any], asked: Constraints) -> int:
    each_its_own = asked.has("prefixItems") or isinstance(asked.first("items"), list)
    return min(len(value), _MOST_INDEXES if each_its_own else 1)


def discriminators(view: SchemaView, found: Applied) -> frozenset[str]:
    """Return the members that choose a branch of a union, or that a condition checks."""
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
    """Return the members that a branch declares itself, through references and `allOf`."""
    members: dict[str, Any] = {}
    for node in applied(view, (branch,), ABSENT).flat:
        if isinstance(node.schema, dict):
            members.update(node.schema.get("properties", {}))
    return members


def _chooses(schema: Any) -> bool:
    return isinstance(schema, dict) and ("const" in schema or len(schema.get("enum", ())) == 1)
