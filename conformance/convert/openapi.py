"""The operations of an OpenAPI description (3.0, 3.1 or 3.2) as a catalog of tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.convert.portable import Notes, Portable
from conformance.formats.catalog.openapi_schema import modern
from conformance.formats.problem import Place
from conformance.formats.schema.positions import positions
from conformance.spec.pointer import steps_of

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
VERSIONS = ("3.0", "3.1", "3.2")
_JSON = "application/json"
_COMPONENTS = "#/components/schemas/"
_SAFE = ("get", "head", "options", "trace", "query")
_USED = {"operationId", "summary", "description", "parameters", "requestBody", "responses", "tags"}


def is_openapi(data: Any) -> bool:
    """Whether a value is an OpenAPI description of a version that is read here."""
    return isinstance(data, dict) and str(data.get("openapi", "")).startswith(VERSIONS)


def read_openapi(data: Mapping[str, Any], notes: Notes) -> list[Portable]:
    """A tool for each operation, in the order of the description.

    Path, query and JSON body become the inputs; of responses the first that succeeds is the output.
    Everything else, such as security, is lost.
    """
    base = _server(data, notes)
    for name in data.keys() - {"openapi", "paths", "components", "servers"}:
        notes.lose((name,))
    tools: list[Portable] = []
    names: set[str] = set()
    for at, path, method, shared, operation in _operations(data, notes):
        given = operation.get("operationId")
        usable = isinstance(given, str) and given and given not in names
        name = str(given) if usable else _name(method, path, names)
        if not usable:
            notes.make(("tools", len(tools), "name"))
        names.add(name)
        listed = _parameters(at, shared, operation.get("parameters"))
        schema = _inputs(data, at, listed, operation, notes)
        tools.append(_tool(data, at, (name, base + path, method), schema, notes))
    return tools


def _operations(
    data: Mapping[str, Any], notes: Notes
) -> Iterator[tuple[Place, str, str, list[Any], Mapping[str, Any]]]:
    paths = data.get("paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        if not isinstance(item, dict):
            notes.lose(("paths", path))
            continue
        for name in item.keys() - {*METHODS, "parameters"}:
            notes.lose(("paths", path, name))
        shared = item.get("parameters")
        for method in METHODS:
            if isinstance(item.get(method), dict):
                listed = shared if isinstance(shared, list) else []
                yield ("paths", path, method), path, method, listed, item[method]


def _inputs(
    data: Mapping[str, Any],
    at: Place,
    listed: Iterator[tuple[Place, Any]],
    operation: Mapping[str, Any],
    notes: Notes,
) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    for place, each in listed:
        _add_parameter(data, place, each, schema, notes)
    if "requestBody" in operation:
        _add_body(data, (*at, "requestBody"), operation["requestBody"], schema, notes)
    return schema


def _tool(
    data: Mapping[str, Any],
    at: Place,
    called: tuple[str, str, str],
    schema: dict[str, Any],
    notes: Notes,
) -> Portable:
    name, endpoint, method = called
    operation = data["paths"][at[1]][at[2]]
    for member in operation.keys() - _USED:
        notes.lose((*at, member))
    texts = [operation.get(member) for member in ("description", "summary")]
    said = [each for each in texts if isinstance(each, str) and each]
    if not said:
        notes.make(("tools", name, "description"))
    outputs = _outputs(data, at, operation.get("responses"), notes)
    tags = operation.get("tags")
    rest: dict[str, Any] = {"safe": True} if method in _SAFE else {}
    if rest:
        notes.make(("tools", name, "safe"))
    return Portable(
        name=name,
        description=said[0] if said else f"{method.upper()} {endpoint}",
        schema=_with_components(data, schema),
        outputs={"schema": _with_components(data, outputs)} if outputs is not None else None,
        metadata={"tags": list(dict.fromkeys(tags))} if isinstance(tags, list) and tags else None,
        invocation={"endpoint": endpoint, "method": method.upper()},
        rest=rest,
    )


def _parameters(at: Place, shared: list[Any], declared: Any) -> Iterator[tuple[Place, Any]]:
    """The parameters of an operation; one of its own stands for the shared one of its name."""
    own = declared if isinstance(declared, list) else []
    keys = {(each.get("name"), each.get("in")) for each in own if isinstance(each, dict)}
    for index, each in enumerate(shared):
        if not (isinstance(each, dict) and (each.get("name"), each.get("in")) in keys):
            yield (*at[:-1], "parameters", index), each
    for index, each in enumerate(own):
        yield (*at, "parameters", index), each


def _add_parameter(
    data: Mapping[str, Any], place: Place, each: Any, schema: dict[str, Any], notes: Notes
) -> None:
    each = _resolved(data, each)
    name = each.get("name")
    if each.get("in") not in ("path", "query") or not isinstance(name, str):
        notes.lose(place)
        return
    if name in schema["properties"]:
        notes.lose(place)
        return
    own = each.get("schema", {})
    node = dict(own) if isinstance(own, dict) else {}
    if isinstance(each.get("description"), str):
        node.setdefault("description", each["description"])
    schema["properties"][name] = node
    if each.get("required") is True or each["in"] == "path":
        schema["required"].append(name)


def _add_body(
    data: Mapping[str, Any], place: Place, body: Any, schema: dict[str, Any], notes: Notes
) -> None:
    body = _resolved(data, body)
    content = body.get("content")
    media = content if isinstance(content, dict) else {}
    for kind in media.keys() - {_JSON}:
        notes.lose((*place, "content", kind))
    held = media.get(_JSON)
    declared = held.get("schema") if isinstance(held, dict) else None
    if not isinstance(declared, dict):
        notes.lose(place)
        return
    flat = _flat(data, declared)
    if flat is None:
        # A body that is no plain object cannot be taken apart into inputs.
        name = "body" if "body" not in schema["properties"] else "request_body"
        schema["properties"][name] = dict(declared)
        notes.make((*place, name))
        if body.get("required") is True:
            schema["required"].append(name)
        return
    for name, node in flat.get("properties", {}).items():
        if name in schema["properties"]:
            notes.lose((*place, "content", _JSON, "schema", "properties", name))
        else:
            schema["properties"][name] = node
    needed = flat.get("required", []) if body.get("required") is True else []
    schema["required"] += [name for name in needed if name not in schema["required"]]
    for word in flat.keys() - {"type", "properties", "required", "description", "title"}:
        schema[word] = flat[word]


def _flat(data: Mapping[str, Any], declared: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of a body that is an object with properties; None for any other."""
    node: Any = declared
    for _ in range(10):
        if not isinstance(node, dict) or "$ref" not in node:
            break
        node = _resolved(data, node)
    plain = isinstance(node, dict) and node.get("type") == "object" and "$ref" not in node
    return node if plain and isinstance(node.get("properties"), dict) else None


