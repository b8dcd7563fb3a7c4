"""The HTTP binding: a call of a tool is a request to the tool's own route."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any, ClassVar, Self
from urllib.parse import quote

from conformance.formats.schema.uri import urljoin
from conformance.formats.text.address import in_address, query_of
from conformance.formats.tool.tool import Invocation, Tool, Where
from conformance.kit.model.exchange import HttpRequest
from conformance.kit.model.loopback import same_server
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Connection, Traits, to_bytes, to_text

SESSION = uuid.uuid4().hex
"""The id of this session, which tells its requests from others in a server's log."""

_JSON = (("Content-Type", "application/json"), ("Accept", "application/json"))


def http_connection(endpoint: str, settings: Settings, barred: Barred) -> Connection:
    """Return a connection over HTTP, with the headers that every request of the session has."""
    # Loading an HTTP client takes a while, and most commands send nothing.
    from conformance.kit.transport.http_connection import HttpConnection  # noqa: PLC0415

    agent = ("User-Agent", f"agent-formats-conformance/1.0 session/{SESSION}")
    return HttpConnection(
        endpoint,
        timeout=settings.request_timeout,
        headers=(agent, ("X-Agent-Formats-Session", SESSION), *settings.headers),
        width=settings.concurrency,
        barred=barred,
    )


@dataclass(frozen=True, slots=True)
class HttpBinding:
    """Makes the requests of the HTTP binding."""

    traits: ClassVar[Traits] = Traits(over_http=True, speaks_mcp=False)

    run: Run

    @classmethod
    def of(cls, run: Run, settings: Settings) -> Self:
        """Return the binding of a run, as it is before the first request."""
        return cls(run)

    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """Return keep-alive connections to the target."""
        return http_connection(self.run.endpoint, settings, barred)

    def stays_at_target(self, tool: Tool) -> bool:
        """Return whether the tool's route is on the target's host; the kit calls no other host."""
        return same_server(self.route(tool)[1], self.run.endpoint)

    def route(self, tool: Tool) -> tuple[str, str]:
        """Return the method and URL of a tool's call: those of its invocation, or the default
        route.
        """
        if tool.invocation is not None:
            method, endpoint = tool.invocation.method, tool.invocation.endpoint
        else:
            method, endpoint = "POST", f"/tools/{in_path(tool.name)}/invoke"
        return method.upper(), self.url(endpoint)

    def url(self, path: str) -> str:
        """Return a path of the target as a full URL; a full URL stays as it is.

        A target may name any address. The connection refuses those of other servers.
        """
        base = self.run.endpoint.rstrip("/") + "/"
        try:
            return urljoin(base, path if path.startswith("//") else path.lstrip("/"))
        except ValueError:  # for example `http://[`
            return path

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> HttpRequest:
        """Return the call of a tool. The arguments are the body, or query parameters if it takes no
        body.

        If a tool says where each input goes, the call follows that. A call has no `id` over HTTP.
        """
        method, url = self.route(tool)
        called = tool.invocation
        if called is not None and called.inputs:
            return _placed(called, method, url, arguments)
        if called is not None and not called.takes_body:
            query = _query(arguments)
            return HttpRequest(method, f"{url}?{query}" if query else url, _media(called)[1:])
        return HttpRequest(method, url, _media(called), to_bytes(arguments))

    def list_tools(self, *, id: int | str = 1) -> HttpRequest:
        """Return the GET of the binding's list of tools; it has no `id` over HTTP."""
        return self.get("/tools")

    def nothing(self) -> HttpRequest:
        """Return the request that represents the opening or closing of a connection."""
        return HttpRequest()

    def get(self, path: str, headers: tuple[tuple[str, str], ...] = ()) -> HttpRequest:
        """Return the GET of a path of the target."""
        return self.send("GET", path, headers=(*_JSON[1:], *headers))

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: tuple[tuple[str, str], ...] = _JSON,
        body: bytes = b"",
    ) -> HttpRequest:
        """Return any request to a path or URL of the target."""
        return HttpRequest(method, self.url(path), headers, body)


def in_path(name: str) -> str:
    """Return a name as one segment of a path, so that no name leads to another path."""
    return in_address(name) if name.strip(".") else name.replace(".", "%2E")


def _media(called: Invocation | None) -> tuple[tuple[str, str], ...]:
    """Return the headers with the media types that a call sends and accepts."""
    if called is None:
        return _JSON
    return (("Content-Type", called.sent), ("Accept", called.taken))


def _placed(invocation: Invocation, method: str, url: str, arguments: Any) -> HttpRequest:
    """Return a call whose inputs go to different places.

    Arguments that are not an object can only be the body.
    """
    by_place: dict[Where, dict[str, Any]] = {where: {} for where in Where}
    places = {one.name: one.where for one in reversed(invocation.inputs)}
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        by_place[places.get(name) or invocation.place_of(name)][name] = value
    filled = {name: in_address(to_text(v)) for name, v in by_place[Where.PATH].items()}
    forms = {form: text for name, text in filled.items() for form in _forms(f"{{{name}}}")}
    if forms:  # in one pass: a value may look like the placeholder of another
        url = re.sub("|".join(map(re.escape, forms)), lambda found: forms[found.group()], url)
    query = _query(by_place[Where.QUERY])
    headers = tuple((name, to_text(value)) for name, value in by_place[Where.HEADER].items())
    bodies: list[Any] = list(by_place[Where.WHOLE].values())
    # Undeclared arguments go into the body too. Without them it would be a different call.
    if by_place[Where.BODY] or any(one.where is Where.BODY for one in invocation.inputs):
        bodies.append(by_place[Where.BODY] if isinstance(arguments, dict) else arguments)
    return HttpRequest(
        method,
        f"{url}?{query}" if query else url,
        (*(_media(invocation) if bodies else _media(invocation)[1:]), *headers),
        to_bytes(bodies[0]) if bodies else b"",
    )


def _forms(place: str) -> tuple[str, str]:
    """Return a name in braces, as it is and percent-encoded."""
    return place, quote(place, errors="surrogatepass")


def _query(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return ""
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        pairs.extend((name, to_text(one)) for one in values)
    return query_of(pairs)
