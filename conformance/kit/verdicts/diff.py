"""What makes one valid call of a tool unlike another: the places where it sends something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.kit.schema.pointer import ABSENT, Tokens

_DEEPEST = 20
"""Steps into the arguments; what differs further down is told as a whole."""


def unlike(sent: Any, good: Any, at: Tokens = ()) -> Iterator[tuple[Tokens, Any]]:
    """Give each place where `sent` differs from `good`, with what is sent there.

    `ABSENT` stands for what is left out. A list of another length differs as a whole, and so does
    1.0 from 1: it is written otherwise.
    """
    if len(at) < _DEEPEST and isinstance(sent, Mapping) and isinstance(good, Mapping):
        for name, value in sent.items():
            yield from unlike(value, good.get(name, ABSENT), (*at, name))
        yield from (((*at, name), ABSENT) for name in good if name not in sent)
    elif len(at) < _DEEPEST and _alike_lists(sent, good):
        for n, (value, other) in enumerate(zip(sent, good, strict=True)):
            yield from unlike(value, other, (*at, n))
    elif type(sent) is not type(good) or sent != good:
        yield at, sent


def _alike_lists(sent: Any, good: Any) -> bool:
    return isinstance(sent, list) and isinstance(good, list) and len(sent) == len(good)
