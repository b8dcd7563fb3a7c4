"""A regular expression as a tree, to write it for Python, estimate its cost, and make samples."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

UNBOUNDED: Final = 1 << 30
_SAMPLES: Final = "a1A0-_ .bBxyzXYZ23456789/:@+,#!é"
"""Characters for samples, the readable ones first."""


class Unreadable(ValueError):
    """A pattern, or a part of one, that is not supported; the text says which."""


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
    """A lookaround or a back reference, for which no sample can be made."""

    source: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repeated part."""

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
    """Write a part for Python's `re`, with ECMA's meaning of `$`, the classes and `.`."""
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
    """Return an upper estimate of the steps to match a part against a text of this length.

    A repeat of a part that can end in several places counts as exponential.
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
    """Return whether every alternative begins at the start of the text."""
    return all(way and isinstance(way[0], Anchor) and way[0].source == r"\A" for way in whole.ways)


def fill(part: Part, times: int, pick: int = 0) -> str:
    """Return a sample of a part. Each repeat has its least number, plus `times` if allowed.

    `pick` chooses among alternatives and characters. Raises `Unreadable` at a lookaround or back
    reference.
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
    """Return some characters of a set, or one unreadable one; empty if none below U+3000 fits."""
    holds = re.compile(f"[{source}]")
    readable = "".join(c for c in _SAMPLES if holds.match(c))
    return readable or next((c for c in map(chr, range(1, 0x3000)) if holds.match(c)), "")
