"""Looks for garbage seldom while a session gathers what it is to keep.

Every call leaves some fifty objects that stay: to look for cycles after each seven hundred of them,
and at all of them again and again, took a tenth of the processor's time and found next to nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (20_000, 20, 20)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Collect seldom meanwhile, and never look at what was there before."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
