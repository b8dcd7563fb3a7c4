"""How much the library that draws may do for one schema, and for one tool.

It puts parts together in each way that there is: twenty parts that exclude each other are a million
ways. Calls and choices are counted, and no clock decides: what is drawn is the same everywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

MOST: Final = 20_000_000
"""Steps for one schema, and as many for one tool: some seconds. A real schema takes a tenth."""
_A_CHOICE: Final = 200
"""Steps of one choice of the library."""
_SMALL: Final = 16
"""Ways to put a schema together, up to which its calls are not counted: counting takes twice as
long as not to count, and its choices show what it takes.
"""

_ONE_BELOW: Final = ("items", "additionalItems", "contains", "additionalProperties",
                     "propertyNames", "not")  # fmt: skip
_STEPS: Final = {"call": 10, "c_call": 3}
"""Steps of a call of a function of Python, and of one that is built in."""


class TooMuch(BaseException):
    """The library does more than it may. No error: it would make up for one by drawing more."""


@dataclass(slots=True)
class Effort:
    """What is left to do for one tool. What was worked out for another counts as well."""

    left: int = MOST
    _known: set[str] = field(default_factory=set)

    def is_new(self, what: str) -> bool:
        """Tell what has not been counted yet."""
        return what not in self._known

    def spend(self, what: str, cost: int) -> None:
        """Count what something took, once."""
        if what not in self._known:
            self._known.add(what)
            self.left -= cost


class Counter:
    """Counts what is done until it is too much."""

    def __init__(self) -> None:
        self.done = 0

    def choice(self) -> None:
        """Count a choice. Raises TooMuch."""
        self._add(_A_CHOICE)

    def call(self, _frame: Any, event: str, _argument: Any) -> None:
        """Count a call, for `sys.setprofile`. Raises TooMuch."""
        if event in _STEPS:
            self._add(_STEPS[event])

    def _add(self, steps: int) -> None:
        self.done += steps
        if self.done > MOST:
            raise TooMuch(f"more than {MOST} steps to draw")


_counters: list[Counter] = []


def chosen() -> None:
    """Count a choice of the library, where any are counted. Raises TooMuch."""
    if _counters:
        _counters[-1].choice()


@contextmanager
def counted(schema: Any) -> Iterator[Counter]:
    """Count what is done in this thread for a schema. Held by one thread at a time."""
    counter = Counter()
    _counters.append(counter)
    before: Callable[..., Any] | None = sys.getprofile()
    if ways(schema) > _SMALL:
        sys.setprofile(counter.call)
    try:
        yield counter
    finally:
        sys.setprofile(before)
        _counters.pop()


def ways(schema: Any) -> int:
    """About how many ways there are to put a schema together, times its sizes.

    Parts that hold together multiply, and each subset of them is tried; all else adds up.
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
