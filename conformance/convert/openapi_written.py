"""Writes tools as an OpenAPI description: each tool becomes an operation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from conformance.convert.openapi import SAFE, WITHOUT_BODY, WORDS_OF_SUCCESS
from conformance.convert.openapi_older import Older
from conformance.convert.portable import Notes, Portable
from conformance.formats.catalog.openapi_schema import (
    COMPONENTS,
    DEFINED,
    defined,
    distinct,
    redirected,
    references,
)
from conformance.formats.problem import Place
from conformance.formats.schema.positions import positions
from conformance.formats.schema.schemas import NEWEST
from conformance.formats.schema.uri import urlsplit
from conformance.formats.text.address import in_address
from conformance.spec.pointer import to_pointer

VERSIONS: Final = {"3.0": "3.0.4", "3.1": "3.1.1", "3.2": "3.2.0"}
"""The versions that can be written."""
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_NEWER_METHODS: Final = (*_METHODS, "query")
"""The methods of 3.2."""
_IN_PATH: Final = re.compile(r"\{(\w+)\}")
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]")
_ROUTE: Final = "/tools/{}/invoke"
"""The path of a tool without an invocation: HTTP-CALL-001."""


def write_openapi(
    tools: Sequence[Portable],
    around: Mapping[str, Any],
    notes: Notes,
    version: str = "3.1",
    home: Place = (),
) -> dict[str, Any]:
    """Return the description of tools, in a version of OpenAPI.

    An input is a path parameter if the endpoint names it, a query parameter if the method has no
    body, otherwise a member of the body. `around`, at `home` of the source, may have the title and
    the version.
    """
    notes.lose_all(around, home, {"title", "version"})
    for name in ("title", "version"):
        if not isinstance(around.get(name), str):
            notes.make(("info", name))
    title, named = around.get("title", "Tools"), around.get("version", "1.0.0")
    made: dict[str, Any] = {
        "openapi": VERSIONS[version],
        "info": {"title": str(title), "version": str(named)},
        "paths": {},
    }
    components: dict[str, Any] = {}
    taken: dict[str, int] = {}
    for tool in tools:
        operation = _Operation(tool, version, components, taken, notes)
        path, method = operation.route(made["paths"])
        if method in made["paths"].get(path, {}):
            notes.lose(tool.place())
            continue
        made["paths"].setdefault(path, {})[method] = operation.written(path, method)
    _share_server(made)
    return made | ({"components": {"schemas": components}} if components else {})


def _share_server(made: dict[str, Any]) -> None:
    """Name the server only once if it is the same for all operations."""
    operations = [each for item in made["paths"].values() for each in item.values()]
    servers = [each.get("servers") for each in operations]
    if servers and servers[0] and all(each == servers[0] for each in servers):
        made["servers"] = servers[0]
        for each in operations:
            del each["servers"]


class _Operation:
    """A tool as an operation. Its schemas may add components."""

    def __init__(
        self,
        tool: Portable,
        version: str,
        components: dict[str, Any],
        taken: dict[str, int],
        notes: Notes,
    ) -> None:
        self._tool = tool
        self._version = version
        self._components = components
        self._taken = taken
        self._notes = notes
        self._origin = ""
        self._first: dict[str, tuple[str, str]] = {}

    def route(self, taken: Mapping[str, Any]) -> tuple[str, str]:
        """Return the path and the method of the tool.

        They are those of the HTTP binding if the tool names none, or another tool has the same.
        """
        tool, notes = self._tool, self._notes
        said = tool.invocation or {}
        try:
            url = urlsplit(str(said.get("endpoint", "")))
        except ValueError:  # such as `http://[`
            url = urlsplit("")
        method = str(said.get("method", "POST")).lower()
        path = url.path if url.path.startswith("/") else ""
        known = _NEWER_METHODS if self._version == "3.2" else _METHODS
        if not path or method not in known or method in taken.get(path, {}):
            if tool.invocation is not None:
                notes.lose_object(tool, "invocation")
            path = _ROUTE.format(in_address(tool.name))
            notes.make(("paths", path))
            return path, "post"
        for name in said.keys() - {"endpoint", "method"}:
            notes.lose(tool.place("invocation", name))
        if url.query or url.fragment:
            notes.lose(tool.place("invocation", "endpoint"))
        self._origin = f"{url.scheme}://{url.netloc}" if url.netloc else ""
        return path, method

    def written(self, path: str, method: str) -> dict[str, Any]:
        """Return the operation for this path and method."""
        tool, notes = self._tool, self._notes
        self._note_lost(method)
        for name, home in (("name", "operationId"), ("description", "description")):
            if name in tool.made:
                notes.make(("paths", path, method, home))
        metadata, outputs = tool.metadata or {}, tool.outputs or {}
        made: dict[str, Any] = {"operationId": tool.name}
        if isinstance(tool.rest.get("title"), str) and tool.rest["title"] and tool.description:
            made["summary"] = tool.rest["title"]
        if tool.description:
            made["description"] = tool.description
        if metadata.get("tags"):
            made["tags"] = list(metadata["tags"])
        elif "tags" in metadata:
            notes.change(tool.place("metadata", "tags"))
        if tool.metadata is not None and not metadata:
            notes.change(tool.place("metadata"))
        schema = self._component_of(tool.schema, ("schema",), "inputSchema")
        if "properties" not in schema:
            if "schema" not in tool.made:
                notes.change(tool.place("schema"))
            schema["properties"] = {}
        listed = list(self._parameters(schema, path, method))
        if listed:
            made["parameters"] = listed
        body = _body(schema, {each["name"] for each in listed})
        if body is not None and method not in WITHOUT_BODY and "inputs" not in tool.made:
            content = {"application/json": {"schema": body}}
            made["requestBody"] = {"required": True, "content": content}
        response: dict[str, Any] = {"description": WORDS_OF_SUCCESS}
        if isinstance(outputs.get("schema"), dict):
            answered = self._component_of(outputs["schema"], ("outputs", "schema"), "outputs")
            response["content"] = {"application/json": {"schema": answered}}
        made["responses"] = {"200": response}
        return made | ({"servers": [{"url": self._origin}]} if self._origin else {})

    def _note_lost(self, method: str) -> None:
        tool, notes = self._tool, self._notes
        said = {"schema", "outputs", "metadata", "invocation"}
        if tool.rest.get("safe") is True and method in SAFE:
            said.add("safe")
        if isinstance(tool.rest.get("title"), str) and tool.rest["title"] and tool.description:
            said.add("title")
        notes.lose_other(tool, said)
        for name, kept in (("metadata", "tags"), ("outputs", "schema")):
            for each in (getattr(tool, name) or {}).keys() - {kept}:
                notes.lose(tool.place(name, each))
        if tool.outputs == {}:
            notes.lose(tool.place("outputs"))

    def _parameters(
        self, schema: Mapping[str, Any], path: str, method: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the inputs that are not in a body.

        If there is no body, other keywords of the schema are lost.
        """
        properties = schema.get("properties", {})
        in_path = dict.fromkeys(name for name in _IN_PATH.findall(path) if name in properties)
        required = frozenset(schema.get("required", []))
        for name in in_path:
            yield {"name": name, "in": "path", "required": True, "schema": properties[name]}
        if method not in WITHOUT_BODY:
            return
        for word in schema.keys() - {"type", "properties", "required"}:
            self._notes.lose(self._tool.place("schema", word))
        for name in properties:
            if name in in_path:
                continue
            query = {"name": name, "in": "query", "required": name in required}
            yield {**query, "schema": properties[name]}

    def _component_of(self, schema: Mapping[str, Any], at: Place, name: str) -> dict[str, Any]:
        """Return the schema at `at` of the tool, with its definitions as components.

        Its references lead to the components. If the schema refers to itself in another way, it
        becomes a component as a whole.
        """
        tool, notes = self._tool, self._notes
        alone = {word: node for word, node in schema.items() if word not in ("$defs", "$schema")}
        parts = schema.get("$defs", {})
        if schema.get("$schema", NEWEST) != NEWEST:
            notes.lose(tool.place(*at, "$schema"))
        elif "$schema" in schema:
            notes.change(tool.place(*at, "$schema"))
        anchors = {
            f"#{node['$anchor']}": f"#{quote(to_pointer(place), '/$', errors='surrogatepass')}"
            for place, _, node in positions(schema)
            if "$anchor" in node
        }
        led = {each: anchors.get(each, each) for each in references(schema) if each[:1] == "#"}
        if parts or led:
            notes.change(tool.place(*at))
        apart = all(each.startswith(DEFINED) and defined(each) in parts for each in led.values())
        homes = self._homes(parts, apart=apart)
        whole = "" if apart else self._new_component(name)

        def own(reference: str) -> str:
            return _home(led[reference], homes, whole) if reference in led else reference

        for each, home in homes.items():
            node = redirected(parts[each], own)
            self._components[home.removeprefix(COMPONENTS)] = self._aged(node, (*at, "$defs", each))
        made: dict[str, Any] = self._aged(redirected(alone, own), at)
        if whole:
            self._components[whole.removeprefix(COMPONENTS)] = made
        return made

    def _homes(self, parts: Mapping[str, Any], *, apart: bool) -> dict[str, str]:
        """Return the component for each definition of a schema.

        If the tool's two schemas have equal definitions, they share the components. `apart` is True
        if no definition needs the schema itself.
        """
        texts = {each: json.dumps(part) for each, part in parts.items()}
        first = self._first
        same = apart and all(
            text == first[each][0] for each, text in texts.items() if each in first
        )
        homes = {
            each: first[each][1] if same and each in first else self._new_component(each)
            for each in parts
        }
        if apart:
            self._first = {each: (text, homes[each]) for each, text in texts.items()}
        return homes

    def _new_component(self, name: str) -> str:
        """Return a reference to a new component, with a name that no other schema has."""
        return COMPONENTS + distinct(_ODD.sub("_", f"{self._tool.name}-{name}"), self._taken)

    def _aged(self, schema: Any, at: Place) -> Any:
        """Return a schema in the keywords of this version; `at` is its place in the tool."""
        if self._version != "3.0":
            return schema
        tool, notes = self._tool, self._notes
        older = Older(
            lambda inside: notes.lose(tool.place(*at, *inside)),
            lambda inside: notes.change(tool.place(*at, *inside)),
        )
        return older.written(schema)


def _body(schema: Mapping[str, Any], apart: set[str]) -> dict[str, Any] | None:
    """Return the schema without the inputs in `apart`, which are sent elsewhere; None if empty."""
    made = dict(schema)
    if not apart:
        return made
    left = {n: node for n, node in schema.get("properties", {}).items() if n not in apart}
    made["properties"] = left
    if "required" in schema:
        made["required"] = [name for name in schema["required"] if name not in apart]
    return made if left else None


def _home(reference: str, homes: Mapping[str, str], whole: str) -> str:
    """Return where a schema's reference to itself now leads."""
    if not (reference.startswith(DEFINED) and defined(reference) in homes):
        return whole + reference[1:]
    _, slash, rest = reference.removeprefix(DEFINED).partition("/")
    return homes[defined(reference)] + slash + rest
