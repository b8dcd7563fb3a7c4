"""The files beside `report.html` that are made from a session's result alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conformance.kit.model.results import SessionResult
from conformance.kit.report.badge import badge
from conformance.kit.report.data import Redact, results_document, unchanged
from conformance.kit.report.outcome import Ended
from conformance.kit.report.summary import summary

RESULTS, BADGE, SUMMARY = "results.json", "badge.json", "summary.md"
EXCHANGES, JUNIT, REPORT = "exchanges.ndjson", "junit.xml", "report.html"


def write_files(
    session: SessionResult,
    directory: Path,
    language: str = "en",
    redact: Redact = unchanged,
    options: tuple[str, ...] = (),
    ended: Ended | None = None,
) -> tuple[Path, ...]:
    """Write `results.json`, `badge.json` and `summary.md` into `directory`; gives their paths.

    `options` are the words of a command line that starts the session again, without secrets;
    `ended` is what the session ends with, if that is known.
    Raises OSError where the directory cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _write_json(directory / RESULTS, results_document(session, language, redact, to_write=True))
    _write_json(directory / BADGE, badge(session, language))
    told = summary(session, language, redact, options, ended)
    (directory / SUMMARY).write_text(told, encoding="utf-8")
    return tuple(directory / name for name in (RESULTS, BADGE, SUMMARY))


def _write_json(path: Path, document: dict[str, Any]) -> None:
    # ASCII only: nothing in it turns the text of an editor, and lone surrogates survive.
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.JSONEncoder(indent=1).iterencode(document))
        file.write("\n")
