"""Divides `--max-time` between driving, judging, confirming and reporting.

Judging is never cut short. On a target with very many tools it takes minutes. If driving took a
fixed share of the time, there might be no time left to send the failed calls again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from math import inf
from threading import current_thread, main_thread
from typing import Any, Final, TypeVar

from conformance.kit.drive.interrupts import is_interrupted, run

_MOST: Final = 0.8
"""The share of --max-time after which driving ends at the latest."""

_LEAST: Final = 0.4
"""The share of --max-time that driving always gets."""

_CONFIRMING: Final = 0.1
"""The share of --max-time for confirming, with the search for smaller calls."""

_A_PAIR: Final = 0.00015
"""Seconds that judging takes for a clause and a tool, measured with 2,000 tools."""

_A_REQUEST: Final = 0.0005
"""Seconds that judging takes for a request, which has to be read back."""

_REPORTING: Final = 3.0
"""The report takes at most this many times the time for judging, measured with 2,000 tools."""

_AFTER: Final = 5.0
"""Seconds after --max-time in which the report may still be written."""

_OLDER: Final = 0.1
"""The share of driving that is kept for protocol runs."""

_LOOK: Final = 1.0
"""Seconds between two looks at the time, and between two rings of the alarm."""

_RINGS: Final = 5
"""Rings of the alarm for which work may block the loop after its end, to read what it received."""

T = TypeVar("T")


def driving_ends(max_time: float, pairs: int, requests: int, *, crowd: float = 1.0) -> float:
    """Return the second of a session in which driving has to end; all times are in seconds.

    `pairs` of clause and tool have to be judged, and `requests` were sent until now. `crowd` is the
    number of programs that wait for each processor.
    """
    judging = (pairs * _A_PAIR + requests * _A_REQUEST) * crowd
    left = (1 - _CONFIRMING) * max_time - judging
    return max(min(left, _MOST * max_time), _LEAST * max_time)


def crowd() -> float:
    """Return how many programs wait for each processor, at least 1; 1 if unknown."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def confirming_ends(max_time: float, judged_in: float) -> float:
    """Return the second of a session in which confirming has to end, so that the report is in time.

    Reports grow with what was judged. The time for judging also shows how slow a busy machine is.
    """
    return min(max_time, max_time + _AFTER - _REPORTING * judged_in)


class Shares:
    """Divides the time for driving: each full run gets an equal share of the time that is left.

    If there are `older` runs, which are protocol runs, some time is kept for them.
    """

    def __init__(self, began: float, runs: int, *, older: bool) -> None:
        self._began = began
        self._left = runs
        self._kept = _OLDER if older else 0.0

    def next(self, now: float) -> Callable[[Callable[[], float]], float]:
        """Return when a run that begins now has to end, as a function of the end of all driving."""
        runs = self._left
        self._left -= 1

        def ends(all_ends: Callable[[], float]) -> float:
            end = all_ends()
            if end == inf:
                return end
            return now + (end - self._kept * (end - self._began) - now) / runs

        return ends


class _Cut(asyncio.CancelledError):
    """Raised by the alarm. It cancels the work that blocks the loop, as the loop itself would."""


class _Alarm:
    """Rings every `every` seconds, and cuts work that goes on for too long after it had to end."""

    def __init__(self, is_late: Callable[[], bool], every: float) -> None:
        self._is_late = is_late
        self._rings = 0
        self.every = every

    def ring(self, *_: object) -> None:
        """Cut the work if the loop had no turn for several rings. Raises `_Cut`."""
        if self._is_late():
            self._rings += 1
            if self._rings > _RINGS:
                raise _Cut

    def hear_turns(self, loop: asyncio.AbstractEventLoop) -> None:
        """Note each turn of the loop until the loop is closed."""
        self._rings = 0
        loop.call_later(self.every / 2, self.hear_turns, loop)


@contextmanager
def _rung(alarm: _Alarm) -> Iterator[None]:
    """Let the alarm ring. Raises `TimeoutError` if it cuts the work.

    In other threads, and on systems without such an alarm, nothing is cut. Python may ignore an
    exception, such as one raised while it deletes an object. The alarm then cuts again at its next
    ring, and nothing is printed.
    """
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return
    tell = sys.unraisablehook

    def ignored(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.exc_value, _Cut):
            tell(unraisable)

    sys.unraisablehook = ignored
    heard = signal.signal(signal.SIGALRM, alarm.ring)
    set_to = signal.setitimer(signal.ITIMER_REAL, alarm.every, alarm.every)
    try:
        yield
    except _Cut:
        raise TimeoutError from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = tell
        signal.signal(signal.SIGALRM, heard)
        signal.setitimer(signal.ITIMER_REAL, *set_to)


def run_until(work: Coroutine[Any, Any, T], ends: Callable[[], float], look: float = _LOOK) -> T:
    """Run `work` in a new event loop. Raises `TimeoutError` at `ends()`, and `KeyboardInterrupt`.

    Work that blocks the loop, such as parsing, is cut some seconds after that, or after an
    interrupt. What it does to clean up is not cut. The time is looked at every `look` seconds.
    """
    alarm = _Alarm(lambda: is_interrupted() or time.monotonic() > ends(), look)

    async def heard() -> T:
        alarm.hear_turns(asyncio.get_running_loop())
        return await until(work, ends, look)

    with _rung(alarm):
        try:
            return run(heard())
        finally:
            work.close()  # after an interrupt, it never started


async def until(work: Awaitable[T], ends: Callable[[], float], look: float = _LOOK) -> T:
    """Return the result of `work`. Raises `TimeoutError` at `ends()`.

    `ends` returns a reading of time.monotonic(). It is called every `look` seconds, because its
    result may become earlier.
    """
    async with asyncio.timeout(None) as limit:
        watch = asyncio.create_task(_hurry(limit, ends, look))
        try:
            return await work
        finally:
            watch.cancel()


async def _hurry(limit: asyncio.Timeout, ends: Callable[[], float], look: float) -> None:
    loop = asyncio.get_running_loop()
    while not limit.expired():
        limit.reschedule(loop.time() + ends() - time.monotonic())
        await asyncio.sleep(look)
