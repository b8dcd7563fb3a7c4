"""The connections kept to one server on this machine: the one that was used last is used again.

The client's own pool looks at every idle connection before and after each request, and asks the
system about its socket: with sixteen of them that cost more than what was sent. Here the last one
used is looked at, and no other.
"""

from __future__ import annotations

import asyncio
import select
import socket
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore2
import httpx2

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


_MOST_WAITING = 256 * 1024
"""Bytes that wait to be read, beyond which the server has to wait."""


class Near(httpcore2.AsyncNetworkBackend):
    """Connects to servers on this machine. The limits of time are the caller's."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first of the host's addresses that answers."""
        loop = asyncio.get_running_loop()
        failed: OSError | None = None
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            for _, _, _, _, address in found:
                try:
                    _, stream = await loop.create_connection(_Stream, str(address[0]), port)
                except OSError as error:
                    failed = error
                else:
                    return stream
        except OSError as error:  # the name is unknown
            failed = error
        raise httpcore2.ConnectError(str(failed)) from failed


class _Stream(asyncio.Protocol, httpcore2.AsyncNetworkStream):
    """One connection. What came before it broke is read before that is told."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._come: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._broken: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._leaving: list[bytes] = []
        self._poll: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if hasattr(select, "poll"):  # elsewhere a connection that was closed is noticed on use
            self._poll = select.poll()
            self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        self._come.append(data)
        self._size += len(data)
        if self._size > _MOST_WAITING:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._ended = True
        self._wake()
        return True  # the request may still be leaving

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended, self._broken = True, exc
        self._may_write.set()
        self._wake()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Take what is to leave as soon as an answer is waited for."""
        self._leaving.append(buffer)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came; nothing at the end. Raises ReadError if the connection broke.

        A server may have answered before it refused to read on: what it said is given all the same.
        """
        if self._leaving:
            self._transport.write(b"".join(self._leaving))
            self._leaving.clear()
            await self._may_write.wait()
        while not self._come:
            if self._broken is not None:
                raise httpcore2.ReadError(str(self._broken)) from self._broken
            if self._ended:
                return b""
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        data = self._come.popleft()
        if len(data) > max_bytes:
            data, rest = data[:max_bytes], data[max_bytes:]
            self._come.appendleft(rest)
        if self._size > _MOST_WAITING >= self._size - len(data):
            self._transport.resume_reading()
        self._size -= len(data)
        return data

    async def aclose(self) -> None:
        """Close at once."""
        self._transport.abort()

    def get_extra_info(self, info: str) -> Any:
        """Whether there is something to read, which on an idle connection is its end."""
        if info != "is_readable":
            return None
        if self._come or self._ended:
            return True
        return self._poll is not None and bool(self._poll.poll(0))

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
