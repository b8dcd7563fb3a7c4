"""A wire: one open connection, on which a run sends at the requested pace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from conformance.kit.model.exchange import Request, Trouble
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import Barred, Binding, Connection, Process, Received

Sent = tuple[Request, Received]
"""A request that was sent, and what came back."""

_AGAIN = frozenset({429, 503})
_TRIES = 6
"""The most times that one request is sent to a server that asks the kit to come back later."""


def _immediately() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Made:
    """Makes a request anew each time that it is sent.

    `wait` returns the seconds before it may be sent once more, and None if it may not.
    """

    make: Callable[[], Request]
    wait: Callable[[], float | None] = _immediately

    def __call__(self) -> Request:
        """Return the request, with another id each time."""
        return self.make()

    async def may_repeat(self) -> bool:
        """Wait until the request may be sent once more; return False if it may not."""
        seconds = self.wait()
        if seconds:
            await asyncio.sleep(seconds)
        return seconds is not None


@dataclass(slots=True)
class Rate:
    """Says when the next request of a session may be sent. All its connections share it."""

    _next: float = 0.0

    async def wait(self, per_second: float) -> None:
        """Wait until a request may be sent, and count it."""
        while (left := self._next - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self._next = time.monotonic() + 1 / per_second


class Wire:
    """Sends requests while a connection is open. `deadline` is a reading of time.monotonic().

    Over HTTP, no `barred` request is sent, not even after a redirect.
    """

    def __init__(self, settings: Settings, deadline: float, barred: Barred, rate: Rate) -> None:
        self._settings = settings
        self._barred = barred
        self._deadline = deadline
        self._rate = rate
        self._in_order = asyncio.Lock()
        self.connection: Connection | None = None
        self._patient = True
        self.hangs = False
        """Whether the server left a list request unanswered, and has answered nothing since."""

    @property
    def is_open(self) -> bool:
        """Whether a request may get an answer."""
        return self.connection is not None and self.connection.is_open

    @property
    def process(self) -> Process:
        """What is known about the process behind the connection; empty if there is none."""
        return self.connection.process if self.connection is not None else Process()

    async def open(self, binding: Binding) -> None:
        """Connect. Raises `OSError` or `ValueError` if a command cannot be run."""
        connection = binding.connect(self._settings, self._barred)
        await connection.start()
        self.connection = connection
        self.hangs = False
        self._patient = binding.traits.waits_when_busy

    async def close(self) -> Received | None:
        """End the connection, and return how that went; None if nothing was open."""
        if self.connection is None:
            return None
        connection, self.connection = self.connection, None
        return await connection.close(hangs=self.hangs)

    async def send(self, made: Made) -> Sent:
        """Send what `made` returns. Repeat this while the server asks to come back later."""
        request = made()
        received = await self._send(request)
        for _ in range(_TRIES - 1):
            pause = _pause_asked(received) if self._patient else None
            if pause is None or time.monotonic() + pause > self._deadline:
                break
            await asyncio.sleep(pause)
            if not await made.may_repeat():
                break
            request = made()
            received = await self._send(request)
        return request, received

    async def send_once(self, request: Request, within: float, latest: float) -> Received | None:
        """Send a request that the kit can do without, and wait at most `within` seconds.

        Return None if its turn does not come before `latest` and the deadline, if it is barred, or
        if there is no connection.
        """
        latest = min(latest, self._deadline)
        if self.connection is None or self._barred(request):
            return None
        try:
            async with asyncio.timeout(latest - time.monotonic()):
                await self._turn()
        except TimeoutError:
            return None
        left = min(within, latest - time.monotonic())
        if left <= 0:
            return None
        try:
            async with asyncio.timeout(left):
                return await self.connection.send(request)
        except TimeoutError:
            return Received(None, Trouble.TIMEOUT, left)

    async def _turn(self) -> None:
        """Wait until a request may be sent."""
        if self._settings.rate > 0:
            async with self._in_order:
                await self._rate.wait(self._settings.rate)

    async def _send(self, request: Request) -> Received:
        assert self.connection is not None
        await self._turn()
        received = await self.connection.send(request)
        self.hangs = self.hangs and received.trouble is not None
        return received


def _pause_asked(received: Received) -> float | None:
    """Return the seconds to wait after a 429 or 503 with Retry-After; None for any other answer."""
    if received.answer is None or received.answer.status not in _AGAIN:
        return None
    asked = received.answer.header("retry-after")
    if asked is None:
        return None
    return max(float(asked), 0.1) if asked.isdecimal() else 1.0
