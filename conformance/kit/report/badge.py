"""`badge.json`: the level as a shields.io endpoint reads it."""

from __future__ import annotations

from typing import Any

from conformance.formats.vocabulary import Level
from conformance.kit.report.standing import session_level, standing_name
from conformance.kit.report.words import say
from conformance.kit.results import SessionResult

_COLOURS = {
    None: "lightgrey",
    Level.NONE: "red",
    Level.DESCRIBED: "orange",
    Level.GUARDED: "yellow",
    Level.EXPLAINED: "green",
    Level.RECOVERABLE: "brightgreen",
}


def badge(session: SessionResult, language: str = "en") -> dict[str, Any]:
    """Give the badge: the level of the weakest full run, grey where no run has one."""
    level = session_level(session)
    name = standing_name(session, language)
    return {
        "schemaVersion": 1,
        "label": say("report.badge.label", language),
        "message": name,
        "color": _COLOURS[level],
    }
