"""`<spec>/why*.yaml`: what an agent or a person loses when a clause is broken.

why:
  - clauses: [ATDF-CAT-002, ATDF-DESC-005]   # clauses with the same reason share an entry
    text: {en: …, es: …, pt: …}

A clause that quotes another standard needs an entry, too: the quote does not say why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scripts.generator.clauses import Clause
from scripts.generator.load import SourceFile
from scripts.generator.problems import Problem
from scripts.generator.shapes import TEXT, misshapen
from scripts.generator.texts import Gathered, Text

_SHAPE = {"why": [{"clauses": [str], "text": TEXT}]}


def with_reasons(
    clauses: Iterable[Clause], sources: Iterable[SourceFile], gathered: Gathered
) -> list[Clause]:
    """Return the clauses with their reasons; each fault becomes a problem."""
    listed = list(clauses)
    known = {each.id for each in listed}
    reasons: dict[str, Text] = {}
    for source in sources:
        problems = list(misshapen(source, (), source.data, _SHAPE))
        gathered.problems += problems
        for index, entry in enumerate([] if problems else source.data["why"]):
            place = ("why", index)
            first = entry["clauses"][0] if entry["clauses"] else source.file
            text = gathered.text(source, (*place, "text"), entry["text"], f"why:{first}")
            for name in entry["clauses"]:
                if name not in known or name in reasons:
                    what = f"{name} has a reason already, or is not a clause."
                    gathered.problems.append(source.problem(place, what, "Name it once."))
                elif text is not None:
                    reasons[name] = text
    return [replace(each, why=reasons.get(each.id)) for each in listed]


def unreasoned(clauses: Iterable[Clause]) -> list[Problem]:
    """Return a problem for each clause without a reason."""
    return [
        each.problem(f"Nothing says why {each.id} is there.", "Add a sentence to `why.yaml`.")
        for each in clauses
        if each.why is None
    ]
