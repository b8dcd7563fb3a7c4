"""Reads the operations of an OpenAPI description (3.0, 3.1 or 3.2) as tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.convert.openapi_components import Description
from conformance.convert.portable import Notes, Portable
from conformance.formats.catalog.openapi_schema import distinct
from conformance.formats.problem import Place

METHODS: Final = (
    "get",
    "put",
    "post",
    "delete",
    "options",
    "head",
    "patch",
    "trace",
    "query",
)
VERSIONS = ("3.0", "3.1", "3.2")
_JSON = "application/json"
WITHOUT_BODY: Final = ("get", "delete", "options", "head", "trace")
SAFE = ("get", "head", "options", "trace", "query")
_USED = {"operationId", "summary", "description", "parameters", "requestBody", "responses", "tags"}
_OF_PARAMETER = {"name", "in", "required", "schema", "description"}
WORDS_OF_SUCCESS: Final = "Success"
"""The description of a successful response. OpenAPI requires one, and a tool has none."""
_FLAGS: Final[Mapping[str, str | None]] = {
    "nullable": None,
    "exclusiveMinimum": "minimum",
    "exclusiveMaximum": "maximum",
}
"""Boolean keywords of 3.0, each with the keyword without which it has no effect."""
_FLAT = {"type", "properties", "required"}
"""Keywords of a body's schema that the schema of the inputs has already."""


def is_openapi(data: Any) -> bool:
    """Return whether a value is an OpenAPI description of a supported version."""
    return isinstance(data, dict) and str(data.get("openapi", "")).startswith(VERSIONS)


def read_openapi(data: Mapping[str, Any], notes: Notes) -> list[Portable]:
    """Return a tool for each operation, in the order of the description.

    Path, query and JSON body become the inputs. The first successful response becomes the output.
    Everything else, such as security, is lost. The caller handles `info`.
    """
    base = _server(data, notes)
    for name in data.keys() - {"openapi", "info", "paths", "components", "servers"}:
        notes.lose((name,))
    tools: list[Portable] = []
    names: dict[str, int] = {}
    described = Description(data, notes)
    for at, path, method, shared, operation in _operations(data, notes):
        given = operation.get("operationId")
        usable = isinstance(given, str) and given and given not in names
        name = str(given) if usable else _name(method, path, names)
        if "operationId" in operation and not usable:
            notes.lose((*at, "operationId"))
        names.setdefault(name, 1)
        inputs = _Inputs(described, at, notes)
        for place, each in _parameters(at, shared, operation.get("parameters")):
            inputs.add_parameter(place, each)
        if "requestBody" in operation:
            inputs.add_body((*at, "requestBody"), operation["requestBody"])
        for member in ("parameters", "tags"):
            if operation.get(member) == []:
                notes.change((*at, member))
        called = _Called(name, base + path, method, made=not usable)
        tools.append(_tool(described, at, called, inputs, notes))
    _lose_unused(described, notes)
    if str(data["openapi"]).startswith("3.0"):
        _note_old_words(data, notes)
    return tools


def _note_old_words(data: Mapping[str, Any], notes: Notes) -> None:
    """Note keywords of 3.0 that JSON Schema writes differently, or does not need."""
    waiting: list[tuple[Place, Any]] = [((), data)]
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, list):
            waiting += [((*place, index), each) for index, each in enumerate(node)]
        elif isinstance(node, dict):
            waiting += [((*place, name), each) for name, each in node.items()]
            listed = node.get("enum")
            if node.get("nullable") is True and isinstance(listed, list) and None not in listed:
                notes.change((*place, "enum"))
            for word, bound in _FLAGS.items():
                useless = bound is not None and bound not in node
                if node.get(word) is False or (useless and node.get(word) is True):
                    notes.change((*place, word))


@dataclass(frozen=True, slots=True)
class _Called:
    """How an operation is called; its name is `made` if the description has no usable one."""

    name: str
    endpoint: str
    method: str
    made: bool


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
            elif method in item:
                notes.lose(("paths", path, method))


def _lose_unused(described: Description, notes: Notes) -> None:
    """Note the components, or parts of a component, that no tool uses."""
    around = {place[:count] for place in described.used for count in range(len(place))}
    held = described.data.get("components")
    for kind, each in held.items() if isinstance(held, dict) else ():
        if not isinstance(each, dict):
            notes.lose(("components", kind))
            continue
        for name, component in each.items():
            for place in _unused(("components", kind, name), component, described.used, around):
                notes.lose(place)


