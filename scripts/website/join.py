"""Joins three builds into one site: English at `/`, the others at `/es/` and `/pt/`."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urljoin
from xml.sax.saxutils import escape

from scripts.website.archive import add_archive
from scripts.website.clause_pages import all_clause_pages
from scripts.website.clause_words import NAME as WORDS
from scripts.website.layout import LANGUAGES, SITE, current
from scripts.website.pages.whole import NAME as WHOLE
from scripts.website.search import add_search
from scripts.website.theme import mend_theme

FIRST = "en"
_RELATIVE = re.compile(r'<a href="(\.[^"]*)"')
_LONG = 200
"""The longest address to print, in characters: nobody types that of a text in the playground."""
_NOT_SERVED = ("*.map", "sitemap.xml", "sitemap.xml.gz")


def join(rendered: Mapping[str, Path], clauses: Mapping[str, bytes], site_url: str) -> Path:
    """Join the built languages in `build/site`, and return this directory.

    `clauses` are the pages that mkdocs did not see, by paths that start with the language. The new
    site is made next to the old one, and then replaces it.
    """
    new = SITE.with_name("site.new")
    shutil.rmtree(new, ignore_errors=True)
    for language in LANGUAGES:
        folder = new if language == FIRST else new / language
        shutil.copytree(rendered[language], folder, dirs_exist_ok=True)
    for language in LANGUAGES:
        if language != FIRST:
            (new / language / "404.html").unlink()
    for pattern in _NOT_SERVED:
        for file in new.rglob(pattern):
            file.unlink()
    for folder in list(new.rglob("assets/javascripts/lunr")):
        shutil.rmtree(folder)  # for stemming and for scripts without spaces
    of_clauses = all_clause_pages({each: _own(clauses, each) for each in LANGUAGES})
    for language, pages in of_clauses.items():
        add_search(new if language == FIRST else new / language, language, pages.records())
    mend_theme(new)
    for language, pages in of_clauses.items():
        folder = new if language == FIRST else new / language
        pages.write(folder)
        (folder / "assets" / WORDS).write_bytes(pages.words(language))
    _add_addresses(new, site_url)
    (new / "sitemap.xml").write_text(_sitemap(_pages(new), site_url), encoding="utf-8")
    (new / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {site_url}sitemap.xml\n")
    (new / ".nojekyll").write_text("")
    add_archive(new, current())
    shutil.rmtree(SITE, ignore_errors=True)
    new.replace(SITE)
    return SITE


def _add_addresses(site: Path, site_url: str) -> None:
    """Add the full address to each link that leaves a one-page edition, for printing."""
    for page in site.rglob(f"{WHOLE}/index.html"):
        here = f"{site_url}{page.parent.relative_to(site).as_posix()}/"
        text = page.read_text(encoding="utf-8")
        before, mark, article = text.partition("<article")
        page.write_text(before + mark + _addressed(article, here), encoding="utf-8")


def _addressed(article: str, here: str) -> str:
    def with_address(link: re.Match[str]) -> str:
        address = urljoin(here, link[1])
        return link[0] if len(address) > _LONG else f'{link[0]} data-url="{address}"'

    return _RELATIVE.sub(with_address, article)


def _own(pages: Mapping[str, bytes], language: str) -> dict[str, bytes]:
    start = f"{language}/"
    return {
        path.removeprefix(start): text for path, text in pages.items() if path.startswith(start)
    }


def _pages(site: Path) -> list[str]:
    """Return the pages of the English build, as addresses that exist in every language."""
    found = (page.relative_to(site).parent.as_posix() for page in site.rglob("index.html"))
    own = (page for page in found if page.split("/")[0] not in LANGUAGES)
    return sorted("" if page == "." else f"{page}/" for page in own)


def _sitemap(pages: Iterable[str], site_url: str) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        ' xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ]
    for page in pages:
        where = {
            language: escape(f"{site_url}{'' if language == FIRST else language + '/'}{page}")
            for language in LANGUAGES
        }
        for language in LANGUAGES:
            lines += ["<url>", f"<loc>{where[language]}</loc>"]
            lines += [
                f'<xhtml:link rel="alternate" hreflang="{other}" href="{where[other]}"/>'
                for other in LANGUAGES
            ]
            lines.append(
                f'<xhtml:link rel="alternate" hreflang="x-default" href="{where[FIRST]}"/>'
            )
            lines.append("</url>")
    return "\n".join([*lines, "</urlset>"]) + "\n"
