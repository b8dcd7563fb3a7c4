"""JSON-RPC and MCP: the error codes as numbers."""

from __future__ import annotations

from typing import Final

from conformance.spec.vocabulary import RPC_ERROR_CODE, RpcError

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
