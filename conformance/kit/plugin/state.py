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
from conformance.kit.session import Session


@dataclass(frozen=True, slots=True)
class Held:
    """The directory of a report, which no other session may write into, by its number.

    `alone` says that none does: not every file system has locks.
    """

    lock: int | None
    known: os.stat_result
    alone: bool = False

    def is_still(self, folder: Path) -> bool:
        """Whether this is the directory that was there when the session began."""
        return os.path.samestat(folder.stat(), self.known)

    def release(self) -> None:
        """Let other sessions in."""
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
    removed: bool = False
    """Whether the report of an earlier session was where this one writes its own, and was removed.
    """
    taken: bool = False
    """Whether an earlier report, if there was one, is taken away."""
    made: tuple[Path, ...] = ()
    """The folders that were made for the report, the innermost first."""
    begun: bool = False
    """Whether this session was to write a report."""
    held: Held | None = None
    """The directory of the report, once a report was begun."""
    staged: Path | None = None
    """Where the files of the report are until all of them are written."""
    placed: list[Path] = field(default_factory=list)
    """Those that are where they belong."""

    page: HtmlReport | None = None
    """What writes `report.html`; None where nothing is written."""

    result: SessionResult | None = None
    said_first: str = ""
    said_of_settings: str = ""
    """Which options a settings file gave."""
    said_at_exit: str = ""
    said_of_examples: str = ""
    scripts_of: set[str] = field(default_factory=set)
    plan_faults: list[Fault] = field(default_factory=list)
    """What the kit failed at while it listed what it would send."""


STATE = pytest.StashKey[PluginState]()


def memory_of(config: pytest.Config, redact: Redactor) -> Memory | None:
    """What is remembered from session to session, in pytest's own cache: `--cache-clear` forgets
    it, `cache_dir` says where it is, and without a cache that can be written to there is none.
    """
    cache = getattr(config, "cache", None)
    if cache is None or not config.getoption("--max-examples"):
        return None
    try:
        return Memory(cache.mkdir("agent-formats"), redact)
    except OSError:
        return None