def _outputs(data: Mapping[str, Any], at: Place, responses: Any, notes: Notes) -> Any:
    listed = responses if isinstance(responses, dict) else {}
    chosen = next((code for code in sorted(map(str, listed)) if code.startswith("2")), None)
    for code in listed:
        if str(code) != chosen:
            notes.lose((*at, "responses", str(code)))
    response = _resolved(data, listed.get(chosen)) if chosen is not None else {}
    content = response.get("content")
    held = content.get(_JSON) if isinstance(content, dict) else None
    schema = held.get("schema") if isinstance(held, dict) else None
    return dict(schema) if isinstance(schema, dict) and schema else None


def _with_components(data: Mapping[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to among the components in its `$defs`."""
    known = data.get("components", {}).get("schemas", {}) if _map(data.get("components")) else {}
    needed: dict[str, Any] = {}
    waiting: list[Any] = [schema]
    while waiting:
        for _, _, node in positions(waiting.pop()):
            reference = node.get("$ref")
            name = str(reference).removeprefix(_COMPONENTS).split("/")[0]
            if str(reference).startswith(_COMPONENTS) and name in known and name not in needed:
                needed[name] = known[name]
                waiting.append(known[name])
    made: dict[str, Any] = _written(data, schema)
    if not made.get("required", True):
        del made["required"]
    if needed:
        made["$defs"] = {
            **made.get("$defs", {}),
            **{k: _written(data, v) for k, v in needed.items()},
        }
    return made


def _written(data: Mapping[str, Any], schema: Any) -> Any:
    """A schema in 2020-12, whose references lead to `$defs`."""
    moved = _moved(schema)
    return modern(moved) if str(data["openapi"]).startswith("3.0") else moved


def _moved(node: Any) -> Any:
    """A schema whose references lead to `$defs` in place of the components."""
    if isinstance(node, dict):
        made = {name: _moved(value) for name, value in node.items()}
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(_COMPONENTS):
            made["$ref"] = "#/$defs/" + reference.removeprefix(_COMPONENTS)
        return made
    return [_moved(each) for each in node] if isinstance(node, list) else node


def _resolved(data: Mapping[str, Any], node: Any) -> Mapping[str, Any]:
    """What a `$ref` within the description leads to; an empty object where it leads nowhere."""
    if not isinstance(node, dict):
        return {}
    reference = node.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return node
    found: Any = data
    for step in steps_of(reference):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _server(data: Mapping[str, Any], notes: Notes) -> str:
    servers = data.get("servers")
    listed = servers if isinstance(servers, list) else []
    for index in range(1, len(listed)):
        notes.lose(("servers", index))
    url = listed[0].get("url") if listed and isinstance(listed[0], dict) else None
    return url.rstrip("/") if isinstance(url, str) else ""


def _name(method: str, path: str, taken: set[str]) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "_", f"{method} {path}").strip("_")
    name, number = words, 2
    while name in taken:
        name, number = f"{words}_{number}", number + 1
    return name


def _map(value: Any) -> bool:
    return isinstance(value, dict)
