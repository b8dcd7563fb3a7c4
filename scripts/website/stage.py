"""Stages the pages of all languages in `build/docs/<language>`: hand-written and generated ones.

mkdocs reads only this directory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.generator.write import write
from scripts.website.diagrams.page import FENCE, with_pictures
from scripts.website.layout import DOCS, LANGUAGES, STAGED, authored

_MARKED = re.compile(rb'^( *```)(\w+) (hl_lines="[^"]*")$', re.MULTILINE)
_GOOD = rb"\1{ .\2 .good \3 }"
"""Marked lines of a guide are added code; marked lines of generated pages are wrong."""
_SHOWN = re.compile(rb"^ *agent-formats (?:check|convert) (?!.*--language).*$", re.MULTILINE)
_PROVIDER = re.compile(rb"^ *agent-formats provider --scenario (?!.*--language).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Staged:
    """The staged pages.

    `made` lists the generated pages of each directory, in the order of the menu. `missing` lists
    the hand-written pages that a language lacks, as `language/path`.
    """

    made: dict[str, list[str]]
    missing: tuple[str, ...]


def stage(nav: list[object], made: Mapping[str, bytes], menu: dict[str, list[str]]) -> Staged:
    """Write `build/docs`: the hand-written pages, and `made`, whose paths start with the language.

    If both have a file, the made one is taken.

    Diagrams become pictures; raises `DiagramError` if one cannot be drawn. Unchanged files are not
    written, so that a live server sees only changes.
    """
    files = dict(made)
    missing = []
    for language in LANGUAGES:
        for file in sorted((DOCS / language).rglob("*")):
            if file.is_file():
                path = f"{language}/{file.relative_to(DOCS / language).as_posix()}"
                if path not in files:
                    files[path] = _MARKED.sub(_GOOD, file.read_bytes())
        missing += [
            f"{language}/{path}" for path in authored(nav) if f"{language}/{path}" not in files
        ]
    files |= {
        path: _drawn(path, in_language(path, files[path])) for path in files if path.endswith(".md")
    }
    write(STAGED, files)
    for file in _all_files(STAGED):
        if file.relative_to(STAGED).as_posix() not in files:
            file.unlink()
    return Staged(menu, tuple(missing))


def in_language(path: str, content: bytes) -> bytes:
    """Return a page with `--language` added to the commands whose translated output it shows."""
    language = path.partition("/")[0]
    said = rf"\g<0> --language {language}".encode()
    if language != LANGUAGES[0]:
        content = _PROVIDER.sub(said, content)
    return _SHOWN.sub(said, content) if f'.{language}.txt"'.encode() in content else content


def _drawn(path: str, content: bytes) -> bytes:
    """Return a page with its diagrams as pictures."""
    if FENCE not in content:
        return content
    return with_pictures(content.decode("utf-8"), f"docs/{path}").encode("utf-8")


def _all_files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]
