"""The operations of an OpenAPI 3.0 or 3.1 document as tools that can be called.

An operation is a tool if a 2xx answer is documented in JSON, or without saying of what form it is.
The others are named as left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from conformance.formats.catalog.openapi_schema import (
    Document,
    LeadsElsewhere,
    LeadsNowhere,
    TooLarge,
    resolved,
)
from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.schema.schemas import schema_faults
from conformance.formats.tool.tool import (
    JSON,
    Annotations,
    Input,
    Invocation,
    Tool,
    ToolForm,
    Where,
)
from conformance.spec.messages import Message, message

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
DOCUMENT = "HTTP-OAS-001"
OPERATION = "HTTP-OAS-002"

_JSON_KIND = re.compile(r"application/json|[a-z0-9!#$&^_.-]+/[a-z0-9!#$&^_.+-]+\+json")
_CHANGING = frozenset({"put", "patch", "delete"})
_NEVER = frozenset({"options", "head", "trace"})
"""Methods that a client or a proxy means something else by than a call."""
_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that the specification says to take no notice of."""
_FLAT = frozenset({
    "type", "properties", "required", "description", "title", "additionalProperties", "example",
    "examples", "$defs",
})  # fmt: skip
"""Keywords with which the body's members may stand beside other inputs."""
_PLAIN_TYPES = frozenset({"string", "integer", "number", "boolean"})


@dataclass(frozen=True, slots=True)
class OpenApiCatalog:
    """The operations that can be called, those that cannot with the reason, and what is wrong."""

    tools: tuple[Tool, ...]
    left_out: tuple[tuple[str, Message], ...]
    problems: tuple[Problem, ...]


class _LeftOut(Exception):
    """An operation that is no tool, for the reason that the message gives."""

    def __init__(self, id: str, **values: object) -> None:
        super().__init__(id)
        self.reason = message(id, **values)


def is_openapi(data: Any) -> bool:
    """Whether a value means to be an OpenAPI document of version 3.0 or 3.1."""
    version = data.get("openapi") if isinstance(data, dict) else None
    return isinstance(version, str) and version.startswith(("3.0", "3.1"))


def is_swagger(data: Any) -> bool:
    """Whether a value is a description of the version before OpenAPI 3.0."""
    return isinstance(data, dict) and isinstance(data.get("swagger"), str)


def operations(data: Mapping[str, Any]) -> OpenApiCatalog:
    """The tools of a document; never raises for a bad one."""
    tools: list[Tool] = []
    left: list[tuple[str, Message]] = []
    problems = list(_of_document(data))
    document = Document(data)
    taken: set[str] = set()
    for place, method, shared, operation in _each(data):
        given = operation.get("operationId")
        name = given if isinstance(given, str) and given else f"{method.upper()} {place[1]}"
        name = name if name not in taken else f"{method.upper()} {place[1]}"
        taken.add(name)
        try:
            tool = _tool(document, (name, method, str(place[1])), shared, operation)
        except _LeftOut as why:
            left.append((name, why.reason))
        except TooLarge:
            left.append((name, message("kit.left_out.openapi_size")))
        except LeadsElsewhere as why:
            said = message("kit.left_out.openapi_elsewhere", reference=shown(str(why)))
            left.append((name, said))
        except (LeadsNowhere, RecursionError) as why:
            said = message("documents.openapi.reference", reference=shown(str(why)))
            problems.append(problem(place, "$ref", said, clause=DOCUMENT))
            left.append((name, said))
        else:
            tools.append(tool)
            problems += _of_operation(tool, place)
    return OpenApiCatalog(tuple(tools), tuple(left), tuple(problems))


def _of_document(data: Mapping[str, Any]) -> Iterator[Problem]:
    """What every document must have."""
    info = data.get("info")
    for holder, place, wanted in (
        (data, (), ("info", "paths")),
        (info if isinstance(info, dict) else {}, ("info",), ("title", "version")),
    ):
        for name in wanted:
            if name not in holder and not (name == "paths" and _needs_no_paths(data)):
                said = message("documents.openapi.missing", member=name)
                yield problem(place, "required", said, clause=DOCUMENT)


