"""Functions that write plain Markdown."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SPECIAL = re.compile(r"([\\*_{}\[\]<>#|~^])")
_NOT_IN_ANCHOR = re.compile(r"[^\w-]+")
_TICKED = re.compile(r"(`+)(.+?)\1(?!`)", re.DOTALL)


def page(
    title: str, anchor: str, description: str, parts: Iterable[str], *, hide: str = ""
) -> bytes:
    """Return a whole page: its front matter, its first heading, and its parts.

    `hide` lists what is not shown next to the page if it needs the room: `navigation` (the other
    pages) or `toc` (its headings).
    """
    hidden = f"\nhide: [{hide}]" if hide else ""
    front = f"---\ndescription: {json.dumps(description, ensure_ascii=False)}{hidden}\n---"
    return ("\n\n".join([front, heading(1, title, anchor), *parts]) + "\n").encode()


def heading(level: int, text: str, anchor: str) -> str:
    """Return a heading whose anchor is the same in each language."""
    return f"{'#' * level} {escaped(text)} {{ #{anchor} }}"


def escaped(text: str) -> str:
    """Return plain text with all special characters escaped; code in backquotes stays code."""
    made, end = [], 0
    for found in _TICKED.finditer(text):
        made += [_plain(text[end : found.start()]), code(found[2])]
        end = found.end()
    return " ".join("".join([*made, _plain(text[end:])]).split())


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("`", "\\`")


def code(text: str) -> str:
    """Return code within a line."""
    marks = "`"
    while marks in text:
        marks += "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{space}{text}{space}{marks}"


def anchored(name: str, before: str) -> str:
    """Return code with an anchor, for the first cell of a row, so that the search finds the row."""
    return f'<a id="{anchor_of(name, before)}"></a>{code(name)}'


def anchor_of(name: str, before: str) -> str:
    """Return the anchor of a row."""
    words = _NOT_IN_ANCHOR.sub("-", name.replace("[]", "").replace("*", "any")).strip("-")
    return f"{before}-{words}"


_BESIDE = 4
"""How many filters fit in a row of a wide window, in which the search text takes two places. A
narrow window has two. The page reserves this room until the filters load.
"""


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter for the rows of a table: `rows` has the values of each row.

    `order` is the order of the values, if it is not alphabetical.
    """

    key: str
    label: str
    rows: Sequence[Iterable[str]]
    order: Sequence[str] = ()


def filtered(facets: Iterable[Facet], words: Mapping[str, str], more: str = "") -> str:
    """Return the element that filters the rows of the next table, by text and by these facets.

    `more` is the address of a file with further words of each row, by the anchor of the row.
    """
    listed = [_listed(each) for each in facets]
    given, said = (
        html.escape(json.dumps(each, ensure_ascii=False, separators=(",", ":")))
        for each in (listed, words)
    )
    wide, narrow = -(-(len(listed) + 2) // _BESIDE), 1 + -(-len(listed) // 2)
    held = f' data-more="{more}"' if more else ""
    return (
        f'<div id="filter" class="filter" style="--wide:{wide};--narrow:{narrow}"'
        f' data-facets="{given}" data-words="{said}"{held}></div>'
    )


def _listed(facet: Facet) -> Mapping[str, Any]:
    held = {value for row in facet.rows for value in row}
    values = [*(each for each in facet.order if each in held), *sorted(held - set(facet.order))]
    numbers = {value: number for number, value in enumerate(values)}
    rows = [sorted(numbers[value] for value in row) for row in facet.rows]
    return {"key": facet.key, "label": facet.label, "values": values, "rows": rows}


def link(text: str, to: str) -> str:
    """Return a link; `text` must be Markdown."""
    return f"[{text}]({to})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells must be Markdown."""
    lines = [_row(head), _row(["---"] * len(head))]
    return "\n".join([*lines, *map(_row, rows)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_cell(each) for each in cells)} |"


def _cell(text: str) -> str:
    """Return a cell on one line with its bars escaped. Code keeps its bars and its spaces."""
    made, end = [], 0
    for found in _TICKED.finditer(text):
        made += [_without_bars(text[end : found.start()]), found[0].replace("\n", " ")]
        end = found.end()
    return "".join([*made, _without_bars(text[end:])]).strip() or " "


def _without_bars(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", re.sub(r"\s+", " ", text))


def fence(text: str, language: str, marks: str = "") -> str:
    """Return a block of code; `marks` are further options for the highlighter."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}{' ' + marks if marks else ''}\n{text}\n{ticks}"


def json_fence(value: Any) -> str:
    """Return a block with a JSON value, in the form of the downloads."""
    return fence(json.dumps(value, ensure_ascii=False, indent=2), "json")


def folded(title: str, inside: str, anchor: str) -> str:
    """Return a section with an anchor that opens when the reader clicks its title."""
    quoted = escaped(title).replace('"', "&quot;")
    indented = "\n".join(f"    {line}" if line else "" for line in inside.split("\n"))
    return f'<span id="{anchor}"></span>\n{{ .anchor }}\n\n??? example "{quoted}"\n\n{indented}'
