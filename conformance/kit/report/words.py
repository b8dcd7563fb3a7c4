"""The report's own words in one language: sentences, names, numbers, clauses and waivers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from conformance.kit.evidence.declared_conformance import claimed_level
from conformance.kit.model.results import Finding, Item, Rate, RunResult, Unnamed, UsedWaiver
from conformance.spec.clauses import clause_url, clauses
from conformance.spec.messages import Message, as_code, codes, message
from conformance.spec.vocabulary import Level, Requirement, Specification, Verdict

NOTHING = "–"
"""Shown instead of a rate if there was nothing to count."""

_APART = " · "
"""What is between the parts of a place."""
NAMED = 5
"""The most places that are named; the report's row and `results.json` have all of them."""

_CLAUSES = 3
"""The most clauses that are named as not verified. The report has the reason of each."""

Told = tuple[Item, Finding]


def say(id: str, language: str, /, **values: object) -> str:
    """Return the sentence `id` in `language`; raises `KeyError` for an unknown id."""
    return message(id, **values).words(language)


def verdict_name(verdict: Verdict, language: str) -> str:
    """Return the name of a verdict, in lower case."""
    return say(f"report.verdict.{verdict.value}", language)


def level_name(level: Level | None, language: str) -> str:
    """Return the name of a level. None, as in a protocol run, reads as not judged."""
    return say(f"report.level.{'null' if level is None else level.value}", language)


def claims_told(run: RunResult, language: str, text: Callable[[str], str]) -> tuple[str, ...]:
    """Return what a target claims to conform to, and a note if the run reached a lower level.

    `text` makes a name safe and short.
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
    """Return MUST, SHOULD or MAY as clauses in this language write it."""
    return say(f"report.requirement.{requirement.value.lower()}", language)


def number(value: int, language: str) -> str:
    """Return an integer with the thousands separator of the language."""
    if language == "en":
        return f"{value:,}"
    # Spanish and Portuguese do not separate four digits.
    return str(value) if abs(value) < 10_000 else f"{value:,}".replace(",", "\N{NO-BREAK SPACE}")


def decimal(value: float, digits: int, language: str) -> str:
    """Return a number with `digits` decimals and the language's decimal separator."""
    text = f"{value:.{digits}f}"
    return text if language == "en" else text.replace(".", ",")


def percent(rate: Rate, language: str) -> str:
    """Return a rate as a whole percentage; 100% and 0% only if it is exactly that."""
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
    """Return a duration for a person: in milliseconds, seconds, or minutes and seconds."""
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 60:
        return f"{decimal(seconds, 1, language)} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a reader needs to know about a clause.

    `quote` and `source` are empty for our own clauses, and if the checked version lacks the
    sentence.
    """

    id: str
    text: str
    url: str
    quote: str = ""
    source: str = ""


@cache
def rule(id: str, language: str, version: str = "") -> Rule | None:
    """Return the clause `id` in `language`; None for an unknown id, such as that of a stale waiver.

    With `version`, its quote and source are those of that version.
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
    """Return a clause's sentence; empty for an unknown id."""
    found = rule(id, language)
    return found.text if found else ""


def why_must(id: str, verdict: Verdict | None, runs: Iterable[RunResult], language: str) -> str:
    """Return why a failed SHOULD is a MUST here: the target claims ATDF, and what shows it.

    Empty for any other verdict, and for a clause that a claim does not change.
    """
    clause, claims = clauses().get(id), [run for run in runs if run.claims_atdf]
    raised = clause is not None and clause.where_claimed is Requirement.MUST
    if verdict is not Verdict.FAIL or not raised or not claims:
        return ""
    if any(claim.spec == Specification.ATDF for run in claims for claim in run.claims):
        return say("report.must-where-claimed", language)
    listed = any(run.declares_atdf for run in claims)
    return say(f"report.must-where-claimed.{'listed' if listed else 'answered'}", language)


