"""The documentation of each release, as it was built then.

The site serves `build/archive/<version>` below `/<version>/`, and the newest at `/` as well. mike
does not fit: it runs mkdocs once and commits the result to a branch, but this site joins three
builds.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from scripts.website.layout import LANGUAGES, WORK
from scripts.website.render import BuildError

ARCHIVE = WORK / "archive"
LIST = "about/releases"
"""The page that lists the versions; in an earlier release it redirects to the newest."""
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_OF_THE_ROOT = ("404.html", "sitemap.xml", "robots.txt", ".nojekyll")
_STYLE = "assets/site.css"
_OLD = "\n.af-old { display: inline; }\n"


def archived(archive: Path = ARCHIVE) -> list[str]:
    """Return the archived versions, newest first; raises `BuildError` for any other directory."""
    if not archive.is_dir():
        return []
    found = {folder.name: _VERSION.fullmatch(folder.name) for folder in archive.iterdir()}
    for name, version in found.items():
        if version is None or not (archive / name / "index.html").is_file():
            raise BuildError(f"{archive.name}/{name} does not hold the documentation of a version.")
    return sorted(found, key=_number, reverse=True)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def add_archive(site: Path, version: str, archive: Path = ARCHIVE) -> None:
    """Copy the archived versions below the site, which has `version` at its root.

    The pages of an earlier version stay unchanged. They contain a hint that they are old, and their
    style sheet then shows it.
    """
    for name in archived(archive):
        shutil.copytree(archive / name, site / name)
        for file in _OF_THE_ROOT:
            (site / name / file).unlink(missing_ok=True)
        for styles in _styles(site / name):
            if name != version:
                styles.write_text(styles.read_text(encoding="utf-8") + _OLD, encoding="utf-8")
        for language in LANGUAGES:
            own = "" if language == "en" else f"{language}/"
            page = site / name / own / LIST / "index.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            back = "../" * (f"{name}/{own}{LIST}/".count("/"))
            page.write_text(_redirect(f"{back}{own}{LIST}/", language), encoding="utf-8")


def _styles(folder: Path) -> Iterator[Path]:
    for language in LANGUAGES:
        styles = (folder if language == "en" else folder / language) / _STYLE
        if styles.is_file():
            yield styles


def _redirect(address: str, language: str) -> str:
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>→</title>'
        '<meta name="robots" content="noindex">'
        f'<meta http-equiv="refresh" content="0; url={address}">'
        f'</head><body><a href="{address}">{address}</a></body></html>\n'
    )
