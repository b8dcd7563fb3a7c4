"""Keeps the connections to one server on this machine, and uses the most recent one first.

The client's own pool checks every idle connection before and after each request, and asks the
system about its socket. With sixteen connections that took longer than the sending. This pool
checks only the connection that it is about to use. h11 reads and writes the messages.
"""

from __future__ import annotations

import asyncio
import ipaddress
import select
import socket
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import httpx2

_EXPIRES = 5.0
"""Seconds after which an idle connection is not used again, because servers close theirs."""
_MOST_OF_AN_EVENT = 100 * 1024
"""The most bytes of an answer's head; a longer one counts as broken."""
_READ_AT_ONCE = 64 * 1024

Origin = tuple[bytes, int]
"""Host and port."""


class Lines(httpx2.AsyncBaseTransport):
    """Sends over unencrypted HTTP/1.1 connections, as many in parallel as there are requests.

    Raises the errors of httpx2.
    """

    def __init__(self) -> None:
        self._idle: list[_Line] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send over a free connection, or over a new one."""
        line = await self._free((request.url.raw_host, request.url.port or 80))
        answer = await line.send(request)
        return httpx2.Response(
            answer.status_code,
            headers=answer.headers.raw_items(),
            stream=_Body(line, self._idle),
            extensions={
                "http_version": b"HTTP/" + answer.http_version,
                "reason_phrase": answer.reason,
            },
        )

    async def _free(self, origin: Origin) -> _Line:
        while self._idle:
            line = self._idle.pop()
            if line.may_serve(origin):
                return line
            line.close()
        return _Line(origin, await near(origin[0].decode("ascii"), origin[1]))

    async def aclose(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()


class _Line:
    """One connection, which carries one request at a time."""

    def __init__(self, origin: Origin, stream: _Stream) -> None:
        self._origin = origin
        self._stream = stream
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_OF_AN_EVENT)
        self._idle_since: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the connection may be used again."""
        return self._idle_since is not None

    def may_serve(self, origin: Origin) -> bool:
        """Return whether this idle connection leads to `origin`, is young, and is still open."""
        young = self._idle_since is not None and time.monotonic() - self._idle_since <= _EXPIRES
        return young and origin == self._origin and not self._stream.is_readable

    async def send(self, request: httpx2.Request) -> h11.Response | h11.InformationalResponse:
        """Send a request, and return the head of its answer; close the connection on an error."""
        self._idle_since = None
        url = request.url
        try:
            with _as_of_the_client():
                self._say(
                    h11.Request(
                        method=request.method, target=url.raw_path, headers=request.headers.raw
                    )
                )
                assert isinstance(request.stream, httpx2.AsyncByteStream)
                async for part in request.stream:
                    self._say(h11.Data(data=part))
                self._say(h11.EndOfMessage())
                while True:
                    event = await self._next()
                    if isinstance(event, h11.Response):
                        return event
                    if isinstance(event, h11.InformationalResponse) and event.status_code == 101:
                        return event
        except BaseException:
            self.close()
            raise

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the pieces of the answer's body; close the connection on an error."""
        try:
            with _as_of_the_client():
                while True:
                    event = await self._next()
                    if isinstance(event, h11.Data):
                        yield bytes(event.data)
                    elif event is h11.PAUSED or isinstance(event, h11.EndOfMessage):
                        return
        except BaseException:
            self.close()
            raise

    def end(self) -> None:
        """Get ready for the next request, or close the connection if it cannot take one.

        Bytes after the answer would be taken for the next answer. A server that answered before it
        read the whole request may never read the rest.
        """
        done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if done and not (self._http.trailing_data[0] or self._stream.is_leaving):
            self._http.start_next_cycle()
            self._idle_since = time.monotonic()
        else:
            self.close()

    def close(self) -> None:
        """Close without waiting."""
        self._idle_since = None
        self._stream.close()

    def _say(self, event: h11.Request | h11.Data | h11.EndOfMessage) -> None:
        said = self._http.send(event)
        if said:
            self._stream.write(said)

    async def _next(self) -> h11.Event | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            data = await self._stream.read(_READ_AT_ONCE)
            if not data and self._http.their_state is h11.SEND_RESPONSE:
                raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")
            self._http.receive_data(data)
        return event  # type: ignore[return-value]


