"""Checks that the project uses plain words, and short sentences on the English pages.

It reports each expression that `wording.py` lists, in a page, a text of the source, a docstring or
a comment. It also reports each sentence of an English page with more than 25 words.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ruamel.yaml import YAML

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generator.build import SOURCE, load_source, read_source
from scripts.generator.problems import Problem
from scripts.generator.texts import LANGUAGES
from scripts.website.layout import ROOT
from scripts.website.prose import read_prose
from scripts.website.translations import FIRST
from scripts.website.wording import remarks, too_long, words_to_avoid

OK, BROKEN = 0, 1
IDEAS = Path("fixtures/servers/attacks")
"""The attacks on the kit that were tried, in three languages: a page of the site shows them."""
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/README.md")
CODE = ("conformance", "fixtures", "scripts", "tests")


def main(arguments: Sequence[str]) -> int:
    """Check the texts; return 0, or 1 with one line on standard error for each problem."""
    parser = argparse.ArgumentParser(prog="check_wording", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to work on")
    root: Path = parser.parse_args(arguments).root
    problems = [*_of_pages(root), *_of_source(root), *_of_ideas(root), *_of_code(root)]
    for problem in sorted(problems):
        print(problem, file=sys.stderr)
    return BROKEN if problems else OK


def _of_pages(root: Path) -> Iterator[Problem]:
    pages = [(FIRST, root / name) for name in PAGES if (root / name).exists()]
    for language in LANGUAGES:
        pages += ((language, file) for file in (root / "docs" / language).rglob("*.md"))
    for language, file in pages:
        text = read_prose(file.read_text(encoding="utf-8")).text
        name = file.relative_to(root).as_posix()
        for found in words_to_avoid(text, language):
            yield Problem(name, found.line, "", found.what, found.do)
        for found in too_long(text) if language == FIRST else ():
            yield Problem(name, found.line, "", found.what, found.do)


def _of_source(root: Path) -> Iterator[Problem]:
    if not (root / SOURCE).is_dir():
        return
    for key, text in read_source(load_source(root))[0].texts.items():
        for language in LANGUAGES:
            for found in words_to_avoid(text.in_language(language), language):
                yield Problem(text.file, text.line, key, found.what, found.do)


def _of_ideas(root: Path) -> Iterator[Problem]:
    for file in sorted((root / IDEAS).glob("*.yaml")):
        for idea in YAML().load(file):
            for language in LANGUAGES:
                for found in words_to_avoid(idea[language], language):
                    line = idea.lc.value(language)[0] + 1
                    name = file.relative_to(root).as_posix()
                    yield Problem(name, line, idea["en"], found.what, found.do)


def _of_code(root: Path) -> Iterator[Problem]:
    for file in sorted(file for folder in CODE for file in (root / folder).rglob("*.py")):
        for line, text in remarks(file.read_text(encoding="utf-8")):
            for found in words_to_avoid(text, FIRST, code=True):
                name = file.relative_to(root).as_posix()
                yield Problem(name, line + found.line - 1, "", found.what, found.do)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
