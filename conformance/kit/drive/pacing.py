"""How many calls a server gets in parallel: only as many as it is seen to answer well within the
limit.

A server may work off one call at a time, and no request tells. Sixteen calls of a second each would
then time out behind each other. So the work that is under way is estimated, as TCP does it: each
answer says how long the server took over it since the answer before (`_Pace.each`), and a call is
sent if all that is under way, and this call, would take no more than a quarter of the limit at that
pace. A server that works at several in parallel shows it by a quicker pace than an answer alone
would take, so the width grows as long as that holds; one that does not shows that too.
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
"""What takes about as long each time: calls of a tool, those without a mistake apart."""

_EASY: Final = 1 / 4
"""Share of the limit for which there may always be work under way."""
_WIDER: Final = 2 / 3
"""The same, while it is being found out whether the server works at more in parallel."""
_UNKNOWN: Final = 1 / 10
"""The same, next to a call of which it is not known how long it takes."""
_FRESH: Final = 1 / 4
"""Weight of the newest answer in a pace."""
_GROWTH: Final = 2
"""Calls of a kind that may be sent for each answer to one, until the width is reached."""
_LOOK_AGAIN: Final = 64
"""Answers to a kind of call after which it is looked up anew which is the slowest of all."""
_NOW: Final = 1e-6
"""Seconds that are not worth waiting for."""


@dataclass(slots=True)
class _Pace:
    """How calls of a kind are answered."""

    each: float
    """Seconds from one answer of the server to the next, on average."""
    alone: float
    """Seconds of the quickest answer: what a call takes that waits for no other."""
    answers: int = 0


@dataclass(slots=True)
class _Sent:
    """A call under way: `strange` if nothing was known of how long it takes.

    `first_since` is when it had become the oldest of all.
    """

    work: Work
    at: float
    strange: bool
    first_since: float | None = None


@dataclass(slots=True)
class Load:
    """What is under way at one server, and its pace. `limit` is the time limit of an answer.

    It has no clock: every method receives the time, in seconds of any one clock.
    """

    most: int
    limit: float
    _under_way: dict[int, _Sent] = field(default_factory=dict)
    _paces: dict[Work, _Pace] = field(default_factory=dict)
    _alike: Counter[Work] = field(default_factory=Counter)
    _strange: int = 0
    _slowest: float = 0.0
    """No kind of call has a slower pace: what is quick enough by that needs no sum."""
    _heard: float = -math.inf
    _last: int = 0

    def wait(self, work: Work, now: float) -> float:
        """Seconds until a call may be sent: 0 for now, infinity if an answer must come first."""
        if not self._under_way:
            return 0.0
        count = len(self._under_way)
        if count >= self.most:
            return math.inf
        oldest = next(iter(self._under_way.values()))
        takes = self._takes(oldest.work)
        silence = now - max(self._heard, oldest.at)
        if silence > max(2 * takes, _UNKNOWN * self.limit):
            return math.inf  # slower than ever before: what is sent now may wait for long
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
        """The share of the limit for which there may be work under way."""
        if pace is None or self._strange:
            return _UNKNOWN
        return _WIDER if count * pace.each < 2 * pace.alone else _EASY

    def _pace(self, work: Work) -> _Pace | None:
        """Of a kind of call not yet answered: that of the tool's other calls."""
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
        """A call is sent; gives the number under which its end is reported."""
        self._last += 1
        strange = self._pace(work) is None
        first_since = None if self._under_way else now
        self._under_way[self._last] = _Sent(work, now, strange, first_since)
        self._alike[work] += 1
        self._strange += strange
        return self._last

    def answered(self, number: int, now: float, took: float) -> None:
        """It was answered, `took` seconds after it was sent the last time."""
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
        """There was no answer in time. Whether it may only have waited for calls before it."""
        sent = self._end(number, now)
        waited = sent.first_since is None or now - sent.first_since < self.limit / 2
        if waited:  # the next one goes alone
            pace = self._paces.setdefault(sent.work, _Pace(self.limit, self.limit))
            self._slowest = pace.each = max(pace.each, self.limit)
        return waited

    def dropped(self, number: int, now: float) -> None:
        """It was not sent after all, or nobody waits for it any more."""
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
    """One call's leave to be sent, told how the call ended."""

    def __init__(self, load: Load, number: int) -> None:
        self._load = load
        self._number: int | None = number

    def answered(self, took: float) -> None:
        """The call was answered, `took` seconds after it was sent the last time."""
        self._load.answered(self._take(), time.monotonic(), took)

    def timed_out(self) -> bool:
        """It was not, in time. Whether it may only have waited for calls before it."""
        return self._load.timed_out(self._take(), time.monotonic())

    def end(self) -> None:
        """The call is over, whatever became of it."""
        if self._number is not None:
            self._load.dropped(self._take(), time.monotonic())

    def _take(self) -> int:
        assert self._number is not None
        number, self._number = self._number, None
        return number


class Width:
    """Lets calls through to one server, in the order in which they come."""

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
        """Within it a call is sent, as soon as the server can be expected to answer it in time."""
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
        """Give leave to those in front, and look again when the next may have it."""
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
    """What each gave, in order; raises what the first raised that failed.

    The others are then cancelled and have ended before anything is raised. Left to the loop's own
    end they would be cancelled together with what they wait for, and asyncio waits for good for a
    process whose pipes it was just connecting.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
