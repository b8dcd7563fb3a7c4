"""MCP over standard input and output: the kit starts a process; each message is one line."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from conformance.kit.config.secrets import Redactor
from conformance.kit.model.exchange import StdioRequest
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Traits, to_bytes
from conformance.kit.transport.mcp import McpBinding
from conformance.kit.transport.stdio_connection import StdioConnection

_GIVEN = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT")
_MOST_CALLS = 4
"""The most concurrent calls. More would only queue in a server that reads one line at a time."""


@dataclass(frozen=True, slots=True)
class StdioBinding(McpBinding[StdioRequest]):
    """Makes MCP messages for a process. The run's endpoint is its command."""

    traits: ClassVar[Traits] = Traits(
        starts_process=True,
        most_calls=_MOST_CALLS,
        prefix="stdio:",
    )

    def connect(self, settings: Settings, barred: Barred) -> StdioConnection:
        """Return a connection with its own process."""
        return StdioConnection(
            shlex.split(self.run.endpoint),
            timeout=settings.request_timeout,
            environment=environment_for_server(settings.environment),
            start_limit=settings.start_timeout,
            sandbox=settings.sandbox,
            redact=Redactor(settings.secrets),
        )

    def raw(
        self,
        body: Any,
        *,
        headers: Mapping[str, str] | None = None,
        answer_to: int | str | None = None,
        any_answer: bool = False,
        settle: float = 0.2,
    ) -> StdioRequest:
        """Return a line with any body; bytes are sent as they are. There are no headers."""
        content = body if isinstance(body, bytes) else to_bytes(body)
        return StdioRequest(content, answer_to, settle, any_answer)

    def nothing(self) -> StdioRequest:
        """Return the request that represents the start or end of a process."""
        return StdioRequest()


def environment_for_server(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a started server: a few plain variables, and `extra`."""
    kept = {name: os.environ[name] for name in _GIVEN if name in os.environ}
    return {**kept, **extra}
