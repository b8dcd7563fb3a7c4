"""The page of a session: pytest-html collects and writes it, with the kit's own templates.

pytest-html's report class gets its template from pytest-html's plugin. Here the kit passes its own.
It keeps only those of pytest's reports that are not verdicts: a thousand tools have sixty thousand
items.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

import pytest
from pytest_html.report_data import ReportData
from pytest_html.selfcontained_report import SelfContainedReport

from conformance.kit.model.exchange import Exchange
from conformance.kit.model.fault import FaultLog
from conformance.kit.model.results import SessionResult
from conformance.kit.model.written import Redact, unchanged
from conformance.kit.report.exit import Ended
from conformance.kit.report.html.page import STYLE, OwnRow, Page
from conformance.kit.report.reporter import Report, no_exchange
from conformance.kit.report.safe_text import visible
from conformance.kit.report.write import no_file
from conformance.spec.vocabulary import Verdict

_LEAST = (
    '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title id="head-title">Conformance'
    '</title><meta name="description" content="">\n<pre>{}</pre>\n'
)
"""The page if a fault of the kit costs even the page about it."""
_OWN_ROWS = 20
"""The most rows for pytest's own errors, which the kit could not turn into a verdict."""


@dataclass(slots=True)
class ReportState:
    """What the report is made from, filled in during the session. `session` is None until it has a
    result.

    `judged` holds the ids of the items whose verdict is in the session, so that their errors get no
    second row.
    """

    language: str = "en"
    session: SessionResult | None = None
    ended: Ended | None = None
    exchange: Callable[[int], Exchange | None] = no_exchange
    held: Iterable[Exchange] = ()
    redact: Redact = unchanged
    fail_on_should: bool = False
    fail_on_superseded: bool = False
    judged: Container[str] = frozenset()
    options: tuple[str, ...] = ()
    recorded: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    variables: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    sandbox: bool = False
    failed: FaultLog = field(default_factory=FaultLog)
    """The faults of the kit that cost a part of the report."""

    def report(self) -> Report:
        """Return what the reporters need; with an empty session if there is none."""
        return Report(
            self.session or SessionResult("", "", 0.0, 0, ()),
            self.language,
            self.redact,
            self.options,
            self.headers,
            self.sandbox,
            self.ended,
            self.fail_on_should,
            self.fail_on_superseded,
            self.exchange,
            self.recorded,
            self.held,
            self.variables,
            self.passed,
        )


class HtmlReport(SelfContainedReport):  # type: ignore[misc]  # pytest-html has no types
    """Makes pytest-html write the page. This object is also its template."""

    def __init__(self, path: str | Path, config: pytest.Config, state: ReportState) -> None:
        super().__init__(path, config, ReportData(config), template=self, css=STYLE)
        self.path = Path(path)
        self._state = state
        self._own: list[OwnRow] = []

    def write_to(self, path: Path) -> None:
        """Set the path of the page. It is moved to its final place later."""
        self._report_path = path

    def render(self, *, version: str, **_: Any) -> str:
        """Return the page. pytest-html calls this as the `render` of a template."""
        page = Page(version, self._own, empty=self._state.session is None)
        try:
            made = "".join(page.parts(self._state.report()))
        except Exception as error:
            trace = self._state.failed.note(no_file(page.name), error).trace
        else:
            self._state.failed.noted += page.failed.noted
            return made
        row = OwnRow("own", Verdict.KIT_ERROR, page.name, trace)
        nothing = replace(self._state, session=None).report()
        try:
            return "".join(Page(version, [row], empty=True).parts(nothing))
        except Exception as error:
            self._state.failed.note(no_file(page.name), error)
            return _LEAST.format(escape(visible(nothing.redact(trace), None, lines=True)))

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the path of the page, unless the kit's own summary does."""
        if self._state.session is None:
            super().pytest_terminal_summary(terminalreporter)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep an error of collection."""
        if report.failed:
            self._keep(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep every report that is not a verdict; without a session, keep the outcome of each
        item.
        """
        if report.when == "call" or not report.passed:
            self._keep(report)

    def _keep(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        state = self._state
        error = report.failed and report.when != "call"
        wanted = state.session is None or (error and report.nodeid not in state.judged)
        if wanted and len(self._own) < _OWN_ROWS:
            verdict = Verdict.KIT_ERROR if error else _LIKE.get(report.outcome)
            id = f"own-{len(self._own) + 1}"
            log = report.longreprtext
            self._own.append(OwnRow(id, verdict or Verdict.NOT_VERIFIED, report.nodeid, log))


_LIKE = {"passed": Verdict.PASS, "failed": Verdict.FAIL}
