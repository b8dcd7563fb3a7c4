"""Finds the problems in all parts of an OpenAPI description that tools are made from.

Serves HTTP-OAS-001 and HTTP-OAS-002 for a description without a server. References to other
documents are not followed. Callbacks, webhooks, security and examples are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from conformance.formats.catalog.openapi import DOCUMENT, METHODS, OPERATION, of_document
from conformance.formats.catalog.openapi_schema import (
    LeadsElsewhere,
    LeadsNowhere,
    holds,
    modern,
    place_in,
)
from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.schema.schemas import schema_faults
from conformance.spec.messages import Message, message

_WHERE = ("path", "query", "header", "cookie")
_NAMED = frozenset(
    {
        "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas",
        "responses", "parameters", "requestBodies", "headers", "links", "callbacks", "pathItems",
        "paths", "content", "encoding", "webhooks", "securitySchemes", "mediaTypes",
    }
)  # fmt: skip
"""Members whose own members have names that the author chose."""
FIELDS: Mapping[str, frozenset[str]] = {
    "document": frozenset({
        "openapi", "$self", "info", "jsonSchemaDialect", "servers", "paths", "webhooks",
        "components", "security", "tags", "externalDocs",
    }),
    "path": frozenset({
        *METHODS, "additionalOperations", "summary", "description", "servers", "parameters",
    }),
    "operation": frozenset({
        "tags", "summary", "description", "externalDocs", "operationId", "parameters",
        "requestBody", "responses", "callbacks", "deprecated", "security", "servers",
    }),
    "parameters": frozenset({
        "name", "in", "description", "required", "deprecated", "allowEmptyValue", "style",
        "explode", "allowReserved", "schema", "example", "examples", "content",
    }),
    "requestBody": frozenset({"description", "content", "required"}),
    "responses": frozenset({"summary", "description", "headers", "content", "links"}),
    "content": frozenset({
        "schema", "itemSchema", "example", "examples", "encoding", "prefixEncoding", "itemEncoding",
    }),
}  # fmt: skip
"""The fixed fields of an OpenAPI description and of its parts, in any of its versions."""
_DATA = frozenset({"default", "enum", "const", "example", "examples", "value"})
_WHOLE = "ATDF-TOOL-005"
_Node = Mapping[str, Any]


def openapi_problems(data: _Node) -> Iterator[Problem]:
    """Yield each problem of a description of a known version."""
    yield from of_document(data)
    yield from _dangling(data)
    yield from _operations(data)
    old, newest = (str(data["openapi"]).startswith(each) for each in ("3.0", "3.2"))
    for place, parameter in _parts(data, "parameters"):
        yield from _of_parameter(place, parameter, newest=newest)
    for place, body in _parts(data, "requestBody"):
        yield from _lacks(place, body, "content")
    for place, response in _parts(data, "responses"):
        if not newest:
            yield from _lacks(place, response, "description")
    for place, schema in schemas_in(data):
        yield from _of_schema(data, place, schema, old=old)


def incomplete(data: _Node) -> Iterator[Problem]:
    """Yield what the tools of a description lack, since it refers to it and does not have it."""
    yield from _dangling(data)
    for place, item, operation in _each_operation(data):
        yield from _of_path(data, place, (item.get("parameters"), operation.get("parameters")))


def _lacks(place: Place, node: _Node, *names: str) -> Iterator[Problem]:
    """Yield the problem that the first of `names` is missing, if none of them is there."""
    if not any(name in node for name in names):
        yield problem(place, "required", message("documents.openapi.missing", member=names[0]))


def _objects(node: Any, place: Place = ()) -> Iterator[tuple[Place, _Node]]:
    """Yield the objects in a list, or among an object's members, that are not references."""
    listed: Any = enumerate(node) if isinstance(node, list) else ()
    listed = node.items() if isinstance(node, dict) else listed
    for step, each in listed:
        if isinstance(each, dict) and not isinstance(each.get("$ref"), str):
            yield (*place, step), each


def _each_operation(data: _Node) -> Iterator[tuple[Place, _Node, _Node]]:
    """Yield the place of each operation, its path item, and the operation."""
    for place, item in _objects(data.get("paths"), ("paths",)):
        for method in METHODS:
            if isinstance(item.get(method), dict):
                yield (*place, method), item, item[method]


def _operations(data: _Node) -> Iterator[Problem]:
    """Yield the problems of the operations themselves."""
    taken = set()
    for place, item, operation in _each_operation(data):
        name = operation.get("operationId")
        if isinstance(name, str):
            if name in taken:
                said = message("documents.openapi.operation_twice", name=shown(name))
                yield problem((*place, "operationId"), "uniqueItems", said)
            taken.add(name)
        if str(data["openapi"]).startswith("3.0"):
            yield from _lacks(place, operation, "responses")
        yield from _of_path(data, place, (item.get("parameters"), operation.get("parameters")))


def _of_path(data: _Node, place: Place, listed: tuple[Any, ...]) -> Iterator[Problem]:
    """Yield a problem for each name in a path that no parameter has."""
    known = set()
    for each in chain.from_iterable(one for one in listed if isinstance(one, list)):
        found = each
        if isinstance(each, dict) and isinstance(each.get("$ref"), str):
            found = _led_to(data, each["$ref"])
        if not isinstance(found, dict) or "$ref" in found:
            return  # it may be the one that is missing
        if found.get("in") == "path":
            known.add(found.get("name"))
    for part in str(place[1]).split("{")[1:]:
        name = part.split("}")[0]
        if name not in known:
            said = message("documents.openapi.path_parameter", name=shown(name))
            yield problem(place, "required", said)


