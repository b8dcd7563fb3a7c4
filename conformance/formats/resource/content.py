"""The dialect `ardf-content`: a block outside `how_to_use`, with other names for its members."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.problem import Place
from conformance.spec.vocabulary import (
    ARDF_CONTENT_NAME_CONTENT,
    ARDF_CONTENT_NAME_MEMBER,
    ARDF_CONTENT_NAME_REFERS_TO,
    ARDF_CONTENT_NAME_WITHIN,
    ARDF_CONTENT_NAME_WRITTEN,
    ARDF_CONTENT_RESOURCE_TYPE,
    ARDF_CONTENT_WRITTEN,
    AccessMode,
    ArdfContent,
    ArdfContentName,
    ControlFlow,
    Enforcement,
    ResourceType,
)

_RECORD = "record"
_NAMED = ("variables", "inputs", "selectors")
"""Lists of objects with a name. In the dialect, an item may be only the name."""
_UNSAID: Mapping[ArdfContent, Mapping[str, Any]] = {
    ArdfContent.WORKFLOW_STEPS: {"control_flow": ControlFlow.SEQUENTIAL.value},
    ArdfContent.PROMPT_FLOW: {"control_flow": ControlFlow.SEQUENTIAL.value},
    ArdfContent.POLICY_RULES: {"enforcement": Enforcement.HARD.value, "applies_to": ["*"]},
    ArdfContent.DATASET_SPEC: {"mode": AccessMode.READ_ONLY.value},
    ArdfContent.MODEL_SPEC: {"inputs": []},
    ArdfContent.CONNECTOR_SPEC: {"inputs": []},
}
_VARIABLE = re.compile(r"(?<![{$])\$?\{ *([A-Za-z_][A-Za-z0-9_.-]{0,199}) *\}(?!\})")


@dataclass(frozen=True, slots=True)
class Translation:
    """The data of a `content`, under the names of its block."""

    data: Mapping[str, Any]
    written: Mapping[Place, Place] = field(default_factory=dict)
    """Maps a place of the block to its place in `data` of the dialect, if the names differ."""
    types: Mapping[Place, ResourceType] = field(default_factory=dict)
    """The type of the resource that each id refers to, by the id's place in the block."""
    filled: tuple[Place, ...] = ()
    """Places of the block with default values, because the dialect has none."""

    @property
    def references(self) -> Iterator[tuple[Place, str, ResourceType]]:
        """Each id of another resource: its place in the block, the id, and the required type."""
        for place, type in self.types.items():
            value: Any = self.data
            for step in place:
                value = value[step]
            if isinstance(value, str):
                yield place, value, type


def content_kind(item: Mapping[str, Any]) -> ArdfContent | None:
    """Return the kind of a `content` next to `how_to_use`, if it fits the resource's type."""
    content = item.get("content")
    written = content.get("type") if isinstance(content, dict) else None
    for kind in ArdfContent:
        if ARDF_CONTENT_WRITTEN[kind] == written:
            return kind if ARDF_CONTENT_RESOURCE_TYPE[kind] == item.get("resource_type") else None
    return None


def translated(kind: ArdfContent, data: Mapping[str, Any]) -> Translation:
    """Return `data` as a block. Members without a name in the dialect stay unchanged."""
    made = {name: _copied(value) for name, value in data.items()}
    written: dict[Place, Place] = {}
    types: dict[Place, ResourceType] = {}
    for name in ArdfContentName:
        if ARDF_CONTENT_NAME_CONTENT[name] is kind:
            _rename(name, made, written, types)
    if "template_text" in data and isinstance(made.get("template"), str):
        made["template"] = _with_braces(made["template"], data.get("input_variables"))
    for member in _NAMED:
        if isinstance(made.get(member), list):
            made[member] = [_named(each, member) for each in made[member]]
    return Translation(made, written, types, tuple(_fill(kind, made)))


def _rename(
    name: ArdfContentName,
    made: dict[str, Any],
    written: dict[Place, Place],
    types: dict[Place, ResourceType],
) -> None:
    """Rename one member to its name in the block, at every place that has it."""
    old, new = ARDF_CONTENT_NAME_WRITTEN[name], ARDF_CONTENT_NAME_MEMBER[name]
    for holder, at, target, to in _holders(ARDF_CONTENT_NAME_WITHIN[name], made):
        if old not in holder:
            continue
        if new in target and new != old:  # for example, a step with a tool and a policy
            inside: Place = (*at, old)
        elif new == "schemas":
            target[new], inside = {_RECORD: holder[old]}, (*to, new, _RECORD)
        else:
            target[new], inside = holder[old], (*to, new)
        if inside != (*at, old):
            written[inside] = (*at, old)
            if holder is target:
                del holder[old]
        for type in ARDF_CONTENT_NAME_REFERS_TO[name]:
            types[inside] = type


def _holders(
    within: tuple[str, ...], made: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], Place, dict[str, Any], Place]]:
    """Yield each object that may have the member, its place, the target object, and its place."""
    if not within:
        yield made, (), made, ()
        return
    (member,) = within
    inner = made.get(member)
    if isinstance(inner, dict):
        yield inner, (member,), made, ()
    for index, each in enumerate(inner if isinstance(inner, list) else ()):
        if isinstance(each, dict):
            yield each, (member, index), each, (member, index)


def _fill(kind: ArdfContent, made: dict[str, Any]) -> Iterator[Place]:
    """Add the members that the block requires and the dialect lacks, with careful values."""
    for name, value in _UNSAID.get(kind, {}).items():
        if name not in made:
            made[name] = value
            yield (name,)
    steps = made.get("steps") if "control_flow" in made else None
    for index, step in enumerate(steps if isinstance(steps, list) else ()):
        if isinstance(step, dict) and "order" not in step:
            step["order"] = index + 1
            yield ("steps", index, "order")


def _with_braces(template: str, variables: Any) -> str:
    """Return a template with `{{name}}` for each variable; other words in braces stay text."""
    listed = variables if isinstance(variables, list) else []
    known = {each for each in listed if isinstance(each, str)}
    return _VARIABLE.sub(
        lambda found: "{{" + found[1] + "}}" if found[1] in known else found[0], template
    )


def _named(item: Any, member: str) -> Any:
    """Return an item of a list as an object. The dialect has no types, so any value is allowed."""
    if not isinstance(item, str):
        return item
    return {"name": item} if member == "selectors" else {"name": item, "schema": True}


def _copied(value: Any) -> Any:
    """Copy a list and the objects in it, so that the document is not changed."""
    if isinstance(value, list):
        return [dict(each) if isinstance(each, dict) else each for each in value]
    return value