def _unused(
    place: Place, node: Any, used: Collection[Place], around: Collection[Place]
) -> Iterator[Place]:
    if place not in around and place not in used:
        yield place
    elif place not in used:
        parts = node.items() if isinstance(node, dict) else enumerate(node)
        for step, each in parts:
            yield from _unused((*place, step), each, used, around)


def _tool(
    described: Description, at: Place, called: _Called, inputs: _Inputs, notes: Notes
) -> Portable:
    operation = described.data["paths"][at[1]][at[2]]
    for member in operation.keys() - _USED:
        notes.lose((*at, member))
    texts = {
        member: operation[member]
        for member in ("description", "summary")
        if isinstance(operation.get(member), str) and operation[member]
    }
    words = next(iter(texts), None)
    if words == "summary":
        notes.change((*at, "summary"))
    places = {(): at, ("name",): (*at, "operationId"), ("invocation",): at, **inputs.places}
    places |= {
        ("description",): (*at, words or ""),
        ("title",): (*at, "summary"),
        ("metadata", "tags"): (*at, "tags"),
    }
    outputs = _outputs(described, at, operation.get("responses"), places, notes)
    made = {"name"} if called.made else set()
    if not inputs.schema["properties"] and "requestBody" not in operation:
        made.add("inputs")
    rest: dict[str, Any] = {}
    if called.method in SAFE:
        rest["safe"] = True
        made.add("safe")
    if len(texts) > 1:
        rest["title"] = texts["summary"]
    if not texts:
        made.add("description")
    route = f"{called.method.upper()} {called.endpoint}"
    tags = _texts(operation.get("tags"))
    if "tags" in operation and tags != operation["tags"]:
        notes.change((*at, "tags"))
    schema = described.added_to(inputs.schema, ("schema",), places)
    answered = None if outputs is None else described.added_to(outputs, ("outputs",), places)
    return Portable(
        name=called.name,
        description=texts[words] if words is not None else route,
        schema=schema,
        places=places,
        outputs={"schema": answered} if answered is not None else None,
        metadata={"tags": tags} if tags else None,
        invocation={"endpoint": called.endpoint, "method": called.method.upper()},
        rest=rest,
        made=frozenset(made),
    )


