"""Divides `--max-time` between driving, judging, confirming and reporting.

Judging may go on after `--max-time`: on a target with very many tools it takes minutes. If driving
took a fixed share of the time, there might be no time left to send the failed calls again.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from math import inf
from typing import Any, Final, TypeVar

from conformance.kit.drive.alarm import Alarm, rung
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
"""The report takes at most this many times the time for judging, measured with 2,000 tools. It has
a part for each tool, and nothing for most requests.
"""

_AFTER: Final = 5.0
"""Seconds after --max-time in which the report may still be written."""

_JUDGING: Final = 60.0
"""Seconds that judging gets beyond twice --max-time. A busy machine needs them if that is short."""

_OLDER: Final = 0.1
"""The share of driving that is kept for protocol runs."""

_LOOK: Final = 1.0
"""Seconds between two looks at the time."""

T = TypeVar("T")


def driving_ends(max_time: float, pairs: int, requests: int, *, crowd: float = 1.0) -> float:
    """Return the second of a session in which driving has to end; all times are in seconds.

    `pairs` of clause and tool have to be judged, and `requests` were sent until now. `crowd` is the
    number of programs that wait for each processor.
    """
    judging = (pairs * _A_PAIR + requests * _A_REQUEST) * crowd
    left = (1 - _CONFIRMING) * max_time - judging
    return max(min(left, _MOST * max_time), _LEAST * max_time)


def judging_alarm(began: float, max_time: float) -> Alarm:
    """Return the alarm that ends the judging of a session that began at this time.

    `began` is a reading of time.monotonic(). No honest target comes near the end. A schema could be
    made on which a judge takes hours.
    """
    ends = began + 2 * max_time + _JUDGING
    return Alarm(lambda: time.monotonic() > ends)


def crowd() -> float:
    """Return how many programs wait for each processor, at least 1; 1 if unknown."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def confirming_ends(max_time: float, judged_in: float, pairs: int, requests: int) -> float:
    """Return the second of a session in which confirming has to end, so that the report is in time.

    The time that judging took, without the share of the requests, shows how long the report takes,
    and how slow a busy machine is.
    """
    of_pairs, of_requests = pairs * _A_PAIR, requests * _A_REQUEST
    share = of_pairs / ((of_pairs + of_requests) or 1.0)
    return min(max_time, max_time + _AFTER - _REPORTING * judged_in * share)


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


def run_until(
    work: Coroutine[Any, Any, T],
    ends: Callable[[], float],
    look: float = _LOOK,
    tell: Callable[[Exception], object] | None = None,
) -> T:
    """Run `work` in a new event loop. Raises `TimeoutError` at `ends()`, and `KeyboardInterrupt`.

    Work that blocks the loop, such as parsing, is cut some seconds after that, or after an
    interrupt. What it does to clean up is not cut. The time is looked at every `look` seconds.
    `tell` gets the exceptions that nothing waits for.
    """
    try:
        return _run_until(work, ends, look, tell)
    finally:
        work.close()  # after an interrupt, it never started


def _run_until(
    work: Coroutine[Any, Any, T],
    ends: Callable[[], float],
    look: float,
    tell: Callable[[Exception], object] | None,
) -> T:
    alarm = Alarm(lambda: is_interrupted() or time.monotonic() > ends(), look)

    async def heard() -> T:
        alarm.hear_turns(asyncio.get_running_loop())
        return await until(work, ends, look)

    with rung(alarm):
        return run(heard(), tell)


async def until(work: Awaitable[T], ends: Callable[[], float], look: float = _LOOK) -> T:
    """Return the result of `work`. Raises `TimeoutError` at `ends()`.

    `ends` returns a reading of time.monotonic(). It is called every `look` seconds, because its
    result may become earlier. What it raises ends the work too.
    """
    failed: list[Exception] = []
    loop = asyncio.get_running_loop()

    def over(watch: asyncio.Task[None]) -> None:
        error = None if watch.cancelled() else watch.exception()
        if isinstance(error, Exception):
            failed.append(error)
            with suppress(RuntimeError):  # the work has ended too
                limit.reschedule(loop.time())

    try:
        async with asyncio.timeout(None) as limit:
            watch = asyncio.create_task(_hurry(limit, ends, look))
            watch.add_done_callback(over)
            try:
                return await work
            finally:
                watch.cancel()
    except TimeoutError:
        if failed:
            raise failed[0] from None
        raise


async def _hurry(limit: asyncio.Timeout, ends: Callable[[], float], look: float) -> None:
    loop = asyncio.get_running_loop()
    while not limit.expired():
        limit.reschedule(loop.time() + ends() - time.monotonic())
        await asyncio.sleep(look)
