"""The rules of one ARDF resource that no schema can express. `RULES` names the clause of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, pairwise
from typing import Any

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.resource.content import content_kind
from conformance.formats.resource.resource import (
    BARE,
    BARE_MEMBERS,
    CONTENT_PLACE,
    Block,
    Resource,
    input_schema,
    origin,
    references,
)
from conformance.formats.schema.instances import Instances, Unjudgeable, nearest
from conformance.formats.schema.keyword_words import words
from conformance.formats.schema.schemas import schema_faults
from conformance.formats.schema.work import errors_in
from conformance.formats.tool import declared, placeholders
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import (
    ARDF_CONTENT_RESOURCE_TYPE,
    ARDF_CONTENT_WRITTEN,
    RESOURCE_TYPE_BLOCK_REQUIRED,
    RESOURCE_TYPE_BLOCKS,
    ArdfBlock,
    ArdfContent,
    ControlFlow,
    ResourceType,
)

Broken = tuple[Place, Message]
"""Where in the resource a rule is broken, and the message."""

_VARIABLE = re.compile(r"\{\{ *([A-Za-z_][A-Za-z0-9_.-]{0,199}) *\}\}")
_MOST = 10
"""The most problems that one rule reports for one resource; more would tell nothing new."""


def resource_problems(known: Resource) -> list[Problem]:
    """Return the problems of one resource that its schema does not find."""
    found = []
    for clause, rule in RULES:
        try:
            for place, said in islice(rule(known), _MOST):
                found.append(problem(known.at(*place), clause, said, clause=clause))
        except Unjudgeable as error:
            found.append(problem(known.at("how_to_use"), "unjudgeable", error.reason))
    return found


def _block_of_type(known: Resource) -> Iterator[Broken]:
    """Yield a type of resource whose block is missing (ARDF-RES-008)."""
    kind = known.type
    if kind in (None, ResourceType.CUSTOM) or "content" in known.item:
        return
    fitting = RESOURCE_TYPE_BLOCKS[kind]
    if not RESOURCE_TYPE_BLOCK_REQUIRED[kind] and not any(map(known.block, fitting)):
        place: Place = ("how_to_use",) if "how_to_use" in known.item else ()
        blocks = ", ".join(f"`{each}`" for each in fitting)
        yield place, message("documents.resource.no_block", type=kind, blocks=blocks)


def _content(known: Resource) -> Iterator[Broken]:
    """Yield what is wrong in a `content` of the dialect `ardf-content` (ARDF-RES-009)."""
    content = known.item.get("content")
    if not isinstance(content, dict) or not isinstance(content.get("type"), str):
        return
    if known.type is None:
        return  # the wrong type is the problem: it decides which kinds are allowed
    kind = content_kind(known.item)
    if kind is None:
        fitting = [each for each in ArdfContent if ARDF_CONTENT_RESOURCE_TYPE[each] == known.type]
        known_kinds = ", ".join(f"`{ARDF_CONTENT_WRITTEN[each]}`" for each in fitting)
        named = {"kind": shown(content["type"]), "type": known.type.value}
        if fitting:
            said = message("documents.resource.content_kind", **named, known=known_kinds)
        else:
            said = message("documents.resource.content_none", **named)
        yield ("content", "type"), said
        return
    block = next((each for each in known.blocks if each.place == CONTENT_PLACE), None)
    if block is None:
        return
    # The dialect requires no address: a dataset may be reached by its connector.
    data = {"endpoint": ".", **block.data} if block.without_endpoint else block.data
    probe: dict[str, Any] = {
        "schema_version": "1.0.0",
        "resource_id": "probe",
        "resource_type": "custom",
        "description": "probe",
        "how_to_use": {block.name.value: data},
    }
    for error in errors_in("resource", probe):
        yield block.at(*list(error.absolute_path)[2:]), words(error, "resource")


def _bare(known: Resource) -> Iterator[Broken]:
    """Yield the members of an invocation that are in `how_to_use` itself (ARDF-RES-011)."""
    for member in BARE_MEMBERS if BARE in known.dialects else ():
        if member in known.item["how_to_use"]:
            yield ("how_to_use", member), message("documents.resource.bare", member=member)


def _placeholders(known: Resource) -> Iterator[Broken]:
    """Yield the placeholders of a template that nobody filled in (ARDF-RES-012)."""
    for place in placeholders.in_tool(known.item):
        yield place, message("documents.placeholder")


def _names(known: Resource) -> Iterator[Broken]:
    """Yield the inputs and variables that have the name of an earlier one (ARDF-INV-002)."""
    for block, listed in _with_inputs(known):
        seen: set[str] = set()
        for index, each in enumerate(block.data[listed]):
            name = each.get("name") if isinstance(each, dict) else None
            if isinstance(name, str):
                if name in seen:
                    said = message("documents.input.twice", name=shown(name))
                    yield block.at(listed, index, "name"), said
                seen.add(name)


def _schemas(known: Resource) -> Iterator[Broken]:
    """Yield the faults of all JSON Schemas in a resource (ARDF-INV-003)."""
    for block, _ in _with_inputs(known):
        made = input_schema(block)
        for fault in schema_faults(made) if made is not None else ():
            yield origin(block, fault.place), fault.message
    for place, schema in _own_schemas(known):
        for fault in schema_faults(schema):
            yield (*place, *fault.place), fault.message


def _own_schemas(known: Resource) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield the schemas of outputs, selectors and records."""
    found: list[tuple[Place, Any]] = []
    for block in known.blocks:
        if block.name is ArdfBlock.INVOCATION and isinstance(block.data.get("outputs"), dict):
            found.append((block.at("outputs", "schema"), block.data["outputs"].get("schema")))
        if block.name is ArdfBlock.ACCESS:
            records = block.data.get("schemas")
            for name, each in records.items() if isinstance(records, dict) else ():
                found.append((block.at("schemas", name), each))
            listed = block.data.get("selectors")
            for index, each in enumerate(listed if isinstance(listed, list) else ()):
                if isinstance(each, dict):
                    found.append((block.at("selectors", index, "schema"), each.get("schema")))
    return ((place, schema) for place, schema in found if isinstance(schema, dict))


