"""The report's own words, in a language: sentences, names, numbers, clauses and waivers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from conformance.kit.evidence.declared_conformance import claimed_level
from conformance.kit.model.results import Finding, Item, Rate, RunResult, Unnamed, UsedWaiver
from conformance.spec.clauses import clause_url, clauses
from conformance.spec.messages import Message, as_code, codes, message
from conformance.spec.vocabulary import Level, Requirement, Verdict

NOTHING = "–"
"""Stands for a rate where there was nothing to count."""

NAMED = 5
"""Places named; all of them are in the report's row and in results.json."""

Told = tuple[Item, Finding]


def say(id: str, language: str, /, **values: object) -> str:
    """Give the sentence `id` in `language`; raises KeyError for an id that the source lacks."""
    return message(id, **values).words(language)


def verdict_name(verdict: Verdict, language: str) -> str:
    """Give the name of a verdict, in lower case."""
    return say(f"report.verdict.{verdict.value}", language)


def level_name(level: Level | None, language: str) -> str:
    """Give the name of a level; None, a protocol run's, reads as not judged."""
    return say(f"report.level.{'null' if level is None else level.value}", language)


def claims_told(run: RunResult, language: str, text: Callable[[str], str]) -> tuple[str, ...]:
    """Give what a target claims of itself, and whether the run shows as much.

    `text` makes a name harmless and short.
    """
    if not run.claims:
        return ()
    named = []
    for each in run.claims:
        classes = ", ".join(map(text, each.classes))
        named.append(
            f"{text(each.spec)} {text(each.version)}" + (f" ({classes})" if classes else "")
        )
    told = [say("report.claims", language, claims="; ".join(named))]
    level = claimed_level(run.claims)
    place = run.run.role.place
    if run.level is not None and level is not None and place(level) > place(run.level):
        told.append(say("report.claims-more", language, level=level_name(level, language)))
    return tuple(told)


def requirement_name(requirement: Requirement, language: str) -> str:
    """Give MUST, SHOULD or MAY as the language's clauses write it."""
    return say(f"report.requirement.{requirement.value.lower()}", language)


def number(value: int, language: str) -> str:
    """Give a whole number with the thousands marked as the language does."""
    if language == "en":
        return f"{value:,}"
    # Spanish and Portuguese leave four digits together.
    return str(value) if abs(value) < 10_000 else f"{value:,}".replace(",", "\N{NO-BREAK SPACE}")


def decimal(value: float, digits: int, language: str) -> str:
    """Give a number with `digits` decimals and the language's decimal sign."""
    text = f"{value:.{digits}f}"
    return text if language == "en" else text.replace(".", ",")


def percent(rate: Rate, language: str) -> str:
    """Give a rate as whole per cent; 100 and 0 only where it is exactly that."""
    share = rate.rate
    if share is None:
        return NOTHING
    whole = round(share * 100)
    if rate.hits < rate.of:
        whole = min(whole, 99)
    if rate.hits:
        whole = max(whole, 1)
    return say("report.percent", language, number=whole)


def duration(seconds: float, language: str) -> str:
    """Give a time for a person: milliseconds, seconds, or minutes and seconds."""
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 60:
        return f"{decimal(seconds, 1, language)} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a reader needs of a clause.

    `quote` and `source` are empty for a clause of our own, and where the version that was checked
    does not have the sentence.
    """

    id: str
    text: str
    url: str
    quote: str = ""
    source: str = ""


@cache
def rule(id: str, language: str, version: str = "") -> Rule | None:
    """Give the clause `id` in `language`; None for an unknown id, such as that of a stale waiver.

    What it quotes is of the `version` that was checked, if one is named.
    """
    clause = clauses().get(id)
    if clause is None:
        return None
    text, url = clause.text[language], clause_url(clause, language)
    source = clause.source
    if source is not None and version:
        source = source.of(version)
    if source is None:
        return Rule(id, text, url)
    return Rule(id, text, url, source.quote, source.url)


def sentence(id: str, language: str) -> str:
    """Give a clause's sentence; empty for an unknown id."""
    found = rule(id, language)
    return found.text if found else ""


