"""The files of a report, and which reporter writes each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.kit.model.results import SessionResult
from conformance.kit.model.settings import RECORD
from conformance.kit.report.data import ResultsJson
from conformance.kit.report.html.page import Page
from conformance.kit.report.levels import all_items, session_level, standing_name
from conformance.kit.report.replay_file import ReplayFile
from conformance.kit.report.reporter import Report, Reporter
from conformance.kit.report.summary import Summary
from conformance.kit.report.words import say
from conformance.spec.vocabulary import Level, Verdict


class Badge:
    """Writes the badge of a session."""

    name = "badge.json"

    def parts(self, report: Report) -> Iterator[str]:
        """Give the document."""
        yield json.dumps(badge(report.session, report.language), indent=1) + "\n"


REPORTERS: tuple[Reporter, ...] = (ResultsJson(), Badge(), Summary(), ReplayFile())
"""A new file of the report is one more reporter here."""

EXCHANGES, JUNIT = RECORD, "junit.xml"
"""The record of a session, which it writes while it drives, and pytest's own report."""

FILES = (*(reporter.name for reporter in REPORTERS), Page.name, JUNIT, EXCHANGES)
"""All files of a report: those of an earlier one are removed before a session begins."""


def write_files(report: Report, directory: Path) -> tuple[Path, ...]:
    """Write what each of `REPORTERS` tells into `directory`; gives the paths.

    Raises OSError where the directory cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for reporter in REPORTERS:
        parts = iter(reporter.parts(report))
        first = next(parts, None)
        if first is None:
            continue
        path = directory / reporter.name
        with path.open("w", encoding="utf-8") as file:
            file.write(first)
            file.writelines(parts)
        written.append(path)
    return tuple(written)


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
