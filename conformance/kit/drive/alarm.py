"""An alarm of the system, for work that gives the event loop no turn: a long computation."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import Final, TypeVar

from conformance.kit.model.fault import Cut

T = TypeVar("T")

_RINGS: Final = 5
"""Rings for which work may go on after its end, for example to read what it received."""


class Alarm:
    """Rings every `every` seconds, and cuts work that goes on for too long after it had to end.

    `is_late` says whether the work had to end.
    """

    def __init__(self, is_late: Callable[[], bool], every: float = 1.0) -> None:
        self._is_late = is_late
        self._rings = 0
        self.every = every
        self.is_on = True

    def ring(self, *_: object) -> None:
        """Cut the work if the loop had no turn for several rings. Raises `Cut`."""
        if self.is_on and self._is_late():
            self._rings += 1
            if self._rings > _RINGS:
                raise Cut

    def hear_turns(self, loop: asyncio.AbstractEventLoop) -> None:
        """Note each turn of the loop until the loop is closed."""
        self._rings = 0
        loop.call_later(self.every / 2, self.hear_turns, loop)


@contextmanager
def rung(alarm: Alarm) -> Iterator[None]:
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
        if not isinstance(unraisable.exc_value, Cut):
            tell(unraisable)

    sys.unraisablehook = ignored
    heard = signal.signal(signal.SIGALRM, alarm.ring)
    set_to = signal.setitimer(signal.ITIMER_REAL, alarm.every, alarm.every)
    alarm.is_on = True
    try:
        try:
            yield
        finally:  # nothing is cut while this puts back what was set before
            alarm.is_on = False
    except Cut:
        alarm.is_on = False
        raise TimeoutError from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = tell
        signal.signal(signal.SIGALRM, heard)
        signal.setitimer(signal.ITIMER_REAL, *set_to)


def until_cut(alarm: Alarm, values: Iterable[T]) -> list[T]:
    """Return the values that were made before the alarm cut the making of one."""
    made: list[T] = []
    with suppress(TimeoutError), rung(alarm):
        made.extend(values)
    return made
