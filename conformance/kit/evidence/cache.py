"""Works out once what many judges ask of the same call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True, eq=False)
class ByIdentity:
    """A key that is equal to itself alone, whatever it holds: what is long to compare or to hash.

    What it holds lives as long as the key.
    """

    held: Any

    def __hash__(self) -> int:
        return id(self.held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other.held is self.held


def cached(function: Callable[[K], V]) -> Callable[[K], V]:
    """`function`, remembering its answer for as long as its argument lives.

    The argument is known by identity: its class must compare so and allow weak references.
    """
    known: WeakKeyDictionary[Any, V] = WeakKeyDictionary()

    @wraps(function)
    def remembering(key: K) -> V:
        if key not in known:
            known[key] = function(key)
        return known[key]

    return remembering
