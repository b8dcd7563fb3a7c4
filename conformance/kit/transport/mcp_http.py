"""MCP over streamable HTTP: each message has headers, and its own answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from conformance.formats.tool import header_names
from conformance.formats.tool.headers import encoded, mirrored
from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import HttpRequest
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Connection, Traits, to_bytes
from conformance.kit.transport.http import http_connection
from conformance.kit.transport.mcp import McpBinding

_VERSION_HEADER_SINCE = "2025-06-18"


@dataclass(frozen=True, slots=True)
class McpHttpBinding(McpBinding[HttpRequest]):
    """Makes MCP messages for an endpoint over HTTP."""

    traits: ClassVar[Traits] = Traits(over_http=True, since="2025-03-26")

    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """Return keep-alive connections to the endpoint."""
        return http_connection(self.run.endpoint, settings, barred)

    def raw(
        self,
        body: Any,
        *,
        headers: Mapping[str, str] | None = None,
        answer_to: int | str | None = None,
        any_answer: bool = False,
        settle: float = 0.2,
    ) -> HttpRequest:
        """Return a POST of any body, with these headers or the usual ones; bytes are sent as they
        are.
        """
        return HttpRequest(
            "POST",
            self.run.endpoint,
            tuple((headers if headers is not None else self.base_headers()).items()),
            body if isinstance(body, bytes) else to_bytes(body),
            answer_to,
            any_answer=any_answer,
        )

    def nothing(self) -> HttpRequest:
        """Return the request that represents the opening or closing of a connection."""
        return HttpRequest()

    def without_body(self, method: str, headers: Mapping[str, str] | None = None) -> HttpRequest:
        """Return a request to the endpoint without a body (GET, DELETE, an unregistered verb)."""
        merged = {**self.base_headers(), **(headers or {})}
        del merged["Content-Type"]
        return HttpRequest(method, self.run.endpoint, tuple(merged.items()))

    def base_headers(self) -> dict[str, str]:
        """Return the headers of every POST, with session and version once they are settled."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self.modern or (self.shaken and self.version >= _VERSION_HEADER_SINCE):
            headers[header_names.PROTOCOL_VERSION] = self.version
        if self.session_id is not None:
            headers[header_names.SESSION_ID] = self.session_id
        return headers

    def headers(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        overrides: Mapping[str, str | None] | None = None,
        tool: Tool | None = None,
    ) -> dict[str, str]:
        """Return the usual headers with the overrides; a modern message also has those that mirror
        its body.
        """
        headers = self.base_headers()
        if self.modern:
            headers[header_names.METHOD] = method
            headers |= _mirrored(method, params or {}, tool)
        for name, value in (overrides or {}).items():
            headers = {k: v for k, v in headers.items() if k.lower() != name.lower()}
            if value is not None:
                headers[name] = value
        return headers


def _mirrored(method: str, params: Mapping[str, Any], tool: Tool | None) -> dict[str, str]:
    """Return the headers that repeat parts of the body, so that a gateway need not read it."""
    headers: dict[str, str] = {}
    name = params.get("uri") if method == "resources/read" else params.get("name")
    if isinstance(name, str):
        headers[header_names.NAME] = encoded(name)
    if tool is not None:
        headers |= dict(mirrored(tool, params.get("arguments")))
    return headers
