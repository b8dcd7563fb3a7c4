"""Converts the schemas of an OpenAPI document to JSON Schema 2020-12, which 3.0 does not use.

References to places of the document become references to `$defs` of the schema.
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
"""The most characters of components for all operations; each operation counts what it needs. A
planned or recorded tool has a copy, which takes thirty times as much memory.
"""
_FOR_EACH: Final = 150
"""The fixed cost of a component, in characters."""
_INDEX: Final = re.compile(r"[0-9]{1,9}")
_ODD: Final = re.compile(r"[^A-Za-z0-9]+")
_ONE_WAY = {True: "readOnly", False: "writeOnly"}


class LeadsNowhere(Exception):
    """A reference without a target in the document; the argument is the reference."""


class LeadsElsewhere(Exception):
    """A reference to another document, or by a name, which is not followed.

    The argument is the reference.
    """


def resolved(data: Mapping[str, Any], node: Any) -> Mapping[str, Any]:
    """Return the object that a chain of references within the document leads to.

    Any value other than an object counts as an empty one. Raises `LeadsNowhere` and
    `LeadsElsewhere`.
    """
    for _ in range(20):
        reference = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str):
            return node if isinstance(node, dict) else {}
        _, node = place_in(data, reference)
    raise LeadsNowhere(reference)


def place_in(data: Mapping[str, Any], reference: str) -> tuple[Place, Any]:
    """Return where a reference within the document leads to, and the value there.

    Raises `LeadsNowhere` and `LeadsElsewhere`.
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
    """Return whether a value has an item or a member."""
    if isinstance(node, list):
        return isinstance(step, int) and step < len(node)
    return isinstance(node, dict) and step in node


def defined(reference: str) -> str:
    """Return the name in `$defs` to which a reference leads, or inside which it leads.

    Raises `LeadsElsewhere`.
    """
    if not reference.startswith(DEFINED):
        raise LeadsElsewhere(reference)
    return steps_of(unquote(reference.removeprefix("#/$defs")))[0]


class TooLarge(Exception):
    """One operation, or all together, need more of the document's components than the kit can
    check.
    """


def distinct(words: str, taken: dict[str, int]) -> str:
    """Return a name that is not `taken`, with a number if needed, and add it to `taken`.

    `taken` maps each name to the highest number that was appended to it.
    """
    name = words
    while name in taken:
        taken[words] += 1
        name = f"{words}_{taken[words]}"
    taken[name] = 1
    return name


class Definitions:
    """The names in `$defs` for everything that the schemas of a document refer to.

    A component keeps its name. The name of any other place is made of its path.
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
        """Return the reference to use in a separate schema; unchanged if it is not followed."""
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
        """Return the place and value of a name in `$defs`. Raises `LeadsNowhere`."""
        if name in self._known:
            return ("components", "schemas", name), self._known[name]
        if name not in self._sources:
            raise LeadsNowhere(COMPONENTS + name)
        return place_in(self.data, self._sources[name])


class Document:
    """An OpenAPI document whose component schemas are converted once for all operations."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self._old = str(data.get("openapi", "")).startswith("3.0")
        self._definitions = Definitions(data)
        self._ready: dict[tuple[str, bool], _Component] = {}
        self._left = MOST_IN_ALL
        self._left_elsewhere = LONGEST

    def whole(self, schema: Any, *, sent: bool) -> dict[str, Any]:
        """Return a schema of the document that needs no other, in 2020-12.

        If `sent` to the server it has no read-only properties; in an answer no write-only ones.
        Raises `LeadsNowhere`, `LeadsElsewhere` and `TooLarge`; RecursionError for endless nesting.
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
        """Count the length of a target that is not a component.

        Such targets may contain each other, so together they may be much longer than the document.
        """
        if self._left_elsewhere > 0:
            self._left_elsewhere -= len(json.dumps(found))
        if self._left_elsewhere <= 0:
            raise TooLarge


@dataclass(frozen=True, slots=True)
class _Component:
    """A component schema in 2020-12, its references, and its length in characters."""

    schema: Any
    references: tuple[str, ...]
    size: int


def modern(schema: Any, own: Callable[[str], str] = str) -> Any:
    """Return a schema of OpenAPI 3.0 in 2020-12.

    It keeps read-only and write-only properties. Its references stay too, unless `own` maps them.
    """
    return _made(schema, own, old=True)


def redirected(schema: Any, own: Callable[[str], str]) -> Any:
    """Return a schema with its references mapped by `own`; an empty result removes one."""
    return _made(schema, own, old=False)


def references(schema: Any) -> Iterator[str]:
    """Yield every reference of a schema, except inside an example or an enum."""
    for _, _, node in positions(schema):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]


def _made(node: Any, own: Callable[[str], str], *, old: bool, drop: str = "") -> Any:
    """Return a schema in 2020-12 without properties marked `drop`; `own` maps its references."""
    if not isinstance(node, dict):
        return node
    made = dict(node)
    reference = node.get("$ref")
    if isinstance(reference, str):
        made["$ref"] = own(reference)
        if not made["$ref"]:
            del made["$ref"]
        if old:  # 3.0 ignores members next to a reference
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
    """Remove the properties that are marked with `drop`."""
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
    """Convert the keywords of 3.0: `nullable`, `example`, and exclusive bounds as booleans."""
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
