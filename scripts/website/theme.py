"""Changes the theme's built files.

The theme lays a page out again for each block of code and each table. It reads the whole search
index on every page, and some of its elements have no name. If a theme lacks a part that must be
changed, the build stops.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from scripts.website.layout import LANGUAGES
from scripts.website.render import BuildError

_BUNDLE = "assets/javascripts/bundle.*.min.js"
_SCRIPT = {
    # Read the index when somebody starts to search, not on every page.
    'location.protocol!=="file:"': "!1",
    # `found.js` marks the searched words, without the index.
    '("search.highlight")?': '("")?',
    # Pass the question: if a page has none of its words, the theme passes nothing.
    "Object.entries(e.terms).filter(([,c])=>c)": "[[document.forms.search.query.value]]",
    # `code.js` does the rest of this, without measuring between two changes.
    '"pre:not(.mermaid) > code"': '"pre:not(pre)"',
    # The theme would request a sitemap from the host of each of these links.
    '"link[rel=alternate]"': '"link:not(link)"',
    # Tables are wrapped below, so that nothing moves when the script loads.
    '"table:not([class])"': '"table:not(table)"',
}
_LOADED = re.compile(r'<script src="([^"]*/javascripts/bundle\.[^"]*)"></script>')
_LATE = (
    '<script>(()=>{document.documentElement.classList.replace("no-js","js");let asked;'
    "const ask=()=>{if(asked)return;asked=true;"
    'const script=document.createElement("script");script.src="%s";document.body.append(script)};'
    "requestAnimationFrame(()=>setTimeout(ask));setTimeout(ask,500)})()</script>"
)
"""Loads the theme's script after the first paint, or after half a second if the page is not
visible.
"""
_PALETTE = 'var palette=__md_get("__palette");'
_DARK = (
    'if(!palette&&matchMedia("(prefers-color-scheme: dark)").matches)'
    'document.body.dataset.mdColorScheme="slate";'
)
"""Applies the dark scheme from the start if the reader prefers it, not only with the theme's
script.
"""
_SEARCH = '<div class="md-search" data-md-component="search" role="dialog">'
_PLACEHOLDER = re.compile(r'class="md-search__input"[^>]* aria-label="([^"]*)"')
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_WRAPPED = (
    '<div class="md-typeset__scrollwrap" style="--high:{high:.0f}rem">'
    '<div class="md-typeset__table">{table}</div></div>'
)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)
_DATA = re.compile(r"<td\b")
_TAG = re.compile(r"<[^>]*>")
_NAMELESS = "<th></th>"
"""The corner cell of a table whose first column names its rows."""
_SLIPPING = 4
"""The columns of the widest table whose rows a phone shows as blocks."""
_FIRST_CELL = re.compile(r"(<tr>\s*)<td([^>]*)>(.*?)</td>", re.DOTALL)
_BLOCK = re.compile(r'(<div class="[^"]*\bhighlight")>(.*?</pre>)', re.DOTALL)
_AROUND, _CODE_LINE = 1.1, 0.95
"""The height around a block of code, and of a line of code, in rem."""
_LINE, _PADDING, _SIGNS = 1.2, 1.0, 90
"""The height of a line and around a row, in rem, and the characters of a line."""


def mend_theme(site: Path) -> None:
    """Change the files of all languages; raises `BuildError` if one is not as expected."""
    for bundle in _files(site, _BUNDLE):
        bundle.write_text(_replaced(bundle.read_text("utf-8"), _SCRIPT, bundle), encoding="utf-8")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        placeholder = _PLACEHOLDER.search(text)
        if placeholder is not None:  # a page with the theme
            page.write_text(_page(text, placeholder[1], page), encoding="utf-8")


def _page(text: str, search: str, page: Path) -> str:
    script = _LOADED.search(text)
    if script is None:
        raise BuildError(f"{page.name} does not load the theme's script where it did.")
    changed = {
        script[0]: _LATE % script[1],
        _PALETTE: _PALETTE + _DARK,
        _SEARCH: _SEARCH.replace(">", f' aria-label="{search}">'),
    }
    return _TABLE.sub(_wrapped, sized(_replaced(text, changed, page)))


def sized(text: str) -> str:
    """Return a page whose code blocks have an approximate height before they are laid out."""
    return _BLOCK.sub(_with_height, text)


def _with_height(found: re.Match[str]) -> str:
    lines = found[2].count("\n") or 1
    return f'{found[1]} style="--high:{_AROUND + _CODE_LINE * lines:.1f}rem">{found[2]}'


def _wrapped(found: re.Match[str]) -> str:
    """Return a table with an approximate height before it is laid out.

    A phone shows no head. So cells get the names of their columns: all if the corner cell is empty,
    whose column gets row headers, and else those that slip below the first two of four.
    """
    table = found[0]
    high = sum(map(_height, _ROW.findall(table)))
    head, body, rows = table.partition("<tbody>")
    columns = [_TAG.sub("", cell).replace('"', "&quot;") for cell in _CELL.findall(head)]
    if _NAMELESS in head:
        head, columns = head.replace(_NAMELESS, "<td></td>"), columns[1:]
        rows = _FIRST_CELL.sub(r'\1<th scope="row"\2>\3</th>', rows)
    elif len(columns) == _SLIPPING:
        columns = ["", "", *columns[2:]]
    else:
        return _WRAPPED.format(high=high, table=table)
    rows = _ROW.sub(lambda row: _named(row[0], columns), rows)
    return _WRAPPED.format(high=high, table=head + body + rows)


def _named(row: str, columns: list[str]) -> str:
    names = iter(columns)

    def named(cell: re.Match[str]) -> str:
        name = next(names)
        return f'{cell[0]} data-column="{name}"' if name else cell[0]

    return _DATA.sub(named, row)


def _height(row: str) -> float:
    cells = [len(_TAG.sub("", cell)) for cell in _CELL.findall(row)]
    most = max(cells, default=0) * len(cells)
    return _PADDING + _LINE * -(-most // _SIGNS)


def _replaced(text: str, changes: Mapping[str, str], file: Path) -> str:
    for old, new in changes.items():
        if text.count(old) != 1:
            raise BuildError(f"The theme has changed: {file.name} does not hold {old} once.")
        text = text.replace(old, new)
    return text


def _files(site: Path, pattern: str) -> list[Path]:
    found = list(site.rglob(pattern))
    if len(found) != len(LANGUAGES):
        raise BuildError(f"The theme has changed: {pattern} is not there for each language.")
    return found
