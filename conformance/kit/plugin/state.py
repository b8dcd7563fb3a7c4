"""What the plugin's hooks share in one session."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from conformance.kit.cases.database import Memory
from conformance.kit.config.secrets import Redactor
from conformance.kit.model.fault import Fault
from conformance.kit.model.results import SessionResult
from conformance.kit.model.settings import Settings
from conformance.kit.plugin.html_report import HtmlReport, ReportState
from conformance.kit.plugin.reference_server import ReferenceServer
from conformance.kit.report.safe_text import visible
from conformance.kit.report.terminal import Line
from conformance.kit.session import Session


@dataclass(frozen=True, slots=True)
class Held:
    """The locked directory of a report.

    `alone` is False if the file system has no locks, so that another session may write there too.
    """

    lock: int | None
    known: os.stat_result
    alone: bool = False

    def is_still(self, folder: Path) -> bool:
        """Return whether this is the same directory as when the session began."""
        return os.path.samestat(folder.stat(), self.known)

    def release(self) -> None:
        """Release the lock."""
        if self.lock is not None:
            os.close(self.lock)


@dataclass(slots=True)
class PluginState:
    """What the hooks of one session share."""

    settings: Settings
    session: Session
    redact: Redactor
    report: ReportState
    reference: ReferenceServer | None = None
    deselected: bool = False
    collected: int = 0
    """The questions of all items that were collected. Another plugin may remove items unseen."""
    removed: bool = False
    """Whether there was an earlier report in this directory, and it was removed."""
    taken: bool = False
    """Whether any earlier report has been removed by now."""
    made: tuple[Path, ...] = ()
    """The directories that were made for the report, the innermost first."""
    started: bool = False
    """Whether pytest's session has started, so that a report follows."""
    begun: bool = False
    """Whether this session has to write a report."""
    held: Held | None = None
    """The directory of the report, once a report was begun."""
    staged: Path | None = None
    """The directory that holds the files of the report until all of them are written."""
    placed: list[Path] = field(default_factory=list)
    """The files that were moved to their final place."""

    page: HtmlReport | None = None
    """Writes `report.html`; None if no report is written."""

    result: SessionResult | None = None
    said_first: str = ""
    said_of_settings: str = ""
    """The sentence that lists the options that a settings file gave."""
    summary: tuple[Line, ...] = ()
    """The lines about the result, for the terminal."""
    said_at_exit: str = ""
    said_of_examples: str = ""
    scripts_of: set[str] = field(default_factory=set)
    plan_faults: list[Fault] = field(default_factory=list)
    """Faults of the kit while it listed the plan."""

    def say_at_exit(self, *words: str) -> None:
        """Add lines to what the terminal shows last."""
        lines = [self.said_at_exit, *(visible(self.redact(line), None) for line in words)]
        self.said_at_exit = "\n".join(filter(None, lines))


STATE = pytest.StashKey[PluginState]()


def memory_of(config: pytest.Config, redact: Redactor) -> Memory | None:
    """Return what the kit remembers between sessions; None if nothing can be stored.

    It is in pytest's cache: `--cache-clear` deletes it, and `cache_dir` sets its place.
    """
    cache = getattr(config, "cache", None)
    if cache is None or not config.getoption("--max-examples"):
        return None
    try:
        return Memory(cache.mkdir("agent-formats"), redact)
    except OSError:
        return None
