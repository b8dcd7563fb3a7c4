"""Combines the parameters and the body of an operation into one input schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.catalog.openapi_media import json_media
from conformance.formats.catalog.openapi_schema import Document, defined, resolved
from conformance.formats.problem import shown
from conformance.formats.tool.tool import Input, Where
from conformance.spec.messages import message

_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that the specification says to ignore."""
_OF_THE_CONNECTION = frozenset({
    "connection", "content-encoding", "content-length", "expect", "host", "keep-alive",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
"""Headers that frame a message or name its host. The HTTP client sets them."""
_FLAT = frozenset({
    "type", "properties", "required", "description", "title", "additionalProperties", "example",
    "examples", "$defs",
})  # fmt: skip
"""A body with only these keywords may list its members next to other inputs."""


class LeftOut(Exception):
    """An operation that is not a tool, with the reason as a message."""

    def __init__(self, id: str, **values: object) -> None:
        super().__init__(id)
        self.reason = message(id, **values)


def inputs_of(
    document: Document, shared: Any, operation: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Input]]:
    """Return the input schema of an operation, and where each of its members is sent.

    `shared` has the parameters of its path. Raises `LeftOut` for what the kit cannot send.
    """
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    inputs = _parameters(document, shared, operation, schema)
    inputs += _body(document, operation, schema, inputs)
    return schema, inputs


def _parameters(
    document: Document, shared: Any, operation: Mapping[str, Any], schema: dict[str, Any]
) -> list[Input]:
    """Return the inputs of path, query and header, and add them to `schema`.

    Parameters of the operation replace shared ones.
    """
    by_key: dict[tuple[str, str], Mapping[str, Any]] = {}
    for listed in (shared, operation.get("parameters")):
        for one in listed if isinstance(listed, list) else ():
            each = resolved(document.data, one)
            by_key[str(each.get("name")), str(each.get("in"))] = each
    inputs: list[Input] = []
    for (name, kind), each in by_key.items():
        required = each.get("required") is True or kind == "path"
        if kind == "header" and name.lower() in _IGNORED_HEADERS:
            continue
        usable = kind in {"path", "query", "header"} and isinstance(each.get("name"), str)
        usable = usable and not (kind == "header" and name.lower() in _OF_THE_CONNECTION)
        own = document.whole(each["schema"], sent=True) if "schema" in each else None
        sound = usable and own is not None and _is_sendable(own, kind, each)
        if not sound or name in schema["properties"]:
            if required:
                raise LeftOut("kit.left_out.openapi_parameter", name=shown(name))
            continue
        assert own is not None
        _add(schema, name, own, each, required=required)
        inputs.append(Input(name, Where(kind)))
    return inputs


def _is_sendable(own: Mapping[str, Any], kind: str, each: Mapping[str, Any]) -> bool:
    """Return whether each value of a parameter has one text that all servers read alike."""
    types = _types(own)
    if "style" in each and each["style"] not in ("form", "simple"):
        return False
    if "array" in types:
        return kind == "query" and each.get("explode", True) is True
    return "object" not in types


def _types(own: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema names, also where its references lead."""
    definitions, found, seen = _definitions(own), set[str](), set[int]()
    waiting: list[Any] = [own]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Mapping) or id(node) in seen:
            continue
        seen.add(id(node))
        kinds = node.get("type")
        found |= set(map(str, kinds)) if isinstance(kinds, list) else {str(kinds)}
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.count("/") == 2:  # none inside a definition
            waiting.append(definitions.get(defined(reference)))
        for word in ("allOf", "anyOf", "oneOf"):
            waiting += node[word] if isinstance(node.get(word), list) else []
    return found


def _add(
    schema: dict[str, Any],
    name: str,
    own: Mapping[str, Any],
    each: Mapping[str, Any],
    *,
    required: bool,
) -> None:
    node = dict(own)
    definitions = _definitions(node)
    if definitions:
        schema["$defs"] = {**schema.get("$defs", {}), **definitions}
        del node["$defs"]
    for member in ("description", "example"):
        if member in each:
            key = "examples" if member == "example" else member
            node.setdefault(key, [each[member]] if member == "example" else each[member])
    schema["properties"][name] = node
    if required:
        schema["required"].append(name)


def _body(
    document: Document,
    operation: Mapping[str, Any],
    schema: dict[str, Any],
    others: list[Input],
) -> list[Input]:
    """Return the inputs of the body, its members or the whole, and add them to `schema`."""
    if "requestBody" not in operation:
        return []
    body = resolved(document.data, operation["requestBody"])
    required = body.get("required") is True
    media = json_media(body.get("content"))
    if media is None:
        if required:
            raise LeftOut("kit.left_out.openapi_body")
        return []
    declared = document.whole(media[1].get("schema", {}), sent=True)
    flat = _opened(declared)
    names = set(flat.get("properties", {})) if flat is not None else set()
    whole_only = flat is None or (bool(others) and not flat.keys() <= _FLAT)
    if flat is None or whole_only or not required or names & {one.name for one in others}:
        name = "body" if "body" not in schema["properties"] else "request_body"
        _add(schema, name, declared, {}, required=required)
        return [Input(name, Where.WHOLE)]
    if definitions := _definitions(flat):
        schema["$defs"] = {**schema.get("$defs", {}), **definitions}
    schema["properties"] |= flat.get("properties", {})
    schema["required"] += flat.get("required", [])
    rest = flat.keys() - {"type", "properties", "required", "$defs", "title", "description"}
    schema |= {word: flat[word] for word in rest}
    if isinstance(media[1].get("example"), dict) and not others:
        schema["examples"] = [media[1]["example"]]
    return [Input(name, Where.BODY) for name in flat.get("properties", {})]


def _opened(declared: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema of a body that is an object with named members; None for any other."""
    definitions = _definitions(declared)
    node: Any = declared
    for _ in range(10):
        reference = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str):
            break
        inner = reference.count("/") > 2  # of a definition
        node = None if inner else definitions.get(defined(reference))
    if not isinstance(node, dict) or node.get("type") != "object" or "$ref" in node:
        return None
    needed = node.get("required", [])
    if not isinstance(node.get("properties"), dict) or not isinstance(needed, list):
        return None
    return {**node, **({"$defs": definitions} if definitions else {})}


def _definitions(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the `$defs` of a schema; empty if they are not an object."""
    found = schema.get("$defs")
    return found if isinstance(found, dict) else {}
