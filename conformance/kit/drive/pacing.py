"""Limits the parallel calls to a server: only as many as it can answer well within the time limit.

A server may handle one call at a time, and no request tells. Sixteen calls of a second each would
then wait for one another, and time out. So the kit estimates the work that is under way, as TCP
does. Each answer says how long the server took since the answer before (`_Pace.each`). A call is
sent if all calls under way, and this one, would take at most a quarter of the limit at that pace.
The pace of a server that works in parallel is quicker than an answer alone would take. The width
grows as long as that holds.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

Work = tuple[str, bool]
"""Calls that take about the same time: those of one tool, valid or not."""

_EASY: Final = 1 / 4
"""The share of the limit that the calls under way may always take."""
_WIDER: Final = 2 / 3
"""The same, while it is not yet known whether the server handles more calls in parallel."""
_UNKNOWN: Final = 1 / 10
"""The same, while a call is under way whose duration is unknown."""
_FRESH: Final = 1 / 4
"""The weight of the newest answer in a pace."""
_GROWTH: Final = 2
"""The calls of a kind that may be under way for each answer to one, until the width is reached."""
_LOOK_AGAIN: Final = 64
"""The answers to a kind of call after which the slowest pace of all is looked up again."""
_NOW: Final = 1e-6
"""A wait, in seconds, that is too short to matter."""


@dataclass(slots=True)
class _Pace:
    """How quickly calls of a kind are answered."""

    each: float
    """Average seconds from one answer of the server to the next."""
    alone: float
    """Seconds of the quickest answer: the time of a call that waits for no other call."""
    answers: int = 0


@dataclass(slots=True)
class _Sent:
    """A call under way; `strange` if nothing was known about its duration.

    `first_since` is when it became the oldest call under way.
    """

    work: Work
    at: float
    strange: bool
    first_since: float | None = None


@dataclass(slots=True)
class Load:
    """The calls under way at one server, and its pace. `limit` is the time limit of an answer.

    It has no clock: every method gets the time, in seconds of any one clock.
    """

    most: int
    limit: float
    _under_way: dict[int, _Sent] = field(default_factory=dict)
    _paces: dict[Work, _Pace] = field(default_factory=dict)
    _alike: Counter[Work] = field(default_factory=Counter)
    _strange: int = 0
    _slowest: float = 0.0
    """No kind of call has a slower pace. If this pace is quick enough, no sum is needed."""
    _heard: float = -math.inf
    _last: int = 0

    def wait(self, work: Work, now: float) -> float:
        """Return the seconds to wait before a call; infinity if an answer must come first."""
        if not self._under_way:
            return 0.0
        count = len(self._under_way)
        if count >= self.most:
            return math.inf
        oldest = next(iter(self._under_way.values()))
        takes = self._takes(oldest.work)
        silence = now - max(self._heard, oldest.at)
        if silence > max(2 * takes, _UNKNOWN * self.limit):
            return math.inf  # slower than ever before: a new call may wait for long
        pace = self._pace(work)
        if pace is None:
            if self._strange:
                return math.inf
        elif self._alike[work] >= _GROWTH * max(pace.answers, 1):
            return math.inf
        elif not self._strange and self._slowest * (count + 1) <= _EASY * self.limit:
            return 0.0
        ahead = sum(self._takes(sent.work) for sent in self._under_way.values())
        ahead -= min(silence, takes)
        over = ahead + self._takes(work) - self._share(pace, count) * self.limit
        if over <= _NOW:
            return 0.0
        return over if over <= takes - silence else math.inf

    def _share(self, pace: _Pace | None, count: int) -> float:
        """Return the share of the limit that the calls under way may take."""
        if pace is None or self._strange:
            return _UNKNOWN
        return _WIDER if count * pace.each < 2 * pace.alone else _EASY

    def _pace(self, work: Work) -> _Pace | None:
        """Return the pace of a kind of call; before its first answer, of the tool's other calls."""
        tool, valid = work
        return self._paces.get(work) or self._paces.get((tool, not valid))

    def _takes(self, work: Work) -> float:
        pace = self._pace(work)
        return pace.each if pace is not None else 0.0

    @property
    def is_narrow(self) -> bool:
        """Whether the server is too slow for calls of some kind to be sent at the whole width."""
        return any(self.most * pace.each > _EASY * self.limit for pace in self._paces.values())

    def sent(self, work: Work, now: float) -> int:
        """Note that a call is sent, and return the number with which to report its end."""
        self._last += 1
        strange = self._pace(work) is None
        first_since = None if self._under_way else now
        self._under_way[self._last] = _Sent(work, now, strange, first_since)
        self._alike[work] += 1
        self._strange += strange
        return self._last

    def answered(self, number: int, now: float, took: float) -> None:
        """Note that a call was answered, `took` seconds after it was last sent."""
        work = self._end(number, now).work
        since = now - max(now - took, self._heard)
        self._heard = now
        pace = self._paces.setdefault(work, _Pace(since, took))
        pace.each += (since - pace.each) * _FRESH
        pace.alone = min(pace.alone, took)
        pace.answers += 1
        self._slowest = max(self._slowest, pace.each)
        if pace.answers % _LOOK_AGAIN == 0:
            self._slowest = max(pace.each for pace in self._paces.values())

    def timed_out(self, number: int, now: float) -> bool:
        """Note a timeout. Return whether the call may only have waited for earlier calls."""
        sent = self._end(number, now)
        waited = sent.first_since is None or now - sent.first_since < self.limit / 2
        if waited:  # the next call goes alone
            pace = self._paces.setdefault(sent.work, _Pace(self.limit, self.limit))
            self._slowest = pace.each = max(pace.each, self.limit)
        return waited

    def dropped(self, number: int, now: float) -> None:
        """Note that a call was not sent after all, or that its answer is not awaited any more."""
        self._end(number, now)

    def _end(self, number: int, now: float) -> _Sent:
        ended = self._under_way.pop(number)
        self._alike[ended.work] -= 1
        self._strange -= ended.strange
        if self._under_way:
            oldest = next(iter(self._under_way.values()))
            if oldest.first_since is None:
                oldest.first_since = now
        return ended


