"""Tool calls of the HTTP binding, as requests to send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urljoin

from conformance.formats.tool.tool import Invocation, Tool, Where
from conformance.kit.model.exchange import Request, Transport
from conformance.kit.model.run import Run
from conformance.kit.transport.encode import to_bytes, to_text

_JSON = (("Content-Type", "application/json"), ("Accept", "application/json"))


@dataclass(frozen=True, slots=True)
class HttpSpeaker:
    """Says the HTTP binding. `invoke` is the command line's route for tools that name none."""

    run: Run
    invoke: tuple[str, str] | None = None

    def route(self, tool: Tool) -> tuple[str, str]:
        """Method and URL of a tool's call: its invocation, `--invoke`, the binding's own."""
        if tool.invocation is not None:
            method, endpoint = tool.invocation.method, tool.invocation.endpoint
        elif self.invoke is not None:
            method, endpoint = self.invoke
            endpoint = endpoint.replace("{tool}", quote(tool.name, safe=""))
        else:
            method, endpoint = "POST", f"/tools/{quote(tool.name, safe='')}/invoke"
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

    def call(self, tool: Tool, arguments: Any) -> Request:
        """The call of a tool: the body is the arguments object; for GET, query parameters.

        A tool that says where each input goes is called so.
        """
        method, url = self.route(tool)
        if tool.invocation is not None and tool.invocation.inputs:
            return _placed(tool.invocation, method, url, arguments)
        if method == "GET":
            query = _query(arguments)
            return Request(
                Transport.HTTP,
                method=method,
                url=f"{url}?{query}" if query else url,
                headers=_JSON[1:],
            )
        return Request(
            Transport.HTTP, method=method, url=url, headers=_JSON, body=to_bytes(arguments)
        )

    def get(self, path: str, headers: tuple[tuple[str, str], ...] = ()) -> Request:
        """GET of a path of the target."""
        return self.send("GET", path, headers=(*_JSON[1:], *headers))

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: tuple[tuple[str, str], ...] = _JSON,
        body: bytes = b"",
    ) -> Request:
        """Any request to a path or URL of the target."""
        return Request(
            Transport.HTTP, method=method, url=self.url(path), headers=headers, body=body
        )


def _placed(invocation: Invocation, method: str, url: str, arguments: Any) -> Request:
    """A call whose inputs go to different places; what is no object is the body itself."""
    by_place: dict[Where, dict[str, Any]] = {where: {} for where in Where}
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        by_place[invocation.place_of(name)][name] = value
    for name, value in by_place[Where.PATH].items():
        filled = quote(to_text(value), safe="")
        url = url.replace(f"{{{name}}}", filled).replace(quote(f"{{{name}}}"), filled)
    query = _query(by_place[Where.QUERY])
    headers = tuple((name, to_text(value)) for name, value in by_place[Where.HEADER].items())
    bodies: list[Any] = list(by_place[Where.WHOLE].values())
    # What nobody declared goes there too: a call that leaves it out would be another one.
    if by_place[Where.BODY] or any(one.where is Where.BODY for one in invocation.inputs):
        bodies.append(by_place[Where.BODY] if isinstance(arguments, dict) else arguments)
    return Request(
        Transport.HTTP,
        method=method,
        url=f"{url}?{query}" if query else url,
        headers=(*(_JSON if bodies else _JSON[1:]), *headers),
        body=to_bytes(bodies[0]) if bodies else b"",
    )


def _query(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return ""
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        pairs.extend((name, to_text(one)) for one in values)
    return urlencode(pairs)
