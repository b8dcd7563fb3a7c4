"""Turns what the schemas of an OpenAPI description refer to into `$defs` of each tool."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from jsonschema_specifications import REGISTRY as METASCHEMAS

from conformance.convert.portable import Notes, place_of
from conformance.formats.catalog.openapi_schema import (
    DEFINED,
    MOST_IN_ALL,
    Definitions,
    LeadsElsewhere,
    LeadsNowhere,
    defined,
    modern,
    place_in,
    redirected,
)
from conformance.formats.problem import Place
from conformance.formats.schema.positions import positions

_FOR_EACH = 150
"""Overhead of a definition, in characters, in addition to its text."""


class TooLargeError(Exception):
    """The definitions are too large: every tool gets a copy of all that it needs."""


class Description:
    """An OpenAPI description. What its schemas refer to is added to their `$defs`."""

    def __init__(self, data: Mapping[str, Any], notes: Notes) -> None:
        self.data = data
        self.used: set[Place] = set()
        self._notes = notes
        self._definitions = Definitions(data)
        self._ready: dict[str, tuple[Any, list[str], int, Place]] = {}
        self._left = MOST_IN_ALL

    def resolved(self, place: Place, node: Any) -> tuple[Place, Mapping[str, Any]]:
        """Return the target of a `$ref` within the description, and its place, to write it inline.

        Any other node is returned unchanged. The object is empty if there is none.
        """
        if not isinstance(node, dict):
            return place, {}
        try:
            there, found = place_in(self.data, str(node.get("$ref")))
        except LeadsElsewhere:
            return place, node
        except LeadsNowhere:
            return place, {}
        if not isinstance(found, dict):
            return place, {}
        self.used.add(there[:3])
        self._notes.change(place)
        return there, found

    def added_to(
        self, schema: dict[str, Any], at: Place, places: dict[Place, Place]
    ) -> dict[str, Any]:
        """Return the schema, at place `at` of a tool, with the definitions that it needs.

        References that cannot be followed are lost. Raises `TooLargeError` if all schemas together
        need too much.
        """
        made: dict[str, Any]
        made, waiting = self._made(schema, at, places)
        needed: dict[str, Any] = {}
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed[name], below, size, home = self._definition(name)
                places[*at, "$defs", name] = home
                self._left -= size
                if self._left < 0:
                    raise TooLargeError
                waiting += below
        if not made.get("required", True):
            del made["required"]
        if needed:
            own = made.get("$defs")
            made["$defs"] = {**(own if isinstance(own, dict) else {}), **needed}
        return made

    def _definition(self, name: str) -> tuple[Any, list[str], int, Place]:
        """Return a definition in 2020-12, its dependencies, its size in characters, and its place.

        The dependencies are names of definitions. The place is in the description.
        """
        if name not in self._ready:
            place, found = self._definitions.found(name)
            self.used.add(place)
            made, below = self._made(found, (), {(): place})
            self._ready[name] = made, below, len(json.dumps(made)) + _FOR_EACH, place
        return self._ready[name]

    def _made(self, schema: Any, at: Place, places: Mapping[Place, Place]) -> tuple[Any, list[str]]:
        """Return a schema in 2020-12, and the names of the definitions that it needs.

        `places` maps parts of it to their places in the description.
        """
        alone = bool(at) or (isinstance(schema, dict) and isinstance(schema.get("$id"), str))
        own = schema.get("$defs") if alone else None
        named = set(_names(schema))
        needed: dict[str, None] = {}
        led: dict[str, str] = {}
        for inside, _, node in positions(schema):
            reference = node.get("$ref")
            if not isinstance(reference, str):
                continue
            led[reference] = reference
            if _stays(reference, named, own if isinstance(own, dict) else {}):
                continue
            try:
                place_in(self.data, reference)
            except (LeadsNowhere, LeadsElsewhere):
                led[reference] = ""
                self._notes.lose_reference(place_of(places, (*at, *inside, "$ref")))
            else:
                led[reference] = self._definitions.own(reference)
                needed[defined(led[reference])] = None
        write = modern if str(self.data["openapi"]).startswith("3.0") else redirected
        return write(schema, led.__getitem__), list(needed)


def _names(schema: Any) -> Iterator[str]:
    """Yield the references that find a part of the schema by name, wherever the schema is."""
    for _, _, node in positions(schema):
        yield from (f"#{node[word]}" for word in ("$anchor", "$dynamicAnchor") if word in node)
        if isinstance(node.get("$id"), str):
            yield node["$id"]


def _stays(reference: str, named: Collection[str], own: Collection[str]) -> bool:
    """Return whether a reference leads to a part of the schema, or to a published dialect."""
    if reference.startswith(DEFINED):
        return defined(reference) in own
    return reference in named or reference.partition("#")[0] in METASCHEMAS
