"""Hints about a document: nothing that its format forbids, but most likely a slip of its author."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from conformance.formats.catalog.openapi_problems import fixed_parts, schemas_in
from conformance.formats.problem import (
    MISSPELLED,
    NO_VALUE,
    ODD_NAME,
    UNDECLARED,
    UNFILLED,
    Place,
    Problem,
    problem,
    shown,
)
from conformance.formats.schema.metaschema import keywords
from conformance.formats.schema.positions import positions
from conformance.formats.tool import declared
from conformance.formats.tool.meta import ONLY_IN_MCP, PORTABLE_NAME
from conformance.formats.validate.recognize import one_slip
from conformance.formats.validate.rules import OPEN, undeclared
from conformance.formats.validate.subject import Subject, subjects
from conformance.spec.members import Places, members
from conformance.spec.messages import message
from conformance.spec.published import SchemaPlace, spec_of

_COMPARED, _MOST = 1_000, 100
"""The most names that are compared with known ones, and the most names that are listed."""
_NAME = 40
_REQUIRED = "required"
_IN_BRACES = re.compile(r"\{([^{}]+)\}")
_PREFIXED = ("x-", "$", "@")
"""How a name begins that somebody added on purpose; one with a dot or a slash was, too."""
_OF_OPENAPI = frozenset({"discriminator", "example", "externalDocs", "nullable", "xml"})
"""Keywords that OpenAPI adds to those of JSON Schema."""

_BOUNDS = (
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
"""Keywords of a schema that together may leave no value."""

_Strange = tuple[Place, str, Mapping[str, Any], Collection[str]]
"""A member that is not known: its place and name, the object, and the known names."""


def hints(document: str, data: Any) -> Iterator[Problem]:
    """Yield what is most likely a slip: misspelled members, odd names, bounds without a value.

    So is a name in an endpoint that no input has.
    """
    yield from _misspelled(chain(_of_schemas(document, data), _of_members(document, data)))
    yield from islice(_of_tools(document, data), _MOST)


def told_once(wrong: Iterable[Problem], found: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems and the hints of a document, each mistake once.

    If a required member is only misspelled, that is one problem, at the place of the misspelled
    name.
    """
    slips = [*found]
    meant = {
        (each.place[:-1], dict(each.message.values)["known"]): each
        for each in slips
        if each.keyword == MISSPELLED
    }
    told = []
    for each in wrong:
        values = dict(each.message.values) if each.keyword == _REQUIRED else {}
        name = values.get("name", values.get("member"))
        slip = meant.get((each.place, name)) if name is not None else None
        if slip is None:
            yield each
            continue
        told.append(slip)
        said = message(f"{slip.message.id}.{_REQUIRED}", **dict(slip.message.values))
        yield problem(slip.place, _REQUIRED, said, clause=each.clause, tool=each.tool)
    yield from (each for each in slips if each not in told)


def hints_of_schema(schema: Any) -> Iterator[Problem]:
    """Yield the hints about a JSON Schema alone."""
    yield from _misspelled(_keywords((), schema))
    for place, name in islice(undeclared(schema), _MOST):
        yield problem(place, UNDECLARED, message("documents.tool.undeclared", name=shown(name)))
    yield from islice(_without_value(schema), _MOST)


