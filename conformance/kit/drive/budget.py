"""Shares `--max-time`: driving ends while there is time to judge what was sent, and to confirm.

Judging is never cut short. On a target with very many tools it takes minutes, and what failed could
not be sent again if driving had taken all the time but a fixed share.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import current_thread, main_thread
from typing import Final, NoReturn, TypeVar

_MOST: Final = 0.8
"""Of --max-time, when driving ends at the latest."""

_LEAST: Final = 0.4
"""Of --max-time, before which driving never has to end."""

_CONFIRMING: Final = 0.1
"""Of --max-time, what is kept for confirming, with the search for smaller calls."""

_A_PAIR: Final = 0.00015
"""Seconds that judging takes for a clause and a tool, as measured with 2,000 of them."""

_A_REQUEST: Final = 0.0005
"""Seconds that judging takes for what was sent, which has to be read back."""

_REPORTING: Final = 3.0
"""Of the time that judging took, what the report takes at most, as measured with 2,000 tools."""

_AFTER: Final = 5.0
"""Seconds after --max-time within which the report may be written."""

_OLDER: Final = 0.1
"""Of driving, what is kept for the runs that speak the protocol alone."""

_LOOK: Final = 1.0

T = TypeVar("T")


def driving_ends(max_time: float, pairs: int, requests: int, *, crowd: float = 1.0) -> float:
    """Give the second of a session in which driving has to end; all times are in seconds.

    `pairs` of clause and tool are to be judged, on so many `requests` as were sent until now. So
    many programs as `crowd` wait for each processor.
    """
    judging = (pairs * _A_PAIR + requests * _A_REQUEST) * crowd
    left = (1 - _CONFIRMING) * max_time - judging
    return max(min(left, _MOST * max_time), _LEAST * max_time)


def crowd() -> float:
    """How many programs wait for each processor, at least 1; 1 where the system does not say."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def confirming_ends(max_time: float, judged_in: float) -> float:
    """Give the second of a session in which confirming has to end, so that it can be reported.

    Reports grow with what was judged: on a busy machine, judging tells how slow it is now.
    """
    return min(max_time, max_time + _AFTER - _REPORTING * judged_in)


class Shares:
    """Divides the time of driving: each full run leaves as much to those after it as it takes.

    Where there are `older` ones, which speak the protocol alone, some is kept for them.
    """

    def __init__(self, began: float, runs: int, *, older: bool) -> None:
        self._began = began
        self._left = runs
        self._kept = _OLDER if older else 0.0

    def next(self, now: float) -> Callable[[Callable[[], float]], float]:
        """When a run has to end that begins now, by when all driving has to."""
        runs = self._left
        self._left -= 1

        def ends(all_ends: Callable[[], float]) -> float:
            end = all_ends()
            if end == inf:
                return end
            return now + (end - self._kept * (end - self._began) - now) / runs

        return ends


class _TimeIsUp(BaseException):
    """What the alarm raises: no fault of a tool, so that no guard around one keeps it."""


async def before(deadline: float, work: Awaitable[T]) -> T:
    """Do `work` before `deadline`, a reading of time.monotonic(); raises TimeoutError then."""
    async with asyncio.timeout(deadline - time.monotonic()):
        return await work


@contextmanager
def cut_after(seconds: float) -> Iterator[None]:
    """Raise TimeoutError also where the work lets nobody else have a turn, such as long reading.

    In other threads, and where there is no such alarm, nothing is cut. Python may ignore an
    exception, such as one raised while it deletes an object: the alarm then rings again, and
    nothing is printed.
    """
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return

    def over(*_: object) -> NoReturn:
        raise _TimeIsUp

    tell = sys.unraisablehook

    def ignored(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.exc_value, _TimeIsUp):
            tell(unraisable)

    sys.unraisablehook = ignored
    heard, set_to = signal.signal(signal.SIGALRM, over), signal.getitimer(signal.ITIMER_REAL)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, _LOOK), _LOOK)
    try:
        yield
    except _TimeIsUp:
        raise TimeoutError from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = tell
        signal.signal(signal.SIGALRM, heard)
        signal.setitimer(signal.ITIMER_REAL, *set_to)


async def until(work: Awaitable[T], ends: Callable[[], float], look: float = _LOOK) -> T:
    """Do `work` until `ends()`, a reading of time.monotonic() that may come nearer meanwhile.

    It is asked every `look` seconds. Raises TimeoutError when it is over.
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
