"""The schemas of an OpenAPI document as JSON Schema 2020-12, which 3.0 is not.

References to places of the document lead to `$defs` of the schema itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from conformance.formats.problem import Place
from conformance.formats.schema.positions import LIST, MAP, ONE, positions
from conformance.formats.schema.schemas import LONGEST
from conformance.spec.pointer import steps_of

COMPONENTS = "#/components/schemas/"
DEFINED: Final = "#/$defs/"
MOST_IN_ALL: Final = 8 * LONGEST
"""Characters of the components of all operations: each one that needs a component counts it. Where
a tool is planned or recorded, it stands alone, and takes thirty times as much memory.
"""
_FOR_EACH: Final = 150
"""What a component costs besides, in characters."""
_INDEX: Final = re.compile(r"[0-9]{1,9}")
_ODD: Final = re.compile(r"[^A-Za-z0-9]+")
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
        _, node = place_in(data, reference)
    raise LeadsNowhere(reference)


def place_in(data: Mapping[str, Any], reference: str) -> tuple[Place, Any]:
    """Where a reference within the document leads to, and what is there.

    Raises LeadsNowhere and LeadsElsewhere.
    """
    if not reference.startswith("#/"):
        raise LeadsElsewhere(reference)
    found: Any = data
    place: Place = ()
    for step in steps_of(unquote(reference)):
        index = int(step) if isinstance(found, list) and _INDEX.fullmatch(step) else step
        if not holds(found, index):
            raise LeadsNowhere(reference)
        found = found[index]
        place = (*place, index)
    return place, found


def holds(node: Any, step: str | int) -> bool:
    """Whether a value has an item or a member."""
    if isinstance(node, list):
        return isinstance(step, int) and step < len(node)
    return isinstance(node, dict) and step in node


def defined(reference: str) -> str:
    """The name in `$defs` to which a reference of a schema that stands alone leads, or below it.

    Raises LeadsElsewhere.
    """
    if not reference.startswith(DEFINED):
        raise LeadsElsewhere(reference)
    return steps_of(unquote(reference.removeprefix("#/$defs")))[0]


class TooLarge(Exception):
    """An operation needs more of the document's components than an operation can be checked with,
    or all operations together do.
    """


def distinct(words: str, taken: dict[str, int]) -> str:
    """A name that is not `taken`: the words, with a number if need be. It is taken from now on.

    `taken` has for each name the highest number that was put behind it.
    """
    name = words
    while name in taken:
        taken[words] += 1
        name = f"{words}_{taken[words]}"
    taken[name] = 1
    return name


class Definitions:
    """The names in `$defs` of what the schemas of a document refer to: a component keeps its own,
    and any other place has one that is made of the words that lead there.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        components = data.get("components")
        known = components.get("schemas") if isinstance(components, dict) else None
        self._known: Mapping[str, Any] = known if isinstance(known, dict) else {}
        self._taken = {str(name): 1 for name in self._known}
        self._names: dict[tuple[str, ...], str] = {}
        self._sources: dict[str, str] = {}

    def own(self, reference: str) -> str:
        """The reference in a schema that stands alone; one that is not followed is the same."""
        if reference.startswith(COMPONENTS):
            return DEFINED + reference.removeprefix(COMPONENTS)
        if not reference.startswith("#/"):
            return reference
        steps = steps_of(unquote(reference))
        if steps not in self._names:
            words = "_".join(steps[1:] if steps[0] == "components" else steps)
            made = distinct(_ODD.sub("_", words).strip("_") or "schema", self._taken)
            self._names[steps] = made
            self._sources[made] = reference
        return DEFINED + self._names[steps]

    def found(self, name: str) -> tuple[Place, Any]:
        """What has a name in `$defs`, and where the document has it; raises LeadsNowhere."""
        if name in self._known:
            return ("components", "schemas", name), self._known[name]
        if name not in self._sources:
            raise LeadsNowhere(COMPONENTS + name)
        return place_in(self.data, self._sources[name])


class Document:
    """An OpenAPI document whose component schemas are made once, and shared by its operations."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self._old = str(data.get("openapi", "")).startswith("3.0")
        self._definitions = Definitions(data)
        self._ready: dict[tuple[str, bool], _Component] = {}
        self._left = MOST_IN_ALL
        self._left_elsewhere = LONGEST

    def whole(self, schema: Any, *, sent: bool) -> dict[str, Any]:
        """A schema of the document that stands alone, in 2020-12: `sent` to the server or answered.

        What is read-only is never sent, and what is write-only is in no answer.
        Raises LeadsNowhere, LeadsElsewhere and TooLarge; RecursionError for what is nested without
        end.
        """
        made = self._made(schema, sent=sent)
        needed: dict[str, Any] = {}
        waiting, size = list(references(made)), 0
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
            place, found = self._definitions.found(name)
            if len(place) != 3 or place[:2] != ("components", "schemas"):
                self._count(found)
            made = self._made(found, sent=sent)
            size = len(json.dumps(made))
            self._ready[name, sent] = _Component(made, tuple(references(made)), size)
        return self._ready[name, sent]

    def _made(self, schema: Any, *, sent: bool) -> Any:
        return _made(schema, self._definitions.own, old=self._old, drop=_ONE_WAY[sent])

    def _count(self, found: Any) -> None:
        """Count what is not a component: one place may be within the other, so that all of them
        together may be much longer than the document.
        """
        if self._left_elsewhere > 0:
            self._left_elsewhere -= len(json.dumps(found))
        if self._left_elsewhere <= 0:
            raise TooLarge


@dataclass(frozen=True, slots=True)
class _Component:
    """A component schema in 2020-12, what it refers to, and the characters that it takes."""

    schema: Any
    references: tuple[str, ...]
    size: int


def modern(schema: Any, own: Callable[[str], str] = str) -> Any:
    """A schema of OpenAPI 3.0 in 2020-12; it keeps what goes only one way, and its references
    unless `own` says where they lead.
    """
    return _made(schema, own, old=True)


def redirected(schema: Any, own: Callable[[str], str]) -> Any:
    """A schema whose references lead to where `own` says; one that it makes empty is taken away."""
    return _made(schema, own, old=False)


def references(schema: Any) -> Iterator[str]:
    """Every reference of a schema; what an example or an enum holds is none."""
    for _, _, node in positions(schema):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]


def _made(node: Any, own: Callable[[str], str], *, old: bool, drop: str = "") -> Any:
    """A schema in 2020-12, without what goes the other way; `own` says where references lead."""
    if not isinstance(node, dict):
        return node
    made = dict(node)
    reference = node.get("$ref")
    if isinstance(reference, str):
        made["$ref"] = own(reference)
        if not made["$ref"]:
            del made["$ref"]
        if old:  # in 3.0 what is next to a reference means nothing
            return {name: value for name, value in made.items() if name == "$ref"}

    def inside(inner: Any) -> Any:
        return _made(inner, own, old=old, drop=drop)

    for name, held in node.items():
        if isinstance(held, list) and name in LIST:
            made[name] = [inside(each) for each in held]
        elif isinstance(held, dict) and name in MAP:
            made[name] = {each: inside(inner) for each, inner in held.items()}
        elif isinstance(held, dict) and name in ONE:
            made[name] = inside(held)
    if drop:
        _without(made, drop)
    return _newer(made) if old else made


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
