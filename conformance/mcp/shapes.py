"""Compares a result with the published wire models of its protocol version."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from conformance.formats.problem import json_path, shown
from conformance.kit.model.written import ending

_LATER = {
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "structuredContent": "2025-06-18",
    "_meta": "2025-06-18",
    "annotations": "2025-03-26",
    "icons": "2025-11-25",
    "execution": "2025-11-25",
    "websiteUrl": "2025-11-25",
    "description": "2025-11-25",
}
"""The first version that knows each member. An earlier version ignores the member."""

_MOST_MORE = 200
"""How many items of a list are looked at after the first wrong one."""

_TOOL_ALWAYS = frozenset({"description"})


@dataclass(frozen=True, slots=True)
class ShapeFault:
    """A place where a result differs from its form: `path` as text, `steps` as a tuple.

    `value` is the value there, as text; `missing` says that a required member is missing.
    """

    path: str
    steps: tuple[str | int, ...]
    value: str
    missing: bool


def shape_faults(method: str, version: str, result: Mapping[str, Any]) -> list[ShapeFault]:
    """Return the faults of the result of `method` in `version`.

    For a version without models, the models of the newest version before it are used.
    """
    known = _without_later(method, version, result)
    model = _model(method, _nearest(version), _kind(result))
    errors = _errors(model, known)
    if any(kind == "json_invalid" for _, kind in errors):
        return []  # nested too deeply for the models, which breaks no form
    for member, first in {at[0]: at[1] for at, _ in errors if len(at) > 1}.items():
        listed = known.get(str(member))
        if not isinstance(listed, list) or not isinstance(first, int):
            continue
        for number in range(first + 1, min(first + 1 + _MOST_MORE, len(listed))):
            for at, kind in _errors(model, {str(member): [listed[number]]}):
                if at[:2] == (member, 0):
                    errors.append(((member, number, *at[2:]), kind))
    found = [_located(at, kind, known) for at, kind in errors]
    return list({fault.path: fault for fault in _fitting(found)}.values())


def _errors(
    model: SchemaValidator, result: Mapping[str, Any]
) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the places in the model and the kinds of a result's faults."""
    try:
        model.validate_json(_text(result), strict=True)
    except ValidationError as error:
        told = error.errors(include_url=False, include_context=False, include_input=False)
        return [(each["loc"], each["type"]) for each in told]
    return []


def _text(result: Mapping[str, Any]) -> bytes:
    """Return the result as JSON.

    Lone surrogates are replaced: JSON allows them, the models do not.
    """
    written = json.dumps(result, ensure_ascii=False).encode("utf-16", "surrogatepass")
    return written.decode("utf-16", "replace").encode()


def _fitting(located: list[_Located]) -> Iterator[ShapeFault]:
    """Yield the faults that count. For a union, these are only the faults of the intended branch.

    That is the branch whose `type` is right. If there is none, only the wrong `type` counts.
    """
    unions: dict[tuple[str | int, ...], dict[str, list[_Located]]] = {}
    for one in located:
        if one.branch is None:
            yield one.fault
        else:
            unions.setdefault(one.union, {}).setdefault(one.branch, []).append(one)
    for union, branches in unions.items():
        kind = (*union, "type")
        meant = [each for each in branches.values() if all(o.fault.steps != kind for o in each)]
        if meant:
            yield from (o.fault for o in min(meant, key=len))
        else:
            one = next(o for o in next(iter(branches.values())) if o.fault.steps == kind)
            yield one.fault


@dataclass(frozen=True, slots=True)
class _Located:
    """A fault, and the first union on its path, with the union's place and branch."""

    fault: ShapeFault
    union: tuple[str | int, ...] = ()
    branch: str | None = None


def _located(location: tuple[str | int, ...], kind: str, result: Any) -> _Located:
    """Return the fault with its place in the data, given its place in the model.

    A part of the model's place that is not in the data is the name of a union's branch.
    """
    steps: list[str | int] = []
    union: tuple[str | int, ...] = ()
    branch: str | None = None
    value = result
    for number, part in enumerate(location):
        last = number == len(location) - 1
        if _holds(value, part):
            value = value[part]
        elif not (last and kind == "missing"):
            if branch is None:
                union, branch = tuple(steps), str(part)
            continue
        steps.append(part)
    missing = kind == "missing"
    text = "" if missing else shown(value)
    return _Located(ShapeFault(json_path(steps), tuple(steps), text, missing), union, branch)


def _holds(value: Any, part: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, dict) and part in value


def _kind(result: Mapping[str, Any]) -> str:
    kind = result.get("resultType")
    return "input_required" if kind == "input_required" else "complete"


@cache
def _models() -> Mapping[tuple[str, str], Any]:
    """Return the models by method and version. Loading is slow, and a session may not need them."""
    from mcp_types.methods import SERVER_RESULTS  # noqa: PLC0415

    return SERVER_RESULTS


def _nearest(version: str) -> str:
    known = sorted({each for _, each in _models()})
    before = [each for each in known if each <= version]
    return before[-1] if before else known[0]


@cache
def _model(method: str, version: str, kind: str) -> SchemaValidator:
    """Return the model. For a union, it is the branch of the result's `kind`."""
    whole: Any = _models()[method, version]
    for branch in get_args(whole):
        if (branch.__name__ == "InputRequiredResult") == (kind == "input_required"):
            whole = branch
            break
    return ending(TypeAdapter(whole))


def _without_later(method: str, version: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result without the members that its version does not know yet."""
    if version >= "2025-11-25":
        return dict(result)
    kept = {k: v for k, v in result.items() if _LATER.get(k, "") <= version or k == "_meta"}
    if method == "initialize" and isinstance(kept.get("serverInfo"), dict):
        kept["serverInfo"] = _known(kept["serverInfo"], version)
    tools = kept.get("tools")
    if method == "tools/list" and isinstance(tools, list):
        kept["tools"] = [_known(t, version) if isinstance(t, dict) else t for t in tools]
    return kept


def _known(item: Mapping[str, Any], version: str) -> dict[str, Any]:
    tool = "inputSchema" in item
    return {
        k: v
        for k, v in item.items()
        if _LATER.get(k, "") <= version or (tool and k in _TOOL_ALWAYS)
    }
