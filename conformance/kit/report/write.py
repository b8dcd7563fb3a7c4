"""Writes the files of a report, each with its reporter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from conformance.kit.model.fault import FaultLog
from conformance.kit.model.results import SessionResult
from conformance.kit.model.settings import RECORD
from conformance.kit.report.data import ResultsJson
from conformance.kit.report.html.page import Page
from conformance.kit.report.levels import failing, session_level, standing_name
from conformance.kit.report.replay_file import ReplayFile
from conformance.kit.report.reporter import Report, Reporter
from conformance.kit.report.summary import Summary
from conformance.kit.report.words import say
from conformance.spec.clauses import clauses
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Level


class Badge:
    """Writes the badge of a session."""

    name = "badge.json"

    def parts(self, report: Report) -> Iterator[str]:
        """Yield the document."""
        yield json.dumps(badge(report.session, report.language), indent=1) + "\n"


REPORTERS: tuple[Reporter, ...] = (ResultsJson(), Badge(), Summary(), ReplayFile())
"""Add a reporter here for each new file of the report."""

EXCHANGES, JUNIT = RECORD, "junit.xml"
"""The session's record, which is written while the kit drives, and pytest's own report."""

FILES = (*(reporter.name for reporter in REPORTERS), Page.name, JUNIT, EXCHANGES)
"""All files of a report. The kit removes those of an earlier report before a session begins."""


LOOKED_AT = 8 * 1024
"""How many bytes of a file are searched for its mark."""
_MARKS = {
    ResultsJson.name: rb'\{\s*"kit": "[^"]*",\s*"started": "',
    Badge.name: rb'\{\s*"schemaVersion": 1,\s*"label": "agent formats"',
    # The title may be longer than what is looked at.
    Summary.name: rb"## (?:Conformance report|Informe de conformidad|Relat[^:\n]*): "
    rb"[^\n]*(?:\Z|\n\n\*\*)",
    ReplayFile.name: rb'"""Sends again what broke a clause',
    Page.name: rb'(?s).*<title id="head-title">(?:Conformance|Informe de|Relat)[^<]*'
    rb'(?:\Z|</title>\s*<meta name="description")',
    # pytest writes it. It is the kit's if a test in it has the id of a clause. pytest writes the
    # package before the name only if it finds one. A short file without tests may be replaced.
    JUNIT: rb'(?s).*\.test_\w+" name="test_\w+\[(?:%s)\b|' % "|".join(clauses()).encode()
    + rb"(?!.*<testcase|.{%d})<\?xml" % LOOKED_AT,
    # `floats` comes first if the record has numbers that JSON cannot express.
    EXCHANGES: rb'\{(?:"floats":"float[-0-9a-f]*:",)?"format":\s*\d+,\s*"kit":',
}
"""Patterns by which the kit recognizes its own files."""


def foreign_file(directory: Path, names: Iterable[str]) -> Path | None:
    """Return the first of these files that another program wrote; raises `OSError`."""
    for name in names:
        path = directory / name
        if not path.is_file():
            continue
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
        if not is_marked(name, head):
            return path
    return None


def is_marked(name: str, head: bytes) -> bool:
    """Return whether a file begins like the kit's own file of this name, or is empty."""
    empty = not head.strip() and len(head) < LOOKED_AT
    return empty or re.match(_MARKS[name], head) is not None


def write_files(
    report: Report,
    directory: Path,
    reporters: Iterable[Reporter] = REPORTERS,
    failed: FaultLog | None = None,
) -> list[Path]:
    """Write the file of each reporter into `directory`, and return the paths.

    `failed` gets each fault of the kit that prevented a file. Raises `OSError` if the directory
    cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    failed = FaultLog() if failed is None else failed
    for reporter in reporters:
        path = directory / reporter.name
        with failed.noting(no_file(reporter.name)):
            parts = iter(reporter.parts(report))
            first = next(parts, None)
            if first is not None:
                write_whole(path, chain((first,), parts))
                written.append(path)
    return written


def no_file(name: str) -> Message:
    """Return the message that a file of the report could not be written."""
    return message("kit.report_failed", file=name)


def part_of(name: str) -> str:
    """Return the temporary name of a file while it is written."""
    return f".{name}.part"


def write_whole(path: Path, parts: Iterable[str]) -> None:
    """Write a file under a temporary name, then rename it, so that nobody sees a partial file.

    An existing temporary file is removed first: it could be a link to another person's file.
    """
    beside = path.with_name(part_of(path.name))
    beside.unlink(missing_ok=True)
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.writelines(parts)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


OUTDATED = "lightgrey"
"""The color of a badge that says nothing about the current state of the server."""

_COLORS = {
    None: OUTDATED,
    Level.NONE: "red",
    Level.DESCRIBED: "orange",
    Level.GUARDED: "yellow",
    Level.EXPLAINED: "green",
    Level.RECOVERABLE: "brightgreen",
    Level.FAITHFUL: "yellow",
    Level.HONEST: "green",
    Level.RESILIENT: "brightgreen",
}
_GREENER = {level for level in Level if _COLORS[level] in {"yellow", "green", "brightgreen"}}
_BROKEN = "orange"
"""The best color while a clause is broken. Some clauses fail a session but belong to no level."""


def badge(session: SessionResult, language: str = "en") -> dict[str, Any]:
    """Return the badge: the level of the weakest full run, gray if no run has one.

    It also counts the broken clauses of current versions, because a level alone would look like
    success.
    """
    level = session_level(session)
    name, color = standing_name(session, language), _COLORS[level]
    broken = {item.clause for item in failing(session)}
    if broken and level is not None:
        name = say("report.badge.broken", language, level=name, count=len(broken))
        color = _BROKEN if level in _GREENER else color
    return {
        "schemaVersion": 1,
        "label": say("report.badge.label", language),
        "message": name,
        "color": color,
    }
