"""The names of the HTTP headers that MCP itself defines."""

from __future__ import annotations

from typing import Final

SESSION_ID: Final[str] = "Mcp-Session-Id"
PROTOCOL_VERSION: Final[str] = "MCP-Protocol-Version"
METHOD: Final[str] = "Mcp-Method"
NAME: Final[str] = "Mcp-Name"
