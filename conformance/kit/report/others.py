"""What else a group of findings holds beside the one that is told: how many, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.kit.model.results import Finding, Item
from conformance.kit.report.words import number, say
from conformance.spec.messages import Message

Told = tuple[Item, Finding]

NAMED = 5
"""Places named; all of them are in the report's row and in results.json."""


def told_of(items: Sequence[Item]) -> list[Told]:
    """Give every finding of some items, each with its item, in order."""
    return [(item, finding) for item in items for finding in item.findings]


def others(told: Sequence[Told], language: str, text: Callable[[str], str]) -> str:
    """Give `and 3 more: guests, room_type`; empty where the first finding is the only one.

    `text` makes what a target said harmless and short.
    """
    rest = told[1:]
    if not rest:
        return ""
    tools = len({item.tool for item, _ in told}) > 1
    labels = [_label(item, finding, language, tools=tools) for item, finding in told]
    names = [label for label in dict.fromkeys(labels[1:]) if label and label != labels[0]]
    count = number(len(rest), language)
    if not names:
        return say("report.more", language, count=count)
    shown = ", ".join(text(name) for name in names[:NAMED])
    cut = ", …" if len(names) > NAMED else ""
    return say("report.more-at", language, count=count, places=shown + cut)


def _label(item: Item, finding: Finding, language: str, *, tools: bool) -> str:
    """Where a finding stands: its tool, if there are several, and its place.

    The place is a parameter or a path, or of a script's step what was sent; the words of a call
    without either would be as long as the call.
    """
    values = [value for _, value in finding.message.values if isinstance(value, Message)]
    words = [value.words(language) for value in values] if finding.case is None else []
    place = finding.parameter or finding.path or next(iter(words), "")
    parts = [(item.tool or "") if tools else "", place]
    return " · ".join(part for part in parts if part)
