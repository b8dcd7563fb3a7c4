"""The HTTP binding: a tool's call is a request to a route of its own."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any, ClassVar, Self
from urllib.parse import quote, urljoin

from conformance.formats.text.address import in_address, query_of
from conformance.formats.tool.tool import Invocation, Tool, Where
from conformance.kit.model.exchange import HttpRequest
from conformance.kit.model.loopback import same_server
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Connection, Traits, to_bytes, to_text

SESSION = uuid.uuid4().hex
"""Tells this session's requests from others in a server's log."""

_JSON = (("Content-Type", "application/json"), ("Accept", "application/json"))


def http_connection(endpoint: str, settings: Settings, barred: Barred) -> Connection:
    """A connection over HTTP, with the headers that go with every request of the session."""
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
    """Says the HTTP binding."""

    traits: ClassVar[Traits] = Traits(over_http=True, speaks_mcp=False)

    run: Run

    @classmethod
    def of(cls, run: Run, settings: Settings) -> Self:
        """The binding of a run, before anything was said."""
        return cls(run)

    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """Keep-alive connections to the target."""
        return http_connection(self.run.endpoint, settings, barred)

    def stays_at_target(self, tool: Tool) -> bool:
        """Whether the tool's route is on the target's host: no other host is ever called."""
        return same_server(self.route(tool)[1], self.run.endpoint)

    def route(self, tool: Tool) -> tuple[str, str]:
        """Method and URL of a tool's call: its invocation, else the binding's own."""
        if tool.invocation is not None:
            method, endpoint = tool.invocation.method, tool.invocation.endpoint
        else:
            method, endpoint = "POST", f"/tools/{in_path(tool.name)}/invoke"
        return method.upper(), self.url(endpoint)

    def url(self, path: str) -> str:
        """A path of the target as a whole URL; a path that is one already stays as it is.

        A target may name any address: what leads elsewhere is left to the connection to refuse.
        """
        base = self.run.endpoint.rstrip("/") + "/"
        try:
            return urljoin(base, path if path.startswith("//") else path.lstrip("/"))
        except ValueError:  # such as `http://[`
            return path

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> HttpRequest:
        """The call of a tool: the body is the arguments object; for GET, query parameters.

        A tool that says where each input goes is called so. A call has no `id` over HTTP.
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
        """GET of the binding's own list of tools; a list has no `id` over HTTP."""
        return self.get("/tools")

    def nothing(self) -> HttpRequest:
        """What stands for the request where a connection was only opened or closed."""
        return HttpRequest()

    def get(self, path: str, headers: tuple[tuple[str, str], ...] = ()) -> HttpRequest:
        """GET of a path of the target."""
        return self.send("GET", path, headers=(*_JSON[1:], *headers))

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: tuple[tuple[str, str], ...] = _JSON,
        body: bytes = b"",
    ) -> HttpRequest:
        """Any request to a path or URL of the target."""
        return HttpRequest(method, self.url(path), headers, body)


def in_path(name: str) -> str:
    """A name as one part of a path: no name leads to another path."""
    return in_address(name) if name.strip(".") else name.replace(".", "%2E")


def _media(called: Invocation | None) -> tuple[tuple[str, str], ...]:
    """What is sent, and what is taken in return."""
    if called is None:
        return _JSON
    return (("Content-Type", called.sent), ("Accept", called.taken))


def _placed(invocation: Invocation, method: str, url: str, arguments: Any) -> HttpRequest:
    """A call whose inputs go to different places; anything but an object is the body itself."""
    by_place: dict[Where, dict[str, Any]] = {where: {} for where in Where}
    places = {one.name: one.where for one in reversed(invocation.inputs)}
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        by_place[places.get(name) or invocation.place_of(name)][name] = value
    filled = {name: in_address(to_text(v)) for name, v in by_place[Where.PATH].items()}
    forms = {form: text for name, text in filled.items() for form in _forms(f"{{{name}}}")}
    if forms:  # all together: a value may look like the place of another
        url = re.sub("|".join(map(re.escape, forms)), lambda found: forms[found.group()], url)
    query = _query(by_place[Where.QUERY])
    headers = tuple((name, to_text(value)) for name, value in by_place[Where.HEADER].items())
    bodies: list[Any] = list(by_place[Where.WHOLE].values())
    # What nobody declared goes there too: a call that leaves it out would be another one.
    if by_place[Where.BODY] or any(one.where is Where.BODY for one in invocation.inputs):
        bodies.append(by_place[Where.BODY] if isinstance(arguments, dict) else arguments)
    return HttpRequest(
        method,
        f"{url}?{query}" if query else url,
        (*(_media(invocation) if bodies else _media(invocation)[1:]), *headers),
        to_bytes(bodies[0]) if bodies else b"",
    )


def _forms(place: str) -> tuple[str, str]:
    """A name in braces, as it is and as an address has it."""
    return place, quote(place, errors="surrogatepass")


def _query(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return ""
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        pairs.extend((name, to_text(one)) for one in values)
    return query_of(pairs)
