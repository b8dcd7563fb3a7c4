"""Turns each error at the end of Python's stack into a RecursionError, whatever library hits it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_PANIC = "PanicException"
"""The class name of a panic in a library written in Rust. No module exports the class, and it is
not an `Exception`, so no guard against faults would catch it.
"""


@contextmanager
def ends_in_recursion_error() -> Iterator[None]:
    """Raise RecursionError also if a library written in Rust reaches the end of the stack."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise RecursionError(str(error)) from None
