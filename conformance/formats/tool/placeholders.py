"""Finds placeholders of a template that nobody filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place

_WHOLE = re.compile(r"\{[a-z][a-z0-9_]*\}|string\|null|\.\.\.")
"""Texts that can only be placeholders."""

_TYPE_NAMES = frozenset({"string", "object", "integer", "number", "boolean", "array"})
"""Values in the template. A text for people that is one of them says nothing."""

_PART = re.compile(r"\{[a-z][a-z0-9_]*\}|uuid-unico")
"""A part that the address of one occurrence cannot have."""

_PRINTED = frozenset(
    {
        "nombre_herramienta", "parametro_problematico", "valor_ejemplo", "valor_sugerido",
        "categoria1", "categoria2", "invalid_parameter", "correct_value",
    }
)  # fmt: skip
"""The example names and values of the printed templates."""

_KIND = re.compile(r".*/tipo-error")
"""The printed address of an error type without a name."""

_NAMED = ("name", "tool_id", "id", "resource_id", "version", "description", "when_to_use")
_NAMES = ("name", "tool_id", "id", "resource_id")
_PROSE = ("title", "detail", "description", "when_to_use")
_ADDRESSES = ("type", "instance")


def in_tool(item: Mapping[str, Any]) -> Iterator[Place]:
    """Yield the places in a tool or a resource that have a placeholder (ATDF-TOOL-012).

    Type names count only in prose, and `string` as a name: an input may really have such a value.
    """
    for name in _NAMED:
        value = item.get(name)
        if left(value, prose=name in _PROSE) or (name in _NAMES and value == "string"):
            yield (name,)
    yield from _in_outputs(item)
    for name in ("tags", "examples"):
        for place, value in _texts(item.get(name)):
            if left(value, prose=False):
                yield (name, *place)


def _in_outputs(item: Mapping[str, Any]) -> Iterator[Place]:
    """Yield the placeholders in the descriptions of a tool's success and failures."""
    use = item.get("how_to_use")
    described = isinstance(use, dict) and "outputs" in use
    home: Place = ("how_to_use", "outputs") if described else ("outputs",)
    outputs = use.get("outputs") if isinstance(use, dict) and described else item.get("outputs")
    if not isinstance(outputs, dict):
        return
    if left(outputs.get("success"), prose=True):
        yield (*home, "success")
    failures = outputs.get("failure")
    for index, each in enumerate(failures if isinstance(failures, list) else ()):
        for name in ("code", "description") if isinstance(each, dict) else ():
            if left(each.get(name), prose=True):
                yield (*home, "failure", index, name)


def in_error(error: Mapping[str, Any]) -> Iterator[Place]:
    """Yield the places in one error that have a placeholder (ATDF-ERR-014)."""
    for name in _PROSE:
        if left(error.get(name), prose=True):
            yield (name,)
    for name in _ADDRESSES:
        value = error.get(name)
        unfilled = _PART.search(str(value)[:2000]) or _KIND.fullmatch(str(value)[:2000])
        if isinstance(value, str) and (unfilled or left(value, prose=True)):
            yield (name,)
    named = [error.get(name) for name in ("tool_name", "parameter_name")]
    for name in ("tool_name", "parameter_name", "suggested_value"):
        value = error.get(name)
        # A parameter or a tool may have this name; if both do, it is the template.
        if left(value, prose=False) or value == "string" == named[0] == named[1]:
            yield (name,)
    for place, value in _texts(error.get("context")):
        if left(value, prose=False):
            yield ("context", *place)


def left(value: Any, *, prose: bool) -> bool:
    """Return whether a value is a placeholder. In prose the name of a type is one too."""
    if not isinstance(value, str):
        return False
    text = value[:200].strip()
    return bool(_WHOLE.fullmatch(text)) or text in _PRINTED or (prose and text in _TYPE_NAMES)


def _texts(root: Any) -> Iterator[tuple[Place, str]]:
    waiting: list[tuple[Place, Any]] = [((), root)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str):
            yield place, value
        elif isinstance(value, dict):
            waiting += [((*place, name), each) for name, each in reversed(value.items())]
        elif isinstance(value, list):
            waiting += reversed([((*place, i), each) for i, each in enumerate(value)])
