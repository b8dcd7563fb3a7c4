"""A catalog of tools as an OpenAPI description: each tool is an operation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from conformance.convert.portable import Notes, Portable
from conformance.formats.catalog.openapi_schema import COMPONENTS
from conformance.formats.problem import Place
from conformance.formats.schema.positions import positions
from conformance.formats.schema.schemas import NEWEST

_VERSION: Final = "3.1.1"
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_WITHOUT_BODY: Final = ("get", "delete", "options", "head", "trace")
_IN_PATH: Final = re.compile(r"\{(\w+)\}")
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]")
_DEFINED: Final = "#/$defs/"
_ROUTE: Final = "/tools/{}/invoke"
"""Where a tool without an invocation is called: HTTP-CALL-001."""


def write_openapi(
    tools: Sequence[tuple[Place, Portable]], around: Mapping[str, Any], notes: Notes
) -> dict[str, Any]:
    """The description of tools, each with its place in the source.

    An input is a parameter of the path where the endpoint names it, one of the query where the
    method has no body, and else a member of the body. `around` are the other members of the source.
    """
    notes.lose_all(around, (), {"title", "version"})
    for name in ("title", "version"):
        if not isinstance(around.get(name), str):
            notes.make(("info", name))
    title, version = around.get("title", "Tools"), around.get("version", "1.0.0")
    made: dict[str, Any] = {
        "openapi": _VERSION,
        "info": {"title": str(title), "version": str(version)},
        "paths": {},
    }
    components: dict[str, Any] = {}
    for at, tool in tools:
        origin, path, method = _called(tool, at, made["paths"], notes)
        operation = _operation(tool, at, (path, method), components, notes)
        if origin:
            operation["servers"] = [{"url": origin}]
        made["paths"].setdefault(path, {})[method] = operation
    _share_server(made)
    return made | ({"components": {"schemas": components}} if components else {})


def _share_server(made: dict[str, Any]) -> None:
    """Name the server once, where all operations have the same."""
    operations = [each for item in made["paths"].values() for each in item.values()]
    servers = [each.get("servers") for each in operations]
    if servers and servers[0] and all(each == servers[0] for each in servers):
        made["servers"] = servers[0]
        for each in operations:
            del each["servers"]


def _called(
    tool: Portable, at: Place, taken: Mapping[str, Any], notes: Notes
) -> tuple[str, str, str]:
    """The server, the path and the method of a tool; those of the binding where it names none, or
    where another tool has them.
    """
    said = tool.invocation or {}
    try:
        url = urlsplit(str(said.get("endpoint", "")))
    except ValueError:  # such as `http://[`
        url = urlsplit("")
    method = str(said.get("method", "POST")).lower()
    path = url.path if url.path.startswith("/") else ""
    if not path or method not in _METHODS or method in taken.get(path, {}):
        if tool.invocation is not None:
            notes.lose((*at, "invocation"))
        path = _ROUTE.format(tool.name)
        notes.make(("paths", path))
        return "", path, "post"
    notes.lose_all(said, (*at, "invocation"), {"endpoint", "method"})
    if url.query or url.fragment:
        notes.lose((*at, "invocation", "endpoint"))
    return (f"{url.scheme}://{url.netloc}" if url.netloc else ""), path, method


def _operation(
    tool: Portable, at: Place, called: tuple[str, str], components: dict[str, Any], notes: Notes
) -> dict[str, Any]:
    path, method = called
    safe = tool.rest.get("safe") is True and method in ("get", "head", "options", "trace")
    known = {"name", "description", "schema", "outputs", "metadata", "invocation"}
    notes.lose_other(tool, at, said=known | ({"safe"} if safe else set()))
    metadata, outputs = tool.metadata or {}, tool.outputs or {}
    notes.lose_all(metadata, (*at, "metadata"), {"tags"})
    notes.lose_all(outputs, (*at, "outputs"), {"schema"})
    made: dict[str, Any] = {"operationId": tool.name}
    if tool.description:
        made["description"] = tool.description
    if metadata.get("tags"):
        made["tags"] = list(metadata["tags"])
    elif "tags" in metadata:
        notes.change((*at, "tags"))
    if tool.metadata is not None and not metadata:
        notes.change((*at, "metadata"))
    schema = _component_of(tool.schema, tool.name, (*at, "inputSchema"), components, notes)
    if "properties" not in schema:
        notes.change((*at, "inputSchema"))
        schema["properties"] = {}
    listed = list(_parameters(schema, path, method, at, notes))
    if listed:
        made["parameters"] = listed
    body = _body(schema, {each["name"] for each in listed})
    if body is not None and method not in _WITHOUT_BODY:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    response: dict[str, Any] = {"description": "Success"}
    if isinstance(outputs.get("schema"), dict):
        answered = _component_of(outputs["schema"], tool.name, (*at, "outputs"), components, notes)
        response["content"] = {"application/json": {"schema": answered}}
    return made | {"responses": {"200": response}}


def _parameters(
    schema: Mapping[str, Any], path: str, method: str, at: Place, notes: Notes
) -> Iterator[dict[str, Any]]:
    """The inputs that are not in a body. All other rules of the schema are lost there."""
    properties = schema.get("properties", {})
    in_path = dict.fromkeys(name for name in _IN_PATH.findall(path) if name in properties)
    required = frozenset(schema.get("required", []))
    for name in in_path:
        yield {"name": name, "in": "path", "required": True, "schema": properties[name]}
    if method not in _WITHOUT_BODY:
        return
    notes.lose_all(schema, (*at, "inputSchema"), {"type", "properties", "required"})
    for name in properties:
        if name in in_path:
            continue
        query = {"name": name, "in": "query", "required": name in required}
        yield {**query, "schema": properties[name]}


def _body(schema: Mapping[str, Any], apart: set[str]) -> dict[str, Any] | None:
    """The schema without the inputs that are sent `apart`; None where nothing is left."""
    made = dict(schema)
    if not apart:
        return made
    left = {n: node for n, node in schema.get("properties", {}).items() if n not in apart}
    made["properties"] = left
    if "required" in schema:
        made["required"] = [name for name in schema["required"] if name not in apart]
    return made if left else None


def _component_of(
    schema: Mapping[str, Any], tool: str, at: Place, components: dict[str, Any], notes: Notes
) -> dict[str, Any]:
    """A schema whose definitions are components, and whose references lead there.

    One that refers to itself in another way is a component as a whole.
    """
    alone = {word: node for word, node in schema.items() if word not in ("$defs", "$schema")}
    defined = schema.get("$defs", {})
    if schema.get("$schema", NEWEST) != NEWEST:
        notes.lose((*at, "$schema"))
    elif "$schema" in schema:
        notes.change((*at, "$schema"))
    homes = {_DEFINED + name: COMPONENTS + _ODD.sub("_", f"{tool}-{name}") for name in defined}
    whole = COMPONENTS + _ODD.sub("_", f"{tool}-{at[-1]}")
    lead = {_home(reference, homes, whole) for reference in _references(schema)}
    if defined or lead:
        notes.change(at)
    for name, home in homes.items():
        node = defined[name.removeprefix(_DEFINED)]
        components[home.removeprefix(COMPONENTS)] = _moved(node, homes, whole)
    made: dict[str, Any] = _moved(alone, homes, whole)
    if any(each.startswith(whole) for each in lead):
        components[whole.removeprefix(COMPONENTS)] = made
    return made


def _references(node: Any) -> Iterator[str]:
    for _, _, each in positions(node):
        if isinstance(each.get("$ref"), str) and each["$ref"].startswith("#"):
            yield each["$ref"]


def _home(reference: str, homes: Mapping[str, str], whole: str) -> str:
    """Where a reference of a schema to itself leads now."""
    name, slash, rest = reference.removeprefix(_DEFINED).partition("/")
    home = homes.get(_DEFINED + name) if reference.startswith(_DEFINED) else None
    return whole + reference[1:] if home is None else home + slash + rest


def _moved(node: Any, homes: Mapping[str, str], whole: str) -> Any:
    if isinstance(node, dict):
        made = {name: _moved(value, homes, whole) for name, value in node.items()}
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            made["$ref"] = _home(reference, homes, whole)
        return made
    return [_moved(each, homes, whole) for each in node] if isinstance(node, list) else node
