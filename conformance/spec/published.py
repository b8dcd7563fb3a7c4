"""The generated schemas, and the clauses that own their parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from jsonschema_specifications import (
    REGISTRY as METASCHEMAS,
)
from referencing.jsonschema import DRAFT202012, SchemaRegistry

from conformance.spec.clauses import SCHEMAS, clauses
from conformance.spec.format_checker import format_checker
from conformance.spec.pointer import steps_of, to_pointer

try:
    _rust: Any = import_module("jsonschema_rs")
except ImportError:  # optional: it only makes validation faster
    _rust = None

Step = str | int


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """A position in a generated schema: the document, and the steps from its root."""

    spec: str
    document: str
    steps: tuple[Step, ...] = ()

    @property
    def pointer(self) -> str:
        """The steps as a JSON Pointer."""
        return to_pointer(self.steps)

    def down(self, *steps: Step) -> SchemaPlace:
        """Return the position after these further steps."""
        return SchemaPlace(self.spec, self.document, (*self.steps, *steps))

    def up(self) -> SchemaPlace:
        """Return the position one step closer to the root."""
        return SchemaPlace(self.spec, self.document, self.steps[:-1])


@cache
def validator(document: str, kind: Any = Draft202012Validator) -> Validator:
    """Return the validator of a document, such as `catalog`, which also checks formats.

    `kind` is a validator class, which may check some keywords differently. Raises `KeyError` if no
    schema is published for the document.
    """
    schema = _schemas()[_file(document)]
    checker = format_checker(Draft202012Validator)
    made: Validator = kind(schema, registry=_registry(), format_checker=checker)
    return made


def surely_valid(document: str, data: Any) -> bool:
    """Return whether a second, compiled validator accepts `data`, so that the first is not needed.

    Tests ensure that both give the same result for every fixture and near miss. False if the
    compiled validator is not installed, or cannot process the value.
    """
    judge = compiled_validator(document)
    try:
        return judge is not None and bool(judge.is_valid(data))
    except (ValueError, TypeError, RecursionError, OverflowError):
        return False  # a lone surrogate, or a number that the validator has no type for


@cache
def compiled_validator(document: str) -> Any | None:
    """Return the compiled validator of a document; None if its library is not installed."""
    if _rust is None:
        return None
    registry = _rust.Registry([(each["$id"], each) for each in _schemas().values()])
    schema = _schemas()[_file(document)]
    return _rust.Draft202012Validator(schema, registry=registry, validate_formats=True)


def clause_at(document: str, schema_path: Iterable[Step], missing: str | None) -> str | None:
    """Return the clause that owns the rule at `schema_path`.

    The path starts at a document and follows `$ref`s. The owner is the nearest one towards the
    root; owners in the document's own specification come first. If a property is missing, `missing`
    is its name, and its position is looked up first. Raises `KeyError` if no schema is published
    for the document.
    """
    found = list(_claims(document, tuple(schema_path), missing))
    own = spec_of(document)
    return next((each for spec, each in found if spec == own), found[0][1] if found else None)


def other_choice(document: str, schema_path: Iterable[Step]) -> str | None:
    """Return the member that would do as well as the one that a `required` misses; None if none.

    The schema then says that one of two members is needed: `then` requires the one `if` the other
    is `not` there, or `else` requires it.
    """
    place = _trail(document, tuple(schema_path))[-1][1]
    branch = place.up()
    keyword = branch.pointer.rpartition("/")[2]
    if keyword not in ("then", "else"):
        return None
    asked = node_at(branch.up()).get("if", {})
    if keyword == "then":
        asked = asked.get("not", {}) if asked.keys() == {"not"} else {}
    names = asked.get("required", []) if asked.keys() == {"required"} else []
    return names[0] if len(names) == len(node_at(place)) == 1 else None


def barring(document: str, schema_path: Iterable[Step]) -> str | None:
    """Return the member because of which a `not` bars another; None if there is not one.

    The schema then says in `if` that this member is there, or what its value is.
    """
    branch = _trail(document, tuple(schema_path))[-1][1].up()
    if branch.pointer.rpartition("/")[2] not in ("then", "else"):
        return None
    asked = node_at(branch.up()).get("if", {})
    names = asked.get("not", asked).get("required", [])
    return names[0] if len(names) == 1 else None


def deciding(document: str, schema_path: Iterable[Step]) -> list[str]:
    """Return the members whose values decide that a rule applies: each `if` above it asks for them.

    The `if` of another schema, which refers to the rule's own, does not count.
    """
    start, place = _trail(document, tuple(schema_path))[-1]
    names: list[str] = []
    while place != start:
        branch, place = place.pointer.rpartition("/")[2], place.up()
        if branch in ("then", "else"):
            asked = node_at(place).get("if", {})
            names[:0] = asked.get("not", asked).get("required", [])
    return names


def _claims(
    document: str, schema_path: tuple[Step, ...], missing: str | None
) -> Iterator[tuple[str, str]]:
    """Yield the owners of a rule, each with its specification, the nearest first."""
    trail = _trail(document, schema_path)
    owner = _owners()
    if missing is not None:
        place = trail[-1][1].up().down("properties", missing)
        if _key(place) in owner:
            yield place.spec, owner[_key(place)]
    for start, place in reversed(trail):
        while True:
            if _key(place) in owner:
                yield place.spec, owner[_key(place)]
            if place == start:
                break
            place = place.up()


def _trail(document: str, path: tuple[Step, ...]) -> list[tuple[SchemaPlace, SchemaPlace]]:
    """Return the sections of a schema path, which each `$ref` splits: start and end positions.

    The path of an error leaves out `$ref`. If a schema lacks the next step, its `$ref` is followed
    first.
    """
    start = end = SchemaPlace(spec_of(document), document)
    trail = []
    for step in path:
        while isinstance(node := node_at(end), dict) and step not in node and "$ref" in node:
            trail.append((start, end))
            start = end = target_of(end, node["$ref"])
        end = end.down(step)
    trail.append((start, end))
    return trail


def node_at(place: SchemaPlace) -> Any:
    """Return the schema at a position."""
    node: Any = _schemas()[_file(place.document)]
    for step in place.steps:
        node = node[step]
    return node


def target_of(place: SchemaPlace, reference: str) -> SchemaPlace:
    """Return the position that a `$ref` at a position leads to."""
    name, _, fragment = reference.partition("#")
    steps = steps_of(fragment)
    if not name:
        return SchemaPlace(place.spec, place.document, steps)
    # Only one version of each document is published, as in `../../atdf/1.0/tool.schema.json`.
    *folders, file = name.split("/")
    spec = folders[-2] if folders[2:] else place.spec
    return SchemaPlace(spec, file.removesuffix(".schema.json"), steps)


def _key(place: SchemaPlace) -> tuple[str, str, str]:
    return place.spec, place.document, place.pointer


@cache
def _owners() -> Mapping[tuple[str, str, str], str]:
    return MappingProxyType(
        {
            (clause.spec, clause.document, pointer): clause.id
            for clause in clauses().values()
            if clause.document is not None
            for pointer in clause.at
        }
    )


@cache
def _schemas() -> Mapping[Path, Mapping[str, Any]]:
    return MappingProxyType(
        {
            path: json.loads(path.read_text(encoding="utf-8"))
            for path in SCHEMAS.glob("*/*/*.schema.json")
        }
    )


def spec_of(document: str) -> str:
    """Return the specification that publishes a document; raises `KeyError` if none does."""
    return _file(document).parent.parent.name


@cache
def _file(document: str) -> Path:
    name = f"{document}.schema.json"
    found = next((path for path in _schemas() if path.name == name), None)
    if found is None:
        raise KeyError(f"{document!r} is none of {', '.join(sorted(p.name for p in _schemas()))}")
    return found


@cache
def _registry() -> SchemaRegistry:
    registry: SchemaRegistry = METASCHEMAS.with_resources(
        (schema["$id"], DRAFT202012.create_resource(schema)) for schema in _schemas().values()
    )
    return registry.crawl()
