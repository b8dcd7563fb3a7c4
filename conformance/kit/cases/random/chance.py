"""Makers of values from a seeded random generator: the same for the same seed, everywhere.

The plain parts of a call are made here. The library that draws the rest (see `library`) records
each choice, so that it can shrink failing examples. The record takes many times as long as the
choice. The kit shrinks a call by sending simpler ones instead (see `shrink`).
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Any, Final, TypeVar

from hypothesis import HealthCheck, Phase, core, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.kit.cases.random.effort import TooMuch, chosen

Test = Callable[[Any], bool]
_TRIES: Final = 5
"""How many values are tried before the value around them is made again."""
_LARGEST: Final = 2_000
"""The most values in one call. A schema that asks for a million items would fill the memory."""
_LETTERS: Final = 50_000
"""After this many characters in one call, texts get their minimum length: each character is a
choice.
"""
_BLOCK: Final = 2_000
"""The most characters of one text that are chosen. A longer text repeats them."""
WIDE: Final = 2**24
"""In a range of more numbers than this, numbers near zero come up more often than others."""
_BITS: Final = (8, 8, 16, 16, 16, 32, 64)
_ONE_IN: Final = 8


class Unlucky(Exception):
    """No value fits, so the value around it must be made again."""


class TooLarge(Unlucky):
    """The value would hold more values than a call may. The text says how many that is."""


class Chance(Random):
    """A random generator with a limit of values per call. Raises `TooLarge` above it."""

    _left = _LARGEST
    _letters = _LETTERS

    def begin(self) -> None:
        """Begin a call with its full limits."""
        self._left = _LARGEST
        self._letters = _LETTERS

    def length(self, least: int, most: int) -> int:
        """Pick the length of a text: the minimum if the call has many characters already."""
        size = self.randint(least, most) if self._letters > 0 else least
        self._letters -= size
        return size

    def spend(self, values: int = 1) -> None:
        """Count values that are made next. Raises `TooLarge`."""
        self._left -= values
        if self._left < 0:
            raise TooLarge(f"a call of more than {_LARGEST} values")

    def whether(self) -> bool:
        """Return True or False, each half of the time."""
        return self.random() < 0.5


Maker = Callable[[Chance], Any]


def always(value: Any) -> Maker:
    """Return a maker of this value."""
    return lambda _: value


def among(values: Sequence[Any]) -> Maker:
    """Return a maker that picks one of these values."""
    return lambda chance: chance.choice(values)


def one_of(makers: Sequence[Maker]) -> Maker:
    """Return a maker that uses one of these makers each time."""
    if len(makers) == 1:
        return makers[0]
    return lambda chance: chance.choice(makers)(chance)


def integers(low: int, high: int) -> Maker:
    """Return a maker of integers from `low` to `high`."""
    return lambda chance: chance.randint(low, high)


def fitting(make: Maker, test: Test) -> Maker:
    """Return a maker of values that pass a test. It raises `Unlucky` after some that do not."""

    def made(chance: Chance) -> Any:
        for _ in range(_TRIES):
            value = make(chance)
            if test(value):
                return value
        raise Unlucky

    return made


def run(chance: Chance, letters: Sequence[str], least: int, most: int) -> str:
    """Make a text of `least` to `most` characters from these letters."""
    size = chance.randint(least, most)
    block = "".join(chance.choices(letters, k=min(size, _BLOCK)))
    return block if size <= _BLOCK else (block * -(-size // _BLOCK))[:size]


def items(make: Maker, least: int, most: int, *, unique: bool = False) -> Maker:
    """Return a maker of arrays. With `unique`, it raises `Unlucky` if too few items differ."""

    def made(chance: Chance) -> list[Any]:
        size = chance.randint(least, most)
        chance.spend(size)
        if not unique:
            return [make(chance) for _ in range(size)]
        found: dict[str, Any] = {}
        for _ in range(size * _TRIES):
            if len(found) == size:
                break
            value = make(chance)
            found.setdefault(json.dumps(value, sort_keys=True), value)
        if len(found) < least:
            raise Unlucky
        return list(found.values())

    return made


def members(
    names: Maker, make: Maker, most: int, *, least: int = 0, taken: Collection[str] = ()
) -> Maker:
    """Return a maker of objects with at most `most` members.

    If `least` is not 0, it uses no name in `taken`, and raises `Unlucky` if there are too few
    names.
    """

    def made(chance: Chance) -> dict[str, Any]:
        size = chance.randint(least, most)
        chance.spend(size)
        found: dict[str, Any] = {}
        for _ in range(size if least == 0 else size * _TRIES):
            if len(found) == size:
                break
            name = names(chance)
            if least == 0 or name not in taken:
                found[name] = make(chance)
        if len(found) < least:
            raise Unlucky
        return found

    return made


def place(chance: Chance, count: int, near: int) -> int:
    """Pick a number from 0 to `count`. If there are very many, it is often close to `near`."""
    if count > WIDE and chance.randrange(_ONE_IN):
        far = chance.getrandbits(chance.choice(_BITS))
        for found in (near + far, near - far) if chance.whether() else (near - far, near + far):
            if 0 <= found <= count:
                return found
    return chance.randint(0, count)


_BACKEND: Final = "agent-formats"

ONE_AT_A_TIME: Final = threading.RLock()
"""Held by each user of the library, for two reasons. The first text in a clone needs a table of a
million characters, which one thread computes for all. Python's warnings are silenced in all
threads.
"""

T = TypeVar("T")


class OfTheSeedAlone(HypothesisProvider):
    """Draws without the constants that the library collects from the modules that are loaded."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        chosen()


AVAILABLE_PROVIDERS.setdefault(_BACKEND, OfTheSeedAlone)


_GENERATOR: Final = "_hypothesis_global_random"


def _own_generator() -> None:
    """Give this thread a generator, so that the library does not make one.

    The library needs one in each thread for tests without a seed. To make it, it looks through all
    objects of the process, which takes longer than to draw. If a release renames it, drawing only
    takes longer.
    """
    if getattr(core.threadlocal, _GENERATOR, ...) is None:
        setattr(core.threadlocal, _GENERATOR, Random(0))  # noqa: S311 - no secret


class NotDrawable(Exception):
    """Nothing can be drawn from a schema; the text says why."""


def drawn(
    strategy: st.SearchStrategy[T],
    count: int,
    seed: int,
    counting: AbstractContextManager[object] | None = None,
) -> list[T]:
    """Draw up to `count` values, or those that came up before it took too much work.

    `counting` counts the work. Raises `NotDrawable` if none can be drawn.
    """
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
        with ONE_AT_A_TIME, warnings.catch_warnings(), ends_in_recursion_error():
            warnings.simplefilter("ignore")
            _own_generator()
            with counting or nullcontext():
                collect()
    except TooMuch as reason:
        if not found:
            raise NotDrawable(str(reason)) from None
    except Exception as error:  # a strange schema may cause any error: report it and go on
        raise NotDrawable(f"{type(error).__name__}: {error}") from error
    return found
