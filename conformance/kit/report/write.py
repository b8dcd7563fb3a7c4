"""The files of a report, and which reporter writes each."""

from __future__ import annotations

from pathlib import Path

from conformance.kit.model.settings import RECORD
from conformance.kit.report.badge import Badge
from conformance.kit.report.html.page import Page
from conformance.kit.report.replay_file import ReplayFile
from conformance.kit.report.reporter import Report, Reporter
from conformance.kit.report.results_json import ResultsJson
from conformance.kit.report.summary import Summary

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
