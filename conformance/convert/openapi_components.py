"""What the schemas of an OpenAPI description refer to, as the `$defs` of the tools that need it."""

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
"""What a definition costs besides its text, in characters."""


class TooLargeError(Exception):
    """The tools need more of the description than can be written: each stands alone."""


class Description:
    """A description: what a schema of it refers to is in the `$defs` of that schema."""

    def __init__(self, data: Mapping[str, Any], notes: Notes) -> None:
        self.data = data
        self.used: set[Place] = set()
        self._notes = notes
        self._definitions = Definitions(data)
        self._ready: dict[str, tuple[Any, list[str], int, Place]] = {}
        self._left = MOST_IN_ALL

    def resolved(self, place: Place, node: Any) -> tuple[Place, Mapping[str, Any]]:
        """What a `$ref` within the description leads to, and where that is: it is written there.

        The object is empty if nothing is there.
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
        """The schema, which is `at` of a tool, with what it needs.

        What a reference leads to that cannot be followed is lost. Raises TooLargeError if all of
        them need too much.
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
        """A definition in 2020-12, the names of those that it needs, what it takes, and its place
        in the description.
        """
        if name not in self._ready:
            place, found = self._definitions.found(name)
            self.used.add(place)
            made, below = self._made(found, (), {(): place})
            self._ready[name] = made, below, len(json.dumps(made)) + _FOR_EACH, place
        return self._ready[name]

    def _made(self, schema: Any, at: Place, places: Mapping[Place, Place]) -> tuple[Any, list[str]]:
        """A schema in 2020-12, and the names of the definitions that it needs. `places` says where
        the description has its parts.
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
                self._notes.lose(place_of(places, (*at, *inside, "$ref")))
            else:
                led[reference] = self._definitions.own(reference)
                needed[defined(led[reference])] = None
        write = modern if str(self.data["openapi"]).startswith("3.0") else redirected
        return write(schema, led.__getitem__), list(needed)


def _names(schema: Any) -> Iterator[str]:
    """The references that lead to a part of the schema by its name, wherever the schema is."""
    for _, _, node in positions(schema):
        yield from (f"#{node[word]}" for word in ("$anchor", "$dynamicAnchor") if word in node)
        if isinstance(node.get("$id"), str):
            yield node["$id"]


def _stays(reference: str, named: Collection[str], own: Collection[str]) -> bool:
    """Whether a reference leads to a part of the schema or to a published dialect."""
    if reference.startswith(DEFINED):
        return defined(reference) in own
    return reference in named or reference.partition("#")[0] in METASCHEMAS
