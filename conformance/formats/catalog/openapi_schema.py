"""The schemas of an OpenAPI document as JSON Schema 2020-12, which 3.0 is not.

References to places of the document lead to `$defs` of the schema itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from conformance.formats.schema.schemas import LONGEST
from conformance.spec.pointer import steps_of, to_pointer

COMPONENTS = "#/components/schemas/"
_DEFINED = "#/$defs/"
_MAPS = ("properties", "patternProperties", "$defs", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_INNER = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
MOST_IN_ALL: Final = 8 * LONGEST
"""Characters of the components of all operations: each one that needs a component counts it. Where
a tool is planned or recorded, it stands alone, and takes thirty times as much memory.
"""
_FOR_EACH: Final = 150
"""What a component costs besides, in characters."""
_INDEX: Final = re.compile(r"[0-9]{1,9}")
_ONE_WAY = {True: "readOnly", False: "writeOnly"}


class LeadsNowhere(Exception):
    """A reference of the document that leads to nothing in it; the argument is the reference."""


class LeadsElsewhere(Exception):
    """A reference that is not followed: to another document, or by a name instead of a place. The
    argument is the reference.
    """


def resolved(data: Mapping[str, Any], node: Any) -> Mapping[str, Any]:
    """What a reference within the document leads to, through others; an object as it is.

    Raises LeadsNowhere and LeadsElsewhere. Anything but an object counts as an empty one.
    """
    for _ in range(20):
        reference = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str):
            return node if isinstance(node, dict) else {}
        node = _at(data, reference)
    raise LeadsNowhere(reference)


def _at(data: Mapping[str, Any], reference: str) -> Any:
    if not reference.startswith("#/"):
        raise LeadsElsewhere(reference)
    found: Any = data
    for step in steps_of(unquote(reference)):
        if isinstance(found, list) and _INDEX.fullmatch(step) and int(step) < len(found):
            found = found[int(step)]
        elif isinstance(found, dict) and step in found:
            found = found[step]
        else:
            raise LeadsNowhere(reference)
    return found


def defined(reference: str) -> str:
    """The name in `$defs` to which a reference of a schema that stands alone leads, or below it.

    Raises LeadsElsewhere.
    """
    if not reference.startswith(_DEFINED):
        raise LeadsElsewhere(reference)
    return steps_of(unquote(reference.removeprefix("#/$defs")))[0]


class TooLarge(Exception):
    """An operation needs more of the document's components than an operation can be checked with,
    or all operations together do.
    """


class Document:
    """An OpenAPI document whose component schemas are made once, and shared by its operations."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self._old = str(data.get("openapi", "")).startswith("3.0")
        components = data.get("components")
        known = components.get("schemas") if isinstance(components, dict) else None
        self._known: Mapping[str, Any] = known if isinstance(known, dict) else {}
        self._ready: dict[tuple[str, bool], _Component] = {}
        self._left = MOST_IN_ALL
        self._left_elsewhere = LONGEST

    def whole(self, schema: Any, *, sent: bool) -> dict[str, Any]:
        """A schema of the document that stands alone, in 2020-12: `sent` to the server or answered.

        What is read-only is never sent, and what is write-only is in no answer.
        Raises LeadsNowhere, LeadsElsewhere and TooLarge; RecursionError for what is nested without
        end.
        """
        made = _made(schema, old=self._old, drop=_ONE_WAY[sent])
        needed: dict[str, Any] = {}
        waiting, size = list(_references(made)), 0
        while waiting:
            name = defined(waiting.pop())
            if name in needed:
                continue
            component = self._component(name, sent=sent)
            size += component.size
            if size > LONGEST or size + _FOR_EACH * len(needed) > self._left:
                raise TooLarge
            needed[name] = component.schema
            waiting.extend(component.references)
        self._left -= size + _FOR_EACH * len(needed)
        if not isinstance(made, dict):
            return {} if made else {"not": {}}
        return {**made, "$defs": needed} if needed else made

    def _component(self, name: str, *, sent: bool) -> _Component:
        if (name, sent) not in self._ready:
            found = self._known[name] if name in self._known else self._elsewhere(name)
            made = _made(found, old=self._old, drop=_ONE_WAY[sent])
            size = len(json.dumps(made))
            self._ready[name, sent] = _Component(made, tuple(_references(made)), size)
        return self._ready[name, sent]

    def _elsewhere(self, name: str) -> Any:
        """What is at a place that is not a component's: one may be within the other, so that all
        of them together may be much longer than the document.
        """
        found = _at(self.data, f"#{name}" if name.startswith("/") else COMPONENTS + name)
        if self._left_elsewhere > 0:
            self._left_elsewhere -= len(json.dumps(found))
        if self._left_elsewhere <= 0:
            raise TooLarge
        return found


