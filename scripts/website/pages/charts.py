"""Charts within a page: bars, each with its name and its value in words.

They are lists of terms, not pictures. So a narrow window wraps a row instead of shrinking its
letters, and a screen reader can read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar: its length as a share of the chart, and its shade from 0 to 3."""

    share: float
    shade: int
    said: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a chart: its name, its pieces, and its value in words.

    `group` is the heading of consecutive rows with the same group.
    """

    name: str
    parts: tuple[Part, ...]
    value: str
    group: str = ""


def bars(title: str, rows: Sequence[Bar], legend: Sequence[str] = ()) -> str:
    """Return a chart of horizontal bars; `legend` names the shades, from the lightest."""
    lines = [f'<figure class="chart"><figcaption>{escape(title)}</figcaption>', *_legend(legend)]
    before = ""
    for number, row in enumerate(rows):
        if row.group != before or not number:
            lines.append("</dl>" if number else "")
            lines.append(f'<p class="chart__group">{escape(row.group)}</p>' if row.group else "")
            lines.append("<dl>")
            before = row.group
        lines += _row(row, bool(legend))
    lines.append("</dl></figure>")
    return "".join(lines)


def _row(row: Bar, told: bool) -> Iterator[str]:
    """Yield a row; with a legend, a screen reader gets the meaning of each piece."""
    pieces = (
        f'<span class="shade-{part.shade}" style="width:{100 * part.share:.1f}%"'
        f' title="{escape(part.said)}"></span>'
        for part in row.parts
    )
    value = escape(row.value)
    if told:
        said = escape("; ".join(part.said for part in row.parts))
        value = f'<span aria-hidden="true">{value}</span><span class="af-said">{said}</span>'
    yield f"<div><dt>{escape(row.name)}</dt><dd>{value}</dd>"
    yield f'<dd class="chart__bar" aria-hidden="true">{"".join(pieces)}</dd></div>'


def _legend(names: Sequence[str]) -> Iterator[str]:
    if not names:
        return
    yield '<p class="chart__legend" aria-hidden="true">'
    for shade, name in enumerate(names):
        yield f'<span><span class="shade-{shade}"></span>{escape(name)}</span> '
    yield "</p>"
