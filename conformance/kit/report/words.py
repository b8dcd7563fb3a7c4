"""The report's own words: sentences, names of verdicts and levels, and numbers, in a language."""

from __future__ import annotations

from conformance.kit.model.results import Rate
from conformance.spec.messages import message
from conformance.spec.vocabulary import Level, Requirement, Verdict

NOTHING = "–"
"""Stands for a rate where there was nothing to count."""


def say(id: str, language: str, /, **values: object) -> str:
    """Give the sentence `id` in `language`; raises KeyError for an id that the source lacks."""
    return message(id, **values).words(language)


def verdict_name(verdict: Verdict, language: str) -> str:
    """Give the name of a verdict, in lower case."""
    return say(f"report.verdict.{verdict.value}", language)


def level_name(level: Level | None, language: str) -> str:
    """Give the name of a level; None, a protocol run's, reads as not judged."""
    return say(f"report.level.{'null' if level is None else level.value}", language)


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
