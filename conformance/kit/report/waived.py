"""Waivers in words: what is accepted, where, why, until when, and whether it is still needed."""

from __future__ import annotations

from conformance.kit.model.results import UsedWaiver
from conformance.kit.report.words import number, say


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
