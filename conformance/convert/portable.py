"""A tool between two forms: what each form says in its own way, and what all of them share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.problem import Place, json_path
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
"""Members to which some form gives a meaning; another form cannot have them for something else."""


_INPUT = frozenset({"name", "type", "description", "required", "schema"})
"""Members of an input that its schema is made of."""


@dataclass(slots=True)
class Notes:
    """What is not the same any more, as JSON paths.

    The new form cannot carry what is `lost`. What has `changed` means the same, but would be
    written back in another way. Both are places of the source; `made` are places of the result.
    """

    lost: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)

    def lose(self, place: Place) -> None:
        """Note a place of the source that the result does not have."""
        self.lost.append(json_path(place))

    def leave_out(self, place: Place) -> None:
        """Note an item of the source that is not valid, and so is not converted."""
        self.left_out.append(json_path(place))

    def change(self, place: Place) -> None:
        """Note a place of the source that moved as a whole, or that the result says otherwise."""
        self.changed.append(json_path(place))

    def make(self, place: Place) -> None:
        """Note a place of the result that the source did not have."""
        self.made.append(json_path(place))

    def lose_other(self, tool: Portable, at: Place, said: Collection[str]) -> None:
        """Note all that is known of a tool and that a form does not say."""
        for name in ("schema", "when_to_use", "outputs", "metadata", "invocation"):
            if name not in said and getattr(tool, name) is not None:
                self.lose((*at, "inputSchema" if name == "schema" else name))
        if tool.schema_version is not None:
            self.lose((*at, "schema_version"))
        self.lose_all(tool.rest, at, said)

    def lose_all(self, members: Mapping[str, Any], at: Place, said: Collection[str]) -> None:
        """Note the members of an object that a form does not say."""
        for name in members:
            if name not in said:
                self.lose((*at, name))


@dataclass(frozen=True, slots=True)
class Portable:
    """A tool. `schema` is that of its inputs, `rest` the members that all forms have alike.

    `outputs` may have `success`, `failure` and `schema`; `metadata` has version and tags too.
    """

    name: str
    description: str | None
    schema: Mapping[str, Any]
    when_to_use: str | None = None
    outputs: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    invocation: Mapping[str, Any] | None = None
    schema_version: Any = None
    rest: Mapping[str, Any] = field(default_factory=dict)


def rest_of(
    item: Mapping[str, Any], own: frozenset[str], at: Place, notes: Notes
) -> dict[str, Any]:
    """The members of `item` that its form has no meaning for; those of other forms are lost."""
    for name in item.keys() & (OWN - own):
        notes.lose((*at, name))
    return {name: value for name, value in item.items() if name not in OWN}


def inputs_of(schema: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The list of inputs that a schema declares, and what of it no list of inputs can say."""
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


def schema_of(data: Mapping[str, Any], at: Place, notes: Notes) -> dict[str, Any]:
    """The schema that `inputs` and `input_schema` of `data`, which stands at `at`, declare.

    What they say in a way that this schema would not be written back in is noted as changed.
    Members of an input that no schema is made of are lost.
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
    # What is said twice differently: the schema is what a value is judged by.
    return {**known, **said, **own}
