"""Converts a JSON Schema to OpenAPI 3.0, which has only some of its keywords.

What keeps its meaning in another form is noted as changed. What 3.0 cannot express is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from conformance.formats.problem import Place

_SAME: Final = frozenset(
    {
        "title",
        "description",
        "default",
        "enum",
        "format",
        "pattern",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "required",
        "readOnly",
        "writeOnly",
        "deprecated",
        "discriminator",
        "xml",
        "externalDocs",
    }
)
"""Keywords with the same meaning in both."""
_OTHERWISE: Final = frozenset({"type", "const", "examples", "exclusiveMinimum", "exclusiveMaximum"})
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_INNER: Final = ("items", "not", "additionalProperties")
_BOUNDS: Final = (
    ("minimum", "exclusiveMinimum", max),
    ("maximum", "exclusiveMaximum", min),
)

Note = Callable[[Place], None]


class Older:
    """Writes schemas for OpenAPI 3.0; `lose` and `change` take a place within the schema."""

    def __init__(self, lose: Note, change: Note) -> None:
        self._lose = lose
        self._change = change

    def written(self, node: Any, at: Place = ()) -> dict[str, Any]:
        """Return a schema for 3.0; `at` is its place in the outermost schema."""
        if not isinstance(node, dict):
            note = self._change if isinstance(node, bool) else self._lose
            note(at)
            return {} if node is not False else {"not": {}}
        if isinstance(node.get("$ref"), str):
            rest = {word: value for word, value in node.items() if word != "$ref"}
            if not rest:
                return dict(node)
            self._change(at)  # 3.0 ignores everything next to a reference
            return {"allOf": [{"$ref": node["$ref"]}], **self.written(rest, at)}
        made = {word: value for word, value in node.items() if word in _SAME or _is_own(word)}
        known = {*_SAME, *_OTHERWISE, *_LISTS, *_INNER, "properties"}
        for word in node:
            if word not in known and not _is_own(word):
                self._lose((*at, word))
        for word in ("required", "enum"):
            if made.get(word) == []:
                del made[word]
                note = self._change if word == "required" else self._lose
                note((*at, word))
        self._add_inner(node, at, made)
        self._add_bounds(node, at, made)
        self._add_values(node, at, made)
        return self._typed(node, at, made)

    def _add_inner(self, node: Mapping[str, Any], at: Place, made: dict[str, Any]) -> None:
        if isinstance(node.get("properties"), dict):
            made["properties"] = {
                name: self.written(each, (*at, "properties", name))
                for name, each in node["properties"].items()
            }
        for word in _LISTS:
            if isinstance(node.get(word), list):
                made[word] = [
                    self.written(each, (*at, word, index)) for index, each in enumerate(node[word])
                ]
        for word in _INNER:
            if word == "additionalProperties" and isinstance(node.get(word), bool):
                made[word] = node[word]
            elif word in node:
                made[word] = self.written(node[word], (*at, word))

    def _add_bounds(self, node: Mapping[str, Any], at: Place, made: dict[str, Any]) -> None:
        """Add the bounds. In 3.0, an exclusive bound is a boolean next to the bound."""
        for bound, exclusive, nearest in _BOUNDS:
            if exclusive not in node:
                continue
            if not _is_number(node[exclusive]):
                self._lose((*at, exclusive))
            elif bound not in node:
                made[bound], made[exclusive] = node[exclusive], True
            elif _is_number(node[bound]):
                self._change((*at, exclusive))
                made[bound] = nearest(node[bound], node[exclusive])
                if made[bound] == node[exclusive]:
                    made[exclusive] = True

    def _add_values(self, node: Mapping[str, Any], at: Place, made: dict[str, Any]) -> None:
        if "const" in node:
            self._change((*at, "const"))
            if "enum" in node:
                self._lose((*at, "enum"))
            made["enum"] = [node["const"]]
        listed = node.get("examples")
        if isinstance(listed, list) and listed:
            made["example"] = listed[0]
            for index in range(1, len(listed)):
                self._lose((*at, "examples", index))
        elif "examples" in node:
            self._lose((*at, "examples"))

    def _typed(self, node: Mapping[str, Any], at: Place, made: dict[str, Any]) -> dict[str, Any]:
        """Return the schema with a single type, which may also be null."""
        said = node.get("type")
        listed = said if isinstance(said, list) else [said]
        kinds = [kind for kind in listed if isinstance(kind, str)]
        others = [kind for kind in kinds if kind != "null"]
        if "type" in node and (len(others) != 1 or said == others):
            self._change((*at, "type"))
        if len(others) == 1:
            made["type"] = others[0]
            # An enum without null does not allow null, whatever the type is.
            if "null" in kinds and isinstance(made.get("enum"), list) and None not in made["enum"]:
                self._change((*at, "type"))
            elif "null" in kinds:
                made["nullable"] = True
            if others == ["array"] and "items" not in made:
                made["items"] = {}
                self._change(at)
        elif others:
            return {"allOf": [{"anyOf": [_one(kind, kinds) for kind in others]}, made]}
        elif kinds:
            made["enum"] = [None]
        return made


def _one(kind: str, kinds: list[str]) -> dict[str, Any]:
    """Return a schema for one of several types; 3.0 requires `items` for an array."""
    null = {"nullable": True} if "null" in kinds else {}
    return {"type": kind, **({"items": {}} if kind == "array" else {}), **null}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_own(word: str) -> bool:
    return word.startswith("x-")
