"""Charts as SVG within a page: bars, each with its name and its value in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _ROW, _NAMES, _VALUES = 760, 30, 260, 100


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar: how long it is as a share of the chart, and the shade from 0 to 3."""

    share: float
    shade: int
    said: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a chart: its name, its pieces, and its value in words."""

    name: str
    parts: tuple[Part, ...]
    value: str


def bars(title: str, rows: Sequence[Bar], legend: Sequence[str] = ()) -> str:
    """Give a chart of horizontal bars; `legend` names the shades, from the faintest."""
    top = _ROW if legend else 0
    height = top + _ROW * len(rows)
    lines = [
        f'<figure class="chart"><svg viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        *_legend(legend),
    ]
    for number, row in enumerate(rows):
        lines += _row(row, top + number * _ROW)
    lines.append(f"</svg><figcaption>{escape(title)}</figcaption></figure>")
    return "".join(lines)


def _row(row: Bar, y: int) -> list[str]:
    room = _WIDTH - _NAMES - _VALUES
    middle = y + 19
    lines = [f'<text x="{_NAMES - 8}" y="{middle}" text-anchor="end">{escape(row.name)}</text>']
    lines.append(f'<rect class="ground" x="{_NAMES}" y="{y + 5}" width="{room}" height="20"/>')
    x = float(_NAMES)
    for part in row.parts:
        wide = part.share * room
        lines.append(
            f'<rect class="shade-{part.shade}" x="{x:.1f}" y="{y + 5}" width="{wide:.1f}" '
            f'height="20"><title>{escape(part.said)}</title></rect>'
        )
        x += wide
    lines.append(f'<text x="{_WIDTH - _VALUES + 8}" y="{middle}">{escape(row.value)}</text>')
    return lines


def _legend(names: Sequence[str]) -> list[str]:
    lines = []
    step = (_WIDTH - _NAMES) // max(len(names), 1)
    for shade, name in enumerate(names):
        x = _NAMES + shade * step
        lines.append(f'<rect class="shade-{shade}" x="{x}" y="8" width="14" height="14"/>')
        lines.append(f'<text x="{x + 20}" y="20">{escape(name)}</text>')
    return lines
