"""A connection through a gateway.

The kit is at both ends, and keeps one timeline of what they see.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
import zlib
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

from conformance.formats.text.marker import Marker
from conformance.kit.model.exchange import Answer, ModelCall, Request, Trouble
from conformance.kit.model.performance import OVER, Act, Arrival, End, Head, Moment, Send
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Process, Received
from conformance.kit.transport.cookies import cookies
from conformance.kit.transport.http_connection import decoded
from conformance.kit.transport.kept_connections import OnThisMachine, trusted
from conformance.kit.transport.provider import Provider
from conformance.kit.transport.trouble import GARBLED, trouble_of
from conformance.spec.vocabulary import Seen

NONCE: Final = re.compile(r"afn-[a-z0-9]+(?:-[a-z0-9]+)*+")
"""The form of a nonce, which marks everything that belongs to one call."""
QUIET: Final = 2.0
"""Seconds that a gateway has to end its requests to the provider, with a margin."""
ANSWER_CAP: Final = 1024 * 1024
"""The most bytes that are read of one answer: a thousand times what the fake provider sends."""
ASKED_CAP: Final = 128 * 1024
"""The most bytes of one request to the provider: ten times the longest call. Hundreds may come."""
MOST_ASKED: Final = 100
"""The most requests to the provider that count as attempts of one call. Further ones are strays."""
MOST_HELD: Final = 1024 * 1024
"""The most bytes of memory for the requests of all attempts of one call."""
MOST_PARTS: Final = 1_000
"""The most parts of one answer that are kept as moments. Single bytes would make a million."""
_STRAY: Final = b'{"error": {"message": "The fake provider knows no such call."}}'


@dataclass(slots=True)
class _Live:
    """A call in progress."""

    call: ModelCall
    began: float = field(default_factory=time.perf_counter)
    timeline: list[Moment] = field(default_factory=list)
    attempts: dict[int, int] = field(default_factory=dict)
    """The number of the attempt, by the number of the arrival."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    held: int = 0
    fault: Exception | None = None
    """The fault of the kit that left a request to the provider without its answer."""

    def may_take(self, moment: Moment) -> bool:
        """Count the bytes of a request, and return whether it may be another attempt of the call.

        It may not if there are too many requests, or too many bytes.
        """
        self.held += moment.weight
        return len(self.attempts) < MOST_ASKED and self.held <= MOST_HELD

    def see(self, seen: Seen, detail: str = "") -> None:
        """Keep something that the client saw."""
        self.add(Moment(seen, self.now(), detail=detail))

    def add(self, moment: Moment) -> None:
        """Keep a moment, and wake the tasks that wait for one."""
        self.timeline.append(moment)
        self.changed.set()

    def now(self) -> float:
        """Return the seconds since the call began."""
        return round(time.perf_counter() - self.began, 6)

    @property
    def is_quiet(self) -> bool:
        """Whether every request to the provider has ended."""
        over = {each.arrival for each in self.timeline if each.seen in OVER}
        return over >= set(self.attempts.values())

    async def until(self, happens: Callable[[], bool]) -> None:
        """Wait until `happens` returns true."""
        while not happens():
            self.changed.clear()
            await self.changed.wait()


class _House:
    """The provider at one address, shared by all connections that are open there."""

    _open: Final[dict[tuple[asyncio.AbstractEventLoop, str, int], _House]] = {}

    def __init__(self, host: str, port: int) -> None:
        self._key = (asyncio.get_running_loop(), host, port)
        self._guests = 0
        self._opening: asyncio.Future[Provider] | None = None
        self._live: dict[str, _Live] = {}
        self._arrivals: dict[int, _Live] = {}
        self.provider = Provider(
            self._perform,
            host=host,
            port=port,
            cap=ASKED_CAP,
            observe=self._observe,
            failed=self._failed,
        )

    @classmethod
    async def enter(cls, host: str, port: int) -> _House:
        """Return the house at an address once it listens. Raises `OSError` if the port is taken."""
        key = (asyncio.get_running_loop(), host, port)
        house = cls._open.get(key)
        if house is None:
            house = cls._open[key] = cls(host, port)
            house._opening = asyncio.ensure_future(house.provider.__aenter__())
        assert house._opening is not None
        try:
            await asyncio.shield(house._opening)
        except OSError:
            cls._open.pop(key, None)
            raise
        house._guests += 1
        return house

    async def leave(self) -> None:
        """Leave the house; the last guest closes the provider."""
        self._guests -= 1
        if not self._guests:
            del self._open[self._key]
            await self.provider.__aexit__()

    def begin(self, call: ModelCall) -> _Live:
        """Register a call, so that requests with its nonce are known to belong to it."""
        live = self._live[call.nonce] = _Live(call)
        return live

    def end(self, live: _Live) -> None:
        """Forget a call and its requests."""
        self._live.pop(live.call.nonce, None)
        for number in live.attempts:
            self._arrivals.pop(number, None)

    def _perform(self, arrival: Arrival) -> Iterable[Act]:
        live = self._arrivals.get(arrival.number)
        if live is None or live.call.performance is None:
            length = ("content-length", str(len(_STRAY)))
            return Head(404, (("content-type", "application/json"), length)), Send(_STRAY), End()
        return live.call.performance(arrival, live.attempts[arrival.number])

    def _observe(self, moment: Moment) -> None:
        live = self._arrivals.get(moment.arrival)
        if moment.seen is Seen.ARRIVED:
            live = self._whose(moment)
            if live is None or not live.may_take(moment):
                return
            self._arrivals[moment.arrival] = live
            live.attempts[moment.arrival] = len(live.attempts) + 1
        if live is not None:
            live.add(
                Moment(
                    moment.seen,
                    live.now(),
                    live.attempts[moment.arrival],
                    moment.detail,
                    moment.path,
                    moment.headers,
                    moment.body,
                )
            )

    def _failed(self, number: int, fault: Exception) -> None:
        if live := self._arrivals.get(number):
            live.fault = fault

    def _whose(self, moment: Moment) -> _Live | None:
        headers = " ".join(value for _, value in moment.headers)
        texts = (moment.path, headers, moment.body.decode("utf-8", "replace"))
        found = (nonce for text in texts for nonce in NONCE.findall(text))
        return next((self._live[each] for each in found if each in self._live), None)


