"""The page of a session: pytest-html collects and writes, the templates are the kit's own.

pytest-html's report class is made for its own plugin, which hands it a template. The kit hands it
one of its own, and keeps of pytest's reports only those that no verdict is of: a thousand tools
have sixty thousand items.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pytest_html.report_data import ReportData
from pytest_html.selfcontained_report import SelfContainedReport

from conformance.kit.model.exchange import Exchange
from conformance.kit.model.fault import fault_of
from conformance.kit.model.results import SessionResult
from conformance.kit.model.written import Redact, unchanged
from conformance.kit.report.exit import Ended
from conformance.kit.report.html.page import STYLE, OwnRow, Page
from conformance.kit.report.reporter import Report, no_exchange
from conformance.kit.report.write import not_written
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Verdict

_OWN_ROWS = 20
"""Rows of pytest's own errors: what the kit could not turn into a verdict."""


@dataclass(slots=True)
class ReportState:
    """What the report is made from, filled in on the way; `session` is None until there is one.

    `judged` holds the ids of the items whose verdict is in the session, so that an error of theirs
    has no second row.
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
    sandbox: bool = False
    failed: list[Message] = field(default_factory=list)
    """What of the report is missing because of a fault of the kit."""

    def report(self) -> Report:
        """Give what the reporters take; of no session where there is none."""
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
        )


class HtmlReport(SelfContainedReport):  # type: ignore[misc]  # pytest-html has no types
    """Has pytest-html write the page; it is its own template, with the session as it is then."""

    def __init__(self, path: str | Path, config: pytest.Config, state: ReportState) -> None:
        super().__init__(path, config, ReportData(config), template=self, css=STYLE)
        self.path = Path(path)
        self._state = state
        self._own: list[OwnRow] = []

    def write_to(self, path: Path) -> None:
        """Have the page written there; it is put where it belongs later."""
        self._report_path = path

    def render(self, *, version: str, **_: Any) -> str:
        """Give the page, as pytest-html asks its template for it."""
        page = Page(version, self._own, empty=self._state.session is None)
        try:
            made = "".join(page.parts(self._state.report()))
        except Exception as error:
            self._state.failed.append(not_written(page.name, error))
            row = OwnRow("own", Verdict.KIT_ERROR, page.name, fault_of(error).trace)
            nothing = replace(self._state, session=None).report()
            return "".join(Page(version, [row], empty=True).parts(nothing))
        self._state.failed += page.failed
        return made

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the page, unless the kit's own summary does."""
        if self._state.session is None:
            super().pytest_terminal_summary(terminalreporter)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep an error of collection."""
        if report.failed:
            self._keep(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep all but verdicts; if no session was reached, what each item came to."""
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
