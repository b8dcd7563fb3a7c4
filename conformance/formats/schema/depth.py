"""The end of Python's stack, as one exception: whatever in the libraries comes to it first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_PANIC = "PanicException"
"""The name of what a library written in Rust raises. It is in no module, and is not an `Exception`,
so no guard against faults would catch it.
"""


@contextmanager
def ends_in_recursion_error() -> Iterator[None]:
    """Raise RecursionError also where a library written in Rust came to the end of the stack."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise RecursionError(str(error)) from None
