"""A tool between two forms, and notes on what a conversion changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from conformance.formats.problem import Place
from conformance.spec.vocabulary import JsonType

OWN = frozenset(
    {
        "name",
        "tool_id",
        "id",
        "resource_id",
        "resource_type",
        "description",
        "when_to_use",
        "inputSchema",
        "how_to_use",
        "content",
        "outputs",
        "outputSchema",
        "version",
        "tags",
        "metadata",
        "invocation",
        "schema_version",
    }
)
"""Members with a meaning in some form. Another form cannot use them for anything different."""


AT_HOME: Final[Mapping[str, Place]] = MappingProxyType({})
"""The default for `found`: every member of a tool is next to the others."""

_INPUT = frozenset({"name", "type", "description", "required", "schema"})
"""Members of an input that become part of its schema."""


@dataclass(slots=True)
class Notes:
    """What a conversion does not keep as it was.

    The new form cannot carry what is `lost`. What has `changed` keeps its meaning, but would be
    written back differently. Items that are `left_out` are not valid. All three are places of the
    source; `made` are places of the result. Of what is lost, `unfollowed` are references to another
    file or to a part that has no name.
    """

    lost: list[Place] = field(default_factory=list)
    unfollowed: list[Place] = field(default_factory=list)
    left_out: list[Place] = field(default_factory=list)
    changed: list[Place] = field(default_factory=list)
    made: list[Place] = field(default_factory=list)

    def lose(self, place: Place) -> None:
        """Note a place of the source that the result does not have."""
        self.lost.append(place)

    def lose_reference(self, place: Place) -> None:
        """Note a reference of the source that is not followed."""
        self.lose(place)
        self.unfollowed.append(place)

    def leave_out(self, place: Place) -> None:
        """Note an item of the source that is not valid and therefore not converted."""
        self.left_out.append(place)

    def change(self, place: Place) -> None:
        """Note a place of the source that moved, or that the result expresses differently."""
        self.changed.append(place)

    def make(self, place: Place) -> None:
        """Note a place of the result that the source does not have."""
        self.made.append(place)

    def lose_other(self, tool: Portable, said: Collection[str]) -> None:
        """Note as lost everything in a tool except what a form can express, as in `said`."""
        nothing = "schema" in tool.made and tool.schema == {"type": "object"}
        for name in ("when_to_use", "schema", "schema_version"):
            if name in said or (name == "schema" and nothing):
                continue
            if getattr(tool, name) is not None:
                self.lose(tool.place(name))
        for name in ("outputs", "metadata", "invocation"):
            if name not in said and getattr(tool, name) is not None:
                self.lose_object(tool, name)
        for name in tool.rest:
            if name not in said and name not in tool.made:
                self.lose(tool.place(name))

    def lose_object(self, tool: Portable, name: str) -> None:
        """Note an object of a tool as lost: members with a place one by one, the rest together."""
        held: Mapping[str, Any] = getattr(tool, name)
        apart = [each for each in held if (name, each) in tool.places]
        for each in apart:
            self.lose(tool.place(name, each))
        if not apart or len(apart) < len(held):
            self.lose(tool.place(name))

    def lose_all(self, members: Mapping[str, Any], at: Place, said: Collection[str]) -> None:
        """Note as lost the members of an object that are not in `said`."""
        for name in members:
            if name not in said:
                self.lose((*at, name))


@dataclass(frozen=True, slots=True)
class Portable:
    """A tool. `schema` is the schema of its inputs; `rest` are members that are equal in all forms.

    `outputs` may have `success`, `failure` and `schema`; `metadata` also has version and tags.
    `places` maps members to places in the source, and `made` are those that the source does not
    have.
    """

    name: str
    description: str | None
    schema: Mapping[str, Any]
    places: Mapping[Place, Place]
    when_to_use: str | None = None
    outputs: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    invocation: Mapping[str, Any] | None = None
    schema_version: Any = None
    rest: Mapping[str, Any] = field(default_factory=dict)
    made: frozenset[str] = frozenset()

    def place(self, *steps: str | int) -> Place:
        """Return the place of a member in the source, based on the nearest known place."""
        return place_of(self.places, steps)


def place_of(places: Mapping[Place, Place], steps: Place) -> Place:
    """Return the place in the source for `steps` in a tool, based on the nearest of `places`."""
    known = next(n for n in range(len(steps), -1, -1) if steps[:n] in places)
    return (*places[steps[:known]], *steps[known:])


def rest_of(
    item: Mapping[str, Any],
    own: frozenset[str],
    at: Place,
    notes: Notes,
    found: Mapping[str, Place] = AT_HOME,
) -> dict[str, Any]:
    """Return the members of `item` that no form defines; members of other forms are lost."""
    for name in item.keys() & (OWN - own):
        notes.lose(found.get(name, (*at, name)))
    return {name: value for name, value in item.items() if name not in OWN}


def inputs_of(schema: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the inputs that a schema declares, and what a list of inputs cannot express."""
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    needed = frozenset(required)
    inputs = [_input(name, node, name in needed) for name, node in properties.items()]
    apart = ("type", "properties", "required")
    remains = {key: value for key, value in schema.items() if key not in apart}
    if "properties" in schema and not properties:
        remains["properties"] = {}
    if "required" in schema and required != [each["name"] for each in inputs if each["required"]]:
        remains["required"] = required
    elif "required" in schema and not required:
        remains["required"] = []
    return inputs, remains


