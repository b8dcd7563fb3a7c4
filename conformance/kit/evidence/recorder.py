"""Numbers the exchanges of a session and hands each on as it happens."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.evidence import Call
from conformance.kit.evidence.script import LOOKED
from conformance.kit.evidence.spill import Kept, Spill
from conformance.kit.model.case import Case
from conformance.kit.model.exchange import Exchange, Request
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import CUT_KEPT, Received

Listener = Callable[[Exchange], None]


_SERIES = 10_000
"""Numbers in a series. One that needs more goes on in another."""


class Series:
    """The numbers of what is sent in one order, whatever else is sent meanwhile.

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


HELD_CAP = 80 * 1024 * 1024
"""Bytes of memory for answers that were not put away; beyond, only the head of one is kept. What is
read in an answer takes several times as much.
"""


MOST_WRITTEN = 2 * 1024 * 1024 * 1024
"""Bytes of answers in a session; beyond, a few of each are kept, or they would fill the disk."""

_LEAST_KEPT = 1024


class Exchanges(Mapping[int, Exchange]):
    """The exchanges of a session by their numbers; those that were put away are read back.

    `weight` says how many bytes those take that were not.
    """

    def __init__(self) -> None:
        self.weight = 0
        self._held: dict[int, Exchange] = {}
        self._away: dict[int, list[Kept[Any]]] = {}
        """What was put away, by the series of its numbers."""
        self._many_away = 0

    def __getitem__(self, id: int) -> Exchange:
        held = self._held.get(id)
        if held is not None:
            return held
        for kept in self._away.get(id // _SERIES, ()):
            if id in kept.ids:
                found: Exchange = kept.exchange_of(kept[kept.ids.index(id)])
                return found
        raise KeyError(id)

    def __iter__(self) -> Iterator[int]:
        yield from self._held
        for kept in dict.fromkeys(each for own in self._away.values() for each in own):
            yield from kept.ids

    def __len__(self) -> int:
        return len(self._held) + self._many_away

    @property
    def held(self) -> Sequence[Exchange]:
        """Those that were not put away, in the order in which they ended."""
        return tuple(self._held.values())

    def add(self, exchange: Exchange) -> None:
        """One more."""
        self._held[exchange.id] = exchange
        self.weight += _held(exchange)

    def put_away(self, kept: Kept[Any]) -> None:
        """Let go of those that a spill keeps now."""
        for series in {id // _SERIES for id in kept.ids}:
            self._away.setdefault(series, []).append(kept)
        self._many_away += len(kept)
        for id in kept.ids:
            gone = self._held.pop(id, None)
            self.weight -= _held(gone) if gone is not None else 0


def _held(exchange: Exchange) -> int:
    """Bytes that an exchange takes: those of calls and of discovery stay as values, too."""
    answer = exchange.answer
    if answer is None:
        return 0
    read = exchange.case is not None or exchange.script == LOOKED or answer.messages
    return answer.weight if read else len(answer.body) + answer.beside


class Recorder:
    """Makes an Exchange of a request and what it gave. `listeners` receive each, as it ends.

    Calls stay in memory until they are put away. `requests` counts what was sent in each run.
    """

    def __init__(self, spill: Spill | None = None, *, beside: Recorder | None = None) -> None:
        self.listeners: list[Listener] = []
        self.by_id = Exchanges()
        self.requests: Counter[str] = Counter()
        self._spill = spill or Spill()
        self._written = 0
        self._began: float = beside._began if beside is not None else time.perf_counter()
        self._counter: Iterator[int] = beside._counter if beside is not None else count()

    def series(self) -> Series:
        """A series of numbers of its own; later ones are higher."""
        return Series(self._first)

    def _first(self) -> int:
        return next(self._counter) * _SERIES + 1

    def record(
        self,
        number: int,
        run: str,
        request: Request,
        received: Received,
        *,
        case: Case | None = None,
        script: str | None = None,
        step: Step | None = None,
        confirms: int | None = None,
    ) -> Exchange:
        """The exchange, kept by its number; the clock is seconds since the recorder was made."""
        answer = received.answer
        if answer is not None:
            size = len(answer.body) + answer.beside
            self._written += size
            if self._written > MOST_WRITTEN and size > _LEAST_KEPT:
                received = received.cut(_LEAST_KEPT)
            elif size > CUT_KEPT and self.by_id.weight + answer.weight > HELD_CAP:
                received = received.cut()
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
            timeline=received.timeline,
        )
        self.take(exchange)
        for listener in self.listeners:
            listener(exchange)
        return exchange

    def draft(self) -> Recorder:
        """A recorder for exchanges of which nobody knows yet in which run they belong.

        Its numbers and its clock are those of this one, which `accept`s them later.
        """
        return Recorder(self._spill, beside=self)

    def accept(self, draft: Recorder, runs: Mapping[str, str]) -> None:
        """Record what a draft holds, in the runs that `runs` names for those that it was told."""
        for exchange in draft.by_id.held:
            own = replace(exchange, run=runs.get(exchange.run, exchange.run))
            self.take(own)
            for listener in self.listeners:
                listener(own)

    def take(self, exchange: Exchange) -> None:
        """Keep an exchange that has a number already, such as one of a recorded session."""
        self.by_id.add(exchange)
        self.requests[exchange.run] += 1

    def put_away(self, exchanges: Sequence[Exchange]) -> Kept[Exchange]:
        """Let go of what is asked for again seldom; gives what reads it."""
        kept = self.keep(exchanges)
        self.by_id.put_away(kept)
        return kept

    def put_calls_away(self, calls: Sequence[Call], tool: Tool) -> Kept[Call]:
        """The same with the calls of a tool that is done."""
        kept = self.keep_calls(calls, tool)
        self.by_id.put_away(kept)
        return kept

    def keep(self, exchanges: Sequence[Exchange]) -> Kept[Exchange]:
        """What reads exchanges that were put away among others, and are wanted together."""
        return self._spill.keep(exchanges)

    def keep_calls(self, calls: Sequence[Call], tool: Tool) -> Kept[Call]:
        """The same of a tool's calls."""
        return self._spill.keep_calls(calls, tool)
