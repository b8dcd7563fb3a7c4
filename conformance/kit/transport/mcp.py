"""The messages of MCP in each version, for any transport."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

from conformance.formats.tool import header_names
from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import Answer, Request
from conformance.kit.model.run import KNOWN_VERSIONS, MODERN, Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Connection, Traits

R_co = TypeVar("R_co", bound=Request, covariant=True)

CLIENT = {"name": "agent-formats-conformance", "version": "1.0"}
META = "io.modelcontextprotocol/"
LEGACY_VERSIONS = tuple(version for version in KNOWN_VERSIONS if version < MODERN)
"""The versions that begin with a handshake."""


@dataclass(frozen=True, slots=True)
class McpBinding(ABC, Generic[R_co]):
    """Makes the messages of one version of MCP. A legacy server issued `session_id` over HTTP."""

    run: Run
    version: str
    session_id: str | None = None
    shaken: bool = False
    """Whether the legacy handshake is over.

    Later requests then have the version and the session.
    """

    traits: ClassVar[Traits]

    @classmethod
    def of(cls, run: Run, settings: Settings) -> Self:
        """Return the binding of a run, as it is before the first request."""
        return cls(run, run.version)

    @abstractmethod
    def connect(self, settings: Settings, barred: Barred) -> Connection:
        """Return a connection to the run's endpoint, not started yet."""

    @abstractmethod
    def raw(
        self,
        body: Any,
        *,
        headers: Mapping[str, str] | None = None,
        answer_to: int | str | None = None,
        any_answer: bool = False,
        settle: float = 0.2,
    ) -> R_co:
        """Return a request with any body; bytes are sent as they are. Only HTTP uses `headers`."""

    @abstractmethod
    def nothing(self) -> R_co:
        """Return the request that represents the opening or closing of a connection."""

    @property
    def modern(self) -> bool:
        """Whether requests are independent of each other, without a handshake."""
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
    ) -> R_co:
        """Return a JSON-RPC request.

        `headers` overrides headers, or removes those with the value None. `meta` replaces `_meta`.
        A modern request gets `_meta` and mirrored headers, a legacy request the headers of its
        session.
        """
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
        full = self._params(params, meta)
        if full is not None:
            body["params"] = full
        return self.raw(body, headers=self.headers(method, full, headers, tool), answer_to=id)

    def notification(self, method: str, params: Mapping[str, Any] | None = None) -> R_co:
        """Return a JSON-RPC notification. No answer is expected, except 202 over HTTP."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        full = self._params(params, None)
        if full is not None:
            body["params"] = full
        return self.raw(body, headers=self.headers(method, full), answer_to=None)

    def call(self, tool: Tool, arguments: Any, *, id: int | str = 1) -> R_co:
        """Return a `tools/call` request with these arguments, which may be any JSON value."""
        params = {"name": tool.name, "arguments": arguments}
        return self.request("tools/call", params, id=id, tool=tool)

    def list_tools(self, *, id: int | str = 1) -> R_co:
        """Return a `tools/list` request for the first page."""
        return self.request("tools/list", {}, id=id)

    def stays_at_target(self, tool: Tool) -> bool:
        """Return True: every message goes to the target alone."""
        return True

    def initialize(self, *, id: int | str = 1, version: str | None = None) -> R_co:
        """Return the first message of the legacy handshake, with `version` or the binding's own."""
        params = {
            "protocolVersion": version or self.version,
            "capabilities": {},
            "clientInfo": CLIENT,
        }
        return replace(self, shaken=False, session_id=None).request("initialize", params, id=id)

    def after_handshake(self, result: Any, answer: Answer | None) -> Self | None:
        """Return the binding for later requests; None if `result` settles on no known version."""
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if not isinstance(version, str) or version not in KNOWN_VERSIONS:
            return None
        session = answer.header(header_names.SESSION_ID) if answer is not None else None
        return replace(self, version=version, session_id=session, shaken=True)

    def headers(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        overrides: Mapping[str, str | None] | None = None,
        tool: Tool | None = None,
    ) -> dict[str, str]:
        """Return the headers of a message; empty if the binding has none."""
        return {}

    def meta(self) -> dict[str, Any]:
        """Return the `_meta` of a modern request."""
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
