"""The fake provider: a local server that answers each request as its script says, byte by byte.

It uses asyncio and h11 instead of an ASGI server. An ASGI server hides where a write ends, and
cannot break off a connection with an RST.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

import h11

from conformance.kit.model.loopback import is_loopback
from conformance.kit.model.performance import (
    Act,
    Arrival,
    Barrier,
    End,
    Fin,
    Head,
    Moment,
    Rst,
    Send,
    Wait,
)
from conformance.kit.transport.barriers import Barriers
from conformance.spec.vocabulary import Seen

Perform = Callable[[Arrival], Iterable[Act]]
"""Returns the acts that answer a request."""
Observe = Callable[[Moment], None]
"""Receives each moment, in order."""
Failed = Callable[[int, Exception], None]
"""Receives a fault of the kit, and the number of the request that it left without its answer."""

BODY_CAP: Final = 4 * 1024 * 1024
"""The most bytes of a request body. A longer one is refused with 413."""
MOST_HELD: Final = 64 * 1024 * 1024
"""The most bytes of request bodies that all connections hold together. Above that, a request is
refused with 503.
"""
_MOST_LINKS: Final = 500
"""The most connections that are open at the same time.

For one more, the provider closes the connection that has waited longest without a whole request. If
it is answering all of them, it closes the new one without an answer.
"""
_QUEUE: Final = 100
"""The most connections that may wait to be accepted."""
_AT_ONCE: Final = 8
"""The most of them that are accepted before any can be closed again. Each is an open file."""
PATIENCE: Final = 30.0
"""Seconds for a request to arrive once it began, and for the other side to read what was sent."""
_READ: Final = 65_536
_RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)
"""The value of the socket option SO_LINGER for zero time: closing sends an RST."""


def _nobody(*_: object) -> None:
    """Observe nothing."""


class Provider:
    """Listens on a loopback address. Use it as `async with Provider(perform) as provider`."""

    def __init__(
        self,
        perform: Perform,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        cap: int = BODY_CAP,
        links: int | None = None,
        patience: float = PATIENCE,
        observe: Observe = _nobody,
        failed: Failed = _nobody,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises `ValueError` for a host that is not this machine.

        `cap` limits the bytes of a request body, and `links` the connections that are open at the
        same time. `patience` is the seconds that a client has to send a request, or to read an
        answer.
        """
        if not is_loopback(f"//[{host}]" if ":" in host else f"//{host}"):
            raise ValueError(f"the fake provider listens on loopback only, not on {host}")
        self._perform, self._observe, self._clock = perform, observe, clock
        self.failed = failed
        self._host, self._port, self.cap = host, port, cap
        self._most = _room_for_links() if links is None else links
        self.patience = patience
        self.barriers = Barriers()
        self._server: asyncio.Server | None = None
        self._links: dict[asyncio.Task[None], _Link] = {}
        self._arrivals = 0
        self._held = 0

    @property
    def url(self) -> str:
        """The URL of the provider, without a path."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    async def __aenter__(self) -> Provider:
        """Listen. Raises `OSError` if the port is taken."""
        try:
            self._server = await asyncio.start_server(
                self._take, self._host, self._port, backlog=_AT_ONCE
            )
        except OSError as error:  # asyncio's own text repeats the address
            number = error.errno or 0
            raise OSError(number, os.strerror(number) if number else str(error)) from None
        self._port = self._server.sockets[0].getsockname()[1]
        for each in self._server.sockets:
            with each.dup() as listener:
                listener.listen(_QUEUE)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening, and cut off the answers in progress."""
        assert self._server is not None
        self._server.close()
        for task in self._links:
            task.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)
        await self._server.wait_closed()

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones = [link for link in self._links.values() if not link.dropped]
        if len(open_ones) >= self._most:
            idle = [link for link in open_ones if link.waits_since is not None]
            if not idle:
                writer.transport.abort()
                return
            min(idle, key=lambda link: link.waits_since or 0.0).drop()
        link = _Link(self, reader, writer)
        task = asyncio.ensure_future(link.serve())
        self._links[task] = link
        task.add_done_callback(self._links.pop)

    def may_hold(self, more: int) -> bool:
        """Count bytes that a connection takes or releases; return whether the sum is within the
        limit.
        """
        self._held += more
        return self._held <= MOST_HELD

    def arrived(self, request: h11.Request, body: bytes) -> Arrival:
        """Number a request, and report it to the observer."""
        self._arrivals += 1
        path, _, query = request.target.decode("latin-1").partition("?")
        headers = tuple((k.decode("latin-1"), v.decode("latin-1")) for k, v in request.headers)
        method = request.method.decode("latin-1")
        number, at = self._arrivals, self._clock()
        arrival = Arrival(number, method, path, query, headers, body, at, self._port)
        target = f"{path}?{query}" if query else path
        self._observe(Moment(Seen.ARRIVED, at, number, method, target, headers, body))
        return arrival

    def acts(self, arrival: Arrival) -> Iterable[Act]:
        """Return the acts that answer a request."""
        return self._perform(arrival)

    def see(self, seen: Seen, arrival: Arrival, detail: str = "") -> None:
        """Report to the observer what happens now."""
        self._observe(Moment(seen, self._clock(), arrival.number, detail))


