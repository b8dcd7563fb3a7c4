"""What the theme's built files are changed to: it draws a page anew for each block of code and each
table, reads the whole search index on every page, and leaves some things without a name.

Each change is looked for: a theme in which one is not found any more stops the build.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from scripts.website.layout import LANGUAGES
from scripts.website.render import BuildError

_BUNDLE = "assets/javascripts/bundle.*.min.js"
_SCRIPT = {
    # The index is read when somebody begins to search, not on every page.
    'location.protocol!=="file:"': "!1",
    # `found.js` marks what was searched for, without the index.
    '("search.highlight")?': '("")?',
    # It is given the question: of a page whose own words are not in it, the theme tells none.
    "Object.entries(e.terms).filter(([,c])=>c)": "[[document.forms.search.query.value]]",
    # `code.js` does what is left of this, without measuring between two changes.
    '"pre:not(.mermaid) > code"': '"pre:not(pre)"',
    # It asks the host that each of these names for its sitemap.
    '"link[rel=alternate]"': '"link:not(link)"',
    # Tables are wrapped below, so that nothing moves when the script comes.
    '"table:not([class])"': '"table:not(table)"',
}
_LOADED = re.compile(r'<script src="([^"]*/javascripts/bundle\.[^"]*)"></script>')
_LATE = (
    '<script>(()=>{document.documentElement.classList.replace("no-js","js");let asked;'
    "const ask=()=>{if(asked)return;asked=true;"
    'const script=document.createElement("script");script.src="%s";document.body.append(script)};'
    "requestAnimationFrame(()=>setTimeout(ask));setTimeout(ask,500)})()</script>"
)
"""Loads the theme's script once the page is painted, or soon, where nothing is painted because the
page is not shown.
"""
_PALETTE = 'var palette=__md_get("__palette");'
_DARK = (
    'if(!palette&&matchMedia("(prefers-color-scheme: dark)").matches)'
    'document.body.dataset.mdColorScheme="slate";'
)
"""A reader who prefers dark gets it from the first moment, not when the theme's script comes."""
_SEARCH = '<div class="md-search" data-md-component="search" role="dialog">'
_PLACEHOLDER = re.compile(r'class="md-search__input"[^>]* aria-label="([^"]*)"')
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_WRAPPED = (
    '<div class="md-typeset__scrollwrap" style="--high:{high:.0f}rem">'
    '<div class="md-typeset__table">{table}</div></div>'
)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NAMELESS = "<th></th>"
"""The corner of a table whose first column names its rows."""
_FIRST_CELL = re.compile(r"(<tr>\s*)<td([^>]*)>(.*?)</td>", re.DOTALL)
_BLOCK = re.compile(r'(<div class="[^"]*\bhighlight")>(.*?</pre>)', re.DOTALL)
_AROUND, _CODE_LINE = 1.1, 0.95
"""The height of what is around a block of code, and of a line of code, in rem."""
_LINE, _PADDING, _SIGNS = 1.2, 1.0, 90
"""The height of a line and of what is around a row, in rem, and how many signs a line has."""


def mend_theme(site: Path) -> None:
    """Change the files of all languages; raises `BuildError` where one is not as expected."""
    for bundle in _files(site, _BUNDLE):
        bundle.write_text(_replaced(bundle.read_text("utf-8"), _SCRIPT, bundle), encoding="utf-8")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        placeholder = _PLACEHOLDER.search(text)
        if placeholder is not None:  # a page of the theme's
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
    """A page whose blocks of code have their height, roughly, until they are laid out."""
    return _BLOCK.sub(_with_height, text)


def _with_height(found: re.Match[str]) -> str:
    lines = found[2].count("\n") or 1
    return f'{found[1]} style="--high:{_AROUND + _CODE_LINE * lines:.1f}rem">{found[2]}'


def _wrapped(found: re.Match[str]) -> str:
    """A table with its height, roughly, for as long as it is not laid out. Its rows have names if
    its first column has none.
    """
    table = found[0]
    high = sum(map(_height, _ROW.findall(table)))
    if _NAMELESS in table:
        head, body, rows = table.replace(_NAMELESS, "<td></td>").partition("<tbody>")
        table = head + body + _FIRST_CELL.sub(r'\1<th scope="row"\2>\3</th>', rows)
    return _WRAPPED.format(high=high, table=table)


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
