"""A regular expression as a tree: to write it for Python, to weigh it, to fill it in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

UNBOUNDED: Final = 1 << 30
_SAMPLES: Final = "a1A0-_ .bBxyzXYZ23456789/:@+,#!é"
"""Characters to fill in, the readable ones first."""


class Unreadable(ValueError):
    """A pattern, or a part of one, that is not read here; the text says which."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set; `source` is the set as Python writes it."""

    source: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place between characters: `^`, `$` or a word boundary, as Python writes it."""

    source: str


@dataclass(frozen=True, slots=True)
class Look:
    """Something that is looked at without being taken, or a reference back: never filled in."""

    source: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part, so many times."""

    part: Part
    least: int
    most: int
    lazy: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Alternatives, each a sequence of parts."""

    ways: tuple[tuple[Part, ...], ...]
    captures: bool = False


Part = Chars | Anchor | Look | Repeat | Group


def render(part: Part) -> str:
    """Write a part as Python's `re` has it, with ECMA's meaning of `$`, the classes and `.`."""
    if isinstance(part, Chars):
        return f"[{part.source}]"
    if isinstance(part, Anchor | Look):
        return part.source
    if isinstance(part, Repeat):
        most = "" if part.most >= UNBOUNDED else str(part.most)
        return f"{render(part.part)}{{{part.least},{most}}}{'?' if part.lazy else ''}"
    inside = "|".join("".join(map(render, way)) for way in part.ways)
    return f"({inside})" if part.captures else f"(?:{inside})"


def steps(part: Part, length: int) -> int:
    """Estimate, from above, the steps that matching a part against so long a text may take.

    A repeat of what can itself end in several places is taken to explode.
    """
    if isinstance(part, Chars | Anchor):
        return 1
    if isinstance(part, Look):
        return length**3
    if isinstance(part, Group):
        return sum(_sequence(way, length) for way in part.ways)
    inner = steps(part.part, length)
    if part.least == part.most and inner == 1:
        return 1
    spread = min(part.most, length) - part.least + 1
    if inner > 1 and part.most > 1:
        return int(min(inner ** min(part.most, length), 10**12))
    return max(spread, 1) * inner


def _sequence(way: tuple[Part, ...], length: int) -> int:
    total = 1
    for part in way:
        total = min(total * steps(part, length), 10**12)
    return total


def is_anchored(whole: Group) -> bool:
    """Say whether every alternative begins at the beginning of the text."""
    return all(way and isinstance(way[0], Anchor) and way[0].source == r"\A" for way in whole.ways)


def fill(part: Part, times: int, pick: int = 0) -> str:
    """Give a text of a part: each repeat its least, and `times` more where it may.

    `pick` chooses among alternatives and characters. Raises Unreadable where something is only
    looked at.
    """
    if isinstance(part, Chars):
        return _member(part.source, pick)
    if isinstance(part, Anchor):
        return ""
    if isinstance(part, Look):
        raise Unreadable("it looks ahead, behind or back")
    if isinstance(part, Repeat):
        count = min(part.least + times, part.most)
        return "".join(fill(part.part, times, pick) for _ in range(count))
    way = part.ways[pick % len(part.ways)]
    return "".join(fill(each, times, pick) for each in way)


def _member(source: str, pick: int) -> str:
    found = _members(source)
    if not found:
        raise Unreadable("a set that holds nothing")
    return found[pick % len(found)]


@lru_cache(maxsize=1024)
def _members(source: str) -> str:
    """Some characters of a set, the readable ones first; empty if it holds none worth trying."""
    holds = re.compile(f"[{source}]")
    readable = "".join(c for c in _SAMPLES if holds.match(c))
    return readable or next((c for c in map(chr, range(1, 0x3000)) if holds.match(c)), "")
