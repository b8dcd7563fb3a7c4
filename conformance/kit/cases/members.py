"""Deviations that add or remove members of an object, or items of an array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.formats.schema.ecma import patterns
from conformance.kit.cases.deviations import (
    LONGEST_SENT,
    MOST_SENT,
    WRONG_TYPE_SAMPLES,
    Deviation,
)
from conformance.kit.cases.valid_values import MOST_ITEMS, Maker
from conformance.kit.cases.walk import Spot
from conformance.kit.schema.applies import item, member
from conformance.kit.schema.places import ABSENT, Tokens
from conformance.kit.schema.unusable_schema import SchemaProblem

EXTRA = "unexpected_property"
"""The name of a property that no schema declares."""
BAD_NAME = "wrong name \N{MULTIPLICATION SIGN}!"
"""A name that is not an identifier in any language, and that reads as one that was chosen."""


@dataclass(frozen=True, slots=True)
class Change:
    """A deviation of a container: its new value, and the path from the container to the blame.

    `around` names a keyword such as `oneOf` that is broken as a whole. Errors in its branches count
    as one error of the keyword, because nobody knows which branch was meant.
    """

    deviation: Deviation
    blamed: Tokens = ()
    around: str = ""


def broken_members(spot: Spot, maker: Maker) -> Iterator[Change]:
    """Yield changes that break an object's members or an array's items."""
    value, asked = spot.value, spot.asked
    if isinstance(value, dict):
        for name in asked.required:
            if name in value:
                rest = {k: v for k, v in value.items() if k != name}
                yield Change(Deviation("missing", rest), (name,))
        yield from _extra(spot, value)
        yield from _named_by_a_pattern(spot, value, maker)
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
    """Yield changes that add an undeclared member, if the schema restricts such members."""
    words = ("additionalProperties", "unevaluatedProperties", "propertyNames")
    said = [w for w in words if spot.asked.first(w) not in (ABSENT, True)]
    if not said:
        return
    extra = EXTRA
    while extra in value:
        extra += "_"
    names = spot.asked.first("propertyNames")
    if names not in (ABSENT, True):
        others = (held for name, held in value.items() if name not in spot.asked.names)
        bad = {**value, BAD_NAME: next(others, "abc")}  # only its name is wrong
        yield Change(Deviation("bad-name", bad), (BAD_NAME,))
    yield Change(Deviation("extra-property", {**value, extra: "abc"}), (extra,))
    if any(isinstance(spot.asked.first(w), dict) for w in words[:2]):
        yield Change(Deviation("extra-property-number", {**value, extra: 7}), (extra,))


def extreme_members(spot: Spot) -> Iterator[Change]:
    """Yield changes that add a member about which the schema says nothing."""
    if isinstance(spot.value, dict) and _is_open(spot):
        for variant, extra in (("null", None), ("number", 7)):
            more = {**spot.value, EXTRA: extra}
            yield Change(Deviation("open-property", more, variant, extreme=True))


def _is_open(spot: Spot) -> bool:
    """Return whether a member can be added about which the schema says nothing."""
    words = ("additionalProperties", "unevaluatedProperties", "propertyNames", "patternProperties")
    full = spot.asked.max_members is not None or EXTRA in spot.value
    return not full and all(spot.asked.first(word) is ABSENT for word in words)


def _named_by_a_pattern(spot: Spot, value: dict[str, Any], maker: Maker) -> Iterator[Change]:
    """Yield changes that add a member whose name matches `patternProperties`, with a wrong type."""
    for node in spot.found.flat:
        schema = node.schema if isinstance(node.schema, dict) else {}
        for expression, asked in schema.get("patternProperties", {}).items():
            name = next((n for n in patterns.samples(expression, 0, None) if n not in value), None)
            inside = (node.sub(asked),)
            bad = (v for _, v in WRONG_TYPE_SAMPLES if not maker.view.is_valid(inside, v))
            wrong = next(bad, ABSENT)
            if name is not None and wrong is not ABSENT:
                yield Change(Deviation("pattern-property", {**value, name: wrong}), (name,))


def _with_members(
    spot: Spot, value: dict[str, Any], count: int, maker: Maker
) -> dict[str, Any] | None:
    """Return the object extended to `count` members; None if they are not found."""
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
    if asked.unique and not value and (most is None or most > 1):
        one = _extended(spot, value, 1, maker)
        if one is not None:
            yield Change(Deviation("duplicate-items", one * 2))
    contained = asked.under("contains")[:1]
    if contained:
        matching = [v for v in value if maker.view.is_valid(contained, v)]
        others = [v for v in value if not maker.view.is_valid(contained, v)]
        yield Change(Deviation("contains-none", others))
        least, greatest = asked.first("minContains"), asked.first("maxContains")
        if least is not ABSENT and 1 < least <= len(matching):
            few = [*others, *matching[: int(least) - 1]]
            yield Change(Deviation("contains-too-few", few))
        if greatest is not ABSENT and matching and greatest <= MOST_SENT:
            many = [*others, *matching, *[matching[0]] * (int(greatest) + 1 - len(matching))]
            yield Change(Deviation("contains-too-many", many))
    prefix = asked.first("prefixItems")
    if not isinstance(prefix, list):
        prefix = asked.first("items")  # the form of drafts before 2020-12
    words = ("items", "additionalItems", "unevaluatedItems")
    closed = any(asked.first(word) is False for word in words)
    if isinstance(prefix, list) and len(value) >= len(prefix) and closed:
        yield Change(Deviation("extra-item", [*value[: len(prefix)], "abc"]))


def valid_members(spot: Spot, maker: Maker) -> Iterator[Change]:
    """Yield valid changes of an object's members or an array's items."""
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
    """Return the array cut or extended to `count` items; None if such items are not found."""
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
