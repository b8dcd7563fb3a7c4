"""Checks that the pages under `docs` say the same in English, Spanish and Portuguese.

It also checks the spelling of the pages and of the source, and that every named clause exists. Runs
as `python -m scripts.check_translations` and as a file, from any directory. `--accept` records that
each translation matches the English page as it is now.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generator.build import Source, load_source, read_source
from scripts.website.layout import ROOT
from scripts.website.spelling import NoDictionaryError, misspelt
from scripts.website.translations import accept, differences, foreign, pages, without_clause

OK, BROKEN = 0, 1


def main(arguments: Sequence[str]) -> int:
    """Check the pages; return 0, or 1 with one line on standard error for each problem."""
    parser = argparse.ArgumentParser(prog="check_translations", description=__doc__)
    parser.add_argument(
        "--accept",
        action="store_true",
        help="note in each translation that it is one of the English page as it is now",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to work on")
    options = parser.parse_args(arguments)
    docs = options.root / "docs"
    if options.accept:
        for name in accept(docs, options.root):
            print(name)
    held = pages(docs, options.root)
    problems = {*differences(held), *foreign(held)}
    source = _source(options.root)
    if source is not None:
        problems.update(without_clause(held, {clause.id for clause in source.clauses}))
    try:
        problems.update(misspelt(held, source, docs / "words"))
    except NoDictionaryError as reason:
        print(f"The spelling was not checked: {reason}.")
    for problem in sorted(problems):
        print(problem, file=sys.stderr)
    return BROKEN if problems else OK


def _source(root: Path) -> Source | None:
    """Return the texts of the source, or None; another check reports the source's own problems."""
    return read_source(load_source(root))[0] if (root / "schema" / "source").is_dir() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
