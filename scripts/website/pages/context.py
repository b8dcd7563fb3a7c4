"""The common data of all pages: the source, a language, and the texts of the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from conformance.spec.messages import filled
from conformance.spec.vocabulary import Level
from scripts.generator.build import Source
from scripts.generator.clauses import Clause
from scripts.generator.schemas import Schema
from scripts.generator.texts import Text
from scripts.generator.vocabularies import Vocabulary
from scripts.website.pages.markdown import code, escaped, link

SPECS = ("atdf", "ardf", "runtime", "bindings")
"""The specifications, in the order of the menu."""
CONFORMANCE = "conformance"
CLAUSE_FOLDER = f"{CONFORMANCE}/clauses"
"""The directory of the clauses' pages, which mkdocs does not see."""


@dataclass(frozen=True)
class Context:
    """The source in one language; `homes` has the directory whose page shows a vocabulary."""

    source: Source
    language: str
    homes: Mapping[str, str]
    _: None = field(default=None, repr=False)

    def said(self, name: str, /, **values: object) -> str:
        """Return the message `site.<name>`, or the message with this full id, as Markdown.

        Values are inserted unchanged, so they must already be Markdown.
        """
        text = self.source.messages[name if "." in name else f"site.{name}"]
        return filled(self.text(text), {key: str(value) for key, value in values.items()})

    def text(self, text: Text) -> str:
        """Return a text of the source in this language."""
        return text.in_language(self.language)

    @cached_property
    def clauses(self) -> Mapping[str, Clause]:
        """All clauses, by id."""
        return {clause.id: clause for clause in self.source.clauses}

    @cached_property
    def schemas(self) -> Mapping[str, Schema]:
        """All schemas, by the path of the generated file."""
        return {schema.file: schema for schema in self.source.schemas}

    def spec_title(self, spec: str) -> str:
        """Return the name of a specification, or of the kit."""
        if spec == CONFORMANCE:
            return self.said("kit_name")
        return self.text(self.source.texts[f"project#/specs/{spec}"])

    def requirement(self, word: str) -> str:
        """Return MUST, SHOULD or MAY in this language."""
        return self.said(f"report.requirement.{word.lower()}")

    def level(self, word: str) -> str:
        """Return the name of a level; empty if it is not a level."""
        return self.said(f"report.level.{word}") if word in set(Level) else ""

    def filter_words(self) -> Mapping[str, str]:
        """Return the texts of the filter for a table's rows."""
        return {name: self.said(f"filter_{name}") for name in ("find", "all", "shown", "clear")}

    def clause_page(self, clause: Clause) -> str:
        """Return the page that has the section of a clause."""
        if clause.document and any(s.name == clause.document for s in self.source.schemas):
            return f"{clause.spec}/{clause.document}.md"
        return f"{clause.spec}/clauses.md"

    def clause_link(self, clause: Clause, here: str) -> str:
        """Return a link from the page `here` to a clause: to its own page, if it is not here."""
        if self.clause_page(clause) == here:
            return link(clause.id, f"#{clause.id.lower()}")
        return self.own_page(clause, here, clause.id)

    def own_page(self, clause: Clause, here: str, text: str, id: str = "") -> str:
        """Return a link from the page `here` to a clause's page, which mkdocs does not know."""
        to = f"../{up(here)}{CLAUSE_FOLDER}/{clause.id.lower()}/"
        anchor = f'id="{id}" ' if id else ""
        return f'<a {anchor}href="{to}">{text}</a>'

    def vocabulary_link(self, vocabulary: Vocabulary, here: str) -> str:
        """Return a link from the page `here` to a vocabulary's table."""
        to = f"{self.homes[vocabulary.name]}/vocabularies.md"
        anchor = f"#{dashed(vocabulary.name)}"
        return link(code(vocabulary.name), anchor if to == here else f"{up(here)}{to}{anchor}")

    def word_link(self, vocabulary: Vocabulary, word: str, here: str) -> str:
        """Return a link from the page `here` to a word of a vocabulary."""
        to = f"{self.homes[vocabulary.name]}/vocabularies.md"
        return link(code(word), f"{up(here)}{to}#{dashed(vocabulary.name)}-{word}")

    def prose(self, text: Text) -> str:
        """Return a text of the source as Markdown."""
        return escaped(self.text(text))


def up(here: str) -> str:
    """Return the relative path from a page to the directory of its language."""
    return "../" * here.count("/")


def dashed(name: str) -> str:
    """Return a name of the source as an anchor."""
    return name.replace("_", "-").lower()
