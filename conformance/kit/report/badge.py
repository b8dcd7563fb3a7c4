"""`badge.json`: the level as a shields.io endpoint reads it."""

from __future__ import annotations

from typing import Any

from conformance.formats.vocabulary import Level
from conformance.kit.report.standing import session_level
from conformance.kit.report.words import level_name, say
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
    """Give the badge: the level of the weakest full run, grey where none was judged."""
    level = session_level(session)
    return {
        "schemaVersion": 1,
        "label": say("report.badge.label", language),
        "message": level_name(level, language),
        "color": _COLOURS[level],
    }
