"""MCP's messages, for each version and both transports, as requests to send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.formats.tool.headers import encoded, mirrored
from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import Request, Transport
from conformance.kit.model.run import KNOWN_VERSIONS, MODERN, Run
from conformance.kit.transport.encode import to_bytes
from conformance.spec.vocabulary import Binding

CLIENT = {"name": "agent-formats-conformance", "version": "1.0"}
META = "io.modelcontextprotocol/"
LEGACY_VERSIONS = tuple(version for version in KNOWN_VERSIONS if version < MODERN)
"""Those that begin with a handshake."""

_VERSION_HEADER_SINCE = "2025-06-18"


@dataclass(frozen=True, slots=True)
class McpSpeaker:
    """Says MCP as one version does. `session_id` is what a legacy HTTP server issued."""

    run: Run
    version: str
    session_id: str | None = None
    shaken: bool = False
    """Whether the legacy handshake is over: later requests then carry version and session."""

    @property
    def modern(self) -> bool:
        """Whether every request stands alone."""
        return self.version >= MODERN

    def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        id: int | str = 1,
        headers: Mapping[str, str | None] | None = None,
        meta: Mapping[str, Any] | None = None,
        tool: Tool | None = None,
    ) -> Request:
        """A JSON-RPC request. `headers` overrides or, with None, removes; `meta` replaces `_meta`.

        A modern request gets its `_meta` and mirrored headers, a legacy one its session's.
        """
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
        full = self._params(params, meta)
        if full is not None:
            body["params"] = full
        return self.raw(body, headers=self._headers(method, full, headers, tool), answer_to=id)

    def notification(self, method: str, params: Mapping[str, Any] | None = None) -> Request:
        """A JSON-RPC notification: no answer is expected but, over HTTP, 202."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        full = self._params(params, None)
        if full is not None:
            body["params"] = full
        return self.raw(body, headers=self._headers(method, full, None, None), answer_to=None)

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> Request:
        """`tools/call` with these arguments, whatever JSON value they are."""
        params = {"name": tool.name, "arguments": arguments}
        return self.request("tools/call", params, id=id, tool=tool)

    def initialize(self, *, id: int | str = 1, version: str | None = None) -> Request:
        """The legacy handshake's first message; `version` other than the speaker's if given."""
        params = {
            "protocolVersion": version or self.version,
            "capabilities": {},
            "clientInfo": CLIENT,
        }
        return replace(self, shaken=False, session_id=None).request("initialize", params, id=id)

    def after_handshake(self, version: str, session_id: str | None) -> McpSpeaker:
        """The speaker for what follows a handshake that settled on `version`."""
        return replace(self, version=version, session_id=session_id, shaken=True)

    def raw(
        self,
        body: Any,
        *,
        headers: Mapping[str, str] | None = None,
        answer_to: int | str | None = None,
        any_answer: bool = False,
        settle: float = 0.2,
    ) -> Request:
        """Any body (bytes are sent as they are) with these headers."""
        content = body if isinstance(body, bytes) else to_bytes(body)
        if self.run.binding is Binding.STDIO:
            return Request(
                Transport.STDIO,
                body=content,
                answer_to=answer_to,
                any_answer=any_answer,
                settle=settle,
            )
        return Request(
            Transport.HTTP,
            method="POST",
            url=self.run.endpoint,
            headers=tuple((headers if headers is not None else self.base_headers()).items()),
            body=content,
            answer_to=answer_to,
            any_answer=any_answer,
        )

    def http(self, method: str, headers: Mapping[str, str] | None = None) -> Request:
        """A request without a body to the MCP endpoint (GET, DELETE, an unregistered verb)."""
        merged = {**self.base_headers(), **(headers or {})}
        del merged["Content-Type"]
        return Request(
            Transport.HTTP, method=method, url=self.run.endpoint, headers=tuple(merged.items())
        )

    def base_headers(self) -> dict[str, str]:
        """What every POST carries, session and version included once they are settled."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self.modern or (self.shaken and self.version >= _VERSION_HEADER_SINCE):
            headers["MCP-Protocol-Version"] = self.version
        if self.session_id is not None:
            headers["Mcp-Session-Id"] = self.session_id
        return headers

    def meta(self) -> dict[str, Any]:
        """The `_meta` of a modern request."""
        return {
            META + "protocolVersion": self.version,
            META + "clientCapabilities": {},
            META + "clientInfo": CLIENT,
        }

    def _params(
        self, params: Mapping[str, Any] | None, meta: Mapping[str, Any] | None
    ) -> dict[str, Any] | None:
        if not self.modern:
            return dict(params) if params is not None else None
        full = dict(params or {})
        chosen = self.meta() if meta is None else dict(meta)
        if chosen or meta is None:
            full["_meta"] = chosen
        return full

    def _headers(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        overrides: Mapping[str, str | None] | None,
        tool: Tool | None,
    ) -> dict[str, str]:
        headers = self.base_headers()
        if self.modern:
            headers["Mcp-Method"] = method
            headers |= _mirrored(method, params or {}, tool)
        for name, value in (overrides or {}).items():
            headers = {k: v for k, v in headers.items() if k.lower() != name.lower()}
            if value is not None:
                headers[name] = value
        return headers


def _mirrored(method: str, params: Mapping[str, Any], tool: Tool | None) -> dict[str, str]:
    """The headers that repeat a part of the body, so that a gateway needn't read it."""
    headers: dict[str, str] = {}
    name = params.get("uri") if method == "resources/read" else params.get("name")
    if isinstance(name, str):
        headers["Mcp-Name"] = encoded(name)
    if tool is not None:
        headers |= dict(mirrored(tool, params.get("arguments")))
    return headers
