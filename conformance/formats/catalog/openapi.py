"""The operations of an OpenAPI document (3.0, 3.1 or 3.2) as tools that can be called.

An operation is a tool if it documents a 2xx answer as JSON, or without a media type, or documents
errors alone. The others are listed as left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult

from conformance.formats.catalog.openapi_input import LeftOut, inputs_of
from conformance.formats.catalog.openapi_media import is_json, json_media, plain
from conformance.formats.catalog.openapi_schema import (
    Document,
    LeadsElsewhere,
    LeadsNowhere,
    TooLarge,
    resolved,
)
from conformance.formats.catalog.other_method import asks_for_another
from conformance.formats.catalog.routes import sharing
from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.schema.schemas import schema_faults
from conformance.formats.schema.uri import urlsplit
from conformance.formats.tool.tool import (
    JSON,
    LONGEST_NAME,
    Annotations,
    Invocation,
    Tool,
    ToolForm,
    Where,
    changes_things,
    is_name,
)
from conformance.spec.messages import Message, message

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
VERSIONS = ("3.0", "3.1", "3.2")
DOCUMENT = "HTTP-OAS-001"
OPERATION = "HTTP-OAS-002"

_NEVER = frozenset({"options", "head", "trace"})
"""Methods with a special meaning to a client or a proxy, which are never called."""
_CALLED = frozenset({"get", "put", "post", "delete", "patch"})
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_LONGEST = 500
"""The most characters of a server's address, and of a variable's value in it."""
_PLAIN_TYPES = frozenset({"string", "integer", "number", "boolean"})


@dataclass(frozen=True, slots=True)
class OpenApiCatalog:
    """The operations that can be called, the others with the reason, and the problems."""

    tools: tuple[Tool, ...]
    left_out: tuple[tuple[str, Message], ...]
    problems: tuple[Problem, ...]


def is_openapi(data: Any) -> bool:
    """Return whether a value claims to be an OpenAPI document of version 3.0, 3.1 or 3.2."""
    version = data.get("openapi") if isinstance(data, dict) else None
    return isinstance(version, str) and version.startswith(VERSIONS)


def is_swagger(data: Any) -> bool:
    """Return whether a value is a description of the version before OpenAPI 3.0."""
    return isinstance(data, dict) and isinstance(data.get("swagger"), str)


def operations(data: Mapping[str, Any]) -> OpenApiCatalog:
    """Return the tools of a document; never raises for a bad one."""
    tools: list[Tool] = []
    left: list[tuple[str, Message]] = []
    problems = list(of_document(data))
    document = Document(data)
    taken: set[str] = set()
    paths = data.get("paths")
    shared = sharing(map(str, paths if isinstance(paths, dict) else ()))
    for place, method, around, operation in _each(data):
        given, route = _names(place, operation)
        name = given if is_name(given) and given not in taken else route
        if not is_name(name):
            path = shown(str(place[1]))
            left.append((path, message("kit.left_out.openapi_name", limit=LONGEST_NAME)))
            continue
        taken.add(name)
        try:
            called = name, method, str(place[1])
            tool = _tool(document, called, around, operation, shares_path=place[1] in shared)
        except LeftOut as why:
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


def changing(data: Any) -> Iterator[tuple[str, Invocation]]:
    """Yield the names and routes of operations with a changing method, or with an input for
    another method.

    Operations that are left out as tools are included: a tool of another document may be the same.
    """
    if not is_openapi(data):
        return
    for place, method, around, operation in _each(data):
        if not changes_things(method) and not asks_for_another(data, around, operation):
            continue
        given, route = _names(place, operation)
        base = _server(data, around, operation).path.rstrip("/")
        yield given or route, Invocation(base + str(place[1]), method.upper())


def _names(place: Place, operation: Mapping[str, Any]) -> tuple[str, str]:
    """Return the id of an operation, empty if it has none, and its route."""
    _, path, method = place
    given = operation.get("operationId")
    return given if isinstance(given, str) else "", f"{str(method).upper()} {path}"


def of_document(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each member that every document must have and this one lacks."""
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


