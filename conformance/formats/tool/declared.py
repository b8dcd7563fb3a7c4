"""Reads what a tool declares besides its name and inputs, tolerantly, from any of its forms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.tool.meta import earlier_in, held, key_in
from conformance.formats.tool.tool import (
    Annotations,
    Input,
    Invocation,
    Tool,
    ToolExample,
    ToolForm,
    Where,
    changes_things,
)
from conformance.spec.messages import message
from conformance.spec.vocabulary import MetaKey

_OURS = ("version", "tags", "examples", "tool_id")
"""Fields that an MCP tool lacks: a tool of a catalog with one of them claims ATDF."""

DIALECTS = (
    ("input_values", "goal", "example-goal"),
    ("inputs", "title", "example-title"),
)
EARLIER_KEYS = "earlier-meta-keys"
"""The dialect in which the keys of `_meta` have no domain."""
_EXAMPLES = (("input", "name", None), *DIALECTS)
"""The shapes of an example: the members with its input and its name, and the dialect."""
EXAMPLE_NAMES = tuple(name for _, name, _ in _EXAMPLES)

_ALIASES = (("input_values", "goal", "expected_result"), ("inputs", "title", "expected_output"))
"""The members of an example in each dialect: input, name, output."""

SCHEMA_WORDS = frozenset({"type", "properties", "$ref", "allOf", "anyOf", "oneOf", "$schema"})


def tool(
    item: Mapping[str, Any], place: Place, name: str, form: ToolForm, schema: Mapping[str, Any]
) -> tuple[Tool, list[Problem]]:
    """Return the tool that `item` declares, with `schema` for its inputs, and its problems.

    A part of the wrong kind is left out. Only an unusable example is a problem here; the validation
    of the document reports the rest.
    """
    ours, meta_place = _own_fields(item, place)
    description = _text(item.get("description"))
    when_to_use = _text(ours.get("when_to_use"))
    made: tuple[str, ...] = ()
    called = _invocation(item.get("invocation"), schema)
    if form is ToolForm.DESCRIPTOR and description is None and when_to_use is not None:
        description, made = when_to_use, ("description",)
    elif form is not ToolForm.DESCRIPTOR and when_to_use is None and description is not None:
        when_to_use, made = description, ("when_to_use",)
    output = output_schema(item)
    examples, problems, dialects = _examples(ours.get("examples"), meta_place, name)
    if earlier_in(item.get("_meta")):
        dialects = (*dialects, EARLIER_KEYS)
    return Tool(
        name=name,
        input_schema=schema,
        form=form,
        raw=item,
        description=description,
        output_schema=output[1] if output else None,
        examples=examples,
        annotations=_with_method(_annotations(item.get("annotations")), called),
        safe=_flag(item.get("safe")),
        invocation=called,
        version=_text(ours.get("version")),
        tags=_texts(ours.get("tags")),
        when_to_use=when_to_use,
        task_required=_member(item.get("execution"), "taskSupport") == "required",
        claims_atdf=_claims_atdf(item, form),
        dialects=dialects,
        made=made,
    ), problems


def _with_method(hints: Annotations, called: Invocation | None) -> Annotations:
    """Return the hints. A method that changes things is a warning, unless they deny it."""
    warns = hints.destructive is None and called is not None and changes_things(called.method)
    return replace(hints, destructive=True) if warns else hints


def warns_of_destruction(item: Mapping[str, Any]) -> bool:
    """Return whether a declaration itself says that a call may destroy something."""
    return _annotations(item.get("annotations")).destructive is True


def as_careful(
    hints: Annotations, safe: bool | None, items: Sequence[Mapping[str, Any]]
) -> tuple[Annotations, bool | None]:
    """Combine a tool's hints and `safe` with those of every declaration of the same name.

    The tool is read-only, safe, idempotent or closed only if all of them say so. It is destructive
    if one says so.
    """
    for item in items:
        own, also = _annotations(item.get("annotations")), _flag(item.get("safe"))
        hints = Annotations(
            read_only=_least(hints.read_only, own.read_only),
            destructive=_most(hints.destructive, own.destructive),
            idempotent=_least(hints.idempotent, own.idempotent),
            open_world=_most(hints.open_world, own.open_world),
        )
        safe = _least(safe, also)
    return hints, safe


def _least(one: bool | None, other: bool | None) -> bool | None:
    """Combine two values of a reassuring hint: true only if both are."""
    return False if False in (one, other) else None if None in (one, other) else True


def _most(one: bool | None, other: bool | None) -> bool | None:
    """Combine two values of a warning hint: true if one is."""
    return True if True in (one, other) else None if None in (one, other) else False


def _claims_atdf(item: Mapping[str, Any], form: ToolForm) -> bool:
    """Return whether a tool alone shows that its server speaks ATDF.

    Over MCP only the key of `_meta` does: many servers list tools with a `version` or `tags` of
    their own.
    """
    if key_in(item.get("_meta"), MetaKey.ATDF) is not None:
        return True
    return form is not ToolForm.MCP and not item.keys().isdisjoint(_OURS)


def _own_fields(item: Mapping[str, Any], place: Place) -> tuple[Mapping[str, Any], Place]:
    """Return the tool's fields, and the place that holds its examples. `_meta` wins."""
    fields = dict(item)
    metadata = item.get("metadata")
    if isinstance(metadata, dict):
        fields |= {key: metadata[key] for key in ("version", "tags") if key in metadata}
    meta = item.get("_meta")
    key, carried = key_in(meta, MetaKey.ATDF), held(meta, MetaKey.ATDF)
    if key is None or not isinstance(carried, dict):
        return fields, place
    inside = (*place, "_meta", key) if "examples" in carried else place
    return fields | carried, inside


