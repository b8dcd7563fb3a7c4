"""The connections kept to one server on this machine: the one that was used last is used again.

The client's own pool looks at every idle connection before and after each request, and asks the
system about its socket: with sixteen of them that cost more than what was sent. Here the last one
used is looked at, and no other.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore2
import httpx2

from conformance.kit.transport.loopback_pool import Near

_EXPIRES = 5.0
"""Seconds after which an idle connection is not used again: servers close theirs."""


class Lines(httpx2.AsyncBaseTransport):
    """Sends over connections of HTTP/1.1, as many at once as are asked for, none of them encrypted.

    Raises the errors of httpx2.
    """

    def __init__(self) -> None:
        self._backend = Near()
        self._idle: list[httpcore2.AsyncHTTPConnection] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send over a free connection, else a new one."""
        url = httpcore2.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        outgoing = httpcore2.Request(
            request.method,
            url,
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        line = await self._free(url.origin)
        with _as_of_the_client():
            response = await line.handle_async_request(outgoing)
        return httpx2.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response.stream, line, self._idle),
            extensions=response.extensions,
        )

    async def _free(self, origin: httpcore2.Origin) -> httpcore2.AsyncHTTPConnection:
        while self._idle:
            line = self._idle.pop()
            if line.can_handle_request(origin) and line.is_available() and not line.has_expired():
                return line
            await line.aclose()
        return httpcore2.AsyncHTTPConnection(
            origin, keepalive_expiry=_EXPIRES, network_backend=self._backend
        )

    async def aclose(self) -> None:
        """Close the idle connections."""
        while self._idle:
            await self._idle.pop().aclose()


class _Body(httpx2.AsyncByteStream):
    """An answer's body; once it is closed, its connection may be used again."""

    def __init__(
        self,
        stream: Any,
        line: httpcore2.AsyncHTTPConnection,
        idle: list[httpcore2.AsyncHTTPConnection],
    ) -> None:
        self._stream = stream
        self._line = line
        self._idle = idle

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_of_the_client():
            async for part in self._stream:
                yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
        if self._line.is_idle() and self._line not in self._idle:
            self._idle.append(self._line)


@contextmanager
def _as_of_the_client() -> Iterator[None]:
    """Raise the errors of the transport as those that httpx2 has of the same names."""
    try:
        yield
    except (
        httpcore2.TimeoutException,
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.UnsupportedProtocol,
    ) as error:
        raise getattr(httpx2, type(error).__name__)(str(error)) from error
