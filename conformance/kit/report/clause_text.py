"""A clause as the report shows it: its sentence in the reader's language and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from conformance.spec.clauses import clause_url, clauses


@dataclass(frozen=True, slots=True)
class Rule:
    """What a reader needs of a clause; `quote` and `source` are empty for a clause of our own."""

    id: str
    text: str
    url: str
    quote: str = ""
    source: str = ""


@cache
def rule(id: str, language: str) -> Rule | None:
    """Give the clause `id` in `language`; None for what is no clause, such as a stale waiver."""
    clause = clauses().get(id)
    if clause is None:
        return None
    text, url = clause.text[language], clause_url(clause, language)
    if clause.source is None:
        return Rule(id, text, url)
    return Rule(id, text, url, clause.source.quote, clause.source.url)


def sentence(id: str, language: str) -> str:
    """Give a clause's sentence; empty for what is no clause."""
    found = rule(id, language)
    return found.text if found else ""
