"""Handles Ctrl+C, SIGTERM and a closed terminal: a session ends with a report, and its servers end.

A signal takes effect while something is sent. At any other time it is noted, and takes effect when
more is about to be sent. So judging and writing the report are never interrupted.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, Final, TypeVar

from conformance.kit.model.fault import cut_behind

T = TypeVar("T")

_TERMINALS = ("/dev/pts/", "/dev/tty")
_STREAMS = (0, 1, 2)
_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class _Ear:
    """The state of the signal handler; `ends` stops what is being sent, if anything is."""

    def __init__(self) -> None:
        self.listens = False
        self.noted = False
        self.ends: Callable[[], object] | None = None

    def hear(self, number: int, _: FrameType | None) -> None:
        """Handle a signal as an interrupt."""
        if number not in {signal.SIGINT, signal.SIGTERM}:
            _write_nowhere()
        self.noted = True
        if self.ends is not None:
            self.ends()


_EAR: Final = _Ear()


def interrupted_by_signals() -> Callable[[], None]:
    """Note these signals until the returned function is called.

    A signal that is ignored stays ignored, as with `nohup`.
    """
    if _EAR.listens or threading.current_thread() is not threading.main_thread():
        return lambda: None
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    heard = [number for number, was in before.items() if was is not signal.SIG_IGN]
    _EAR.listens = True
    for number in heard:
        signal.signal(number, _EAR.hear)

    def take_back() -> None:
        for number in heard:
            signal.signal(number, before[number])
        _EAR.listens = _EAR.noted = False

    return take_back


def is_interrupted() -> bool:
    """Return whether an interrupt was noted."""
    return _EAR.noted


def run(work: Coroutine[Any, Any, T], tell: Callable[[Exception], object] | None = None) -> T:
    """Run `work` in a new event loop, like asyncio.run. Raises `KeyboardInterrupt`.

    After an interrupt, `work` does not start. If a second interrupt ends a task while the loop is
    closed, nothing is printed about it. `tell` gets the exceptions that nothing waits for, such as
    those of a callback.
    """
    if _EAR.noted:
        work.close()
        raise KeyboardInterrupt
    try:
        return asyncio.run(_told(work, tell))
    except asyncio.CancelledError:
        if _EAR.noted:
            raise KeyboardInterrupt from None
        raise


class _Unawaited(ThreadPoolExecutor):
    """Runs each call in a thread that nobody waits for at the end.

    The loop looks up names this way. A lookup may take minutes, and nothing can stop it.
    """

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a call in a new thread."""
        future: Future[T] = Future()

        def work() -> None:
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        future.set_running_or_notify_cancel()
        threading.Thread(target=work, daemon=True).start()
        return future


async def _told(work: Awaitable[T], tell: Callable[[Exception], object] | None) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    loop.set_exception_handler(partial(_tell, tell))
    loop.set_default_executor(_Unawaited())
    _EAR.ends = lambda: loop.call_soon_threadsafe(task.cancel)
    if _EAR.noted:  # it came while the loop was made
        task.cancel()
    try:
        return await work
    except Exception as error:
        if cut := cut_behind(error):
            raise cut from None
        raise
    finally:
        _EAR.ends = None


def _tell(
    tell: Callable[[Exception], object] | None,
    loop: asyncio.AbstractEventLoop,
    context: dict[str, Any],
) -> None:
    error = context.get("exception")
    if isinstance(error, KeyboardInterrupt | asyncio.CancelledError) or cut_behind(error):
        return
    if tell is None or isinstance(error, OSError) or not isinstance(error, Exception):
        loop.default_exception_handler(context)  # an OSError is of the system, not of the kit
    else:
        tell(error)


def _write_nowhere() -> None:
    """Discard output to a closed terminal, because it would raise an error."""
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
