"""Checks the spelling of the pages and of the source's texts in each language.

A word is correct if it is in Hunspell's dictionary, in the glossary, or in `docs/words`.
`docs/words/all.txt` has names for all languages, and `docs/words/<language>.txt` the words of one.
A lowercase entry there also allows the word with a capital first letter; an entry with capitals
must match.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from scripts.generator.build import Source
from scripts.generator.keywords import positions
from scripts.generator.problems import Problem
from scripts.generator.texts import LANGUAGES
from scripts.website.npm import npm_file
from scripts.website.prose import plain, set_off
from scripts.website.translations import FIRST, Page

_NAMES = {"en": "English", "es": "Spanish", "pt": "Portuguese"}
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_TAIL = re.compile(r"['’]s$")
_NO_WORDS = re.compile(r"(?<!\w)--[a-z][a-z-]*(?:[ =][a-z-]+)?|[\w-]+(?:[./][\w-]+)+")
"""Options with their value, and files or media types, recognized by their dots and slashes."""
_PRONOUN = re.compile(r"(.{3,})(?:l[aeo]s?|[mts]e|nos)$")
_BARE = str.maketrans("áéíóú", "aeiou")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")

Known = Callable[[str], bool]
"""Tells whether a word belongs to a language."""


class NoDictionaryError(Exception):
    """The machine has no dictionary; the text says why."""


def misspelt(
    held: dict[str, dict[str, Page]], source: Source | None, words: Path
) -> Iterator[Problem]:
    """Yield a problem for each misspelled word; `words` is the directory of the project's words.

    Raises `NoDictionaryError`.
    """
    identifiers = _identifiers(source) if source else frozenset()
    titles = _titles(source) if source else []
    for language in LANGUAGES:
        known = _known(language, _own(language, source, words))
        for path, page in held[language].items():
            english = held[FIRST].get(path) if language != FIRST else None
            names = tuple(set_off(english.prose)) if english else ()
            prose = _without(plain(page.prose.text), names, titles)
            for line, word in _words(prose):
                if not known(word):
                    yield _problem(page.file, line, "", word, language)
        for key, text in source.texts.items() if source else ():
            if text.same:  # a name
                continue
            said = _PLACEHOLDER.sub(" ", text.in_language(language))
            for _, word in _words(plain(said)):
                if word not in identifiers and not known(word):
                    yield _problem(text.file, text.line, key, word, language)


def _identifiers(source: Source) -> frozenset[str]:
    """Return the names that the source defines: short texts use them without backquotes."""
    nodes = [node for schema in source.schemas for _, node in positions(schema.source.data)]
    found = {"true", "false", "null"} | {
        word
        for node in nodes
        if isinstance(node, dict)
        for keyword in ("properties", "enum", "type")
        for word in _listed(node.get(keyword, ()))
    }
    found.update(word for each in source.vocabularies.values() for word in each.words())
    return frozenset(part for word in found for part in (word, *re.split(r"[/_ ]", word)))


def _listed(held: object) -> Iterator[str]:
    for each in [held] if isinstance(held, str) else held if isinstance(held, Iterable) else ():
        if isinstance(each, str):
            yield each


def _problem(file: str, line: int, key: str, word: str, language: str) -> Problem:
    what = f"“{word}” is no {_NAMES[language]} word."
    return Problem(file, line, key, what, f"Fix it, or add it to docs/words/{language}.txt.")


def _words(text: str) -> Iterator[tuple[int, str]]:
    """Yield each word with its line, without single letters and words with a digit."""
    for number, line in enumerate(text.split("\n"), 1):
        for word in _WORD.findall(_NO_WORDS.sub(" ", line)):
            if len(word) > 1 and not re.search(r"\d", word):
                yield number, word


def _titles(source: Source) -> list[str]:
    """Return the English names of the specifications, which every language mentions."""
    return [source.texts[f"project#/specs/{spec}"].en for spec in source.project.versions]


def _without(text: str, names: Iterable[str], titles: Iterable[str]) -> str:
    """Remove `titles`, and the names that are emphasized or a cell here as on the English page."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(\*|\| *){_spaced(name)}(?=\*| *\|)", _line_ends, text)
    for title in titles:
        text = re.sub(_spaced(title), _line_ends, text)
    return text


def _spaced(name: str) -> str:
    return r"\s+".join(map(re.escape, name.split()))


def _line_ends(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _own(language: str, source: Source | None, words: Path) -> frozenset[str]:
    terms = (word.term.in_language(language) for word in source.glossary) if source else ()
    own = {word for term in terms for _, word in _words(term)}
    for name in ("all", language):
        file = words / f"{name}.txt"
        if file.exists():
            own.update(file.read_text(encoding="utf-8").split())
    return frozenset(own)


def _known(language: str, own: frozenset[str]) -> Known:
    spelt = dictionary_of(language)
    seen: dict[str, bool] = {}

    def known(word: str) -> bool:
        if word not in seen:
            seen[word] = right(_TAIL.sub("", word) if language == "en" else word)
        return seen[word]

    def right(word: str) -> bool:
        if listed(word) or spelt(word.replace("’", "'")):
            return True
        if language == "es" and any(map(spelt, verbs_without_pronouns(word.lower()))):
            return True
        parts = word.split("-")
        return len(parts) > 1 and all(listed(part) or spelt(part) for part in parts)

    def listed(word: str) -> bool:
        return word in own or (word[:1].isupper() and word[0].lower() + word[1:] in own)

    return known


def verbs_without_pronouns(word: str) -> Iterator[str]:
    """Yield what a Spanish verb may be without its pronouns: `escríbalo` becomes `escriba`."""
    for _ in range(2):
        found = _PRONOUN.fullmatch(word)
        if found is None:
            return
        word = found[1]
        if not word.isascii():
            yield from (word, word.translate(_BARE))


@cache
def dictionary_of(language: str) -> Known:
    """Return a function that tells whether a word is in the dictionary of a language."""
    # It is compiled and loads slowly.
    from hunspell import Hunspell  # noqa: PLC0415

    name = f"dictionary-{language}"
    if os.environ.get("CI") != "true" and shutil.which("npm") is None:
        raise NoDictionaryError("npm, which fetches the dictionaries, is not installed")
    try:
        words, rules = npm_file(name), npm_file(name, "index.aff")
    except RuntimeError as error:
        if os.environ.get("CI") == "true":
            raise
        raise NoDictionaryError(str(error)) from error
    spelt: Known = Hunspell(words.stem, hunspell_data_dir=str(rules.parent)).spell
    return spelt
