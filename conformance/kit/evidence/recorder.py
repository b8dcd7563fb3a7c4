"""Numbers the exchanges of a session, and passes each to the listeners when it ends."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.destructive import Warned
from conformance.kit.evidence.evidence import Call
from conformance.kit.evidence.script import LOOKED
from conformance.kit.evidence.spill import Kept, Spill
from conformance.kit.model.case import Case
from conformance.kit.model.exchange import Exchange, Request, beside_body
from conformance.kit.model.performance import Moment
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import CUT_KEPT, Received

Listener = Callable[[Exchange], None]


_SERIES = 10_000
"""Numbers in a series. A longer series continues in another."""


class Series:
    """The numbers for requests that are sent in one order, whatever is sent at the same time.

    Tools are called in parallel, and the order of their answers differs between sessions. With a
    series for each tool, an exchange has the same number in every session.
    """

    def __init__(self, first: Callable[[], int]) -> None:
        self._first = first
        self._next = first()

    def next(self) -> int:
        """Return a number that was not used before."""
        if self._next % _SERIES == 0:
            self._next = self._first()
        number = self._next
        self._next += 1
        return number

    def take(self, count: int) -> Iterator[int]:
        """Return `count` numbers, reserved for what is sent later."""
        return iter([self.next() for _ in range(count)])


HELD_CAP = 80 * 1024 * 1024
"""The most bytes of memory for answers that were not put away. Above that, only the beginning of a
large answer is kept, and no timeline. Reading an answer takes several times its memory.
"""


MOST_WRITTEN = 2 * 1024 * 1024 * 1024
"""The most bytes of answers in a session. Above that, only a few bytes of each are kept; otherwise
they would fill the disk.
"""

MOST_SENT = MOST_WRITTEN
"""The most bytes of requests in a session. Above that, no more tools are called."""

_LEAST_KEPT = 1024


class Exchanges(Mapping[int, Exchange]):
    """The exchanges of a session by number. Those that were put away are read back.

    `weight` is the bytes of memory of all others.
    """

    def __init__(self) -> None:
        self.weight = 0
        self._held: dict[int, Exchange] = {}
        self._away: dict[int, list[Kept[Any]]] = {}
        """The exchanges that were put away, by the series of their numbers."""
        self._many_away = 0
        self._elsewhere: Mapping[int, Exchange] = {}

    def __getitem__(self, id: int) -> Exchange:
        held = self._held.get(id)
        if held is not None:
            return held
        if id in self._elsewhere:
            return self._elsewhere[id]
        for kept in self._away.get(id // _SERIES, ()):
            if id in kept.ids:
                found: Exchange = kept.exchange_of(kept[kept.ids.index(id)])
                return found
        raise KeyError(id)

    def __iter__(self) -> Iterator[int]:
        yield from self._held
        for kept in dict.fromkeys(each for own in self._away.values() for each in own):
            yield from kept.ids
        yield from self._elsewhere

    def __len__(self) -> int:
        return len(self._held) + self._many_away + len(self._elsewhere)

    @property
    def held(self) -> Sequence[Exchange]:
        """The exchanges that were not put away, in the order in which they ended."""
        return tuple(self._held.values())

    def add(self, exchange: Exchange) -> None:
        """Add an exchange."""
        self._held[exchange.id] = exchange
        self.weight += _held(exchange)

    def read_from(self, elsewhere: Mapping[int, Exchange]) -> None:
        """Take further exchanges from elsewhere, such as the file of a recorded session."""
        self._elsewhere = elsewhere

    def put_away(self, kept: Kept[Any]) -> None:
        """Drop the exchanges that a spill keeps now."""
        for series in {id // _SERIES for id in kept.ids}:
            self._away.setdefault(series, []).append(kept)
        self._many_away += len(kept)
        for id in kept.ids:
            gone = self._held.pop(id, None)
            self.weight -= _held(gone) if gone is not None else 0


def _held(exchange: Exchange) -> int:
    """Return the bytes of an exchange.

    Calls, discovery and messages also stay in memory as values.
    """
    answer, seen = exchange.answer, _seen(exchange.timeline)
    if answer is None:
        return seen
    read = exchange.case is not None or exchange.script == LOOKED or answer.messages
    return seen + (answer.weight if read else len(answer.body) + answer.beside)


def _seen(timeline: Iterable[Moment]) -> int:
    """Return the bytes of a timeline, in which a gateway may have put many requests."""
    return sum(moment.weight for moment in timeline)


class Recorder:
    """Makes exchanges from requests and their results. `listeners` receive each when it ends.

    Calls stay in memory until they are put away. `requests` counts what was sent in each run, and
    `sent` the bytes of all requests.
    """

    def __init__(self, spill: Spill | None = None, *, beside: Recorder | None = None) -> None:
        self.listeners: list[Listener] = []
        self.by_id = Exchanges()
        self.warned: Warned = beside.warned if beside is not None else Warned()
        """What answers of discovery warn of that are cut for lack of room."""
        self.requests: Counter[str] = Counter()
        self.sent = 0
        self._spill = spill or Spill()
        self._beside = beside
        self._written: int = beside._written if beside is not None else 0
        self._began: float = beside._began if beside is not None else time.perf_counter()
        self._counter: Iterator[int] = beside._counter if beside is not None else count()

    def series(self) -> Series:
        """Return a new series of numbers; later series have higher numbers."""
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
        """Return the exchange, and keep it by its number. Times are seconds since the recorder
        began.
        """
        answer = received.answer
        if answer is not None:
            size = len(answer.body) + answer.beside
            self._written += size
            kept = _LEAST_KEPT if self._written > MOST_WRITTEN else CUT_KEPT
            if size > kept and (kept == _LEAST_KEPT or self._weight + answer.weight > HELD_CAP):
                if script == LOOKED:
                    self.warned.read(answer)
                received = received.cut(kept)
        if received.timeline and self._weight + _seen(received.timeline) > HELD_CAP:
            received = replace(received, timeline=())
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

    @property
    def _weight(self) -> int:
        """The bytes of memory that are held, also by the recorder of which this is a draft."""
        return self.by_id.weight + (self._beside._weight if self._beside is not None else 0)

    @property
    def has_sent_most(self) -> bool:
        """Whether no more tools are called: a schema may ask for calls of megabytes."""
        return self.sent > MOST_SENT

    def draft(self) -> Recorder:
        """Return a recorder for exchanges whose run is not known yet.

        It shares the numbers, the clock and the limits of this one, which `accept`s the exchanges
        later.
        """
        return Recorder(self._spill, beside=self)

    def accept(self, draft: Recorder, runs: Mapping[str, str]) -> None:
        """Record a draft's exchanges. `runs` maps the draft's names of runs to the final ones."""
        self._written = draft._written
        for exchange in draft.by_id.held:
            own = replace(exchange, run=runs.get(exchange.run, exchange.run))
            self.take(own)
            for listener in self.listeners:
                listener(own)

    def take(self, exchange: Exchange) -> None:
        """Keep an exchange that already has a number, such as one of a recorded session."""
        self.by_id.add(exchange)
        self.requests[exchange.run] += 1
        self.sent += len(exchange.request.body) + beside_body(exchange.request)

    def put_away(self, exchanges: Sequence[Exchange]) -> Kept[Exchange]:
        """Move rarely needed exchanges out of memory, and return what reads them back."""
        kept = self.keep(exchanges)
        self.by_id.put_away(kept)
        return kept

    def put_calls_away(self, calls: Sequence[Call], tool: Tool) -> Kept[Call]:
        """Do the same for the calls of a tool that is done."""
        kept = self.keep_calls(calls, tool)
        self.by_id.put_away(kept)
        return kept

    def keep(self, exchanges: Sequence[Exchange]) -> Kept[Exchange]:
        """Return what reads exchanges that are needed together, but were put away among others."""
        return self._spill.keep(exchanges)

    def keep_calls(self, calls: Sequence[Call], tool: Tool) -> Kept[Call]:
        """Return the same for a tool's calls."""
        return self._spill.keep_calls(calls, tool)
