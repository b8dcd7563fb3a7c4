"""Texts in three languages: `{en, es, pt}`, always with all three."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter

from scripts.generator.load import Json, Path_, SourceFile
from scripts.generator.problems import Problem

LANGUAGES = ("en", "es", "pt")
_NAMES = {"en": "English", "es": "Spanish", "pt": "Portuguese"}
_PLACEHOLDER = re.compile(r"([a-z][a-z0-9_]*)(\|[^{}|]*\|[^{}|]*)?")
"""A name, or `name|one|other` with the words for 1 and the words for other values."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text in three languages; with `same`, its languages may be equal."""

    en: str
    es: str
    pt: str
    same: bool
    file: str
    line: int

    def in_language(self, language: str) -> str:
        """Return the text in `language`, one of `LANGUAGES`."""
        return {"en": self.en, "es": self.es, "pt": self.pt}[language]

    def as_json(self) -> dict[str, str]:
        """Return `{en, es, pt}`."""
        return {"en": self.en, "es": self.es, "pt": self.pt}


def joined(texts: Sequence[Text]) -> Text:
    """Return several texts joined into one."""
    en, es, pt = (" ".join(t.in_language(language) for t in texts) for language in LANGUAGES)
    return Text(en, es, pt, texts[0].same, texts[0].file, texts[0].line)


@dataclass(slots=True)
class Gathered:
    """What is collected while the source is read: the texts, by key, and the problems."""

    texts: dict[str, Text] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def text(self, source: SourceFile, path: Path_, value: Json, key: str) -> Text | None:
        """Read a text map at `path`, and keep it under `key`; an invalid one becomes a problem."""
        before = len(self.problems)
        self.problems += _faults(source, path, value)
        if len(self.problems) > before:
            return None
        made = Text(
            value["en"].strip(),
            value["es"].strip(),
            value["pt"].strip(),
            value.get("same", False),
            source.file,
            source.lines.get(path, 1),
        )
        self.texts[key] = made
        return made


def _faults(source: SourceFile, path: Path_, value: Json) -> list[Problem]:
    if not isinstance(value, Mapping):
        what = "A text stands here in one language only."
        return [source.problem(path, what, "Write it as a map of `en`, `es` and `pt`.")]
    problems = []
    for language in LANGUAGES:
        text = value.get(language)
        if not isinstance(text, str) or not text.strip():
            what = f"The {_NAMES[language]} text is missing."
            problems.append(source.problem(path, what, f"Write `{language}:` beside the others."))
    for key in value:
        if key not in (*LANGUAGES, "same"):
            what = f"A text has no language `{key}`."
            problems.append(source.problem((*path, key), what, "Keep `en`, `es` and `pt`."))
    if value.get("same", False) not in (True, False):
        problems.append(source.problem((*path, "same"), "`same` is true or false.", "Say one."))
    return problems


def untranslated(texts: Mapping[str, Text]) -> list[Problem]:
    """Return a problem for each translation that equals the English text, without `same: true`."""
    problems = []
    for key, text in texts.items():
        for language in ("es", "pt"):
            if not text.same and text.in_language(language) == text.en:
                what = f"The {_NAMES[language]} text equals the English one."
                do = "Translate it, or say `same: true` beside it."
                problems.append(Problem(text.file, text.line, key, what, do))
    return problems


def confused(texts: Mapping[str, Text]) -> list[Problem]:
    """Return a problem for each translation that two English texts share.

    An English text with two translations is a problem too. The case of the first letter does not
    count.
    """
    problems = []
    for language in ("es", "pt"):
        name = _NAMES[language]
        english: dict[str, tuple[str, Text]] = {}
        translated: dict[str, tuple[str, Text]] = {}
        for key, text in texts.items():
            own, theirs = _uncapped(text.en), _uncapped(text.in_language(language))
            first, one = english.setdefault(theirs, (key, text))
            if _uncapped(one.en) != own:
                what = f"`{first}` has the same {name} text, but another English one: “{one.en}”."
                do = "Make the translations differ as the English does, or the English the same."
                problems.append(Problem(text.file, text.line, key, what, do))
            first, one = translated.setdefault(own, (key, text))
            if _uncapped(one.in_language(language)) != theirs:
                what = f"`{first}` has the same English text, but another {name} one."
                do = "Use one translation, or say in English what makes the two differ."
                problems.append(Problem(text.file, text.line, key, what, do))
    return problems


def _uncapped(text: str) -> str:
    return text[:1].lower() + text[1:]


def placeholders(text: str) -> frozenset[str]:
    """Return the names of a text's `{placeholders}`; raises `ValueError` if one is malformed."""
    names = set()
    for _, name, form, conversion in Formatter().parse(text):
        if name is None:
            continue
        found = _PLACEHOLDER.fullmatch(name)
        if form or conversion or found is None:
            raise ValueError(name or "{}")
        names.add(found[1])
    return frozenset(names)
