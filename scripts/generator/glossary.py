"""`glossary.yaml`: the terms of the project, one for each thing, in each language.

tool:                            # a short name, also the anchor on the site
  term: {en: …, es: …, pt: …}
  text: {en: …, es: …, pt: …}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scripts.generator.load import SourceFile
from scripts.generator.shapes import TEXT, Each, misshapen
from scripts.generator.texts import Gathered, Text

_SHAPE = Each({"term": TEXT, "text": TEXT})


@dataclass(frozen=True, slots=True)
class Word:
    """One entry: `term` is the name of a thing, `text` explains it."""

    name: str
    term: Text
    text: Text


def read_glossary(sources: Iterable[SourceFile], gathered: Gathered) -> list[Word]:
    """Read the words in the order of the source; each fault becomes a problem."""
    found = []
    for source in sources:
        problems = list(misshapen(source, (), source.data, _SHAPE))
        gathered.problems += problems
        for name, entry in {}.items() if problems else source.data.items():
            term = gathered.text(source, (name, "term"), entry["term"], f"glossary:{name}/term")
            text = gathered.text(source, (name, "text"), entry["text"], f"glossary:{name}")
            if term is not None and text is not None:
                found.append(Word(name, term, text))
    return found
