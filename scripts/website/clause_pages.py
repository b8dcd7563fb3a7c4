"""Puts the pages of clauses into the built site.

They are too many for mkdocs, which needs 20 ms for a page. It builds one template for each
language. This module fills it with the Markdown of each clause, converted with the same extensions.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from markdown import Markdown
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from scripts.website.clause_words import clause_words
from scripts.website.layout import ROOT
from scripts.website.pages.clause_page import MARKS, TEMPLATE
from scripts.website.render import BuildError
from scripts.website.theme import sized

_PAGE = re.compile(r'\A---\ndescription: (".*")\n---\n\n# (\S+) \{ #([\w-]+) \}\n\n', re.DOTALL)
_SOURCE = re.compile(r'href="((?:[\w-]+/|\.\./)*)([\w-]+)\.md(#[\w.-]+)?"')
_CODE = re.compile(
    rf'<div class="[^"]*highlight"[^>]*>(?:(?!<div).)*{MARKS[3]}.*?</div>', re.DOTALL
)
_QUOTE = re.compile(r"<blockquote>\s*(.*?)\s*</blockquote>", re.DOTALL)
_INDENT = re.compile(r"\n\s+")


class ClausePages:
    """The pages of clauses of one language; `pages` has their Markdown by path."""

    def __init__(self, pages: Mapping[str, bytes]) -> None:
        with (ROOT / "mkdocs.yml").open("rb") as stream:
            extensions = yaml_load(stream, get_yaml_loader())["markdown_extensions"]
        markdown = Markdown(
            extensions=list(extensions),
            extension_configs={name: given for name, given in extensions.items() if given},
        )
        self._pages = {
            path: _filling(markdown, content.decode()) for path, content in pages.items()
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the records for the search: also with the words of the standards."""
        return [
            {
                "location": _address(path),
                "title": name,
                "text": " ".join((about, *_QUOTE.findall(content))),
            }
            for path, (name, _, about, content) in self._pages.items()
        ]

    def words(self, language: str) -> bytes:
        """Return the words with which the table of all clauses finds a page."""
        told = {
            slug: (f"{name} {about}", f"{about} {content}")
            for name, slug, about, content in self._pages.values()
        }
        return clause_words(told, language)

    def write(self, site: Path) -> None:
        """Write the pages into a built language, in place of the template.

        Raises `BuildError` if the template lacks a mark.
        """
        folder = site / _address(TEMPLATE)
        template = _INDENT.sub("\n", (folder / "index.html").read_text(encoding="utf-8"))
        template, count = _CODE.subn(MARKS[3], template)
        lacking = [mark for mark in MARKS if mark not in template]
        if lacking or count != 1:
            raise BuildError(f"The template of clauses does not hold {lacking or MARKS[3]}.")
        for path, filled in self._pages.items():
            text = template
            for mark, value in zip(MARKS, filled, strict=True):
                text = text.replace(mark, value)
            to = site / _address(path)
            to.mkdir()
            (to / "index.html").write_text(text, encoding="utf-8")
        (folder / "index.html").unlink()
        folder.rmdir()


def all_clause_pages(pages: Mapping[str, Mapping[str, bytes]]) -> dict[str, ClausePages]:
    """Return the pages of each language, each made in a separate process."""
    with ProcessPoolExecutor(len(pages)) as pool:
        return dict(zip(pages, pool.map(ClausePages, pages.values()), strict=True))


def _filling(markdown: Markdown, text: str) -> tuple[str, str, str, str]:
    """Return the replacement of each mark."""
    found = _PAGE.match(text)
    if found is None:
        raise BuildError(f"No page of a clause: {text[:80]!r}")
    markdown.reset()
    content = sized(_SOURCE.sub(_served, markdown.convert(text[found.end() :])))
    about = json.loads(found[1]).replace("`", "")
    return found[2], found[3], html.escape(about), content


def _served(found: re.Match[str]) -> str:
    """Return the address for a link to a source file, from a page that is a directory."""
    folder, name, anchor = found[1], found[2], found[3] or ""
    return f'href="../{folder}{"" if name == "index" else f"{name}/"}{anchor}"'


def _address(path: str) -> str:
    return f"{path.removesuffix('.md')}/"
