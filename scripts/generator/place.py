"""A place in the source, and the problems that any place may have.

They are a word that is not in its vocabulary, and a malformed version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scripts.generator.load import Path_, SourceFile
from scripts.generator.problems import Problem
from scripts.generator.vocabularies import Vocabulary


@dataclass(frozen=True, slots=True)
class Place:
    """A path in a source file, with the vocabularies of its words."""

    source: SourceFile
    path: Path_
    vocabularies: Mapping[str, Vocabulary]

    def problem(self, what: str, do: str, below: Path_ = ()) -> Problem:
        """Return a problem at this place, or at the path `below` it."""
        return self.source.problem((*self.path, *below), what, do)

    def words(self, vocabulary: str) -> list[str]:
        """Return the words of a vocabulary; none if there is no such vocabulary."""
        known = self.vocabularies.get(vocabulary)
        return known.words() if known is not None else []

    def odd_word(self, word: str | None, vocabulary: str, below: Path_) -> Iterator[Problem]:
        """Yield a problem if a word is not in its vocabulary."""
        words = self.words(vocabulary)
        if word is not None and word not in words:
            what = f"`{word}` is not in the vocabulary `{vocabulary}`."
            yield self.problem(what, f"Use one of {', '.join(words)}.", below)

    def odd_version(
        self, version: str | None, form: re.Pattern[str], example: str, below: Path_
    ) -> Iterator[Problem]:
        """Yield a problem if a version does not match `form`; `example` is a correct one."""
        if version is not None and not form.fullmatch(version):
            yield self.problem(f"`{version}` is not a version.", f"Write it like {example}.", below)
