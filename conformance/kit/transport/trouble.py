"""What an error of the HTTP client says of a request: its trouble, and the system's reason."""

from __future__ import annotations

import os
import ssl
from typing import Final

import httpx2

from conformance.kit.model.exchange import Trouble

GARBLED: Final = (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, ValueError)
"""Errors for an answer that is not HTTP, or whose encryption breaks after the handshake."""


def trouble_of(error: httpx2.TransportError) -> tuple[Trouble, str]:
    """Return the trouble of a request that got no whole answer, and the error's text."""
    if isinstance(error, httpx2.ConnectError):
        return Trouble.REFUSED, _why_refused(error)
    if isinstance(error, httpx2.TimeoutException):
        return Trouble.TIMEOUT, str(error)
    broken = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
    closed = isinstance(error, broken) and _closed(error)
    return (Trouble.CLOSED if closed else Trouble.GARBLED), str(error)


def _why_refused(error: BaseException) -> str:
    """Return the system's reason. The client itself only says that all attempts failed."""
    cause: BaseException | None = error
    while cause is not None:
        inner = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause
        if isinstance(inner, OSError) and inner.strerror and not isinstance(inner, ssl.SSLError):
            number = inner.errno or 0  # negative if the lookup of a name failed
            return os.strerror(number) if number > 0 else inner.strerror
        cause = inner.__cause__ or inner.__context__
    return str(error)


def _closed(error: Exception) -> bool:
    """Return whether a connection ended too early, before or within the answer.

    Otherwise the answer was not HTTP.
    """
    early = ("disconnect", "peer closed connection")
    return not isinstance(error, httpx2.ProtocolError) or any(w in str(error) for w in early)
