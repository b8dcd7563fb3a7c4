"""How much memory a JSON text takes once it is read, told before it is.

Python gives each character of a text as many bytes as its widest one needs: a single emoji makes a
text of 60 MB one of 240 MB, and so does an escape of it for the value that has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MOST_HELD: Final = 192 * 1024 * 1024
"""Bytes of a file, of its text, and of the texts in it. What is made of them takes as many more."""

_WIDEST: Final = 4
_FOUR: Final = re.compile(rb"[\xf0-\xff]")
_TWO: Final = re.compile(rb"[\xc4-\xef]")
_FOUR_ESCAPED: Final = re.compile(rb"\\(?:U|u[dD])")
_TWO_ESCAPED: Final = re.compile(rb"\\u(?!00)")
_WIDE_TEXT: Final = re.compile(
    rb"""
    (?: [^"]*+ " [^"\\\xc4-\xff]*+ (?: \\ (?: u00 | [^uU] ) [^"\\\xc4-\xff]*+ )*+ " )*+
    [^"]*+
    ( " [^"\\]*+ (?: \\. [^"\\]*+ )*+ "? )
    """,
    re.DOTALL | re.VERBOSE,
)
"""All narrow texts, and the next one, which is wide or has no end. For `match` alone: where
there is none, a search would begin again at each byte."""


def is_held(raw: bytes, most: int = MOST_HELD, *, narrow: bool = True) -> bool:
    """Whether a JSON text, what it says, and its bytes take no more than so many bytes.

    `narrow` says that it is UTF-8. In another encoding, a character has two bytes at least.
    """
    if len(raw) * (1 + 2 * _WIDEST) <= most:
        return True
    if not narrow:
        return len(raw) * (1 + _WIDEST) <= most
    own, widest = _width(raw), max(_width(raw), _escaped(raw))
    if len(raw) * (1 + own + widest) <= most:
        return True
    held = len(raw) * (2 + own)
    for size, width in wide_texts(raw):
        held += size * (width - 1)
        if held > most:
            break
    return held <= most


def wide_texts(raw: bytes) -> Iterator[tuple[int, int]]:
    """The size of each text of which a character takes several bytes, and how many; skips others.

    Millions of short texts that are narrow are one step.
    """
    end = 0
    while found := _WIDE_TEXT.match(raw, end):
        text, end = found[1], found.end()
        yield len(text), max(_width(text), _escaped(text))


def _width(raw: bytes) -> int:
    """Bytes of each character of a text in UTF-8, once it is read."""
    if raw.isascii():
        return 1
    return 4 if _FOUR.search(raw) else 2 if _TWO.search(raw) else 1


def _escaped(raw: bytes) -> int:
    """The same, as the escapes in it ask for."""
    return 4 if _FOUR_ESCAPED.search(raw) else 2 if _TWO_ESCAPED.search(raw) else 1
