"""Draws values with Hypothesis: the same for the same seed, in every process, and no files."""

from __future__ import annotations

import threading
import warnings
from random import Random
from typing import Any, Final, TypeVar

from hypothesis import HealthCheck, Phase, core, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

_BACKEND: Final = "agent-formats"

ONE_AT_A_TIME: Final = threading.RLock()
"""Held by whoever uses the library: its table of a million characters, which the first text in a
clone needs, is worked out by one thread for all. Python's warnings are silenced for all, too.
"""

T = TypeVar("T")


class OfTheSeedAlone(HypothesisProvider):
    """Draws without the constants that the library collects from whatever modules are loaded."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS.setdefault(_BACKEND, OfTheSeedAlone)


_GENERATOR: Final = "_hypothesis_global_random"


def _own_generator() -> None:
    """Give this thread the generator that the library else makes for each, to seed tests without a
    seed of their own: it would look through all objects of the process, for longer than to draw.

    With a release of the library that names it otherwise, drawing takes longer, and nothing else.
    """
    if getattr(core.threadlocal, _GENERATOR, ...) is None:
        setattr(core.threadlocal, _GENERATOR, Random(0))  # noqa: S311 - no secret


class NotDrawable(Exception):
    """Nothing can be drawn from a schema; the text says why."""


def drawn(strategy: st.SearchStrategy[T], count: int, seed: int) -> list[T]:
    """Draw up to `count` different values. Raises NotDrawable if none can be drawn."""
    found: list[T] = []

    @seeded(seed)
    @settings(
        backend=_BACKEND,
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: T) -> None:
        found.append(value)

    try:
        with ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _own_generator()
            collect()
    except Exception as error:  # whatever a strange schema does to the library is said, not fatal
        raise NotDrawable(f"{type(error).__name__}: {error}") from error
    return found
