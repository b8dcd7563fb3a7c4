"""The components of an OpenAPI description, as the `$defs` of the tools that need them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.convert.portable import Notes
from conformance.formats.catalog.openapi_schema import MOST_IN_ALL, modern
from conformance.formats.problem import Place
from conformance.formats.schema.positions import positions
from conformance.spec.pointer import steps_of

_COMPONENTS = "#/components/schemas/"
_FOR_EACH = 150
"""What a component costs besides its text, in characters."""


class TooLargeError(Exception):
    """The tools need more of the components than can be written: each stands alone."""


class Description:
    """A description and its components: what a schema refers to is in its `$defs`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.used: set[Place] = set()
        held = data.get("components")
        known = held.get("schemas") if isinstance(held, dict) else None
        self._known: Mapping[str, Any] = known if isinstance(known, dict) else {}
        self._ready: dict[str, tuple[Any, tuple[str, ...], int]] = {}
        self._left = MOST_IN_ALL

    def resolved(self, place: Place, node: Any, notes: Notes) -> tuple[Place, Mapping[str, Any]]:
        """What a `$ref` within the description leads to, and where that is: it is written there.

        The object is empty if nothing is there.
        """
        if not isinstance(node, dict):
            return place, {}
        reference = node.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return place, node
        found: Any = self.data
        steps = steps_of(reference)
        for step in steps:
            found = found.get(step) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            return place, {}
        self.used.add(steps[:3])
        notes.change(place)
        return steps, found

    def added_to(
        self, schema: dict[str, Any], at: Place, places: dict[Place, Place]
    ) -> dict[str, Any]:
        """The schema, which is `at` of a tool, with what it needs.

        Raises TooLargeError if all of them need too much.
        """
        needed: dict[str, Any] = {}
        waiting = [*self._names(schema)]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed[name], below, size = self._component(name)
                places[*at, "$defs", name] = ("components", "schemas", name)
                self._left -= size
                if self._left < 0:
                    raise TooLargeError
                waiting += below
        made: dict[str, Any] = _written(self.data, schema)
        if not made.get("required", True):
            del made["required"]
        if needed:
            own = made.get("$defs")
            made["$defs"] = {**(own if isinstance(own, dict) else {}), **needed}
        return made

    def _component(self, name: str) -> tuple[Any, tuple[str, ...], int]:
        """A component in 2020-12, the names of those that it needs, and what it takes."""
        if name not in self._ready:
            made = _written(self.data, self._known[name])
            size = len(json.dumps(made)) + _FOR_EACH
            self._ready[name] = made, tuple(dict.fromkeys(self._names(self._known[name]))), size
        return self._ready[name]

    def _names(self, schema: Any) -> Iterator[str]:
        for _, _, node in positions(schema):
            reference = str(node.get("$ref"))
            name = reference.removeprefix(_COMPONENTS).split("/")[0]
            if reference.startswith(_COMPONENTS) and name in self._known:
                self.used.add(("components", "schemas", name))
                yield name


def _written(data: Mapping[str, Any], schema: Any) -> Any:
    """A schema in 2020-12, whose references lead to `$defs`."""
    moved = _moved(schema)
    return modern(moved) if str(data["openapi"]).startswith("3.0") else moved


def _moved(node: Any) -> Any:
    """A schema whose references lead to `$defs` in place of the components."""
    if isinstance(node, dict):
        made = {name: _moved(value) for name, value in node.items()}
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(_COMPONENTS):
            made["$ref"] = "#/$defs/" + reference.removeprefix(_COMPONENTS)
        return made
    return [_moved(each) for each in node] if isinstance(node, list) else node
