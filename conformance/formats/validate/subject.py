"""One tool of a document, in any form, as the rules that no schema can express read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.formats.problem import Place
from conformance.formats.tool import descriptor


@dataclass(frozen=True, slots=True)
class Subject:
    """One tool. `schema` is its input schema, or None if it declares no readable one."""

    place: Place
    item: Mapping[str, Any]
    described: bool
    schema: Mapping[str, Any] | None
    inputs: Mapping[str, int]
    """The index of each name in the list of inputs; empty if not a descriptor."""

    @property
    def name(self) -> str | None:
        """The tool's name, None if it is not a text."""
        name = self.item.get(self.name_member)
        return name if isinstance(name, str) else None

    @property
    def name_member(self) -> str:
        """The member that names the tool."""
        return descriptor.name_of(self.item)[0] if self.described else "name"

    def at(self, *steps: str | int) -> Place:
        """Return a place inside the tool."""
        return (*self.place, *steps)

    def declared_at(self, inside: Place) -> Place:
        """Return where the part of the input schema at `inside` is declared."""
        if self.described:
            return descriptor.origin(self.item, self.place, inside, self.inputs)
        return self.at("inputSchema", *inside)


def subjects(document: str, data: Mapping[str, Any]) -> Iterator[Subject]:
    """Yield the tools of a catalog that are objects, or the one tool that a document is."""
    if document in ("tool", "descriptor", "enhanced-descriptor"):
        yield _subject((), data, document != "tool")
    tools = data.get("tools") if document == "catalog" else None
    for index, item in enumerate(tools if isinstance(tools, list) else ()):
        if isinstance(item, dict):
            yield _subject(("tools", index), item, descriptor.is_descriptor(item))


def _subject(place: Place, item: Mapping[str, Any], described: bool) -> Subject:
    schema = item.get("inputSchema")
    if described:
        schema = descriptor.input_schema(item, place, "")[0]
    inputs = descriptor.inputs_by_name(item) if described else {}
    return Subject(place, item, described, schema if isinstance(schema, dict) else None, inputs)
