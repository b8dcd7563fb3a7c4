"""The operations of an OpenAPI description (3.0, 3.1 or 3.2) as a catalog of tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.convert.portable import Notes, Portable
from conformance.formats.catalog.openapi_schema import MOST_IN_ALL, modern
from conformance.formats.problem import Place
from conformance.formats.schema.positions import positions
from conformance.spec.pointer import steps_of

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
VERSIONS = ("3.0", "3.1", "3.2")
_JSON = "application/json"
_COMPONENTS = "#/components/schemas/"
_SAFE = ("get", "head", "options", "trace", "query")
_FOR_EACH = 150
"""What a component costs besides its text, in characters."""
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
    names: dict[str, int] = {}
    components = _Components(data)
    for at, path, method, shared, operation in _operations(data, notes):
        given = operation.get("operationId")
        usable = isinstance(given, str) and given and given not in names
        name = str(given) if usable else _name(method, path, names)
        if not usable:
            notes.make(("tools", len(tools), "name"))
        names.setdefault(name, 1)
        listed = _parameters(at, shared, operation.get("parameters"))
        schema = _inputs(data, at, listed, operation, notes)
        tools.append(_tool(components, at, (name, base + path, method), schema, notes))
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
    components: _Components,
    at: Place,
    called: tuple[str, str, str],
    schema: dict[str, Any],
    notes: Notes,
) -> Portable:
    name, endpoint, method = called
    data = components.data
    operation = data["paths"][at[1]][at[2]]
    for member in operation.keys() - _USED:
        notes.lose((*at, member))
    texts = [operation.get(member) for member in ("description", "summary")]
    said = [each for each in texts if isinstance(each, str) and each]
    if not said:
        notes.make(("tools", name, "description"))
    outputs = _outputs(data, at, operation.get("responses"), notes)
    tags = _texts(operation.get("tags"))
    rest: dict[str, Any] = {"safe": True} if method in _SAFE else {}
    if rest:
        notes.make(("tools", name, "safe"))
    return Portable(
        name=name,
        description=said[0] if said else f"{method.upper()} {endpoint}",
        schema=components.added_to(schema),
        outputs={"schema": components.added_to(outputs)} if outputs is not None else None,
        metadata={"tags": tags} if tags else None,
        invocation={"endpoint": endpoint, "method": method.upper()},
        rest=rest,
    )


def _parameters(at: Place, shared: list[Any], declared: Any) -> Iterator[tuple[Place, Any]]:
    """The parameters of an operation; one of its own stands for the shared one of its name."""
    own = declared if isinstance(declared, list) else []
    keys = {_key(each) for each in own if isinstance(each, dict)}
    for index, each in enumerate(shared):
        if not (isinstance(each, dict) and _key(each) in keys):
            yield (*at[:-1], "parameters", index), each
    for index, each in enumerate(own):
        yield (*at, "parameters", index), each


def _key(parameter: Mapping[str, Any]) -> tuple[str, str]:
    """What no two parameters of an operation share."""
    return str(parameter.get("name")), str(parameter.get("in"))


def _add_parameter(
    data: Mapping[str, Any], place: Place, each: Any, schema: dict[str, Any], notes: Notes
) -> None:
    each = _resolved(data, each)
    name = each.get("name")
    if str(each.get("in")) not in ("path", "query") or not isinstance(name, str):
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
    needed = _texts(flat.get("required")) if body.get("required") is True else []
    schema["required"] = list(dict.fromkeys([*schema["required"], *needed]))
    for word in flat.keys() - {"type", "properties", "required", "description", "title"}:
        if word != "$defs" or isinstance(flat[word], dict):
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


class TooLargeError(Exception):
    """The tools need more of the components than can be written: each stands alone."""


class _Components:
    """The components of a description: what a schema refers to is in its `$defs`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        held = data.get("components")
        known = held.get("schemas") if isinstance(held, dict) else None
        self._known: Mapping[str, Any] = known if isinstance(known, dict) else {}
        self._ready: dict[str, tuple[Any, tuple[str, ...], int]] = {}
        self._left = MOST_IN_ALL

    def added_to(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with what it needs; raises TooLargeError if all of them need too much."""
        needed: dict[str, Any] = {}
        waiting = [*self._names(schema)]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed[name], below, size = self._component(name)
                self._left -= size
                if self._left < 0:
                    raise TooLargeError
                waiting += below
        made: dict[str, Any] = _written(self.data, schema)
        if not made.get("required", True):
            del made["required"]
        if needed:
            own = made.get("$defs")
            made["$defs"] = {**(own if isinstance(own, dict) else {}), **needed}
        return made

    def _component(self, name: str) -> tuple[Any, tuple[str, ...], int]:
        """A component in 2020-12, the names of those that it needs, and what it takes."""
        if name not in self._ready:
            made = _written(self.data, self._known[name])
            size = len(json.dumps(made)) + _FOR_EACH
            self._ready[name] = made, tuple(dict.fromkeys(self._names(self._known[name]))), size
        return self._ready[name]

    def _names(self, schema: Any) -> Iterator[str]:
        for _, _, node in positions(schema):
            reference = str(node.get("$ref"))
            name = reference.removeprefix(_COMPONENTS).split("/")[0]
            if reference.startswith(_COMPONENTS) and name in self._known:
                yield name


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


def _name(method: str, path: str, taken: dict[str, int]) -> str:
    """A name of the route; `taken` has for each name the highest number that was put behind it."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", f"{method} {path}").strip("_")
    name = words
    while name in taken:
        taken[words] += 1
        name = f"{words}_{taken[words]}"
    return name


def _texts(value: Any) -> list[str]:
    """The texts of a list, each once."""
    listed = value if isinstance(value, list) else []
    return list(dict.fromkeys(each for each in listed if isinstance(each, str)))
