"""The words that a clause's page has and its row in the table of all clauses lacks.

The table's text search fetches them when somebody types, so that the page itself stays small.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from scripts.website.layout import DOCS

NAME = "clauses.words.json"
"""The file, next to the script that reads it."""
_CODE = re.compile(r"<pre.*?</pre>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[\w-]{3,}")
_COMMON = 0.5
"""A word on more than this share of the pages chooses no row."""


def clause_words(pages: Mapping[str, tuple[str, str]], language: str) -> bytes:
    """Return the file of a language. `pages` has the row and the HTML of each clause, by anchor."""
    rows = {anchor: _words(row) for anchor, (row, _) in pages.items()}
    held = {anchor: _words(_CODE.sub(" ", content)) for anchor, (_, content) in pages.items()}
    counted = Counter(word for words in held.values() for word in words)
    common = {word for word, count in counted.items() if count > _COMMON * len(pages)}
    groups = _synonyms(language)
    made = {
        anchor: " ".join(sorted(_with_synonyms(words, groups) - rows[anchor] - common))
        for anchor, words in held.items()
    }
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode()


def folded(text: str) -> str:
    """Return a text in lower case and without accents, as the script compares it."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(each for each in parts if not unicodedata.combining(each)).lower()


def _words(markup: str) -> set[str]:
    return set(_WORD.findall(folded(html.unescape(_TAG.sub(" ", markup)))))


def _synonyms(language: str) -> list[set[str]]:
    given = json.loads((DOCS / "search" / "synonyms.json").read_text(encoding="utf-8"))
    return [set(folded(group).split()) for group in given[language]]


def _with_synonyms(words: set[str], groups: Iterable[set[str]]) -> set[str]:
    """Return the words, and those that people use for one of them, in the singular or plural."""
    meant = (group for group in groups if not words.isdisjoint(_numbers(group)))
    return words.union(*meant)


def _numbers(group: Iterable[str]) -> set[str]:
    return {each + end for each in group for end in ("", "s", "es")}
