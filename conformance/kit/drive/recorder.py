"""Numbers the exchanges of a session and hands each on as it happens."""

from __future__ import annotations

import time
from collections.abc import Callable

from conformance.kit.case import Case
from conformance.kit.exchange import Exchange, Request
from conformance.kit.targets.connection import Received

Listener = Callable[[Exchange], None]


class Recorder:
    """Makes an Exchange of a request and what it gave. `listeners` are told of each, in order."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.by_id: dict[int, Exchange] = {}
        self._began = time.perf_counter()

    def record(
        self,
        run: str,
        request: Request,
        received: Received,
        *,
        case: Case | None = None,
        script: str | None = None,
        step: str | None = None,
        confirms: int | None = None,
    ) -> Exchange:
        """The exchange, numbered and kept; the clock is seconds since the recorder was made."""
        exchange = Exchange(
            id=len(self.by_id) + 1,
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
