"""`badge.json`: the level as a shields.io endpoint reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from conformance.kit.model.results import SessionResult
from conformance.kit.report.levels import all_items, session_level, standing_name
from conformance.kit.report.reporter import Report
from conformance.kit.report.words import say
from conformance.spec.vocabulary import Level, Verdict

_COLORS = {
    None: "lightgrey",
    Level.NONE: "red",
    Level.DESCRIBED: "orange",
    Level.GUARDED: "yellow",
    Level.EXPLAINED: "green",
    Level.RECOVERABLE: "brightgreen",
}
_GREENER = {Level.GUARDED, Level.EXPLAINED, Level.RECOVERABLE}
_BROKEN = "orange"
"""The best color while a clause is broken: some are needed for no level, and fail a session."""


class Badge:
    """Writes the badge of a session."""

    name = "badge.json"

    def parts(self, report: Report) -> Iterator[str]:
        """Give the document."""
        yield json.dumps(badge(report.session, report.language), indent=1) + "\n"


def badge(session: SessionResult, language: str = "en") -> dict[str, Any]:
    """Give the badge: the level of the weakest full run, grey where no run has one.

    Broken clauses are counted beside it: a level alone would look like success.
    """
    level = session_level(session)
    name, color = standing_name(session, language), _COLORS[level]
    broken = {item.clause for item in all_items(session) if item.verdict is Verdict.FAIL}
    if broken and level is not None:
        name = say("report.badge.broken", language, level=name, count=len(broken))
        color = _BROKEN if level in _GREENER else color
    return {
        "schemaVersion": 1,
        "label": say("report.badge.label", language),
        "message": name,
        "color": color,
    }
