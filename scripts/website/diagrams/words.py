"""Computes how wide words are, and where lines break.

A reader's system chooses the font. So the widths are those of the widest font that the theme names
(DejaVu Sans): text that fits in it fits in all.
"""

from __future__ import annotations

import unicodedata

SIZE = 14
LINE = 18
_THOUSANDTHS = {
    275: "'",
    278: "ijl",
    295: "IJ",
    318: " ,.·",
    337: "/:;\\|",
    352: "f",
    361: "-",
    390: "()[]",
    392: "t",
    401: "!¡",
    411: "r",
    460: '"',
    500: "*_`–°",
    518: "“”",
    525: "sz",
    531: "?¿",
    557: "cL",
    592: "Fkvxy",
    613: "PTYoae",
    636: "EhnuSbdgpq$0123456789{}",
    686: "KAVXZB",
    698: "RC",
    752: "UNH",
    787: "DG&OQ",
    818: "w",
    863: "#+<=>^~→≥≤M",
    989: "%mW",
}
_ADVANCES = {sign: width for width, signs in _THOUSANDTHS.items() for sign in signs}
_WIDEST = 1000


def width(text: str) -> float:
    """Return the width of one line of `text`; an accent does not make a letter wider."""
    return sum(_ADVANCES.get(_letter(sign), _WIDEST) for sign in text) * SIZE / 1000


def _letter(sign: str) -> str:
    return sign if sign in _ADVANCES else unicodedata.normalize("NFD", sign)[0]


def wrapped(text: str, most: float) -> tuple[str, ...]:
    """Break `text` into as few lines as fit into the width `most`, as even as possible.

    A wider word stays whole.
    """
    lines = _filled(text, most)
    low, high = 0.0, most
    while high - low > 1:
        middle = (low + high) / 2
        narrower = _filled(text, middle)
        if len(narrower) > len(lines):
            low = middle
        else:
            lines, high = narrower, middle
    return lines


def _filled(text: str, most: float) -> tuple[str, ...]:
    lines: list[str] = []
    for word in text.split():
        if lines and width(f"{lines[-1]} {word}") <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(lines)


def size(lines: tuple[str, ...]) -> tuple[float, float]:
    """Return the width and height of `lines`; no lines need no room."""
    return max(map(width, lines), default=0.0), LINE * len(lines)
