"""SIGTERM and a closed terminal end a session as Ctrl+C does: with a report, without servers."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType

_TERMINALS = ("/dev/pts/", "/dev/tty")
_STREAMS = (0, 1, 2)


def interrupted_by_signals() -> Callable[[], None]:
    """Take both signals for an interrupt, until what is given back is called.

    A signal that is ignored stays ignored, as `nohup` has it. Only the first of all counts: another
    one would interrupt what ends the session.
    """
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in names]
    before = {number: signal.getsignal(number) for number in numbers}
    heard = [number for number, was in before.items() if was is not signal.SIG_IGN]
    told: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        told.append(number)
        if len(told) == 1:
            _interrupt(number)

    for number in heard:
        signal.signal(number, interrupt)

    def take_back() -> None:
        for number in heard:
            signal.signal(number, before[number])

    return take_back


def heard_no_more() -> Callable[[], None]:
    """Hear no interrupt while the report is written, until what is given back is called."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in (getattr(signal, n) for n in names)}
    for number in before:
        signal.signal(number, signal.SIG_IGN)

    def hear_again() -> None:
        for number, was in before.items():
            signal.signal(number, was)

    return hear_again


def _interrupt(number: int) -> None:
    if number != signal.SIGTERM:
        _write_nowhere()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _write_nowhere() -> None:
    """Drop what is written to a terminal that is gone: it would be an error."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in list(_terminals()):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def _terminals() -> Iterator[int]:
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:  # no such files on this system
        yield from _STREAMS
        return
    for name in names:
        with suppress(OSError):
            if os.readlink(f"/proc/self/fd/{name}").startswith(_TERMINALS):
                yield int(name)
