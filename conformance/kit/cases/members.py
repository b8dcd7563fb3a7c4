"""Deviations that add or take away members: missing, extra, too many, dependent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.kit.cases.deviations import LONGEST_SENT, MOST_SENT, Deviation
from conformance.kit.cases.valid_values import MOST_ITEMS, Maker
from conformance.kit.cases.walk import Spot
from conformance.kit.schema.applies import item, member
from conformance.kit.schema.pointer import ABSENT, Tokens
from conformance.kit.schema.unusable_schema import SchemaProblem

EXTRA = "unexpected_property"
"""The name of a property that no schema declares."""


@dataclass(frozen=True, slots=True)
class Change:
    """A deviation of a container: its new value, and the place to blame (from the container)."""

    deviation: Deviation
    blamed: Tokens = ()


def broken_members(spot: Spot, maker: Maker) -> Iterator[Change]:
    """Give broken changes of an object's members or an array's items."""
    value, asked = spot.value, spot.asked
    if isinstance(value, dict):
        for name in asked.required:
            if name in value:
                rest = {k: v for k, v in value.items() if k != name}
                yield Change(Deviation("missing", rest), (name,))
        yield from _dependents(spot, value)
        yield from _extra(spot, value)
        if asked.max_members is not None and asked.max_members <= MOST_SENT:
            more = _with_members(spot, value, asked.max_members + 1, maker)
            if more is not None:
                yield Change(Deviation("too-many-properties", more))
        if 0 < asked.min_members <= len(value):
            kept = [n for n in value if n in asked.required]
            kept += [n for n in value if n not in asked.required]
            few = {n: value[n] for n in kept[: asked.min_members - 1]}
            yield Change(Deviation("too-few-properties", few))
    elif isinstance(value, list):
        yield from _items(spot, value, maker)


def _extra(spot: Spot, value: dict[str, Any]) -> Iterator[Change]:
    """A member that is not declared, where the schema says something of such members."""
    words = ("additionalProperties", "unevaluatedProperties", "propertyNames")
    said = [w for w in words if spot.asked.first(w) not in (ABSENT, True)]
    if not said:
        return
    extra = EXTRA
    while extra in value:
        extra += "_"
    yield Change(Deviation("extra-property", {**value, extra: "abc"}), (extra,))
    if any(isinstance(spot.asked.first(w), dict) for w in words[:2]):
        yield Change(Deviation("extra-property-number", {**value, extra: 7}), (extra,))


def extreme_members(spot: Spot) -> Iterator[Change]:
    """Give an object members of which its schema says nothing."""
    if isinstance(spot.value, dict) and _is_open(spot):
        for variant, extra in (("null", None), ("number", 7)):
            more = {**spot.value, EXTRA: extra}
            yield Change(Deviation("open-property", more, variant, extreme=True))


def _is_open(spot: Spot) -> bool:
    """Whether the schema says nothing of members that it does not name."""
    words = ("additionalProperties", "unevaluatedProperties", "propertyNames", "patternProperties")
    full = spot.asked.max_members is not None or EXTRA in spot.value
    return not full and all(spot.asked.first(word) is ABSENT for word in words)


def _dependents(spot: Spot, value: dict[str, Any]) -> Iterator[Change]:
    for node in spot.found.flat:
        schema = node.schema if isinstance(node.schema, dict) else {}
        for keyword in ("dependentRequired", "dependencies"):
            for holder, names in schema.get(keyword, {}).items():
                for name in names if holder in value and isinstance(names, list) else ():
                    if name in value and name != holder:
                        rest = {k: v for k, v in value.items() if k != name}
                        change = Deviation("missing-dependent", rest, f"of {holder}")
                        yield Change(change, (name,))


def _with_members(
    spot: Spot, value: dict[str, Any], count: int, maker: Maker
) -> dict[str, Any] | None:
    """The object brought to a number of members; None if they are not found."""
    more = dict(value)
    names = [n for n in spot.asked.names if n not in value]
    try:
        for name in (*names, *(f"extra{n + 1}" for n in range(count))):
            if len(more) < count:
                more[name] = maker.value(member(spot.found.flat, name), name, 1)
    except SchemaProblem:
        return None
    return more


def _items(spot: Spot, value: list[Any], maker: Maker) -> Iterator[Change]:
    asked = spot.asked
    most = asked.max_items
    if most is not None and most <= MOST_SENT:
        longer = _extended(spot, value, most + 1, maker)
        if longer is not None:
            yield Change(Deviation("too-many-items", longer))
    contained = asked.first("contains")
    if contained is not ABSENT:
        holder = next(n for n in asked.flat if "contains" in n.schema).sub(contained)
        others = [v for v in value if not maker.view.is_valid((holder,), v)]
        yield Change(Deviation("contains-none", others))
    prefix = asked.first("prefixItems")
    if asked.first("items") is False and isinstance(prefix, list):
        yield Change(Deviation("extra-item", [*value[: len(prefix)], "abc"]))


def valid_members(spot: Spot, maker: Maker) -> Iterator[Change]:
    """Give valid changes of an object's members or an array's items."""
    value, asked = spot.value, spot.asked
    if isinstance(value, dict):
        needed = {n: v for n, v in value.items() if n in asked.required}
        if needed != value:
            yield Change(Deviation("only-required", needed))
    elif isinstance(value, list):
        most = asked.max_items
        if most is not None and most <= MOST_SENT:
            counts = [("most-items", most)]
        else:
            counts = [("several-items", max(MOST_ITEMS, asked.min_items + 1))]
        for scenario, count in counts:
            longer = _extended(spot, value, count, maker)
            if longer is not None and len(longer) != len(value):
                yield Change(Deviation(scenario, longer))


def _extended(spot: Spot, value: list[Any], count: int, maker: Maker) -> list[Any] | None:
    """The array brought to a number of items; None if no such items are found."""
    if count <= len(value):
        return value[:count]
    if count > LONGEST_SENT:
        return None
    flat = spot.found.flat
    try:
        if spot.asked.unique and not spot.asked.has("prefixItems"):
            return maker.several(item(flat, 0), count, "item", 1)
        return value + [
            maker.value(item(flat, index), "item", 1) for index in range(len(value), count)
        ]
    except SchemaProblem:
        return None