def _needs_no_paths(data: Mapping[str, Any]) -> bool:
    newer = not str(data.get("openapi")).startswith("3.0")
    return newer and bool({"components", "webhooks"} & data.keys())


def _of_operation(tool: Tool, place: Place) -> Iterator[Problem]:
    answers = tool.raw["answers"].values()
    for schema in (tool.input_schema, *answers):
        for fault in schema_faults(schema, is_whole=True):
            yield problem(place, fault.keyword, fault.message, clause=OPERATION, tool=tool.name)


def _each(data: Mapping[str, Any]) -> Iterator[tuple[Place, str, Any, Mapping[str, Any]]]:
    paths = data.get("paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        try:
            item = resolved(data, item)
        except (LeadsElsewhere, LeadsNowhere):
            continue
        for method in METHODS:
            if isinstance(item.get(method), dict):
                yield ("paths", path, method), method, item.get("parameters"), item[method]


def _tool(
    document: Document,
    called: tuple[str, str, str],
    shared: Any,
    operation: Mapping[str, Any],
) -> Tool:
    name, method, path = called
    if method in _NEVER:
        raise _LeftOut("kit.left_out.openapi_method", method=method.upper())
    answers, kinds = _answers(document, operation)
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    inputs = _parameters(document, shared, operation, schema)
    sent = _sent(document, operation)
    inputs += _body(document, operation, schema, inputs)
    asked = {each.name for each in inputs if each.where is Where.PATH}
    if {part.split("}")[0] for part in path.split("{")[1:]} != asked:
        raise _LeftOut("kit.left_out.openapi_path", path=shown(path))
    texts = [operation.get(member) for member in ("description", "summary")]
    return Tool(
        name,
        schema,
        ToolForm.OPENAPI,
        {
            "operation": operation,
            "answers": answers,
            "kinds": kinds,
            "bearer": _asks_for_bearer(document.data, operation),
        },
        description=next((t for t in texts if isinstance(t, str) and t), None),
        output_schema=next(iter(answers.values()), None),
        annotations=Annotations(destructive=True if method in _CHANGING else None),
        safe=True if method == "get" else None,
        invocation=Invocation(
            _base(document.data) + path,
            method.upper(),
            tuple(inputs),
            bodiless="requestBody" not in operation,
            sent=sent,
            taken=_taken(kinds),
        ),
    )


def _asks_for_bearer(data: Mapping[str, Any], operation: Mapping[str, Any]) -> bool:
    """Whether a route takes a bearer token: its own security says so, or else the document's."""
    asked = operation.get("security", data.get("security"))
    components = data.get("components")
    known = components.get("securitySchemes") if isinstance(components, dict) else None
    listed = asked if isinstance(asked, list) else []
    names = {name for each in listed if isinstance(each, dict) for name in each}
    schemes = known if isinstance(known, dict) else {}
    return any(_is_bearer(schemes[name]) for name in names if name in schemes)


def _is_bearer(scheme: Any) -> bool:
    if not isinstance(scheme, dict):
        return False
    http = scheme.get("type") == "http" and str(scheme.get("scheme")).lower() == "bearer"
    return http or scheme.get("type") in {"oauth2", "openIdConnect"}


def _base(data: Mapping[str, Any]) -> str:
    """The path of the first server: the host is always the target's own."""
    servers = data.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = first.get("url") if isinstance(first, dict) else None
    if not isinstance(url, str) or "{" in url:
        return ""
    try:
        return urlsplit(url).path.rstrip("/")
    except ValueError:
        return ""


def _sent(document: Document, operation: Mapping[str, Any]) -> str:
    """The media type of the body that is sent."""
    body = resolved(document.data, operation.get("requestBody", {}))
    found = _json_media(body.get("content"))
    return JSON if found is None else found[0]


def _taken(kinds: Mapping[str, list[str]]) -> str:
    """The media types of answers to ask for: those that are JSON, and JSON itself."""
    listed = dict.fromkeys(kind for each in kinds.values() for kind in each if _is_json(kind))
    return JSON if JSON in listed else ", ".join([*listed, JSON])


def _answers(
    document: Document, operation: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The schemas of the JSON answers that mean success, by status; none if nothing says the form.

    `content` is optional: many documents describe an answer in words alone. The second are all
    media types of these answers, by status.
    """
    responses = operation.get("responses")
    listed = responses if isinstance(responses, dict) else {}
    found: dict[str, Any] = {}
    kinds: dict[str, list[str]] = {}
    unsaid = not listed
    for status, response in listed.items():
        if not str(status).startswith(("2", "default")):
            continue
        content = resolved(document.data, response).get("content")
        media = _json_media(content)
        unsaid = unsaid or not content
        kinds[str(status)] = [_plain(kind) for kind in content] if isinstance(content, dict) else []
        if media is not None and str(status) != "default":
            found[str(status)] = document.whole(media[1].get("schema", {}), sent=False)
        unsaid = unsaid or media is not None
    if not found and not unsaid:
        raise _LeftOut("kit.left_out.openapi_answer")
    return found, kinds


def _json_media(content: Any) -> tuple[str, Mapping[str, Any]] | None:
    """What a content says of JSON, with its media type: of plain JSON, or else of the first."""
    found: dict[str, Mapping[str, Any]] = {}
    for kind, media in content.items() if isinstance(content, dict) else ():
        if _is_json(_plain(kind)) and isinstance(media, dict):
            found.setdefault(_plain(kind), media)
    first = json_kind(found)
    return None if first is None else (first, found[first])


def json_kind(kinds: Iterable[str]) -> str | None:
    """The media type whose schema counts: plain JSON, or else the first that is JSON."""
    listed = [kind for kind in kinds if _is_json(kind)]
    return JSON if JSON in listed else next(iter(listed), None)


def _plain(kind: object) -> str:
    return str(kind).partition(";")[0].strip().lower()


def _is_json(kind: str) -> bool:
    return _JSON_KIND.fullmatch(kind) is not None


def _parameters(
    document: Document, shared: Any, operation: Mapping[str, Any], schema: dict[str, Any]
) -> list[Input]:
    """The inputs of path, query and header, which are added to `schema`; own ones go before."""
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
        own = document.whole(each["schema"], sent=True) if "schema" in each else None
        sound = usable and own is not None and _is_sendable(own, kind, each)
        if not sound or name in schema["properties"]:
            if required:
                raise _LeftOut("kit.left_out.openapi_parameter", name=shown(name))
            continue
        assert own is not None
        _add(schema, name, own, each, required=required)
        inputs.append(Input(name, Where(kind)))
    return inputs


def _is_sendable(own: Mapping[str, Any], kind: str, each: Mapping[str, Any]) -> bool:
    """Whether the values of a parameter have one text that every server reads alike."""
    kinds = own.get("type")
    types = set(map(str, kinds)) if isinstance(kinds, list) else {str(kinds)}
    if "style" in each and each["style"] not in ("form", "simple"):
        return False
    if "object" in types or "$ref" in own:
        return "$ref" in own  # what a reference leads to is most often an enum
    if "array" in types:
        return kind == "query" and each.get("explode", True) is True
    return True


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
    """The inputs of the body, added to `schema`: its members, or it as a whole."""
    if "requestBody" not in operation:
        return []
    body = resolved(document.data, operation["requestBody"])
    required = body.get("required") is True
    media = _json_media(body.get("content"))
    if media is None:
        if required:
            raise _LeftOut("kit.left_out.openapi_body")
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
    """The schema of a body that is an object with named members; None for any other."""
    definitions = _definitions(declared)
    node: Any = declared
    for _ in range(10):
        reference = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str):
            break
        node = definitions.get(reference.removeprefix("#/$defs/"))
    if not isinstance(node, dict) or node.get("type") != "object" or "$ref" in node:
        return None
    needed = node.get("required", [])
    if not isinstance(node.get("properties"), dict) or not isinstance(needed, list):
        return None
    return {**node, **({"$defs": definitions} if definitions else {})}


def _definitions(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `$defs` of a schema; empty if they are of another type."""
    found = schema.get("$defs")
    return found if isinstance(found, dict) else {}
