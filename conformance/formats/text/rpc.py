"""JSON-RPC and MCP: the error codes as numbers, and what an answer holds."""

from __future__ import annotations

from typing import Any, Final

from conformance.spec.vocabulary import RPC_ERROR_CODE, RpcError

Steps = tuple[str | int, ...]

PARSE_ERROR: Final = RPC_ERROR_CODE[RpcError.PARSE_ERROR]
INVALID_REQUEST: Final = RPC_ERROR_CODE[RpcError.INVALID_REQUEST]
METHOD_NOT_FOUND: Final = RPC_ERROR_CODE[RpcError.METHOD_NOT_FOUND]
INVALID_PARAMS: Final = RPC_ERROR_CODE[RpcError.INVALID_PARAMS]
INTERNAL_ERROR: Final = RPC_ERROR_CODE[RpcError.INTERNAL_ERROR]
HEADER_MISMATCH: Final = RPC_ERROR_CODE[RpcError.HEADER_MISMATCH]
MISSING_CAPABILITY: Final = RPC_ERROR_CODE[RpcError.MISSING_CAPABILITY]
UNSUPPORTED_VERSION: Final = RPC_ERROR_CODE[RpcError.UNSUPPORTED_VERSION]

MODERN: Final = frozenset({HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION})
"""The codes that only 2026-07-28 and later versions use."""
RETIRED: Final = frozenset(
    {
        RPC_ERROR_CODE[RpcError.RESOURCE_NOT_FOUND],
        RPC_ERROR_CODE[RpcError.URL_ELICITATION_REQUIRED],
    }
)
"""The codes that these versions no longer use."""


def held_in(data: Any) -> tuple[Any, Steps]:
    """Return what the answer to a request holds, and where; any other value is returned as it is.

    That is the structured content of a tool's result, the data of an error, or the whole result.
    """
    if not isinstance(data, dict) or "jsonrpc" not in data:
        return data, ()
    result, error = data.get("result"), data.get("error")
    if isinstance(result, dict):
        content = result.get("structuredContent")
        if isinstance(content, dict):
            return content, ("result", "structuredContent")
        return result, ("result",)
    if isinstance(error, dict) and isinstance(error.get("data"), dict):
        return error["data"], ("error", "data")
    return data, ()
