"""Where an example of a document has each field of the document's page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place
from conformance.formats.text.json_text import positions_of, read
from scripts.generator.load import Path_
from scripts.generator.schemas import Schema
from scripts.website.pages.fields import Node, anchors, same_value
from scripts.website.pages.tried import written


def lines_of(schema: Schema, document: Any) -> dict[str, int]:
    """Return the line of each field that a document has, by the anchor of the field's row."""
    places: dict[Path_, Place] = {}
    for at, place in _places(schema.source.data, schema.source.data, (), document, ()):
        places.setdefault(at, place)
    held = {anchor: places[at] for anchor, at in anchors(schema) if at in places}
    reading = read(written(document).encode())
    lines = positions_of(reading, set(held.values()))
    return {anchor: lines[place].line for anchor, place in held.items()}


def _places(
    root: Node, node: Node, at: Path_, value: Any, place: Place
) -> Iterator[tuple[Path_, Place]]:
    """Yield the place in the schema of each member of a value, and its place in the value."""
    for path, part in same_value(node, at):
        reference = part.get("$ref", "")
        if reference.startswith("#/"):
            steps = tuple(reference.split("/")[1:])
            inner: Any = root
            for step in steps:
                inner = inner[step]
            yield from _places(root, inner, steps, value, place)
        if isinstance(value, dict):
            yield from _members(root, part, path, value, place)
        elif isinstance(value, list) and isinstance(part.get("items"), dict):
            for index, each in enumerate(value):
                below = (*path, "items")
                yield from _places(root, part["items"], below, each, (*place, index))


def _members(
    root: Node, part: Node, path: Path_, value: Mapping[str, Any], place: Place
) -> Iterator[tuple[Path_, Place]]:
    named = part.get("properties", {})
    for name, each in value.items():
        there = (*place, name)
        if isinstance(named.get(name), dict):
            below: Path_ = (*path, "properties", name)
            yield below, there
            yield from _places(root, named[name], below, each, there)
        elif isinstance(others := part.get("additionalProperties"), dict):
            yield from _places(root, others, (*path, "additionalProperties"), each, there)
