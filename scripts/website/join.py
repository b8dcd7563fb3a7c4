"""One site of three builds: English at `/`, the others at `/es/` and `/pt/`."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from scripts.website.layout import DOCS, LANGUAGES, SITE

FIRST = "en"
_NOT_SERVED = ("*.map", "sitemap.xml", "sitemap.xml.gz")
_SEARCH = '<div class="md-search" data-md-component="search" role="dialog">'
_CODE_NAV = '"nav",{class:"md-code__nav"}'
_PLACEHOLDER = re.compile(r'class="md-search__input"[^>]* aria-label="([^"]*)"')


def join(rendered: Mapping[str, Path], site_url: str) -> Path:
    """Join the built languages in `build/site`; gives that folder.

    The new site is made beside the old one, and then put in its place.
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
    _fold_searches(new)
    _name_things(new)
    (new / "sitemap.xml").write_text(_sitemap(_pages(new), site_url), encoding="utf-8")
    (new / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {site_url}sitemap.xml\n")
    (new / ".nojekyll").write_text("")
    shutil.rmtree(SITE, ignore_errors=True)
    new.replace(SITE)
    return SITE


def _fold_searches(site: Path) -> None:
    """Make search find `validación` for `validacion`, and the reverse."""
    fold = (DOCS / "search" / "fold.js").read_text(encoding="utf-8")
    workers = list(site.rglob("assets/javascripts/workers/search.*.min.js"))
    if len(workers) != len(LANGUAGES):
        raise FileNotFoundError(f"The search worker is not where it was: {workers}")
    for worker in workers:
        worker.write_text(fold + worker.read_text(encoding="utf-8"), encoding="utf-8")


def _name_things(site: Path) -> None:
    """Give names to what Material leaves nameless, for those who hear a page."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        found = _PLACEHOLDER.search(text)
        if found is None:  # no page of Material's
            continue
        named = _SEARCH.replace(">", f' aria-label="{found[1]}">')
        text = text.replace(_SEARCH, named).replace("<th></th>", "<td></td>")
        page.write_text(text, encoding="utf-8")
    for bundle in site.rglob("assets/javascripts/bundle.*.min.js"):
        text = bundle.read_text(encoding="utf-8")
        bundle.write_text(text.replace(_CODE_NAV, _CODE_NAV.replace("nav", "div", 1)), "utf-8")


def _pages(site: Path) -> list[str]:
    """Give the pages of the English build, as addresses that every language has."""
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
            lines.append("</url>")
    return "\n".join([*lines, "</urlset>"]) + "\n"
