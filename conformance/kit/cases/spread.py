"""Keeps a plan within its limit without forgetting any place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def spread(items: Sequence[tuple[str, T]], most: int) -> list[T]:
    """Keep at most `most` of (place, item) pairs: one of each place in turn, in their order.

    What is kept stays in the order in which it came.
    """
    if len(items) <= most:
        return [item for _, item in items]
    queues: dict[str, list[int]] = {}
    for index, (place, _) in enumerate(items):
        queues.setdefault(place, []).append(index)
    kept: list[int] = []
    turn = 0
    while len(kept) < most:
        kept.extend(queue[turn] for queue in queues.values() if turn < len(queue))
        turn += 1
    return [items[index][1] for index in sorted(kept[:most])]
