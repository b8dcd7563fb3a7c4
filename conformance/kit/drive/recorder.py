"""Numbers the exchanges of a session and hands each on as it happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from conformance.kit.case import Case
from conformance.kit.exchange import Exchange, Request
from conformance.kit.targets.connection import Received

Listener = Callable[[Exchange], None]


_SERIES = 10_000
"""Numbers in a series. One that needs more goes on in another."""


class Series:
    """The numbers of what is sent in one order, whatever is sent beside it.

    Tools are called side by side, and who is answered first differs from session to session: with
    a series for each, the same exchange has the same number in every session.
    """

    def __init__(self, first: Callable[[], int]) -> None:
        self._first = first
        self._next = first()

    def next(self) -> int:
        """A number that was not given before."""
        if self._next % _SERIES == 0:
            self._next = self._first()
        number = self._next
        self._next += 1
        return number

    def take(self, count: int) -> Iterator[int]:
        """So many numbers, kept for what is sent later."""
        return iter([self.next() for _ in range(count)])


class Recorder:
    """Makes an Exchange of a request and what it gave. `listeners` are told of each, as it ends."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.by_id: dict[int, Exchange] = {}
        self._began = time.perf_counter()
        self._many = 0

    def series(self) -> Series:
        """A series of numbers of its own; later ones are higher."""
        return Series(self._first)

    def _first(self) -> int:
        self._many += 1
        return (self._many - 1) * _SERIES + 1

    def record(
        self,
        number: int,
        run: str,
        request: Request,
        received: Received,
        *,
        case: Case | None = None,
        script: str | None = None,
        step: str | None = None,
        confirms: int | None = None,
    ) -> Exchange:
        """The exchange, kept by its number; the clock is seconds since the recorder was made."""
        exchange = Exchange(
            id=number,
            run=run,
            request=request,
            answer=received.answer,
            trouble=received.trouble,
            started=round(time.perf_counter() - self._began - received.elapsed, 6),
            elapsed=round(received.elapsed, 6),
            case=case,
            script=script,
            step=step,
            confirms=confirms,
            trouble_detail=received.detail,
        )
        self.by_id[exchange.id] = exchange
        for listener in self.listeners:
            listener(exchange)
        return exchange