class Turn:
    """The permission to send one call. It also takes the result of the call."""

    def __init__(self, load: Load, number: int) -> None:
        self._load = load
        self._number: int | None = number

    def answered(self, took: float) -> None:
        """Note that the call was answered, `took` seconds after it was last sent."""
        self._load.answered(self._take(), time.monotonic(), took)

    def timed_out(self) -> bool:
        """Note a timeout. Return whether the call may only have waited for earlier calls."""
        return self._load.timed_out(self._take(), time.monotonic())

    def end(self) -> None:
        """End the turn, if no result was noted."""
        if self._number is not None:
            self._load.dropped(self._take(), time.monotonic())

    def _take(self) -> int:
        assert self._number is not None
        number, self._number = self._number, None
        return number


class Width:
    """Lets calls to one server through, in the order in which they come."""

    def __init__(self, most: int, limit: float) -> None:
        self._load = Load(max(most, 1), limit)
        self._waiting: deque[tuple[Work, asyncio.Future[int]]] = deque()
        self._later: asyncio.TimerHandle | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether the server is too slow for calls of some kind to be sent at the whole width."""
        return self._load.is_narrow

    @asynccontextmanager
    async def turn(self, work: Work) -> AsyncIterator[Turn]:
        """Wait until the server is likely to answer a call in time. The caller then sends it."""
        turn = Turn(self._load, await self._enter(work))
        try:
            yield turn
        finally:
            turn.end()
            self._let_in()

    async def _enter(self, work: Work) -> int:
        leave: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, leave))
        self._let_in()
        try:
            return await leave
        except asyncio.CancelledError:
            if not leave.cancelled():
                self._load.dropped(leave.result(), time.monotonic())
            self._let_in()
            raise

    def _let_in(self) -> None:
        """Let the calls in front through, and look again when the next may go."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        while self._waiting:
            work, leave = self._waiting[0]
            now = time.monotonic()
            wait = 0.0 if leave.done() else self._load.wait(work, now)
            if wait:
                if wait != math.inf:
                    loop = asyncio.get_running_loop()
                    self._later = loop.call_later(wait, self._let_in)
                return
            self._waiting.popleft()
            if not leave.done():
                leave.set_result(self._load.sent(work, now))


T = TypeVar("T")


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results of all works, in order. Raises the first error.

    The other works are cancelled and have ended before the error is raised. If the end of the loop
    cancelled them, it would also cancel what they wait for. Asyncio then waits forever for a
    process whose pipes it was just connecting.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
