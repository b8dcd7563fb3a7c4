"""Writes a tool as a skill of an agent card (A2A), which has no place for inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.convert.portable import Notes, Portable
from conformance.formats.problem import Place
from conformance.formats.tool.declared import EXAMPLE_NAMES


def write_skill(tool: Portable, at: Place, notes: Notes) -> dict[str, Any]:
    """Return a skill of a card. `tags` is required there, and may be empty."""
    notes.lose_other(tool, said={"metadata", "examples"})
    metadata = tool.metadata or {}
    for name in metadata.keys() - {"tags"}:
        notes.lose(tool.place("metadata", name))
    if not tool.description:
        notes.make((*at, "description"))
    if "tags" not in metadata:
        notes.make((*at, "tags"))
    made = {
        "id": tool.name,
        "name": tool.name,
        "description": tool.description or tool.when_to_use or tool.name,
        "tags": list(metadata.get("tags", [])),
    }
    given = tool.rest.get("examples")
    listed = [_named(each) for each in given] if isinstance(given, list) else []
    for index in range(len(listed)):
        notes.lose(tool.place("examples", index))
    said = [name for name in listed if name is not None]
    return made | ({"examples": said} if said else {})


def _named(example: Any) -> str | None:
    """Return what an example shows, in words."""
    held = example if isinstance(example, Mapping) else {}
    return next((str(held[key]) for key in EXAMPLE_NAMES if isinstance(held.get(key), str)), None)