def _examples(
    listed: Any, place: Place, tool_name: str
) -> tuple[tuple[ToolExample, ...], list[Problem], tuple[str, ...]]:
    if listed is None:
        return (), [], ()
    at = (*place, "examples")
    if not isinstance(listed, list):
        said = message("documents.example.no_list", value=shown(listed))
        return (), [problem(at, "type", said, clause="ATDF-TOOL-013", tool=tool_name)], ()
    examples = []
    problems = []
    dialects: dict[str, None] = {}
    for index, each in enumerate(listed):
        read = example(each, index)
        if read is None:
            said = message("documents.example.no_input", value=shown(each))
            where = (*at, index)
            problems.append(problem(where, "type", said, clause="ATDF-TOOL-013", tool=tool_name))
            continue
        examples.append(read[0])
        if read[2] is not None:
            dialects[read[2]] = None
    return tuple(examples), problems, tuple(dialects)


def example(declared: Any, index: int) -> tuple[ToolExample, str, str | None] | None:
    """Read an example in any shape: return it, the member with its input, and the dialect.

    None if its input is not an object. An example without a name gets its number as its name.
    """
    for member, named, dialect in _EXAMPLES:
        given = _member(declared, member)
        if isinstance(given, dict):
            name = _text(declared.get(named)) or _text(declared.get("name")) or f"#{index + 1}"
            return ToolExample(name, given), member, dialect
    return None


def plain_example(declared: Any) -> Any:
    """Return an example under the names of the specification, whatever its dialect."""
    if not isinstance(declared, dict):
        return declared
    for given, named, result in _ALIASES:
        if given in declared and named in declared:
            names = {given: "input", named: "name", result: "output"}
            return {names.get(key, key): value for key, value in declared.items()}
    return declared


def input_member(declared: Any) -> str | None:
    """Return the member that holds an example's input, of any type; None if it has none."""
    members = [member for member, _, _ in _EXAMPLES] if isinstance(declared, dict) else []
    return next((member for member in members if member in declared), None)


def output_schema(item: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """Return the name and value of `outputSchema`, or of `outputs` if that is a schema."""
    for member in ("outputSchema", "outputs"):
        found = item.get(member)
        if isinstance(found, dict) and not found.keys().isdisjoint(SCHEMA_WORDS):
            return member, found
    return None


def is_destructive_hint(name: str) -> bool:
    """Return whether a name has the word "destructive" in any spelling, without "not" or "non"."""
    return re.search("(?<!non)(?<!not)destructive", _folded(name)) is not None


def _folded(name: str) -> str:
    return re.sub(r"[_\W]", "", name).lower()


def _said_destructive(declared: Any) -> bool | None:
    """Return what the hints for this say. A warning wins; only the hint's own name reassures."""
    members = declared.items() if isinstance(declared, dict) else ()
    said = [(_folded(name), warning(each)) for name, each in members if is_destructive_hint(name)]
    if any(warns for _, warns in said):
        return True
    plain = ("destructivehint", "destructive")
    return False if any(name in plain and warns is False for name, warns in said) else None


def _annotations(declared: Any) -> Annotations:
    return Annotations(
        read_only=_flag(_member(declared, "readOnlyHint")),
        destructive=_said_destructive(declared),
        idempotent=_flag(_member(declared, "idempotentHint")),
        open_world=warning(_member(declared, "openWorldHint")),
    )


def _invocation(declared: Any, schema: Mapping[str, Any]) -> Invocation | None:
    """Return where a tool is called. A name in braces in its endpoint is an input in the path."""
    endpoint = _text(_member(declared, "endpoint"))
    if endpoint is None:
        return None
    return invocation_at(_text(_member(declared, "method")) or "POST", endpoint, schema)


def invocation_at(method: str, endpoint: str, schema: Mapping[str, Any]) -> Invocation:
    """Return a call at an endpoint, in which a name in braces stands for the input of that name."""
    made = Invocation(endpoint, method.upper())
    declared_inputs = schema.get("properties")
    names = declared_inputs if isinstance(declared_inputs, dict) else {}
    in_path = {name for name in names if f"{{{name}}}" in endpoint}
    if not in_path:
        return made
    inputs = (Input(name, Where.PATH if name in in_path else made.place_of(name)) for name in names)
    return replace(made, inputs=tuple(inputs))


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def warning(value: Any) -> bool | None:
    """Read a hint that warns. Only `false` removes the warning, so any text warns."""
    return None if value is None else value is not False


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
