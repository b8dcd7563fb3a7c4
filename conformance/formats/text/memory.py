"""Computes how much memory a JSON text will take, before it is read.

Python gives each character of a string as many bytes as its widest one needs. A single emoji makes
240 MB of a text of 60 MB. An emoji written as an escape does the same to its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MOST_HELD: Final = 192 * 1024 * 1024
"""The most bytes of a file, its text and its strings together. Later results take as many again."""

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
"""Matches all narrow strings, and the next one, which is wide or has no end. Use it only with
`match`: `search` would start again at each byte.
"""


def is_held(raw: bytes, most: int = MOST_HELD, *, narrow: bool = True) -> bool:
    """Return whether a JSON text, its value and its bytes together take at most `most` bytes.

    `narrow` means that it is UTF-8. In another encoding, a character takes at least two bytes.
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
    """Yield the size of each wide string, and the bytes of each of its characters.

    It skips narrow strings, millions of short ones in one step.
    """
    end = 0
    while found := _WIDE_TEXT.match(raw, end):
        text, end = found[1], found.end()
        yield len(text), max(_width(text), _escaped(text))


def _width(raw: bytes) -> int:
    """Return the bytes that each character of a UTF-8 text takes in memory."""
    if raw.isascii():
        return 1
    return 4 if _FOUR.search(raw) else 2 if _TWO.search(raw) else 1


def _escaped(raw: bytes) -> int:
    """Return the bytes that each character takes in memory because of the escapes."""
    return 4 if _FOUR_ESCAPED.search(raw) else 2 if _TWO_ESCAPED.search(raw) else 1
