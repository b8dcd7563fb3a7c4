"""Keeps pytest's dots away: of thousands of clauses, the summary says what a reader needs."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from conformance.formats.messages import message
from conformance.kit.drive.discovered import Discovered
from conformance.kit.item import ClauseItem
from conformance.kit.report.text import visible
from conformance.kit.secrets import Redactor

_MARK = "clause"
"""The marker that every clause's item carries, and so the keywords of its reports."""


class QuietItems:
    """The plugin: items of clauses report nothing by themselves, unless with `-v`."""

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(
        self, report: pytest.TestReport | pytest.CollectReport, config: pytest.Config
    ) -> Generator[None, Any, Any]:
        """Keep the category, which pytest counts, without a letter or a word to write."""
        status = yield
        if config.get_verbosity() > 0 or _MARK not in getattr(report, "keywords", ()):
            return status
        return status[0], "", ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the names of the files away too, where all items are clauses'."""
        config = session.config
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        ours = all(isinstance(item, ClauseItem) for item in session.items)
        if ours and reporter is not None and config.get_verbosity() <= 0:
            reporter.showfspath = False


def header(found: list[Discovered], language: str, redact: Redactor) -> str:
    """One line: which targets are judged, and by which runs."""
    targets = ", ".join(dict.fromkeys(one.run.target for one in found))
    runs = ", ".join(one.run.id for one in found)
    said = message("kit.judging", targets=targets, runs=runs).words(language)
    return visible(redact(said), 400)
