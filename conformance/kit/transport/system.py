"""Linux system calls for which Python has no function."""

import ctypes
import os
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)


def attach(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    """Mount a file system or a path at another path. Raises `OSError`."""
    texts: list[Any] = [None if each is None else os.fsencode(each) for each in (source, target)]
    texts.append(None if kind is None else kind.encode())
    done(LIBC.mount(*texts, ctypes.c_ulong(flags), None if data is None else data.encode()))


def done(result: int) -> None:
    """Raise `OSError` if a system call failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