class GatewayConnection:
    """Makes model calls, and plays the provider that receives them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._house: _House | None = None
        self._client: httpx2.AsyncClient | None = None

    @property
    def is_open(self) -> bool:
        """Whether both ends are ready."""
        return self._client is not None

    @property
    def process(self) -> Process:
        """Empty, because no process is started."""
        return Process()

    async def start(self) -> None:
        """Start the provider and the client. Raises `OSError` if the port is taken."""
        self._house = await _House.enter(*self._settings.provider)
        verify: ssl.SSLContext | bool = True
        with suppress(OSError):  # without the file of the environment, no private CA is trusted
            verify = trusted()
        # A gateway may close an idle connection at any time, as many do after an exception.
        alone = httpx2.Limits(max_keepalive_connections=0)
        way = OnThisMachine(httpx2.AsyncHTTPTransport(verify=verify, trust_env=False, limits=alone))
        self._client = httpx2.AsyncClient(
            transport=way, timeout=None, trust_env=False, cookies=cookies()
        )

    async def close(self, *, hangs: bool = False) -> Received:
        """Close both ends."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None
        if self._house is not None:
            house, self._house = self._house, None
            await house.leave()
        return Received(None, None, 0.0)

    async def send(self, request: Request) -> Received:
        """Make a call, and watch both ends until they are quiet.

        Raises any fault of the kit in the answers of the provider.
        """
        assert isinstance(request, ModelCall)
        assert self._house is not None
        live = self._house.begin(request)
        try:
            received = await self._ask(request, live)
            await _no_longer_than(QUIET, live.until(lambda: live.is_quiet))
            if request.settle:
                await asyncio.sleep(request.settle)
            if live.fault is not None:
                raise live.fault
            timeline = tuple(sorted(live.timeline, key=lambda each: each.at))
            answer, trouble, elapsed, detail = received
            return Received(answer, trouble, elapsed, detail, timeline)
        finally:
            self._house.end(live)

    async def _ask(
        self, call: ModelCall, live: _Live
    ) -> tuple[Answer | None, Trouble | None, float, str]:
        reading = asyncio.ensure_future(self._read(call, live))
        works: list[asyncio.Future[Any]] = [reading]
        if call.leave == "request":
            works.append(asyncio.ensure_future(live.until(lambda: bool(live.attempts))))
        try:
            async with asyncio.timeout(self._settings.request_timeout):
                await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
                if not reading.done():
                    live.see(Seen.CLIENT_LEFT)
                    return None, None, live.now(), ""
                return (*reading.result(), live.now(), "")
        except TimeoutError:
            live.see(Seen.CLIENT_DONE, Trouble.TIMEOUT)
            return None, Trouble.TIMEOUT, live.now(), "nothing more came in time"
        except httpx2.TransportError as error:
            trouble, detail = trouble_of(error)
            live.see(Seen.CLIENT_DONE, trouble)
            return None, trouble, live.now(), detail
        except GARBLED as error:
            # The client parses the address of each redirect, although it follows none.
            live.see(Seen.CLIENT_DONE, Trouble.GARBLED)
            return None, Trouble.GARBLED, live.now(), str(error)
        finally:
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    async def _read(self, call: ModelCall, live: _Live) -> tuple[Answer | None, Trouble | None]:
        assert self._client is not None
        assert self._house is not None
        sent = call.method, call.url
        asked = [("accept-encoding", "identity"), *call.headers]
        async with self._client.stream(*sent, headers=asked, content=call.body) as answer:
            live.see(Seen.CLIENT_STATUS, str(answer.status_code))
            body, trouble, parts = bytearray(), None, 0
            content = Marker(call.mark)
            try:
                async for part in decoded(answer):
                    body += part
                    parts += 1
                    if parts <= MOST_PARTS:
                        live.see(Seen.CLIENT_GOT, str(len(part)))
                    if content.comes_with(part):
                        live.see(Seen.CLIENT_CONTENT)
                        self._house.provider.barriers.open(call.nonce)
                        if call.leave == "content":
                            live.see(Seen.CLIENT_LEFT)
                            break
                    if len(body) > ANSWER_CAP:
                        trouble = Trouble.TOO_LARGE
                        break
                else:
                    live.see(Seen.CLIENT_DONE)
            except (httpx2.TransportError, ssl.SSLError, zlib.error):
                trouble = Trouble.CLOSED
                live.see(Seen.CLIENT_DONE, trouble)
            headers = tuple(answer.headers.multi_items())
            return Answer(answer.status_code, headers, bytes(body)), trouble


async def _no_longer_than(seconds: float, work: Awaitable[None]) -> None:
    """Wait for `work` at most this long. Reaching the limit is not an error."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        return