@dataclass(frozen=True, slots=True)
class _Component:
    """A component schema in 2020-12, what it refers to, and the characters that it takes."""

    schema: Any
    references: tuple[str, ...]
    size: int


def modern(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 in 2020-12; it keeps what goes only one way, and its references."""
    return _made(schema, old=True, drop="", own=False)


def _references(node: Any) -> Iterator[str]:
    """Every reference of a schema; what an example or an enum holds is none."""
    if not isinstance(node, dict):
        return
    if isinstance(node.get("$ref"), str):
        yield node["$ref"]
    for inner in _schemas(node):
        yield from _references(inner)


def _schemas(node: Mapping[str, Any]) -> Iterator[Any]:
    for name in _MAPS:
        if isinstance(node.get(name), dict):
            yield from node[name].values()
    for name in _LISTS:
        if isinstance(node.get(name), list):
            yield from node[name]
    yield from (node[name] for name in _INNER if name in node)


def _made(node: Any, *, old: bool, drop: str, own: bool = True) -> Any:
    """A schema in 2020-12, without what goes the other way; `own`: with references to `$defs`."""
    if not isinstance(node, dict):
        return node
    made = dict(node)
    reference = node.get("$ref")
    if isinstance(reference, str):
        made["$ref"] = _own(reference) if own else reference
        if old:
            return {"$ref": made["$ref"]}  # in 3.0 what is next to a reference means nothing
    for name in _MAPS:
        if isinstance(node.get(name), dict):
            made[name] = {k: _made(v, old=old, drop=drop, own=own) for k, v in node[name].items()}
    for name in _LISTS:
        if isinstance(node.get(name), list):
            made[name] = [_made(each, old=old, drop=drop, own=own) for each in node[name]]
    for name in _INNER:
        if isinstance(node.get(name), dict):
            made[name] = _made(node[name], old=old, drop=drop, own=own)
    _without(made, drop)
    return _newer(made) if old else made


def _own(reference: str) -> str:
    """The reference in a schema that stands alone. What is not a component is in `$defs`, too: its
    name there is its place in the document.
    """
    if reference.startswith(COMPONENTS):
        return _DEFINED + reference.removeprefix(COMPONENTS)
    if reference.startswith("#/") and not reference.startswith(_DEFINED):
        return "#/$defs" + quote(to_pointer([unquote(reference[1:])]), errors="surrogatepass")
    return reference


def _without(made: dict[str, Any], drop: str) -> None:
    """Take away the properties that are marked as going the other way."""
    listed = made.get("properties")
    if not isinstance(listed, dict):
        return
    gone = {k for k, v in listed.items() if isinstance(v, dict) and v.get(drop) is True}
    if not gone:
        return
    made["properties"] = {k: v for k, v in listed.items() if k not in gone}
    if isinstance(made.get("required"), list):
        made["required"] = [name for name in made["required"] if name not in gone]


def _newer(made: dict[str, Any]) -> dict[str, Any]:
    """What 3.0 says in words of its own: `nullable`, `example`, exclusive bounds as booleans."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag = made.get(exclusive)
        if isinstance(flag, bool):
            del made[exclusive]
            if flag and bound in made:
                made[exclusive] = made.pop(bound)
    if "example" in made:
        made.setdefault("examples", [made.pop("example")])
    nullable = made.pop("nullable", False)
    if nullable is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
    return made
