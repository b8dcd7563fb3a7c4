"""Makes Linux refuse the kit more memory than any check needs.

Each bound of the kit is for one kind of data. This one holds for all of it, also where a bound is
missing: a server cannot take the memory of other programs.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from conformance.spec.messages import Message

MOST: Final = 1024 * 1024 * 1024
"""Bytes of memory that this process and each one that it starts may hold, but not servers."""
_STACK: Final = 8 * 1024 * 1024
"""Bytes for the stack of a thread. Otherwise each has as many as the user's limit allows."""


_before: list[int] = []
"""The user's own limit, if it was above `MOST`."""


def set_limit() -> None:
    """Limit this process to `MOST` bytes. More raises `MemoryError`. A lower limit stays.

    Also restore the limit on digits, which a variable may have lifted: to read a number of millions
    of digits takes hours, and nothing can interrupt it.
    """
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY or soft > MOST:
        with suppress(ValueError, OSError):  # a container forbids it
            resource.setrlimit(resource.RLIMIT_DATA, (MOST, hard))
            _before[:] = [soft]
            threading.stack_size(_STACK)  # the stacks of threads count, too


def limit_before() -> int:
    """Return the bytes that a server may hold: the limit before the kit set its own; -1 for any."""
    return _before[0] if _before else -1


def lift_limit(before: int) -> None:
    """Give this process, which will run a server, the limit from before the kit set its own."""
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == MOST:
        resource.setrlimit(resource.RLIMIT_DATA, (hard if before < 0 else before, hard))


def memory_is_full() -> Message:
    """Return what a `MemoryError` says to the user."""
    from conformance.spec.messages import message  # noqa: PLC0415 - the launcher does without it

    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - not on Windows

        if resource.getrlimit(resource.RLIMIT_DATA)[0] == MOST:
            return message("kit.memory", most=MOST // (1024 * 1024))
    return message("kit.memory_of_system")