def _room_for_links() -> int:
    """Return how many connections may be open: at most half of the process's limit of files."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return _MOST_LINKS
    return min(_MOST_LINKS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


def _of_this_machine(header: tuple[bytes, bytes]) -> bool:
    """False for the `Origin` of a page of another site, which any browser may open."""
    name, value = header
    return name.lower() != b"origin" or is_loopback(value.decode("latin-1"))


def _now() -> float:
    return asyncio.get_running_loop().time()


class _TooSlow(Exception):
    """A request began, but did not arrive in time."""


class _Left(Exception):
    """The other side closed the connection."""


class _Link:
    """One connection, with one request after another."""

    def __init__(
        self, provider: Provider, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._provider, self._reader, self._writer = provider, reader, writer
        self._http = h11.Connection(h11.SERVER)
        self._gone = asyncio.Event()
        self._held = 0
        self._deadline: float | None = None
        self.waits_since: float | None = _now()
        """The time since which it waits for a whole request; None while it answers one."""
        self.dropped = False
        link: socket.socket = writer.get_extra_info("socket")
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def drop(self) -> None:
        """Close the connection, to make room for another."""
        self.dropped = True
        self._writer.transport.abort()

    async def serve(self) -> None:
        try:
            while await self._one():
                self._http.start_next_cycle()
                self.waits_since = _now()
        except h11.RemoteProtocolError as error:
            with suppress(h11.LocalProtocolError, OSError):
                await self._refuse(error.error_status_hint)
        except _TooSlow:
            with suppress(h11.LocalProtocolError, OSError):
                await self._refuse(408)
        except (OSError, _Left):
            pass  # the other side has gone; if it left an answer, the observer knows that
        finally:
            self._provider.may_hold(-self._held)
            self._writer.close()
            with suppress(OSError):
                async with asyncio.timeout(self._provider.patience):
                    await self._writer.wait_closed()
            self._writer.transport.abort()  # otherwise unread data would be kept for ever

    async def _one(self) -> bool:
        """Take one request and answer it; return whether the connection can take another."""
        request = await self._event()
        if not isinstance(request, h11.Request):
            return False
        if self._http.they_are_waiting_for_100_continue:
            self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
        body = bytearray()
        while isinstance(event := await self._event(), h11.Data):
            body += event.data
            if len(body) > self._provider.cap or not self._may_hold(len(event.data)):
                await self._refuse(413 if len(body) > self._provider.cap else 503)
                return False
        self._deadline = self.waits_since = None
        foreign = not all(map(_of_this_machine, request.headers))
        if foreign or request.method == b"CONNECT":  # a 200 would end HTTP on this connection
            await self._refuse(403 if foreign else 405)
            return False
        arrival = self._provider.arrived(request, bytes(body))
        watch = asyncio.ensure_future(self._watch())
        try:
            return await self._play(arrival)
        except asyncio.CancelledError:
            self._provider.see(Seen.CUT, arrival)
            raise
        except (OSError, _Left):
            self._provider.see(Seen.LEFT, arrival)
            return False
        except Exception as error:  # asyncio would print it, with what the other side sent
            self._provider.see(Seen.CUT, arrival)
            self._provider.failed(arrival.number, error)
            return False
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            self._may_hold(-len(body))

    def _may_hold(self, more: int) -> bool:
        self._held += more
        return self._provider.may_hold(more)

    async def _event(self) -> h11.Event | type[h11.PAUSED] | type[h11.NEED_DATA]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            try:
                async with asyncio.timeout_at(self._deadline):
                    more = await self._reader.read(_READ)
            except TimeoutError:
                raise _TooSlow from None
            self._deadline = self._deadline or _now() + self._provider.patience
            self._http.receive_data(more)
        return event

    async def _watch(self) -> None:
        """Keep reading while an answer is sent: only this shows that the other side leaves."""
        ahead = 0
        while True:
            try:
                more = await self._reader.read(_READ)
            except OSError:
                more = b""
            ahead += len(more)
            self._http.receive_data(more)
            if not more or ahead > self._provider.cap or not self._may_hold(len(more)):
                self._gone.set()
                return

    async def _play(self, arrival: Arrival) -> bool:
        for act in self._provider.acts(arrival):
            match act:
                case Head():
                    # Report the head before sending it: the other side cannot react to it earlier.
                    self._provider.see(Seen.HEAD, arrival, str(act.status))
                    self._head(act)
                case Send() if arrival.method == "HEAD":
                    pass  # an answer to HEAD has no body
                case Send():
                    for part in act.parts:
                        await self._flush(self._http.send(h11.Data(data=part)))
                    self._provider.see(Seen.SENT, arrival, str(len(act.data)))
                case Wait(seconds=None):
                    await self._gone.wait()
                    raise _Left
                case Wait():
                    await self._unless_gone(asyncio.sleep(act.seconds or 0))
                case Barrier():
                    await self._unless_gone(self._provider.barriers.passed(act.name))
                    self._provider.see(Seen.BARRIER, arrival, act.name)
                case End():
                    await self._flush(self._http.send(h11.EndOfMessage()))
                    self._provider.see(Seen.ENDED, arrival)
                case Fin() | Rst():
                    if isinstance(act, Rst):
                        link: socket.socket = self._writer.get_extra_info("socket")
                        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
                        self._writer.transport.abort()
                    self._provider.see(Seen.BROKEN, arrival, type(act).__name__.upper())
                    return False
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    def _head(self, act: Head) -> None:
        names = {name.lower() for name, _ in act.headers}
        framed = names & {"content-length", "transfer-encoding"}
        own = [] if framed else [("transfer-encoding", "chunked")]
        headers = [*act.headers, *own]
        self._write(self._http.send(h11.Response(status_code=act.status, headers=headers)))

    async def _unless_gone(self, work: Awaitable[object]) -> None:
        """Wait for `work`. Raises `_Left` if the other side leaves first."""
        doing = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(self._gone.wait())
        try:
            await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if self._gone.is_set():
                raise _Left
        finally:
            doing.cancel()
            leaving.cancel()
            await asyncio.gather(doing, leaving, return_exceptions=True)

    async def _flush(self, data: bytes | None) -> None:
        if self._gone.is_set():
            raise _Left
        self._write(data)
        await self._drain()
        await asyncio.sleep(0)  # so that each part is a separate write

    def _write(self, data: bytes | None) -> None:
        if data:
            self._writer.write(data)

    async def _refuse(self, status: int) -> None:
        headers = [("content-length", "0"), ("connection", "close")]
        self._write(self._http.send(h11.Response(status_code=status, headers=headers)))
        self._write(self._http.send(h11.EndOfMessage()))
        await self._drain()

    async def _drain(self) -> None:
        """Wait for the other side. Raises `TimeoutError`, which is an `OSError`, if it reads
        nothing.
        """
        async with asyncio.timeout(self._provider.patience):
            await self._writer.drain()
