"""Which members the published schemas know at each place of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from conformance.spec.published import SchemaPlace, node_at, target_of

Places = tuple[SchemaPlace, ...]
"""The schemas that apply to one value."""


@dataclass(frozen=True, slots=True)
class Members:
    """The known members of an object, and what applies to all others and to the items of a list.

    Each has the schemas of its value.
    """

    named: Mapping[str, Places]
    others: Places
    items: Places


@cache
def members(places: Places) -> Members:
    """Return what the schemas at these places know, in any of their branches."""
    named: dict[str, list[SchemaPlace]] = {}
    others, items = [], []
    waiting, seen = list(places), set()
    while waiting:
        place = waiting.pop()
        node = node_at(place)
        if place in seen or not isinstance(node, dict):
            continue
        seen.add(place)
        if "$ref" in node:
            waiting.append(target_of(place, node["$ref"]))
        waiting += [place.down(key) for key in ("if", "then", "else") if key in node]
        for key in ("allOf", "anyOf", "oneOf"):
            waiting += [place.down(key, index) for index in range(len(node.get(key, ())))]
        for name, inner in node.get("properties", {}).items():
            if inner is not False:
                named.setdefault(name, []).append(place.down("properties", name))
        if isinstance(node.get("additionalProperties"), dict):
            others.append(place.down("additionalProperties"))
        if "items" in node:
            items.append(place.down("items"))
    found = {name: tuple(each) for name, each in named.items()}
    return Members(MappingProxyType(found), tuple(others), tuple(items))