def listed(
    names: Sequence[str],
    limit: int,
    language: str,
    text: Callable[[str], str],
    more: str = "report.more",
) -> str:
    """Return the first `limit` names, then the number of the others in the message `more`.

    `text` makes a name safe and short.
    """
    shown = ", ".join(text(name) for name in names[:limit])
    left = len(names) - limit
    return f"{shown} {say(more, language, count=number(left, language))}" if left > 0 else shown


def verified_words(
    counted: tuple[int, int],
    unverified: tuple[Sequence[str], Sequence[str]],
    language: str,
    text: Callable[[str], str],
) -> str:
    """Return how many clauses were verified, and which ones were not for which tools.

    `text` makes a name safe and short.
    """
    verified, applicable = counted
    clauses, tools = unverified
    told = say("report.verified", language, verified=verified, applicable=applicable)
    if not clauses:
        return told
    values: dict[str, object] = {"clauses": listed(clauses, _CLAUSES, language, text)}
    if tools:
        values["tools"] = listed(tools, NAMED, language, lambda name: as_code(text(name)))
        values["count"] = len(tools)
    more = say("report.unverified-for" if tools else "report.unverified", language, **values)
    return f"{told}. {more}"


def misleading_words(each: Unnamed, language: str, text: Callable[[str], str]) -> str:
    """Return one line for a refusal that names other parameters than the wrong one."""
    named = codes(text(name) for name in each.named)
    values = {"tool": text(each.tool), "parameter": text(each.parameter), "named": named}
    return say("report.misleading.of", language, **values)


def waiver_words(used: UsedWaiver, language: str) -> str:
    """Return one line for a waiver. Its texts come from a file and are not escaped."""
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
    """Return every finding of some items, each with its item, in order."""
    return [(item, finding) for item in items for finding in item.findings]


def others(told: Sequence[Told], language: str, text: Callable[[str], str]) -> str:
    """Return how many more findings there are, and where; empty if there is only one.

    A single other one that nothing else tells apart is named by its case.

    `text` makes a target's text safe and short.
    """
    rest = told[1:]
    if not rest:
        return ""
    tools = len({item.tool for item, _ in told}) > 1
    first, *more = (
        partial(_label, item, found, language, text, tools=tools) for item, found in told
    )
    names = _first_names((label() for label in more), other_than=first())
    names = [name for name in names if not any(_is_within(other, name) for other in names)]
    count = number(len(rest), language)
    only = rest[0][1].case if len(rest) == 1 else None
    if not names and only is not None:
        names = [as_code(text(only))]
    if not names:
        return say("report.more-cases", language, count=count)
    places = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    return say("report.more-at", language, count=count, places=places)


def _first_names(labels: Iterator[str], *, other_than: str) -> list[str]:
    """Return the first distinct labels, at most one more than are named.

    The limit saves time: a thousand tools may have the same finding.
    """
    names: dict[str, None] = {}
    for label in labels:
        if label and label != other_than:
            names[label] = None
        if len(names) > NAMED:
            break
    return list(names)


def _is_within(place: str, tool: str) -> bool:
    """Return whether a label is a place of a tool, so that the tool alone says nothing more."""
    return place.startswith(f"{tool}{_APART}")


def _label(
    item: Item, finding: Finding, language: str, text: Callable[[str], str], *, tools: bool
) -> str:
    """Return where a finding is: its tool, if there are several, and its place.

    The place is a parameter or a path; for a script's step, it is what was sent. A call without a
    place gets no words, because they would be as long as the call.
    """
    values = [value for _, value in finding.message.values if isinstance(value, Message)]
    words = [value.words(language) for value in values] if finding.case is None else []
    names = (item.tool if tools else None, finding.parameter or finding.path)
    parts = [as_code(text(name)) for name in names if name]
    if not names[1]:
        parts += map(text, words[:1])
    return _APART.join(parts)
