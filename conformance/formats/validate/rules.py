"""The rules of documents that no schema can express: the clauses that are verified `static`.

Each rule yields the problems of one tool; `RULES` names the clause of each rule. The rules of ARDF
are in the room `resource`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from jsonschema.exceptions import ValidationError

from conformance.formats.problem import Place, Problem, json_path, problem, shown
from conformance.formats.resource.collection_rules import MOST_TOLD, ardf_problems
from conformance.formats.runtime.rules import DOCUMENTS as RUNTIME_DOCUMENTS
from conformance.formats.runtime.rules import runtime_problems
from conformance.formats.schema.blank import is_blank
from conformance.formats.schema.instances import Instances, Unjudgeable, nearest
from conformance.formats.schema.keyword_words import words
from conformance.formats.schema.positions import positions
from conformance.formats.schema.schemas import SchemaFault, schema_faults
from conformance.formats.tool import declared, placeholders
from conformance.formats.validate.subject import Subject, subjects
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import JsonType

Broken = tuple[Place, Message]
"""Where a rule is broken, and the message."""

_UNIONS = frozenset(
    {"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
)
"""Keywords whose schemas are only parts: what they require may be declared elsewhere."""

_NULL = "null"
_BRANCHES = (("anyOf",), ("oneOf",))
"""Places at which `null` is one of several forms: the parameter is nullable."""

OPEN = frozenset({"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "then"})
"""With one of these keywords, `properties` need not have all that is declared."""

_VERSION = re.compile(r"0\.[12](\.[0-9]{1,9})?|[12](\.[0-9]{1,9}){0,3}")

INSIDE = "catalog"
"""The keyword of a problem that replaces all others at its place."""

_MOST = 10
"""The most problems that one rule reports for one tool; more would tell nothing new."""


def semantic_problems(document: str, data: Mapping[str, Any]) -> list[Problem]:
    """Return the problems that no schema finds; `document` is a name in `recognize.TABLE`."""
    if document in RUNTIME_DOCUMENTS:
        return runtime_problems(document, data)
    if document == "error":
        return list(islice(_errors(data), MOST_TOLD))
    if document in ("resource", "collection", "manifest"):
        return ardf_problems(document, data)
    found: list[Problem] = []
    if document == "catalog":
        between = chain(_names(data), _own_absent_tools(data), _catalogs_inside(data))
        found += islice(between, MOST_TOLD)
    for subject in subjects(document, data):
        if len(found) > 2 * MOST_TOLD:
            break
        faults = list(_input_faults(subject))
        wrong = {place for place, _ in faults}
        usable = subject.schema is not None and not faults
        readable = usable or (subject.schema is not None and subject.declared_at(()) not in wrong)
        for place, fault in (*faults, *_output_faults(subject)):
            clause = fault.clause
            found.append(problem(place, clause, fault.message, clause=clause, tool=subject.name))
        for clause, rule, needs in RULES:
            if {_NOTHING: True, _SCHEMA: readable, _VALID: usable}[needs]:
                for each in _broken(clause, rule, subject):
                    if rule is not _types or wrong.isdisjoint((each.place, each.place[:-1])):
                        found.append(each)
    return found


def _broken(
    clause: str, rule: Callable[[Subject], Iterator[Broken]], subject: Subject
) -> Iterator[Problem]:
    try:
        for place, said in islice(rule(subject), _MOST):
            yield problem(place, clause, said, clause=clause, tool=subject.name)
    except Unjudgeable as error:
        place = subject.declared_at(())
        yield problem(place, "unjudgeable", error.reason, tool=subject.name)


def _catalogs_inside(data: Mapping[str, Any]) -> Iterator[Problem]:
    """ATDF-CAT-001, for a whole catalog in the place of a tool."""
    listed = data.get("tools")
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(item, dict) and isinstance(item.get("tools"), list) and "name" not in item:
            said = message("documents.catalog.inside")
            yield problem(("tools", index), INSIDE, said, clause="ATDF-CAT-001")


def _names(data: Mapping[str, Any]) -> Iterator[Problem]:
    seen: set[str] = set()
    for subject in subjects("catalog", data):
        name = subject.name
        if name is not None and name in seen:
            said = message("documents.catalog.name_twice", name=shown(name))
            place = subject.at(subject.name_member)
            yield problem(place, "ATDF-CAT-002", said, clause="ATDF-CAT-002", tool=name)
        seen |= {name} if name is not None else set()


def _own_absent_tools(data: Mapping[str, Any]) -> Iterator[Problem]:
    """ATDF-ENH-007, unless the catalog is one page of many."""
    if "nextCursor" not in data:
        yield from absent_tools(data, {each.name for each in subjects("catalog", data)})


def absent_tools(data: Mapping[str, Any], known: Container[str | None]) -> Iterator[Problem]:
    """ATDF-ENH-007, for a page of a catalog whose tools have the names in `known`."""
    for subject in subjects("catalog", data):
        for place, name in _prerequisites(subject):
            if name not in known:
                said = message("documents.reference.nowhere", name=shown(name))
                clause = "ATDF-ENH-007"
                yield problem(place, clause, said, clause=clause, tool=subject.name)


def _prerequisites(subject: Subject) -> Iterator[tuple[Place, str]]:
    """Yield the names of the tools that a tool needs, with their places."""
    needed = subject.item.get("prerequisites")
    names = needed.get("tools") if isinstance(needed, dict) else None
    for index, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str):
            yield subject.at("prerequisites", "tools", index), name


def _errors(data: Mapping[str, Any]) -> Iterator[Problem]:
    listed = data.get("errors")
    for index, error in enumerate(listed if isinstance(listed, list) else ()):
        for inside in placeholders.in_error(error) if isinstance(error, dict) else ():
            said = message("documents.placeholder")
            place = ("errors", index, *inside)
            yield problem(place, "ATDF-ERR-014", said, clause="ATDF-ERR-014")


def _input_faults(subject: Subject) -> Iterator[tuple[Place, SchemaFault]]:
    """ATDF-TOOL-004 and ATDF-TOOL-005, for the inputs."""
    for fault in schema_faults(subject.schema) if subject.schema is not None else ():
        yield subject.declared_at(fault.place), fault


def _output_faults(subject: Subject) -> Iterator[tuple[Place, SchemaFault]]:
    """Yield the faults of an output that is a schema (ATDF-TOOL-004, ATDF-TOOL-005)."""
    output = declared.output_schema(subject.item)
    if output is not None:
        member, schema = output
        for fault in schema_faults(schema):
            yield subject.at(member, *fault.place), fault


def _examples(subject: Subject) -> Iterator[Broken]:
    """Yield what is invalid in the inputs of the examples (ATDF-TOOL-006)."""
    listed = subject.item.get("examples")
    assert subject.schema is not None
    judge = Instances(subject.schema)
    for index, each in enumerate(listed if isinstance(listed, list) else ()):
        read = declared.example(each, index)
        if read is not None:
            at = subject.at("examples", index, read[1])
            yield from _invalid(judge, read[0].input, at)


def _types(subject: Subject) -> Iterator[Broken]:
    """Yield each unknown type once, with all parameters that use it (ATDF-TOOL-007)."""
    known = ", ".join(JsonType)
    found: dict[str, dict[str, Place]] = {}
    for kind, place, name in _typed(subject):
        if kind not in list(JsonType):
            found.setdefault(kind, {}).setdefault(name or json_path(place), place)
    for kind, places in found.items():
        some = [shown(name) for name in islice(places, _MOST)]
        names = ", ".join(some + ["…"] * (len(places) > _MOST))
        said = message("documents.tool.other_type", type=shown(kind), names=names, types=known)
        yield next(iter(places.values())), said


def _typed(subject: Subject) -> Iterator[tuple[str, Place, str | None]]:
    """Yield each type that is used, its place, and its parameter."""
    if subject.described:
        inputs = subject.item["how_to_use"].get("inputs", [])
        for index, each in enumerate(inputs):
            if isinstance(each, dict) and isinstance(each.get("type"), str):
                place = subject.at("how_to_use", "inputs", index, "type")
                name = each.get("name")
                yield each["type"], place, name if isinstance(name, str) else None
    for inside, _, node in positions(subject.schema):
        kind, name = node.get("type"), str(inside[1]) if inside[:1] == ("properties",) else None
        if isinstance(kind, str) and not (kind == _NULL and inside[-2:-1] in _BRANCHES):
            yield kind, subject.declared_at((*inside, "type")), name
        for index, each in enumerate(kind if isinstance(kind, list) else ()):
            if isinstance(each, str) and (each != _NULL or kind == [_NULL]):
                yield each, subject.declared_at((*inside, "type", index)), name


def _descriptions(subject: Subject) -> Iterator[Broken]:
    """Yield the parameters without a description (ATDF-TOOL-008)."""
    schema = subject.schema or {}
    properties = schema.get("properties")
    for name, node in properties.items() if isinstance(properties, dict) else ():
        if not _described(node, schema):
            said = message("documents.tool.undescribed", name=shown(name))
            place = subject.declared_at(("properties", name))
            yield place[:-1] if place[-1] == "schema" else place, said


def _described(node: Any, root: Mapping[str, Any]) -> bool:
    """Return whether a parameter has a description, or its definition has one."""
    for _ in range(5):
        if not isinstance(node, dict):
            return False
        text = node.get("description")
        if isinstance(text, str) and not is_blank(text):
            return True
        reference = node.get("$ref")
        parts = reference.split("/") if isinstance(reference, str) else []
        if parts[:2] not in (["#", "$defs"], ["#", "definitions"]) or len(parts) != 3:
            return False
        known = root.get(parts[1])
        node = known.get(parts[2]) if isinstance(known, dict) else None
    return False


def _required(subject: Subject) -> Iterator[Broken]:
    """Yield the names in `required` that no property has (ATDF-TOOL-009)."""
    for place, name in undeclared(subject.schema):
        said = message("documents.tool.undeclared", name=shown(name))
        yield subject.declared_at(place), said


def undeclared(schema: Any) -> Iterator[tuple[Place, str]]:
    """Yield each name in `required` of a schema that no property has, with its place."""
    for place, _, node in positions(schema):
        required, properties = node.get("required"), node.get("properties", {})
        partial = not _UNIONS.isdisjoint(map(str, place)) or not OPEN.isdisjoint(node)
        if partial or not (isinstance(required, list) and isinstance(properties, dict)):
            continue
        for index, name in enumerate(required):
            if isinstance(name, str) and name not in properties:
                yield (*place, "required", index), name


def _defaults(subject: Subject) -> Iterator[Broken]:
    """Yield what is invalid in the defaults (ATDF-TOOL-009)."""
    assert subject.schema is not None
    judge = Instances(subject.schema)
    for place, _, node in positions(subject.schema):
        if "default" in node:
            at = subject.declared_at((*place, "default"))
            yield from _invalid(judge, node["default"], at, node)


def _invalid(
    judge: Instances, value: Any, at: Place, part: Mapping[str, Any] | None = None
) -> Iterator[Broken]:
    for each in judge.errors(value, part):
        error: ValidationError = nearest(each)
        yield (*at, *error.absolute_path), words(error)


def _placeholders(subject: Subject) -> Iterator[Broken]:
    """Yield the placeholders of a template that nobody filled in (ATDF-TOOL-012)."""
    for place in placeholders.in_tool(subject.item):
        yield subject.at(*place), message("documents.placeholder")
    for place, _, node in positions(subject.schema):
        if placeholders.left(node.get("description"), prose=True):
            yield subject.declared_at((*place, "description")), message("documents.placeholder")


def _inputs(subject: Subject) -> Iterator[Broken]:
    """Yield the inputs that have the name of an earlier one (ATDF-DESC-005)."""
    if not subject.described:
        return
    seen: set[str] = set()
    for index, each in enumerate(subject.item["how_to_use"].get("inputs", [])):
        name = each.get("name") if isinstance(each, dict) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            place = subject.at("how_to_use", "inputs", index, "name")
            yield place, message("documents.tool.input_twice", name=shown(name))
        seen.add(name)


def _version(subject: Subject) -> Iterator[Broken]:
    """Yield a `schema_version` that names no version of the descriptor (ATDF-DESC-007)."""
    version = subject.item.get("schema_version") if subject.described else None
    if isinstance(version, str) and not _VERSION.fullmatch(version):
        yield subject.at("schema_version"), message("documents.version", version=shown(version))


def _self_needed(subject: Subject) -> Iterator[Broken]:
    """Yield the places where a tool requires itself (ATDF-ENH-006)."""
    for place, name in _prerequisites(subject):
        if name == subject.name:
            yield place, message("documents.reference.itself", name=shown(name))


_NOTHING, _SCHEMA, _VALID = "nothing", "a schema", "a valid schema"

RULES: tuple[tuple[str, Callable[[Subject], Iterator[Broken]], str], ...] = (
    ("ATDF-TOOL-006", _examples, _VALID),
    ("ATDF-TOOL-007", _types, _SCHEMA),
    ("ATDF-TOOL-008", _descriptions, _SCHEMA),
    ("ATDF-TOOL-009", _required, _SCHEMA),
    ("ATDF-TOOL-009", _defaults, _VALID),
    ("ATDF-TOOL-012", _placeholders, _NOTHING),
    ("ATDF-DESC-005", _inputs, _VALID),
    ("ATDF-DESC-007", _version, _NOTHING),
    ("ATDF-ENH-006", _self_needed, _NOTHING),
)
"""The clause, the rule, and what it needs: nothing, an input schema, or one that is valid."""
