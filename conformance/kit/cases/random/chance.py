"""Ways to make values of a seeded generator of chance: the same for the same seed, everywhere.

The plain parts of a call are made here. The library that draws the rest (see `library`) keeps a
record of each choice, to make failing examples small; the kit does that by sending simpler calls
(see `smaller`), and the record takes many times as long as the choice.
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
"""How often a value that does not fit is made anew, before all around it is."""
_LARGEST: Final = 2_000
"""Values that one call may hold: a schema that asks for a million items would fill the memory."""
_LETTERS: Final = 50_000
"""Letters of one call beyond which its texts are as short as they may be: each letter is a choice.
"""
_BLOCK: Final = 2_000
"""Letters of one text that are chosen; a longer one repeats them."""
WIDE: Final = 2**24
"""From so many numbers on, those near the first are meant more often than chance would have it."""
_BITS: Final = (8, 8, 16, 16, 16, 32, 64)
_ONE_IN: Final = 8


class Unlucky(Exception):
    """No value that fits came up: what is around it is to be made anew."""


class TooLarge(Unlucky):
    """What was to be made holds more values than a call may; the text says how many those are."""


class Chance(Random):
    """A generator that makes so many values, and no more, for one call. Raises TooLarge beyond."""

    _left = _LARGEST
    _letters = _LETTERS

    def begin(self) -> None:
        """Begin a call."""
        self._left = _LARGEST
        self._letters = _LETTERS

    def length(self, least: int, most: int) -> int:
        """Pick the length of a text: the least where the call has many letters already."""
        size = self.randint(least, most) if self._letters > 0 else least
        self._letters -= size
        return size

    def spend(self, values: int = 1) -> None:
        """Count values that are about to be made."""
        self._left -= values
        if self._left < 0:
            raise TooLarge(f"a call of more than {_LARGEST} values")

    def whether(self) -> bool:
        """Toss a coin."""
        return self.random() < 0.5


Maker = Callable[[Chance], Any]


def always(value: Any) -> Maker:
    """Make one value."""
    return lambda _: value


def among(values: Sequence[Any]) -> Maker:
    """Make one of some values."""
    return lambda chance: chance.choice(values)


def one_of(makers: Sequence[Maker]) -> Maker:
    """Make a value in one of some ways."""
    if len(makers) == 1:
        return makers[0]
    return lambda chance: chance.choice(makers)(chance)


def integers(low: int, high: int) -> Maker:
    """Make an integer of a range."""
    return lambda chance: chance.randint(low, high)


def fitting(make: Maker, test: Test) -> Maker:
    """Make a value that passes a test. Raises Unlucky after some that do not."""

    def made(chance: Chance) -> Any:
        for _ in range(_TRIES):
            value = make(chance)
            if test(value):
                return value
        raise Unlucky

    return made


def run(chance: Chance, letters: Sequence[str], least: int, most: int) -> str:
    """Make a text of so many of these letters."""
    size = chance.randint(least, most)
    block = "".join(chance.choices(letters, k=min(size, _BLOCK)))
    return block if size <= _BLOCK else (block * -(-size // _BLOCK))[:size]


def items(make: Maker, least: int, most: int, *, unique: bool = False) -> Maker:
    """Make an array. Where its items are to differ, Unlucky is raised if they do not."""

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
    """Make an object of so many members, none of which is `taken`.

    Raises Unlucky if there are not so many names.
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
    """Pick a number from 0 to `count`: of very many, often one that is not far from `near`."""
    if count > WIDE and chance.randrange(_ONE_IN):
        far = chance.getrandbits(chance.choice(_BITS))
        for found in (near + far, near - far) if chance.whether() else (near - far, near + far):
            if 0 <= found <= count:
                return found
    return chance.randint(0, count)


_BACKEND: Final = "agent-formats"

ONE_AT_A_TIME: Final = threading.RLock()
"""Held by each user of the library: its table of a million characters, which the first text in a
clone needs, is worked out by one thread for all. Python's warnings are silenced for all, too.
"""

T = TypeVar("T")


class OfTheSeedAlone(HypothesisProvider):
    """Draws without the constants that the library collects from whatever modules are loaded."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        chosen()


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


def drawn(
    strategy: st.SearchStrategy[T],
    count: int,
    seed: int,
    counting: AbstractContextManager[object] | None = None,
) -> list[T]:
    """Draw up to `count` different values: those that came up, where more would take too much,
    which is counted within `counting`.

    Raises NotDrawable if none can be drawn.
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
    except Exception as error:  # whatever a strange schema does to the library is said, not fatal
        raise NotDrawable(f"{type(error).__name__}: {error}") from error
    return found
