"""Finds out whether a foreign JSON Schema can be used: valid, whole, and not too large.

Serves ATDF-TOOL-003, ATDF-TOOL-004 and ATDF-TOOL-005. Nothing is ever fetched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from jsonschema_specifications import (
    REGISTRY as METASCHEMAS,
)
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT3, DRAFT4, DRAFT202012, SchemaRegistry, specification_with

from conformance.formats.problem import Place, shown
from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.formats.schema.metaschema import is_surely_valid
from conformance.formats.schema.positions import positions
from conformance.formats.schema.references import NAMING
from conformance.formats.schema.uri import has_long_host, urlsplit
from conformance.formats.schema.work import quick
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import JsonType

DEEPEST = 128
"""The most levels of JSON. The validator needs several calls of the interpreter for each."""

LONGEST = 1_000_000
"""The most characters of JSON text. Checking takes about 1.5 ms for each thousand."""

_MOST_FAULTS = 10
_TYPES = ", ".join(f"`{each}`" for each in (*JsonType, "null"))
_REMEMBERED_LENGTH = 20_000
NEWEST = "https://json-schema.org/draft/2020-12/schema"
_ROOT = "urn:agent-formats:schema"
_VALID = "ATDF-TOOL-004"
_WHOLE = "ATDF-TOOL-005"


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """A fault at `place` inside a schema, and the clause that it breaks."""

    place: Place
    keyword: str
    clause: str
    message: Message


def schema_faults(schema: Mapping[str, Any], *, is_whole: bool = False) -> tuple[SchemaFault, ...]:
    """Return at most ten faults that make `schema` unusable; empty if it has none.

    `is_whole`: its references are known to lead to its own definitions.
    """
    if deeper_than(schema, DEEPEST):
        said = message("documents.schema.too_deep", limit=DEEPEST)
        return (SchemaFault((), _VALID, _VALID, said),)
    try:
        text = json.dumps(schema)
    except (TypeError, ValueError) as error:  # a value that JSON text cannot have
        said = message("documents.schema.invalid", keyword="$schema", value=shown(str(error)))
        return (SchemaFault((), _VALID, _VALID, said),)
    if len(text) > LONGEST:
        said = message("documents.schema.too_long", limit=LONGEST)
        return (SchemaFault((), _VALID, _VALID, said),)
    if "\\u" in text and 'id"' in text:  # others have no long id, and need no search for one
        for place, value in _ids(schema):
            if has_long_host(value):
                return (_odd(place, value),)
    if len(text) <= _REMEMBERED_LENGTH:
        return _remembered(text)
    return _faults(schema, is_whole=is_whole)


def deeper_than(value: Any, limit: int) -> bool:
    """Return whether arrays and objects in `value` are nested more than `limit` deep."""
    level = [value]
    for _ in range(limit + 1):
        level = [
            each
            for node in level
            if isinstance(node, dict | list)
            for each in (node.values() if isinstance(node, dict) else node)
            if isinstance(each, dict | list)
        ]
        if not level:
            return False
    return True


@lru_cache(maxsize=2048)
def _remembered(text: str) -> tuple[SchemaFault, ...]:
    return _faults(json.loads(text), is_whole=False)


def _faults(schema: Mapping[str, Any], *, is_whole: bool) -> tuple[SchemaFault, ...]:
    kind = dialect_of(schema)
    if kind is None:
        said = message("documents.schema.dialect", dialect=shown(schema["$schema"]))
        return (SchemaFault(("$schema",), _VALID, _VALID, said),)
    try:
        with ends_in_recursion_error():
            invalid = tuple(islice(_invalid(kind, schema), _MOST_FAULTS))
            if invalid or is_whole:
                return invalid
            return tuple(islice(_dangling(schema), _MOST_FAULTS))
    except RecursionError:
        said = message("documents.schema.too_deep", limit=DEEPEST)
        return (SchemaFault((), _VALID, _VALID, said),)


def dialect_of(schema: Mapping[str, Any]) -> type[Validator] | None:
    """Return the validator of the dialect in `$schema`, by default 2020-12; None if unknown."""
    if "$schema" not in schema:
        return Draft202012Validator
    if not isinstance(schema["$schema"], str) or has_long_host(schema["$schema"]):
        return None
    found: type[Validator] | None
    try:
        found = validator_for(schema, default=None)  # type: ignore[arg-type]  # None is handed back
    except ValueError:  # such as `http://[`
        return None
    return found


def _invalid(kind: type[Validator], schema: Mapping[str, Any]) -> Iterator[SchemaFault]:
    """Yield the faults by the metaschema.

    A definition that several schemas share is checked once.
    """
    if kind is Draft202012Validator and is_surely_valid(schema):
        return
    parts = schema.get("$defs")
    if kind is not Draft202012Validator or not isinstance(parts, dict):
        yield from _forbidden(kind, schema)
        return
    yield from _forbidden(kind, {**schema, "$defs": {}})
    for name, part in parts.items():
        text = json.dumps(part)
        found = _known_part if len(text) <= _REMEMBERED_LENGTH else _part
        for fault in found(text):
            place = ("$defs", name, *fault.place)
            yield replace(fault, place=place, keyword=str(place[-1]))


def _part(text: str) -> tuple[SchemaFault, ...]:
    return tuple(islice(_forbidden(Draft202012Validator, json.loads(text)), _MOST_FAULTS))


_known_part = lru_cache(maxsize=2048)(_part)


def _forbidden(kind: type[Validator], schema: Any) -> Iterator[SchemaFault]:
    """Yield the faults by the metaschema, one for each place: many of its parts overlap."""
    meta = quick(kind)(kind.META_SCHEMA, registry=METASCHEMAS)
    seen: set[Place] = set()
    for error in meta.iter_errors(schema):
        fault = _fault_of(error)
        if fault.place not in seen:
            seen.add(fault.place)
            yield fault


_LISTS = frozenset({"required", "enum", "examples", "allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value has to be a list."""