def _examples(known: Resource) -> Iterator[Broken]:
    """Yield the examples that are invalid for their inputs (ARDF-EX-002).

    A prompt's example may be a sentence; an object holds its variables.
    """
    listed = known.item.get("examples")
    for block, _ in _with_inputs(known):
        schema = input_schema(block)
        if schema is None or schema_faults(schema):
            continue
        judge = Instances(schema)
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            member = declared.input_member(each)
            if member is None:
                continue
            value = each[member]
            if block.name is ArdfBlock.CONTENT and not isinstance(value, dict):
                continue
            for error in judge.errors(value):
                cause = nearest(error)
                yield ("examples", index, member, *cause.absolute_path), words(cause)


def _with_inputs(known: Resource) -> Iterator[tuple[Block, str]]:
    """Yield the blocks that declare inputs, with the member that lists them."""
    for name, listed in ((ArdfBlock.INVOCATION, "inputs"), (ArdfBlock.CONTENT, "variables")):
        block = known.block(name)
        if block is not None and isinstance(block.data.get(listed), list):
            yield block, listed


def _order(known: Resource) -> Iterator[Broken]:
    """Yield the steps whose `order` is not above that of the step before (ARDF-COMP-002)."""
    block = known.block(ArdfBlock.COMPOSITION)
    listed = block.data.get("steps") if block is not None else None
    if block is None or not isinstance(listed, list):
        return
    numbered = [
        (index, each["order"])
        for index, each in enumerate(listed)
        if isinstance(each, dict)
        and isinstance(each.get("order"), int)
        and not isinstance(each["order"], bool)
    ]
    for (_, before), (index, order) in pairwise(numbered):
        if order <= before:
            said = message("documents.resource.order", order=shown(order), before=shown(before))
            yield block.at("steps", index, "order"), said


def _condition(known: Resource) -> Iterator[Broken]:
    """Yield a conditional composition that states no condition (ARDF-COMP-004)."""
    block = known.block(ArdfBlock.COMPOSITION)
    if block is None or block.data.get("control_flow") != ControlFlow.CONDITIONAL:
        return
    listed = block.data.get("steps")
    steps = listed if isinstance(listed, list) else []
    each_step = [each for each in steps if isinstance(each, dict)]
    if each_step and not any(each.get("condition") or each.get("notes") for each in each_step):
        yield block.at("steps"), message("documents.resource.no_condition")


def _variables(known: Resource) -> tuple[Block, list[str], list[tuple[int, str]]] | None:
    """Return the content block, the variables that its template uses, and the declared ones."""
    block = known.block(ArdfBlock.CONTENT)
    template = block.data.get("template") if block is not None else None
    if block is None or not isinstance(template, str):
        return None
    used = list(dict.fromkeys(found[1] for found in _VARIABLE.finditer(template)))
    listed = block.data.get("variables")
    named = [
        (index, each["name"])
        for index, each in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and isinstance(each.get("name"), str)
    ]
    return block, used, named


def _undeclared(known: Resource) -> Iterator[Broken]:
    """Yield the variables that a template uses and nothing declares (ARDF-CONT-002)."""
    found = _variables(known)
    if found is not None:
        block, used, named = found
        known_names = {each for _, each in named}
        for name in used:
            if name not in known_names:
                said = message("documents.resource.variable_undeclared", name=shown(name))
                yield block.at("template"), said


def _unused(known: Resource) -> Iterator[Broken]:
    """Yield the declared variables that the template does not use (ARDF-CONT-003)."""
    found = _variables(known)
    if found is not None:
        block, used, named = found
        used_names = set(used)
        for index, name in named:
            if name not in used_names:
                said = message("documents.resource.variable_unused", name=shown(name))
                yield block.at("variables", index), said


def _self_needed(known: Resource) -> Iterator[Broken]:
    """Yield the places where a resource requires itself (ARDF-PRE-002)."""
    for place, name, _ in references(known):
        if name == known.id and "prerequisites" in place:
            inside = place[len(known.place) :]
            yield inside, message("documents.reference.itself", name=shown(name))


RULES: tuple[tuple[str, Callable[[Resource], Iterator[Broken]]], ...] = (
    ("ARDF-RES-008", _block_of_type),
    ("ARDF-RES-009", _content),
    ("ARDF-RES-011", _bare),
    ("ARDF-RES-012", _placeholders),
    ("ARDF-INV-002", _names),
    ("ARDF-INV-003", _schemas),
    ("ARDF-EX-002", _examples),
    ("ARDF-COMP-002", _order),
    ("ARDF-COMP-004", _condition),
    ("ARDF-CONT-002", _undeclared),
    ("ARDF-CONT-003", _unused),
    ("ARDF-PRE-002", _self_needed),
)
"""Each clause, and its rule."""