def _parts(data: _Node, member: str) -> Iterator[tuple[Place, _Node]]:
    """Yield the parameters, bodies or answers of all operations, and those of the components."""
    if member == "parameters":
        for place, item in _objects(data.get("paths"), ("paths",)):
            yield from _objects(item.get(member), (*place, member))
    for place, _, operation in _each_operation(data):
        held, at = operation.get(member), (*place, member)
        if member != "requestBody":
            yield from _objects(held, at)
        elif isinstance(held, dict) and not isinstance(held.get("$ref"), str):
            yield at, held
    components = data.get("components")
    name = "requestBodies" if member == "requestBody" else member
    if isinstance(components, dict):
        yield from _objects(components.get(name), ("components", name))


def fixed_parts(data: _Node) -> Iterator[tuple[Place, _Node, frozenset[str]]]:
    """Yield each part of a description that has fixed fields, with their names."""
    yield (), data, FIELDS["document"]
    for place, item in _objects(data.get("paths"), ("paths",)):
        if str(place[1]).startswith("/"):
            yield place, item, FIELDS["path"]
    for place, _, operation in _each_operation(data):
        yield place, operation, FIELDS["operation"]
    for member in ("parameters", "requestBody", "responses"):
        for place, part in _parts(data, member):
            yield place, part, FIELDS[member]
            for at, media in _objects(part.get("content"), (*place, "content")):
                yield at, media, FIELDS["content"]


def _of_parameter(place: Place, parameter: _Node, *, newest: bool) -> Iterator[Problem]:
    yield from _lacks(place, parameter, "name")
    yield from _lacks(place, parameter, "in")
    yield from _lacks(place, parameter, "schema", "content")
    where = parameter.get("in")
    allowed = (*_WHERE, "querystring") if newest else _WHERE
    if "in" in parameter and where not in allowed:
        words = ", ".join(shown(each) for each in allowed)
        said = message("documents.keyword.enum", value=shown(where), allowed=words)
        yield problem((*place, "in"), "enum", said)
    if where == "path" and parameter.get("required") is not True:
        said = message("documents.openapi.missing", member="required: true")
        yield problem(place, "required", said)


def schemas_in(data: _Node) -> Iterator[tuple[Place, Any]]:
    """Yield the schemas of parameters, bodies and answers, and those of the components."""
    holders = [each for member in ("parameters", "requestBody", "responses")
               for each in _parts(data, member)]  # fmt: skip
    for place, holder in holders:
        if "schema" in holder:
            yield (*place, "schema"), holder["schema"]
        for at, media in _objects(holder.get("content"), (*place, "content")):
            if "schema" in media:
                yield (*at, "schema"), media["schema"]
    components = data.get("components")
    known = components.get("schemas") if isinstance(components, dict) else None
    for name, schema in known.items() if isinstance(known, dict) else ():
        yield ("components", "schemas", name), schema


def _of_schema(data: _Node, place: Place, schema: Any, *, old: bool) -> Iterator[Problem]:
    """Yield the problems of a schema, except its references, which `_dangling` checks."""
    if isinstance(schema, bool) and not old:
        return
    if not isinstance(schema, dict):
        said = message("documents.keyword.type", expected="object", value=shown(schema))
        yield _of_schema_at(place, said)
        return
    for fault in schema_faults(modern(schema) if old else schema, is_whole=True):
        if fault.clause != _WHOLE:
            yield _of_schema_at(_there(data, (*place, *fault.place)), fault.message)


def _of_schema_at(place: Place, said: Message) -> Problem:
    return problem(place, OPERATION, said, clause=OPERATION)


def _there(data: Any, place: Place) -> Place:
    """Return the part of a place that the document has: a converted 3.0 schema may differ."""
    for count, step in enumerate(place):
        if not holds(data, step):
            return place[:count]
        data = data[step]
    return place


def _dangling(data: _Node) -> Iterator[Problem]:
    """Yield the references within the document that have no target."""
    waiting: list[tuple[Place, Any, bool]] = [((), data, False)]
    while waiting:
        place, node, named = waiting.pop()
        if isinstance(node, list):
            waiting += reversed([((*place, i), each, False) for i, each in enumerate(node)])
        if not isinstance(node, dict) or (place and not named and isinstance(node.get("$id"), str)):
            continue  # a schema with an `$id` is a separate document
        reference = node.get("$ref")
        if not named and isinstance(reference, str) and _led_to(data, reference) is None:
            said = message("documents.openapi.reference", reference=shown(reference))
            yield problem((*place, "$ref"), "$ref", said, clause=DOCUMENT)
        waiting += reversed(
            [
                ((*place, name), each, not named and name in _NAMED)
                for name, each in node.items()
                if named or not (name in _DATA or name.startswith("x-"))
            ]
        )


def _led_to(data: Any, reference: str) -> Any:
    """Return the target of a reference; None if the document has no such place.

    A reference to another document, or to a name inside this one, is returned unchanged.
    """
    try:
        _, found = place_in(data, reference)
    except LeadsElsewhere:
        return reference
    except LeadsNowhere:
        return None
    return True if found is None else found
