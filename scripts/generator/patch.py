"""The three operations of RFC 6902 that examples need: add, remove and replace."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from conformance.spec.pointer import steps_of
from scripts.generator.load import Json

_MEMBERS = {
    "add": {"op", "path", "value"},
    "replace": {"op", "path", "value"},
    "remove": {"op", "path"},
}


def steps(pointer: str) -> list[str]:
    """Return the steps of a JSON pointer; raises `ValueError` if it is invalid."""
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"`{pointer}` is not a JSON pointer")
    return list(steps_of(pointer))


def resolve(value: Json, pointer: str) -> Json:
    """Return the value at `pointer`; raises `ValueError` if there is none."""
    for step in steps(pointer):
        value = _child(value, step, pointer)
    return value


def apply(value: Json, operations: Sequence[Json]) -> Json:
    """Return a copy of `value` with all `operations` applied in order.

    Raises `ValueError`, with an explanation, if an operation cannot be applied.
    """
    root = {"": copy.deepcopy(value)}
    for operation in operations:
        _apply_one(root, operation)
    return root[""]


def _apply_one(root: Json, operation: Json) -> None:
    name = operation["op"]
    if name not in _MEMBERS or operation.keys() != _MEMBERS[name]:
        raise ValueError("an operation is `add` or `replace` with a path and a value, or `remove`")
    pointer = str(operation["path"])
    *above, last = ["", *steps(pointer)]
    parent = root
    for step in above:
        parent = _child(parent, step, pointer)
    if name != "add" or not isinstance(parent, dict | list):
        _child(parent, last, pointer)
    new = copy.deepcopy(operation.get("value"))
    if isinstance(parent, list):
        index = len(parent) if last == "-" else int(last)
        parent[index : index + (name != "add")] = [] if name == "remove" else [new]
    elif name == "remove":
        del parent[last]
    else:
        parent[last] = new


def _child(value: Json, step: str, pointer: str) -> Json:
    if isinstance(value, dict) and step in value:
        return value[step]
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    raise ValueError(f"`{pointer}` leads nowhere")