def _parameters(at: Place, shared: list[Any], declared: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the parameters of an operation; its own replace shared ones with the same key."""
    own = declared if isinstance(declared, list) else []
    keys = {_key(each) for each in own if isinstance(each, dict)}
    for index, each in enumerate(shared):
        if not (isinstance(each, dict) and _key(each) in keys):
            yield (*at[:-1], "parameters", index), each
    for index, each in enumerate(own):
        yield (*at, "parameters", index), each


def _key(parameter: Mapping[str, Any]) -> tuple[str, str]:
    """Return what identifies a parameter within an operation."""
    return str(parameter.get("name")), str(parameter.get("in"))


class _Inputs:
    """Builds the schema of an operation's inputs, with each part's place in the description."""

    def __init__(self, described: Description, at: Place, notes: Notes) -> None:
        self.schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
        self.places: dict[Place, Place] = {("schema",): at}
        self._described = described
        self._at = at
        self._notes = notes

    def add_parameter(self, place: Place, each: Any) -> None:
        """Add a parameter of the path or the query; any other parameter is lost."""
        place, each = self._described.resolved(place, each)
        name = each.get("name")
        known = str(each.get("in")) in ("path", "query") and isinstance(name, str)
        if not known or name in self.schema["properties"]:
            self._notes.lose(place)
            return
        self._notes.lose_all(each, place, _OF_PARAMETER)
        own = each.get("schema", {})
        node = dict(own) if isinstance(own, dict) else {}
        home: Place = ("schema", "properties", name)
        if node != own:
            self._notes.lose((*place, "schema"))
        self.places[home] = (*place, "schema") if node else place
        said = each.get("description")
        if isinstance(said, str) and "description" not in node:
            node["description"] = said
            self.places[*home, "description"] = (*place, "description")
            self._notes.change((*place, "description"))
        elif "description" in each and said != node.get("description"):
            self._notes.lose((*place, "description"))
        self.schema["properties"][name] = node
        if each["in"] == "query" and self._at[-1] not in WITHOUT_BODY:
            self._notes.lose((*place, "in"))  # a tool sends it in the body
        if each.get("required") is True or each["in"] == "path":
            self.schema["required"].append(name)

    def _flat(
        self, place: Place, declared: Mapping[str, Any]
    ) -> tuple[Place, Mapping[str, Any] | None]:
        """Return the place of a body's schema, and the schema itself.

        The schema is None if it is not an object with properties.
        """
        node: Any = declared
        for _ in range(10):
            if "$ref" not in node:
                break
            place, node = self._described.resolved(place, node)
        plain = node.get("type") == "object" and "$ref" not in node
        return place, node if plain and isinstance(node.get("properties"), dict) else None

    def add_body(self, place: Place, body: Any) -> None:
        """Add a JSON body: its properties, or a single input for a body without properties."""
        place, body = self._described.resolved(place, body)
        self._notes.lose_all(body, place, {"content", "required"})
        content = body.get("content")
        media = content if isinstance(content, dict) else {}
        for kind in media.keys() - {_JSON}:
            self._notes.lose((*place, "content", kind))
        held = media.get(_JSON)
        declared = held.get("schema") if isinstance(held, dict) else None
        if not isinstance(held, dict) or not isinstance(declared, dict):
            self._notes.lose(place)
            return
        home: Place = (*place, "content", _JSON)
        self._notes.lose_all(held, home, {"schema"})
        if body.get("required") is not True:
            self._notes.change(place)
        home, flat = self._flat((*home, "schema"), declared)
        needed = body.get("required") is True
        if flat is None:
            # Any other body cannot be split into inputs.
            name = "body" if "body" not in self.schema["properties"] else "request_body"
            self.schema["properties"][name] = dict(declared)
            self.places["schema", "properties", name] = (*place, "content", _JSON, "schema")
            self._notes.change((*place, "content", _JSON, "schema"))
            if needed:
                self.schema["required"].append(name)
            return
        for name, node in flat.get("properties", {}).items():
            if name in self.schema["properties"]:
                self._notes.lose((*home, "properties", name))
            else:
                self.schema["properties"][name] = node
                self.places["schema", "properties", name] = (*home, "properties", name)
        listed = _texts(flat.get("required")) if needed else []
        self.schema["required"] = list(dict.fromkeys([*self.schema["required"], *listed]))
        for word in flat.keys() - _FLAT:
            if word != "$defs" or isinstance(flat[word], dict):
                self.schema[word] = flat[word]
                self.places["schema", word] = (*home, word)


def _outputs(
    described: Description, at: Place, responses: Any, places: dict[Place, Place], notes: Notes
) -> dict[str, Any] | None:
    """Return the schema of the first successful response, and add its place to `places`."""
    listed = responses if isinstance(responses, dict) else {}
    chosen = next((code for code in sorted(map(str, listed)) if code.startswith("2")), None)
    for code in listed:
        if str(code) != chosen:
            notes.lose((*at, "responses", str(code)))
    if chosen is None:
        return None
    place, response = described.resolved((*at, "responses", chosen), listed.get(chosen))
    usual = {"description"} if response.get("description") == WORDS_OF_SUCCESS else set()
    notes.lose_all(response, place, {"content"} | usual)
    content = response.get("content")
    media = content if isinstance(content, dict) else {}
    for kind in media.keys() - {_JSON}:
        notes.lose((*place, "content", kind))
    if "content" in response and not media:
        notes.change((*place, "content"))
    held = media.get(_JSON)
    schema = held.get("schema") if isinstance(held, dict) else None
    home: Place = (*place, "content", _JSON)
    if isinstance(held, dict):
        notes.lose_all(held, home, {"schema"})
    if not isinstance(schema, dict) or not schema:
        if _JSON in media:
            notes.lose(home)
        return None
    places["outputs", "schema"] = places["outputs",] = (*home, "schema")
    return dict(schema)


def _server(data: Mapping[str, Any], notes: Notes) -> str:
    servers = data.get("servers")
    listed = servers if isinstance(servers, list) else []
    for index in range(1, len(listed)):
        notes.lose(("servers", index))
    first = listed[0] if listed and isinstance(listed[0], dict) else {}
    notes.lose_all(first, ("servers", 0), {"url"})
    url = first.get("url")
    return url.rstrip("/") if isinstance(url, str) else ""


def _name(method: str, path: str, taken: dict[str, int]) -> str:
    """Return a name for the route; `taken` has the highest number appended to each name."""
    return distinct(re.sub(r"[^A-Za-z0-9]+", "_", f"{method} {path}").strip("_"), taken)


def _texts(value: Any) -> list[str]:
    """Return the strings in a list, each once."""
    listed = value if isinstance(value, list) else []
    return list(dict.fromkeys(each for each in listed if isinstance(each, str)))