def hints_of_openapi(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the misspelled members of an OpenAPI description, and the bounds without a value in its
    schemas.
    """
    fixed = (_strange(*each) for each in fixed_parts(data))
    free = (_keywords(place, schema) for place, schema in schemas_in(data))
    yield from islice(_misspelled(chain.from_iterable(chain(fixed, free))), _MOST)
    found = (
        problem((*place, *each.place), NO_VALUE, each.message)
        for place, schema in schemas_in(data)
        for each in _without_value(schema)
    )
    yield from islice(found, _MOST)


def _of_tools(document: str, data: Any) -> Iterator[Problem]:
    """Yield the names that not every client accepts, those in endpoints that no input has, and the
    bounds that leave no value.
    """
    for subject in subjects(document, data) if isinstance(data, dict) else ():
        name = subject.name
        if not subject.described and name and not PORTABLE_NAME.fullmatch(name):
            said = message("finding.mcp.tool_name", name=shown(name), length=len(name))
            yield problem(subject.at("name"), ODD_NAME, said, tool=name)
        for unfilled in [] if subject.described else _unfilled(subject):
            said = message("documents.tool.unfilled", name=shown(unfilled, _NAME))
            yield problem(subject.at("invocation", "endpoint"), UNFILLED, said, tool=name)
        for each in _without_value(subject.schema):
            yield problem(subject.declared_at(each.place), NO_VALUE, each.message, tool=name)
        member, schema = declared.output_schema(subject.item) or ("", None)
        for each in _without_value(schema):
            yield problem(subject.at(member, *each.place), NO_VALUE, each.message, tool=name)


_DECLARES = OPEN | {"else", "dependentSchemas", "dependencies"}
"""With one of these keywords, a schema may know more names than those of `properties`."""


def _unfilled(subject: Subject) -> Iterator[str]:
    """Yield the names in braces in a tool's endpoint that its schema does not declare.

    A schema that may declare more elsewhere says nothing of them.
    """
    invocation, schema = subject.item.get("invocation"), subject.schema
    if schema is None:
        return
    endpoint = invocation.get("endpoint") if isinstance(invocation, dict) else None
    properties = schema.get("properties", {})
    if isinstance(schema.get("additionalProperties"), dict):
        return
    if isinstance(endpoint, str) and isinstance(properties, dict) and _DECLARES.isdisjoint(schema):
        named = dict.fromkeys(_IN_BRACES.findall(endpoint))
        yield from (name for name in named if name not in properties)


def _without_value(schema: Any) -> Iterator[Problem]:
    """Yield the lower bounds of a schema that are above the upper one, and each empty `enum`."""
    for place, _, node in positions(schema):
        if node.get("enum") == []:
            yield problem((*place, "enum"), NO_VALUE, message("documents.schema.empty_enum"))
        for low, high in _BOUNDS:
            least, most = node.get(low), node.get(high)
            if not (isinstance(least, int | float) and isinstance(most, int | float)):
                continue
            if isinstance(least, bool) or isinstance(most, bool):
                continue  # a flag of draft 4
            if least > most or (least == most and "exclusive" in low + high):
                bounds = {"least": shown(least), "most": shown(most)}
                said = message("documents.schema.no_value", low=low, high=high, **bounds)
                yield problem((*place, low), NO_VALUE, said)


def _of_members(document: str, data: Any) -> Iterator[_Strange]:
    """Yield the members that the published schema does not know."""
    waiting: list[tuple[Place, Places, Any]] = [
        ((), (SchemaPlace(spec_of(document), document),), data)
    ]
    while waiting:
        place, schemas, value = waiting.pop()
        known = members(schemas)
        if isinstance(value, dict):
            if not known.others:
                more = ONLY_IN_MCP if "inputSchema" in known.named else frozenset()
                yield from _strange(place, value, known.named.keys() | more)
            for name, inner in value.items():
                below = known.named.get(name, known.others)
                if below and isinstance(inner, dict | list):
                    waiting.append(((*place, name), below, inner))
        elif isinstance(value, list) and known.items:
            waiting += [
                ((*place, index), known.items, each)
                for index, each in enumerate(value)
                if isinstance(each, dict | list)
            ]


def _of_schemas(document: str, data: Any) -> Iterator[_Strange]:
    """Yield the unknown keywords in the schemas of the tools of a document."""
    for subject in subjects(document, data) if isinstance(data, dict) else ():
        if not subject.described:
            yield from _keywords(subject.at("inputSchema"), subject.schema)
        output = declared.output_schema(subject.item)
        if output is not None:
            yield from _keywords(subject.at(output[0]), output[1])


def _keywords(at: Place, schema: Any) -> Iterator[_Strange]:
    known = keywords() | _OF_OPENAPI
    for place, _, node in positions(schema):
        yield from _strange((*at, *place), node, known)


def _strange(place: Place, value: Mapping[str, Any], known: Collection[str]) -> Iterator[_Strange]:
    """Yield the names that are not known, and that have no prefix."""
    for name in value:
        if name not in known and not (name.startswith(_PREFIXED) or "." in name or "/" in name):
            yield (*place, name), name, value, known


def _is_near(name: str, known: str) -> bool:
    """Return whether a name is one typo from a known one, or the known one without its `_name`."""
    return one_slip(name.lower(), known.lower()) or f"{name}_name" == known


def _misspelled(strange: Iterator[_Strange]) -> Iterator[Problem]:
    told = set()
    for place, name, value, known in islice(strange, _COMPARED):
        likely = (each for each in sorted(known) if _is_near(name, each))
        near = next((each for each in likely if each not in value), None)
        if near is not None and place not in told:
            told.add(place)
            said = message("documents.misspelled", name=shown(name, _NAME), known=near)
            yield problem(place, MISSPELLED, said)
