"""A reader of `docs` without the built site learns what the links without a target lead to."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase

from scripts.generator.texts import LANGUAGES
from scripts.website.layout import DOCS

TEXT = (DOCS / "README.md").read_text("utf-8")
MADE = re.findall(r"^\| `([^`]+)` \|", TEXT, re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")


def not_here():
    """The paths that pages link to and that no clone has, within their language."""
    found = set()
    for language in LANGUAGES:
        for file in (DOCS / language).rglob("*.md"):
            for link in _LINK.findall(file.read_text("utf-8")):
                if not re.match(r"[a-z]+:", link) and not (file.parent / link).exists():
                    found.add(os.path.relpath(file.parent / link, DOCS / language))
    return found


def test_each_link_that_leads_nowhere_in_a_clone_is_told_with_its_source():
    gone = not_here()
    assert gone
    assert {path for path in gone if not any(fnmatchcase(path, each) for each in MADE)} == set()
    assert [each for each in MADE if not any(fnmatchcase(path, each) for path in gone)] == []


def test_each_source_that_is_named_is_there():
    links = _LINK.findall(TEXT)
    assert len(links) > len(MADE)
    assert [link for link in links if not (DOCS / link).exists()] == []