def places_of_inputs(data: Mapping[str, Any], at: Place) -> dict[Place, Place]:
    """Return the places of the schema's parts in `inputs` and `input_schema` of `data`.

    `at` is the place of `data`.
    """
    found: dict[Place, Place] = {("schema",): (*at, "inputs")}
    for word in data.get("input_schema", {}):
        found["schema", word] = (*at, "input_schema", word)
    for index, each in enumerate(data["inputs"]):
        here, home = (*at, "inputs", index), ("schema", "properties", each["name"])
        own = each.get("schema")
        found[home] = (*here, "schema") if isinstance(own, dict) else here
        for word in {"type", "description"} & each.keys():
            if not isinstance(own, dict) or word not in own:
                found[*home, word] = (*here, word)
    return found


def schema_of(data: Mapping[str, Any], at: Place, notes: Notes) -> dict[str, Any]:
    """Return the schema that `inputs` and `input_schema` of `data`, at place `at`, declare.

    Parts that would be written back differently are noted as changed. Members of an input that
    cannot be in a schema are lost.
    """
    inputs, remains = data["inputs"], data.get("input_schema", {})
    schema: dict[str, Any] = {"type": "object", **remains}
    properties = {each["name"]: _property(each) for each in inputs}
    required = [each["name"] for each in inputs if each.get("required") is True]
    if properties:
        schema["properties"] = {**remains.get("properties", {}), **properties}
    listed = list(dict.fromkeys([*remains.get("required", []), *required]))
    if listed:
        schema["required"] = listed
    again, rest = inputs_of(schema)
    by_name = {each["name"]: each for each in again}
    for index, each in enumerate(inputs):
        for name in each.keys() - _INPUT:
            notes.lose((*at, "inputs", index, name))
        if by_name[each["name"]] != {k: v for k, v in each.items() if k in _INPUT}:
            notes.change((*at, "inputs", index))
    if [each["name"] for each in again] != [each["name"] for each in inputs]:
        notes.change((*at, "inputs"))
    if rest != remains or ("input_schema" in data and not remains):
        notes.change((*at, "input_schema"))
    return schema


def _input(name: str, node: Any, required: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name}
    remains = dict(node) if isinstance(node, dict) else node
    if isinstance(node, dict):
        if node.get("type") in list(JsonType):
            made["type"] = remains.pop("type")
        if isinstance(node.get("description"), str):
            made["description"] = remains.pop("description")
    made["required"] = required
    if remains != {} or "type" not in made:
        made["schema"] = remains
    return made


def _property(each: Mapping[str, Any]) -> Any:
    own = each.get("schema", {})
    if isinstance(own, bool):
        return own
    known = {"type": each["type"]} if each.get("type") in list(JsonType) else {}
    said = {"description": each["description"]} if "description" in each else {}
    # If both say something, the schema wins, because values are judged by it.
    return {**known, **said, **own}
