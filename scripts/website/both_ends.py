"""What both ends of a gateway saw of a model call, as the text that a page shows."""

from __future__ import annotations

import difflib
import re
from collections.abc import Set

from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import Finding
from conformance.spec.vocabulary import Seen
from scripts.website.exchange_text import (
    LONGEST,
    body_text,
    is_same,
    numbered,
    plain,
    shown_headers,
)

ANSWER, RECEIVED, MOMENTS = "answer", "received", "moments"
"""What an exchange shows: two answers, what a provider received, or what happened when."""
AROUND = 8
"""The lines that are shown before and after lines that differ."""
_IN_TIME = {
    f"finding.gateway.{each}"
    for each in ("after_limit", "asked_after_leaving", "held_back", "no_jitter", "not_closed")
} | {f"finding.gateway.{each}" for each in ("stall_open", "too_soon", "too_soon_asked")}
"""The findings about when something happened, which neither a request nor an answer shows."""
_AT_PROVIDER = {"finding.gateway.redirect"}
"""The findings about a request to another host, whose answer does not show the defect."""
_NOTHING_ARRIVED = "no request"
_ID = re.compile(r"\b[0-9a-f]{32}\b")


def both_ends(
    finding: Finding, bad: Exchange, good: Exchange, answers: tuple[str, str]
) -> tuple[str, str, str]:
    """Return what shows the defect of a gateway, with what is right, and its kind.

    A defect in time is shown by the events at both ends. Otherwise it is in the answer, or else in
    what the provider received.
    """
    if finding.message.id in _IN_TIME:
        return moments_text(bad), moments_text(good), MOMENTS
    reached, meant = arrivals_text(bad), arrivals_text(good)
    shows = not is_same(*answers) and finding.message.id not in _AT_PROVIDER
    if not shows and not is_same(reached, meant):
        return *apart(reached, meant), RECEIVED
    return *answers, ANSWER


def arrivals_text(exchange: Exchange) -> str:
    """Return the requests of a model call that reached the provider. Random ids are numbered."""
    texts = []
    for each in exchange.timeline:
        if each.seen is not Seen.ARRIVED:
            continue
        headers = [
            f"{name.lower()}: {value}" for name, value in shown_headers(each.headers, {"accept"})
        ]
        texts.append("\n".join([f"POST {each.path}", *headers, "", body_text(each.body, None)]))
    ids: dict[str, int] = {}
    text = plain("\n\n".join(texts)) or f"— {_NOTHING_ARRIVED}"
    return _ID.sub(lambda found: f"id-{ids.setdefault(found.group(), len(ids) + 1)}", text)


def moments_text(exchange: Exchange) -> str:
    """Return the events at both ends of a gateway, one a line, with the words of the vocabulary.

    A line is `<milliseconds> <event> <request, or 0> <path or status>`. Of the same event several
    times in a row, the first is there.
    """
    lines: list[str] = []
    before = None
    for each in exchange.timeline:
        if (each.seen, each.arrival) != before:
            status = each.detail if each.seen in (Seen.HEAD, Seen.CLIENT_STATUS) else ""
            about = f"POST {each.path}" if each.seen is Seen.ARRIVED else status
            lines.append(f"{each.at * 1000:.0f} {each.seen} {each.arrival} {about}".rstrip())
        before = each.seen, each.arrival
    return plain("\n".join(lines))


def apart(text: str, other: str) -> tuple[str, str]:
    """Shorten two long texts to what differs, the lines around it and each request's first line."""
    pair = text.splitlines(), other.splitlines()
    if max(len(text), len(other)) <= LONGEST:
        return text, other
    own, beside = (numbered(each).splitlines() for each in (text, other))
    steps = difflib.SequenceMatcher(None, own, beside, autojunk=False).get_opcodes()
    kept: tuple[set[int], set[int]] = (set(), set())
    for kind, *places in steps:
        for side, (first, last) in enumerate((places[:2], places[2:])):
            if kind != "equal":
                kept[side].update(range(first - AROUND, last + AROUND))
    return _kept(pair[0], kept[0]), _kept(pair[1], kept[1])


def _kept(lines: list[str], places: Set[int]) -> str:
    made: list[str] = []
    for place, line in enumerate(lines):
        if place in places or line.startswith("POST "):
            made.append(line)
        elif made[-1:] != ["…"]:
            made.append("…")
    return "\n".join(made)


def steps_apart(moments: str, other: str) -> int:
    """Return how many events only one of two sequences has, whenever they were."""
    own, beside = ([each.split(" ", 2)[1] for each in one.splitlines()] for one in (moments, other))
    equal = difflib.SequenceMatcher(None, own, beside, autojunk=False).get_matching_blocks()
    return len(own) + len(beside) - 2 * sum(each.size for each in equal)
