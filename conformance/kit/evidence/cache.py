"""Caches what many judges work out about the same call."""

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
    """A key that compares its object by identity, for objects that take long to compare or to hash.

    The key keeps its object alive.
    """

    held: Any

    def __hash__(self) -> int:
        return id(self.held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other.held is self.held


def cached(function: Callable[[K], V]) -> Callable[[K], V]:
    """Return `function` with a cache that keeps a result as long as its argument lives.

    The class of the argument must compare by identity and allow weak references.
    """
    known: WeakKeyDictionary[Any, V] = WeakKeyDictionary()

    @wraps(function)
    def remembering(key: K) -> V:
        if key not in known:
            known[key] = function(key)
        return known[key]

    return remembering