class _Body(httpx2.AsyncByteStream):
    """An answer's body. Once it is closed, its connection may be used again."""

    def __init__(self, line: _Line, idle: list[_Line]) -> None:
        self._line = line
        self._idle = idle
        self._closed = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._line.body()

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._line.end()
        if self._line.is_idle:
            self._idle.append(self._line)


@contextmanager
def _as_of_the_client() -> Iterator[None]:
    """Turn the protocol errors of h11 into those of httpx2, which have the same names."""
    try:
        yield
    except h11.ProtocolError as error:
        raise getattr(httpx2, type(error).__name__)(str(error)) from error


_MOST_WAITING = 256 * 1024
"""The most bytes that may wait to be read. Above that, the kit stops reading from the server."""


async def near(host: str, port: int) -> _Stream:
    """Connect to the first loopback address of the host that answers.

    The caller limits the time. Raises `httpx2.ConnectError`.
    """
    loop = asyncio.get_running_loop()
    failed: OSError | None = None
    for address in await _here(host, port):
        try:
            return (await loop.create_connection(_Stream, address, port))[1]
        except OSError as error:
            failed = error
    raise httpx2.ConnectError(str(failed)) from failed


def trusted() -> ssl.SSLContext:
    """Return the certificates of the system, or those that `SSL_CERT_FILE` or `SSL_CERT_DIR` names.

    Raises `OSError` if the file cannot be read or has no certificate.
    """
    return httpx2.create_ssl_context()


class OnThisMachine(httpx2.AsyncBaseTransport):
    """Sends through a transport of the client, but only to this machine, whatever a name resolves
    to.

    A certificate still has to match the name.
    """

    def __init__(self, transport: httpx2.AsyncHTTPTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send to the first loopback address of the name that answers."""
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        failed: httpx2.ConnectError | None = None
        for address in await _here(url.raw_host.decode("ascii"), port):
            there = httpx2.Request(
                request.method,
                url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={"sni_hostname": url.host, **request.extensions},
            )
            try:
                return await self._transport.handle_async_request(there)
            except httpx2.ConnectError as error:
                failed = error
                if _is_of_tls(error):
                    break
        assert failed is not None
        raise failed

    async def aclose(self) -> None:
        """Close the idle connections."""
        await self._transport.aclose()


async def _here(host: str, port: int) -> list[str]:
    """Return the host's loopback addresses. Raises `httpx2.ConnectError` if there are none."""
    try:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:  # the name is unknown
        raise httpx2.ConnectError(str(error)) from error
    addresses = [str(address[0]) for *_, address in found]
    here = [one for one in addresses if ipaddress.ip_address(one.partition("%")[0]).is_loopback]
    if not here:
        raise httpx2.ConnectError(f"{host} is not this machine")
    return here


def _is_of_tls(error: BaseException) -> bool:
    """Return whether a connection was made, and TLS failed on it."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


class _Stream(asyncio.Protocol):
    """The bytes of one connection.

    If it breaks, `read` first returns the bytes that came before.
    """

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._come: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._broken: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._leaving: list[bytes] = []
        self._poll: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if hasattr(select, "poll"):  # other systems notice a closed connection only on use
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
        return True  # stay open: part of the request may still be unsent

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended, self._broken = True, exc
        self._wake()

    def write(self, buffer: bytes) -> None:
        """Take bytes, which the next `read` sends."""
        self._leaving.append(buffer)

    async def read(self, max_bytes: int) -> bytes:
        """Return bytes that came; none at the end. Raises `ReadError` if the connection broke.

        A server may answer and then refuse to read on. Its answer is returned all the same.
        """
        if self._leaving:
            self._transport.write(b"".join(self._leaving))
            self._leaving.clear()
        while not self._come:
            if self._broken is not None:
                raise httpx2.ReadError(str(self._broken)) from self._broken
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

    def close(self) -> None:
        """Close without waiting."""
        self._transport.abort()

    @property
    def is_leaving(self) -> bool:
        """Whether some of the written bytes are still unsent."""
        return bool(self._leaving) or self._transport.get_write_buffer_size() > 0

    @property
    def is_readable(self) -> bool:
        """Whether there is something to read. On an idle connection, that is its end."""
        if self._come or self._ended:
            return True
        return self._poll is not None and bool(self._poll.poll(0))

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