def _each(
    data: Mapping[str, Any],
) -> Iterator[tuple[Place, str, Mapping[str, Any], Mapping[str, Any]]]:
    """Yield each operation's place, method and path item, and the operation itself."""
    paths = data.get("paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        try:
            item = resolved(data, item)
        except (LeadsElsewhere, LeadsNowhere):
            continue
        for method in METHODS:
            if isinstance(item.get(method), dict):
                yield ("paths", path, method), method, item, item[method]
        more = item.get("additionalOperations")
        for method, operation in more.items() if isinstance(more, dict) else ():
            if isinstance(operation, dict):
                yield ("paths", path, method), str(method).lower(), item, operation


def _tool(
    document: Document,
    called: tuple[str, str, str],
    around: Mapping[str, Any],
    operation: Mapping[str, Any],
    *,
    shares_path: bool,
) -> Tool:
    name, method, path = called
    if method in _NEVER:
        raise LeftOut("kit.left_out.openapi_method", method=method.upper())
    if method not in _CALLED:
        raise LeftOut("kit.left_out.openapi_unsent_method", method=shown(method.upper()))
    server = _server(document.data, around, operation)
    host = _server(document.data).netloc
    if host and server.netloc not in ("", host):
        raise LeftOut("kit.left_out.openapi_server", server=shown(server.geturl()))
    answers, kinds = _answers(document, operation)
    schema, inputs = inputs_of(document, around.get("parameters"), operation)
    asked = {each.name for each in inputs if each.where is Where.PATH}
    if {part.split("}")[0] for part in path.split("{")[1:]} != asked:
        raise LeftOut("kit.left_out.openapi_path", path=shown(path))
    changes = changes_things(method) or asks_for_another(document.data, around, operation)
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
        annotations=Annotations(destructive=True if changes else None),
        safe=True if method == "get" else None,
        invocation=Invocation(
            server.path.rstrip("/") + path,
            method.upper(),
            tuple(inputs),
            bodiless="requestBody" not in operation,
            sent=_sent(document, operation),
            taken=_taken(kinds),
            shares_path=shares_path,
        ),
    )


def _asks_for_bearer(data: Mapping[str, Any], operation: Mapping[str, Any]) -> bool:
    """Return whether a route takes a bearer token, by its security or by the document's default."""
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


def _server(*holders: Mapping[str, Any]) -> SplitResult:
    """Return the address of the first server in the last holder with servers; empty without any.

    The document's own host is never called: the target replaces it.
    """
    listed = (each.get("servers") for each in reversed(holders))
    servers: list[Any] = next((each for each in listed if isinstance(each, list) and each), [{}])
    first = servers[0] if isinstance(servers[0], dict) else {}
    url, variables = first.get("url"), first.get("variables")
    if not isinstance(url, str) or len(url) > _LONGEST:
        return urlsplit("")

    def default(found: re.Match[str]) -> str:
        variable = variables.get(found[1]) if isinstance(variables, dict) else None
        value = variable.get("default") if isinstance(variable, dict) else None
        return value if isinstance(value, str) and len(value) <= _LONGEST else found[0]

    url = _VARIABLE.sub(default, url)
    try:
        return urlsplit("" if "{" in url else url)
    except ValueError:  # half an IPv6 address
        return urlsplit("")


def _sent(document: Document, operation: Mapping[str, Any]) -> str:
    """Return the media type of the body that is sent."""
    body = resolved(document.data, operation.get("requestBody", {}))
    found = json_media(body.get("content"))
    return JSON if found is None else found[0]


def _taken(kinds: Mapping[str, list[str]]) -> str:
    """Return the media types of answers to accept: those that are JSON, and JSON itself."""
    listed = dict.fromkeys(kind for each in kinds.values() for kind in each if is_json(kind))
    return JSON if JSON in listed else ", ".join([*listed, JSON])


def _answers(
    document: Document, operation: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the schemas of successful JSON answers, and the media types, both by status.

    `content` is optional: many documents describe an answer only in prose, which leaves no schema.
    Others list errors alone: they say nothing of a success either.
    """
    responses = operation.get("responses")
    listed = responses if isinstance(responses, dict) else {}
    found: dict[str, Any] = {}
    kinds: dict[str, list[str]] = {}
    unsaid = not any(str(status).startswith(("1", "2", "3", "default")) for status in listed)
    for status, response in listed.items():
        if not str(status).startswith(("2", "default")):
            continue
        content = resolved(document.data, response).get("content")
        media = json_media(content)
        unsaid = unsaid or not content
        kinds[str(status)] = [plain(kind) for kind in content] if isinstance(content, dict) else []
        if media is not None and str(status) != "default":
            found[str(status)] = document.whole(media[1].get("schema", {}), sent=False)
        unsaid = unsaid or media is not None
    if not found and not unsaid:
        raise LeftOut("kit.left_out.openapi_answer")
    return found, kinds
