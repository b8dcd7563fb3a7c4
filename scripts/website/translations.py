"""Checks that the pages of prose have the same content in each language, in that language.

A translation has the pages, headings, links, clauses and code of the English page. Its front matter
(`source:`) has the hash of the English page that it was made from.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from scripts.generator.problems import Problem
from scripts.generator.texts import LANGUAGES
from scripts.website.prose import Prose, paragraphs, read_prose

FIRST = "en"
_NAMES = {"en": "English", "es": "Spanish", "pt": "Portuguese"}
_ENOUGH = 60
"""The fewest letters in a paragraph from which its language is detected."""
_SURE = 0.99


_TOLD = re.compile(r'("(?:detail|error)": )"[^"]*"')
"""What an error in the code of a sentence says to people, in their language."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page in one language; `path` is the same in each, `file` is relative to the root."""

    path: str
    language: str
    file: str
    prose: Prose
    sum: str


def pages(docs: Path, root: Path) -> dict[str, dict[str, Page]]:
    """Read all pages, by language and path."""
    found: dict[str, dict[str, Page]] = {}
    for language in LANGUAGES:
        folder = docs / language
        held = found.setdefault(language, {})
        for file in sorted(folder.rglob("*.md")):
            path = file.relative_to(folder).as_posix()
            text = file.read_text(encoding="utf-8")
            name = file.relative_to(root).as_posix()
            summed = hashlib.sha256(text.encode()).hexdigest()[:16]
            held[path] = Page(path, language, name, read_prose(text), summed)
    return found


def differences(held: dict[str, dict[str, Page]]) -> Iterator[Problem]:
    """Yield a problem for each missing page, and for each difference between the languages."""
    english = held[FIRST]
    for page in english.values():
        yield from _without_anchor(page)
    for language in LANGUAGES:
        if language == FIRST:
            continue
        for path in english.keys() - held[language].keys():
            what = f"There is no {_NAMES[language]} page {path}."
            yield Problem(english[path].file, 0, "", what, f"Write docs/{language}/{path}.")
        for path, page in held[language].items():
            if path not in english:
                yield _at(page, 0, "There is no English page of this name.", "Write or move it.")
            else:
                yield from _between(english[path], page)


def without_clause(held: dict[str, dict[str, Page]], known: Collection[str]) -> Iterator[Problem]:
    """Yield a problem for each clause that a page names, also in code, and that does not exist."""
    for own in held.values():
        for page in own.values():
            for line, name in page.prose.named:
                if name not in known:
                    what = f"There is no clause {name}."
                    yield _at(page, line, what, "Name one of the table of clauses.")


def _without_anchor(page: Page) -> Iterator[Problem]:
    for each in page.prose.headings:
        if each.anchor is None:
            do = "Write one behind it, like `{ #why }`, the same in each language."
            yield _at(page, each.line, "The heading has no anchor of its own.", do)


def _between(english: Page, page: Page) -> Iterator[Problem]:
    one, other = english.prose, page.prose
    if other.front.get("source") != english.sum:
        what = "The English page has changed since this was translated."
        do = "Fix the translation, then run `python -m scripts.check_translations --accept`."
        yield _at(page, 1, what, do)
    yield from _without_anchor(page)
    yield from _other_headings(one, page)
    for kind, mine, theirs in (
        ("link to", other.links, one.links),
        ("clause", other.clauses, one.clauses),
    ):
        for extra in sorted((mine - theirs).keys()):
            yield _named(page, extra, f"The English page has no {kind} {extra} here.", "Drop it.")
        for lost in sorted((theirs - mine).keys()):
            yield _at(page, 0, f"The {kind} {lost} of the English page is missing.", "Add it.")
    asked = f" --language {page.language}"  # for the kit's output in the reader's language
    code = {_TOLD.sub(r"\1", each.replace(asked, "")) for each in other.code}
    own = {_TOLD.sub(r"\1", each) for each in one.code}
    for lost in sorted(own - code):
        yield _at(page, 0, f"The English page has the code `{lost}`.", "Keep code as it is.")
    for extra in sorted(code - own):
        yield _named(page, extra, f"The English page has no code `{extra}`.", "Keep code as it is.")
    for number, pair in enumerate(zip(other.blocks, one.blocks, strict=False), 1):
        if tuple(each.replace(asked, "") for each in pair[0]) != pair[1]:
            what = f"Block {number} of code is not that of the English page."
            yield _at(page, 0, what, "Copy it from there.")
    if len(other.blocks) != len(one.blocks):
        what = f"There are {len(other.blocks)} blocks of code, in English {len(one.blocks)}."
        yield _at(page, 0, what, "Make them agree.")


def _other_headings(english: Prose, page: Page) -> Iterator[Problem]:
    """Yield a problem for the first heading whose level or anchor differs from the English page."""
    for wanted, own in zip_longest(english.headings, page.prose.headings):
        if (
            wanted is None
            or own is None
            or (wanted.level, wanted.anchor) != (own.level, own.anchor)
        ):
            said = f"`#{wanted.anchor}`" if wanted else "no further heading"
            what = f"Here the English page has {said}."
            yield _at(page, own.line if own else 0, what, "Make the headings agree.")
            return


def _at(page: Page, line: int, what: str, do: str) -> Problem:
    return Problem(page.file, line, "", what, do)


def _named(page: Page, part: str, what: str, do: str) -> Problem:
    start = page.prose.text.find(part)
    return _at(page, page.prose.text.count("\n", 0, start) + 1 if start >= 0 else 0, what, do)


def foreign(held: dict[str, dict[str, Page]]) -> Iterator[Problem]:
    """Yield a problem for each paragraph in another language than its page."""
    for language, own in held.items():
        for page in own.values():
            for line, words in paragraphs(page.prose):
                spoken = _language(words)
                if spoken not in (None, language):
                    what = f"“{words[:60]}…” reads like {_NAMES[str(spoken)]}."
                    yield _at(page, line, what, f"Say it in {_NAMES[language]}.")


def _language(words: str) -> str | None:
    """Return the language of some words; None if it is not clear."""
    if len(re.findall(r"[^\W\d_]", words)) < _ENOUGH:
        return None
    found, share = _identifier().classify(words)
    return str(found) if share >= _SURE else None


@cache
def _identifier() -> Any:
    # It loads slowly.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGES))
    return identifier


def accept(docs: Path, root: Path) -> list[str]:
    """Write the hash of its English page into each translation; return the changed files."""
    held = pages(docs, root)
    changed = []
    for language in LANGUAGES:
        for path, page in held[language].items():
            english = held[FIRST].get(path)
            if language == FIRST or english is None:
                continue
            if page.prose.front.get("source") == english.sum:
                continue
            file = root / page.file
            file.write_text(_with_source(file.read_text("utf-8"), english.sum), encoding="utf-8")
            changed.append(page.file)
    return changed


def _with_source(text: str, summed: str) -> str:
    line = f"source: {summed}"
    if not text.startswith("---\n"):
        return f"---\n{line}\n---\n\n{text}"
    front, end, rest = text[4:].partition("\n---\n")
    kept = [each for each in front.split("\n") if not each.startswith("source:")]
    return "\n".join(["---", *kept, line]) + end + rest
