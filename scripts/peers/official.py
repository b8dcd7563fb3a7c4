"""Runs the official MCP conformance kit for two versions of MCP, and reads its files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from scripts.peers.outcome import Failure, Outcome
from scripts.peers.run import run

NAME: Final = "mcp-conformance"
REVISIONS: Final = ("2025-11-25", "2026-07-28")
"""The newest version of each era. The kit runs all that a version requires, and more."""
_BROKEN: Final = frozenset({"FAILURE", "WARNING"})
_FOLDER: Final = re.compile(r"server-(?P<scenario>.+?)-\d{4}-\d\d-\d\dT[\d-]+Z")
_NOT_SCORED: Final = re.compile(r"^  [✓✗] (?P<scenario>[\w./-]+) \([\w-]+\)", re.MULTILINE)
NOT_SCORED: Final = "not scored"
"""Marks the failures that the kit reports but does not count: extensions, and later additions."""
_FAILED: Final = re.compile(r"^✗ (?P<scenario>[\w./-]+): \d+ passed, \d+ failed", re.MULTILINE)


def judge(program: Sequence[str], endpoint: str, folder: Path) -> Outcome:
    """Run the kit for each version, one after the other, as its documentation says."""
    failures: set[Failure] = set()
    seconds, processor, finished = 0.0, 0.0, True
    for revision in REVISIONS:
        own = folder / revision
        own.mkdir()
        words = [*program, "server", "--url", endpoint, "--requirements", revision]
        ran = run([*words, "--output-dir", "checks"], own)
        seconds += ran.seconds
        processor += ran.processor
        finished = finished and ran.code in (0, 1)
        unscored = {found["scenario"] for found in _NOT_SCORED.finditer(ran.said)}
        failures.update(
            (*failure, NOT_SCORED) if failure[1] in unscored else failure
            for failure in (
                *failures_of(revision, own / "checks"),
                *failed_of(revision, ran.said),
            )
        )
    return Outcome(frozenset(failures), seconds, None, finished, processor)


def failures_of(revision: str, folder: Path) -> Iterator[Failure]:
    """Yield each check that failed or warned: the version, the scenario, the check."""
    for file in sorted(folder.glob("*/checks.json")):
        found = _FOLDER.fullmatch(file.parent.name)
        scenario = found["scenario"] if found else file.parent.name
        checks: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        for check in checks:
            if check.get("status") in _BROKEN:
                yield (revision, scenario, str(check.get("id")))


def failed_of(revision: str, said: str) -> Iterator[Failure]:
    """Yield each failed scenario of the summary: one that was interrupted has no checks."""
    for found in _FAILED.finditer(said):
        yield (revision, found["scenario"])
