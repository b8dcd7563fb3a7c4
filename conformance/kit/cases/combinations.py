"""Deviations that break a combination of schemas: unions, `not`, and dependent members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any, Final

from conformance.kit.cases.deviations import Deviation
from conformance.kit.cases.members import Change
from conformance.kit.cases.valid_values import Maker
from conformance.kit.cases.walk import Spot, declared
from conformance.kit.schema.applies import Union, applied
from conformance.kit.schema.constraints import constraints
from conformance.kit.schema.places import ABSENT
from conformance.kit.schema.unusable_schema import ProblemKind, SchemaProblem
from conformance.kit.schema.view import Node

_MOST_PAIRS: Final = 12
"""The most pairs of branches of one `oneOf` for which a value is searched."""
_SEVERAL: Final = 2
_COMBINING: Final = ("$ref", "allOf", "$dynamicRef", "$recursiveRef")
"""Keywords whose schemas the flat list already contains."""


def broken_combinations(spot: Spot, maker: Maker) -> Iterator[Change]:
    """Yield values that break how schemas are combined, but no keyword of a single value."""
    for union in spot.unions:
        if union.keyword == "oneOf":
            yield from _both_branches(spot, union, maker)
        yield from _no_branch(spot, union, maker)
    yield from _forbidden(spot, maker)
    yield from _dependents(spot, maker)


def _both_branches(spot: Spot, union: Union, maker: Maker) -> Iterator[Change]:
    """Yield values that match two branches of a `oneOf`."""
    base = _without(spot, maker, union.keyword)
    pairs = combinations(range(len(union.branches)), 2)
    for one, other in islice(pairs, _MOST_PAIRS):
        value = _made((*base, union.branches[one], union.branches[other]), spot, maker)
        if value is not ABSENT:
            variant = f"{one + 1} and {other + 1}"
            yield Change(Deviation("two-branches", value, variant), around=union.keyword)


def _no_branch(spot: Spot, union: Union, maker: Maker) -> Iterator[Change]:
    """Yield an object without the members of any branch.

    Other values are tested with wrong types.
    """
    own = [_members(branch, maker) for branch in union.branches]
    if not isinstance(spot.value, dict) or sum(map(bool, own)) < _SEVERAL:
        return
    required = constraints(applied(maker.view, spot.nodes, ABSENT).flat).required
    taken = set().union(*own) - set(required)
    rest = {n: v for n, v in spot.value.items() if n not in taken}
    if rest != spot.value and not any(maker.view.is_valid((b,), rest) for b in union.branches):
        yield Change(Deviation("no-branch", rest), around=union.keyword)


def _members(branch: Node, maker: Maker) -> set[str]:
    """Return the names of the members that a branch declares or requires."""
    flat = applied(maker.view, (branch,), ABSENT).flat
    return {*declared(maker.view, branch), *constraints(flat).required}


def _forbidden(spot: Spot, maker: Maker) -> Iterator[Change]:
    """Yield values that match `not`. It may be in a branch of a union, which excludes them."""
    for number, forbidden in enumerate(spot.asked.under("not"), start=1):
        value = _made((*_without(spot, maker, "not"), forbidden), spot, maker)
        if value is ABSENT and spot.unions:
            rest = _stripped(spot.found.flat, {"not", "anyOf", "oneOf"})
            value = _made((*rest, forbidden), spot, maker)
        if value is not ABSENT:
            yield Change(Deviation("matches-not", value, str(number) if number > 1 else ""))


def _dependents(spot: Spot, maker: Maker) -> Iterator[Change]:
    """Yield objects without a member that another member requires.

    That one is added if necessary.
    """
    if not isinstance(spot.value, dict):
        return
    for node in spot.found.flat:
        schema = node.schema if isinstance(node.schema, dict) else {}
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for holder, asked in schema.get(keyword, {}).items():
                yield from _dependent(spot, maker, node.sub({"required": [holder]}), asked)


def _dependent(spot: Spot, maker: Maker, holder: Node, asked: Any) -> Iterator[Change]:
    (name,) = holder.schema["required"]
    needs = holder.sub({"required": asked} if isinstance(asked, list) else asked)
    names = constraints(applied(maker.view, (needs,), ABSENT).flat).required
    whole = spot.value if name in spot.value else _made((*spot.nodes, holder, needs), spot, maker)
    if not isinstance(whole, dict):
        return
    for needed in names:
        if needed in whole and needed != name:
            rest = {k: v for k, v in whole.items() if k != needed}
            yield Change(Deviation("missing-dependent", rest, f"of {name}"), (needed,))


def _without(spot: Spot, maker: Maker, keyword: str) -> tuple[Node, ...]:
    """Return the flat schemas of a place without one keyword. No branch of a union is chosen."""
    return _stripped(applied(maker.view, spot.nodes, ABSENT).flat, {keyword})


def _stripped(flat: Sequence[Node], keywords: set[str]) -> tuple[Node, ...]:
    left_out = keywords.union(_COMBINING)
    return tuple(
        Node({k: v for k, v in n.schema.items() if k not in left_out}, n.resolver)
        if isinstance(n.schema, dict)
        else n
        for n in flat
    )


def _made(nodes: Sequence[Node], spot: Spot, maker: Maker) -> Any:
    """Return a value that is valid for all the schemas, or ABSENT. An object keeps its members."""
    keep = spot.value if isinstance(spot.value, dict) else ABSENT
    name = str(spot.tokens[-1]) if spot.tokens else "arguments"
    try:
        return maker.value(nodes, name, keep=keep)
    except SchemaProblem as problem:
        if problem.kind is ProblemKind.NO_VALUE:
            return ABSENT
        raise
