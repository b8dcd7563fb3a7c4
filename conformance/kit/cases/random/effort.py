"""Limits the work of the library that draws, for one schema and for one tool.

The library combines parts in every possible way: twenty parts that exclude each other have a
million ways. Calls and choices are counted, not time, so that every machine draws the same values.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from math import prod
from types import FrameType
from typing import Any, Final, Self

MOST: Final = 20_000_000
"""The most steps for a schema, and for a tool: some seconds. A real schema takes a tenth."""
_A_CHOICE: Final = 200
"""The steps that one choice of the library counts as."""
_SMALL: Final = 16
"""If a schema has no more ways than this, the library's calls are not counted.

Counting doubles the time, and the choices show the effort well enough.
"""

_ONE_BELOW: Final = ("items", "additionalItems", "contains", "additionalProperties",
                     "propertyNames", "not")  # fmt: skip
_TIDYING: Final = 10_000
"""The most calls and lines that stopped code may run to clean up."""
_STEPS: Final = {"call": 10, "c_call": 3}
"""The steps that a call of a Python function, and of a built-in function, count as."""


class TooMuch(BaseException):
    """Too much work. Not an `Exception`, because the library would catch it and draw more."""


@dataclass(slots=True)
class Effort:
    """The steps left for one tool. Cached work that was done for another tool counts too."""

    left: int = MOST
    _known: set[str] = field(default_factory=set)

    def is_new(self, what: str) -> bool:
        """Return whether this work has not been counted yet."""
        return what not in self._known

    def spend(self, what: str, cost: int) -> None:
        """Count the cost of some work, once."""
        if what not in self._known:
            self._known.add(what)
            self.left -= cost


class Counter:
    """Counts work until it is too much. Inside its `with` block, it counts calls of functions.

    Python loses an exception that is raised while it closes a generator, and then stops counting.
    So code that continues is stopped again and again, after a pause to clean up. `last` is raised
    at the end of the block, where it cannot be lost.
    """

    def __init__(
        self,
        most: int | None = None,
        steps: Mapping[str, int] = _STEPS,
        last: BaseException | None = None,
    ) -> None:
        self.done = 0
        self._most = MOST if most is None else most
        self._steps = steps
        self._said = f"more than {self._most} steps to draw"
        self._last = last
        self._before: tuple[Any, Any] = (None, None)
        self._grace = 0

    def choice(self) -> None:
        """Count a choice. Raises `TooMuch`."""
        self._add(_A_CHOICE)

    def __enter__(self) -> Self:
        self._before = sys.getprofile(), sys.gettrace()
        sys.setprofile(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before[1])
        sys.setprofile(self._before[0])
        if self._last is not None and self.done > self._most:
            raise self._last from None

    def _call(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event in self._steps and frame.f_code is not _THE_END:
            self._add(self._steps[event], frame)

    def _add(self, steps: int, frame: FrameType | None = None) -> None:
        self.done += steps
        if self.done <= self._most:
            return
        if frame is not None:
            self._grace = _TIDYING
            sys.settrace(self._again)
        while frame is not None:
            frame.f_trace = self._again
            frame = frame.f_back
        raise TooMuch(self._said)

    def _again(self, frame: FrameType, *_: Any) -> None:
        self._grace -= 1
        if self._grace < 0 and frame.f_code is not _THE_END:
            sys.setprofile(self._call)
            raise TooMuch(self._said)


_THE_END: Final = Counter.__exit__.__code__
_counters: list[Counter] = []


def chosen() -> None:
    """Count a choice of the library, if a counter is active. Raises `TooMuch`."""
    if _counters:
        _counters[-1].choice()


@contextmanager
def choices_of(counter: Counter) -> Iterator[None]:
    """Count the library's choices. Only one thread at a time may be inside the block."""
    _counters.append(counter)
    try:
        yield
    finally:
        _counters.pop()


def calls_of(counter: Counter, schema: Any) -> AbstractContextManager[object]:
    """Count the calls that are made for a schema, if it may need many.

    `TooMuch` can end the block at any call, so nothing in it may depend on being finished.
    """
    return counter if ways(schema) > _SMALL else nullcontext()


def ways(schema: Any) -> int:
    """Return about how many ways there are to combine the parts of a schema, times its sizes.

    Parts that apply together multiply, and each subset of them is tried. All other parts add up.
    """
    if not isinstance(schema, dict):
        return 1
    parts, named = schema.get("allOf", []), schema.get("patternProperties", {})
    together = [*map(ways, parts), 2 ** max(len(parts) - 1, 0), 2 ** len(named)]
    together += [sum(map(ways, schema[word])) for word in ("anyOf", "oneOf") if word in schema]
    if "if" in schema:
        together.append(2 * sum(ways(schema.get(word)) for word in ("if", "then", "else")))
    below = [*schema.get("properties", {}).values(), *named.values()]
    below += schema.get("dependencies", {}).values()
    for word in _ONE_BELOW:
        found = schema.get(word)
        below += found if isinstance(found, list) else [found]
    size = int(max(schema.get("minItems", 0), schema.get("minProperties", 0), 1))
    return int(prod(together)) + size * sum(ways(each) for each in below if isinstance(each, dict))
