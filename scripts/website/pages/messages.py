"""Every message with which the kit reports something, with its clauses.

A reader can search for a message of a report or a log, and follow the link to its clause.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Final

from conformance.kit.verdicts.checks import load, packages
from conformance.spec.messages import filled
from fixtures.servers.faults.checks import CHECKS
from scripts.generator.clauses import Clause
from scripts.generator.examples import Example
from scripts.generator.texts import Text
from scripts.website.pages.context import CONFORMANCE, Context
from scripts.website.pages.examples import broken
from scripts.website.pages.exchanges import seen
from scripts.website.pages.facets import facets_of
from scripts.website.pages.markdown import anchored, escaped, filtered, page, table

PAGE: Final = f"{CONFORMANCE}/messages.md"
_SHOWN: Final = (
    "finding.",
    "documents.",
    "kit.left_out.",
    "kit.not_verified.",
    "kit.not_applicable.",
    "kit.target.",
    "kit.waivers.",
    "kit.policy.",
    "kit.settings.",
)
"""The prefixes of the ids of messages that people read in a report or on a line."""
_ID: Final = re.compile(r'"((?:finding|documents)(?:\.\w+)+)"')
_PLACE: Final = re.compile(r"\{([a-z][a-z0-9_]*)")
_SENTENCE: Final = " "
_FACETS: Final = ("spec", "group")
_MOST: Final = 6
"""The most clauses that are listed for a message; of more, it lists the first ones."""


def messages_page(context: Context) -> bytes:
    """Return the page with all messages in one table, by their ids."""
    head = [context.said(name) for name in ("message", "says", "clauses")]
    rows, about_clauses = [], []
    known = of_clauses(context.source.examples)
    for id, text in sorted(_messages(context), key=lambda each: each[0]):
        clauses = [context.clauses[each] for each in sorted(known.get(id, ()))]
        said = escaped(_words(context, text))
        rows.append([anchored(id, "message"), said, _linked(context, clauses)])
        about_clauses.append(clauses)
    about = context.said("messages_about")
    intro = context.said("messages_intro", count=len(rows))
    facets = [each for each in facets_of(context, about_clauses) if each.key in _FACETS]
    parts = [intro, filtered(facets, context.filter_words()), table(head, rows)]
    return page(context.said("messages"), "messages", about, parts, hide="toc")


def _messages(context: Context) -> Iterator[tuple[str, Text]]:
    for id, text in context.source.messages.items():
        if id.startswith(_SHOWN) and _SENTENCE in text.in_language(context.language):
            yield id, text


def _words(context: Context, text: Text) -> str:
    """Return the sentence, with `…` for each value."""
    words = context.text(text)
    return filled(words, dict.fromkeys(_PLACE.findall(words), "…"))


def _linked(context: Context, clauses: Sequence[Clause]) -> str:
    links = [context.clause_link(each, PAGE) for each in clauses[:_MOST]]
    return ", ".join([*links, *(["…"] if len(clauses) > _MOST else [])]) or "–"


def of_clauses(examples: Iterable[Example]) -> Mapping[str, Set[str]]:
    """Return the clauses of each message, by the message's id.

    They come from invalid examples, from findings about faults in the proof, from the checks that
    each fault was planted for, and from the code of the clauses' checks.
    """
    found = {id: set(clauses) for id, clauses in _of_checks().items()}
    for each in examples:
        if not each.valid:
            found.setdefault(broken(each, each.data).message.id, set()).add(str(each.breaks))
    return found


@cache
def _of_checks() -> Mapping[str, Set[str]]:
    found: dict[str, set[str]] = {}
    for said in seen()["faults"].values():
        for clause, each in said.items():
            found.setdefault(each["id"], set()).add(clause)
    for by_clause in CHECKS.values():
        for clause, ids in by_clause.items():
            for id in ids:
                found.setdefault(id.partition("/")[0], set()).add(clause)
    for name in packages():
        for test, clause in load(name).tests:
            for id in _ID.findall(inspect.getsource(test.judge)):
                found.setdefault(id, set()).add(clause.id)
    return found