def _fault_of(error: ValidationError) -> SchemaFault:
    """Return the innermost cause of an error of the metaschema, which combines many schemas."""
    while error.context:
        error = max(error.context, key=lambda each: len(each.absolute_path))
    place = tuple(error.absolute_path)
    keyword = next((each for each in reversed(place) if isinstance(each, str)), "type")
    said = message("documents.schema.invalid", keyword=keyword, value=shown(error.instance))
    if keyword == "type" and isinstance(error.instance, str):
        said = message("documents.schema.type", value=shown(error.instance), known=_TYPES)
    elif keyword in _LISTS and place[-1] == keyword and not isinstance(error.instance, list):
        said = message("documents.schema.list", keyword=keyword, value=shown(error.instance))
    return SchemaFault(place, _VALID, _VALID, said)


_FORBIDDEN = (AttributeError, TypeError)
"""Errors of the library for an embedded schema that its own dialect forbids, such as a boolean in
draft 4. The metaschema of the whole document does not report it.
"""


def _dangling(schema: Mapping[str, Any]) -> Iterator[SchemaFault]:
    """Yield the references without a target, or that lead out of the document."""
    specification = specification_with(str(schema.get("$schema", NEWEST)), DRAFT202012)
    resource = Resource.from_contents(schema, default_specification=specification)
    try:
        registry: SchemaRegistry = METASCHEMAS.with_resource(_ROOT, resource).crawl()
    except ValueError as error:  # an `$id` that is not a URI reference
        odd = ((place, value) for place, value in _ids(schema) if not _is_reference(value))
        yield _odd(*next(odd, ((), str(error))))
        return
    except _FORBIDDEN:
        embedded = (each for each in positions(schema) if each[0] and "$schema" in each[2])
        place, _, node = next(embedded, ((), "", schema))
        said = message(
            "documents.schema.invalid", keyword="$schema", value=shown(node.get("$schema"))
        )
        yield SchemaFault((*place, "$schema"), _VALID, _VALID, said)
        return
    root: Place = ()
    resolvers = {root: registry.resolver_with_root(resource)}
    for place, _, node in positions(schema):
        base = place
        while base not in resolvers:
            base = base[:-1]
        resolver = resolvers[base]
        if place and "$id" in node:
            try:
                own = Resource.from_contents(node, default_specification=specification)
                resolver = resolvers[place] = resolver.in_subresource(own)
            except (ValueError, *_FORBIDDEN):
                said = message("documents.schema.invalid", keyword="$id", value=shown(node["$id"]))
                yield SchemaFault((*place, "$id"), _VALID, _VALID, said)
                return
        for keyword in NAMING:
            reference = node.get(keyword)
            if isinstance(reference, str):
                try:
                    found = None if has_long_host(reference) else resolver.lookup(reference)
                except (Unresolvable, ValueError, *_FORBIDDEN):
                    found = None
                if found is None:
                    said = _leads_out(keyword, reference)
                    yield SchemaFault((*place, keyword), _WHOLE, _WHOLE, said)


def _odd(place: Place, value: str) -> SchemaFault:
    """Return the fault of an id that is not a URI reference."""
    keyword = place[-1] if place else "$id"
    said = message("documents.schema.invalid", keyword=keyword, value=shown(value))
    return SchemaFault(place, _VALID, _VALID, said)


def _ids(schema: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield each id, with its place: the member that the dialect there takes for one."""
    members: dict[Place, str] = {(): "$id"}
    for place, _, node in positions(schema):
        base = place
        while base not in members:
            base = base[:-1]
        if isinstance(node.get("$schema"), str):
            found = specification_with(node["$schema"], DRAFT202012)
            members[place] = "id" if found in (DRAFT3, DRAFT4) else "$id"
            base = place
        if isinstance(node.get(members[base]), str):
            yield (*place, members[base]), node[members[base]]


def _is_reference(value: str) -> bool:
    try:
        urlsplit(value)
    except ValueError:
        return False
    return True


def _leads_out(keyword: str, reference: str) -> Message:
    outside = reference.startswith(("http:", "https:", "//"))
    word = "documents.schema.remote_ref" if outside else "documents.schema.dangling_ref"
    return message(word, keyword=keyword, ref=shown(reference))