def listed(
    names: Sequence[str],
    limit: int,
    language: str,
    text: Callable[[str], str],
    more: str = "report.more",
) -> str:
    """Give the first names, and of the others how many they are, as the message `more` says it.

    `text` makes a name harmless and short.
    """
    shown = ", ".join(text(name) for name in names[:limit])
    left = len(names) - limit
    return f"{shown} {say(more, language, count=number(left, language))}" if left > 0 else shown


def verified_words(
    verified: int, applicable: int, tools: Sequence[str], language: str, text: Callable[[str], str]
) -> str:
    """Give how many clauses were verified, and the tools for which not all of them were.

    `text` makes a name harmless and short.
    """
    if not tools:
        return say("report.verified", language, verified=verified, applicable=applicable)
    names = listed(tools, NAMED, language, lambda name: as_code(text(name)))
    counted = {"verified": verified, "applicable": applicable, "count": len(tools)}
    return say("report.verified-but", language, **counted, tools=names)


def misleading_words(each: Unnamed, language: str, text: Callable[[str], str]) -> str:
    """Give one line for a refusal that names other parameters than the one that was wrong."""
    named = codes(text(name) for name in each.named)
    values = {"tool": text(each.tool), "parameter": text(each.parameter), "named": named}
    return say("report.misleading.of", language, **values)


def waiver_words(used: UsedWaiver, language: str) -> str:
    """Give one line for a waiver; its texts come from a file and are not escaped."""
    waiver = used.waiver
    named = [part for part in (waiver.tool, waiver.run) if part is not None]
    where = " · ".join(named) or say("report.waivers.everywhere", language)
    values = {"line": waiver.line, "clause": waiver.clause, "where": where}
    parts = [say("report.waivers.entry", language, **values, reason=waiver.reason)]
    if waiver.until is not None:
        parts.append(say("report.waivers.until", language, until=waiver.until))
    if used.stale is not None:
        reason = used.stale.words(language)
        parts.append(say("report.waivers.stale", language, reason=reason))
    elif not used.waived:
        parts.append(say("report.waivers.nothing", language))
    else:
        parts.append(say("report.waivers.used", language, count=number(used.waived, language)))
    return "; ".join(parts)


def told_of(items: Sequence[Item]) -> list[Told]:
    """Give every finding of some items, each with its item, in order."""
    return [(item, finding) for item in items for finding in item.findings]


def others(told: Sequence[Told], language: str, text: Callable[[str], str]) -> str:
    """Give in how many cases more the same was found, and where; empty where there is one finding.

    `text` makes what a target said harmless and short.
    """
    rest = told[1:]
    if not rest:
        return ""
    tools = len({item.tool for item, _ in told}) > 1
    first, *more = (
        partial(_label, item, found, language, text, tools=tools) for item, found in told
    )
    names = _first_names((label() for label in more), other_than=first())
    count = number(len(rest), language)
    if not names:
        return say("report.more-cases", language, count=count)
    places = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    return say("report.more-at", language, count=count, places=places)


def _first_names(labels: Iterator[str], *, other_than: str) -> list[str]:
    """Some different ones, one more than are named: the same may hold of a thousand tools."""
    names: dict[str, None] = {}
    for label in labels:
        if label and label != other_than:
            names[label] = None
        if len(names) > NAMED:
            break
    return list(names)


def _label(
    item: Item, finding: Finding, language: str, text: Callable[[str], str], *, tools: bool
) -> str:
    """Where a finding stands: its tool, if there are several, and its place.

    The place is a parameter or a path, or of a script's step what was sent; the words of a call
    without either would be as long as the call.
    """
    values = [value for _, value in finding.message.values if isinstance(value, Message)]
    words = [value.words(language) for value in values] if finding.case is None else []
    names = (item.tool if tools else None, finding.parameter or finding.path)
    parts = [as_code(text(name)) for name in names if name]
    if not names[1]:
        parts += map(text, words[:1])
    return " · ".join(parts)
