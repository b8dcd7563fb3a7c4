"""The hooks of pytest-html that make the compliance report out of a session.

Register `HtmlReport` and put a `ReportState` into `config.stash[REPORT_STATE]` before the session
starts; fill in its `session` before the session finishes. pytest-html writes the page with our rows
in place of its own: one of its own is one item, and a thousand tools have sixty thousand of those.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import SessionResult
from conformance.kit.report.data import Redact, unchanged
from conformance.kit.report.fold import Folded, fold
from conformance.kit.report.levels import all_items
from conformance.kit.report.localise import MASTHEAD, MASTHEAD_END, SCRIPT, localise
from conformance.kit.report.outcome import Ended
from conformance.kit.report.page import masthead, targets, top
from conformance.kit.report.rows import (
    RESULTS,
    entry,
    filter_bar,
    head_cells,
    row_cells,
    templates,
)
from conformance.kit.report.safe_text import in_html, visible
from conformance.kit.report.view import View, no_exchange
from conformance.kit.report.words import say
from conformance.spec.vocabulary import Verdict

_OWN_ROWS = 20
"""Rows of pytest's own errors: what the kit could not turn into a verdict."""


@dataclass(slots=True)
class ReportState:
    """What the report is made from; `session` is None until there is something to report.

    `exchange` gives evidence by id, `redact` takes secrets out of any text. `judged` holds the ids
    of the items whose verdict is in the session, so that an error of theirs has no second row.
    """

    language: str = "en"
    session: SessionResult | None = None
    ended: Ended | None = None
    exchange: Callable[[int], Exchange | None] = no_exchange
    redact: Redact = unchanged
    fail_on_should: bool = False
    judged: Container[str] = frozenset()
    options: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


REPORT_STATE = pytest.StashKey[ReportState]()
HTML_REPORT = "agent-formats-html"
"""The name that the plugin is registered under."""


class HtmlReport:
    """The plugin; `config` is pytest's."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._report: Any = None
        self._own_rows = 0

    @property
    def _state(self) -> ReportState:
        return self._config.stash.get(REPORT_STATE, ReportState())

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Name the page, and keep every row closed and in our order."""
        self._report = report
        report.title = say("report.title", self._state.language)
        report.set_data("environment", {})
        report.set_data("renderCollapsed", ["all"])
        report.set_data("initialSort", "original")

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """Put our columns in place of pytest-html's."""
        cells[:] = head_cells(self._state.language)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: Any, cells: list[str]) -> None:
        """Keep only what is no verdict: an error of the kit in set-up or collection.

        Where no session was reached, each report keeps its row.
        """
        error = report.failed and report.when != "call"
        state = self._state
        wanted = state.session is None or (error and report.nodeid not in state.judged)
        if not wanted or self._own_rows >= _OWN_ROWS:
            cells.clear()
            return
        if report.when == "call" or not report.passed:
            self._own_rows += 1
        result = "Error" if error else str(report.outcome).capitalize()
        verdict = Verdict.KIT_ERROR if error else _LIKE.get(report.outcome, Verdict.NOT_VERIFIED)
        view = self._view()
        name = view.text(report.nodeid)
        button = (
            '<button type="button" class="open" aria-expanded="false">'
            f'<span class="says">{name}</span></button>'
        )
        label = f'<span data-verdict="{verdict.value}">{view.verdict(verdict)}</span>'
        cells[:] = row_cells(result, f"own-{self._own_rows}", label, button, "")

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: Any, data: list[str]) -> None:
        """Show pytest's own account of an error, without secrets and inert."""
        text = self._state.redact(report.longreprtext)
        data[:] = [in_html(text, 20_000, lines=True)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str], postfix: list[str]) -> None:
        """Write the top of the page, and put the folded rows into pytest-html's data."""
        state = self._state
        folded, view = Folded((), 0), self._view()
        if state.session is not None:
            folded = fold(all_items(state.session))
            name = visible(state.redact(", ".join(targets(view))))
            self._report.title = f"{say('report.title', state.language)}: {name}"
            self._put_rows(folded, view)
            prefix.append(MASTHEAD + masthead(view) + MASTHEAD_END)
            prefix.append(top(view, folded))
        else:
            nothing = say("report.html.no-session", state.language)
            prefix.append(f'<p class="notice">{in_html(nothing, None)}</p>')
        postfix.append(filter_bar(folded, view))
        postfix.append(templates(folded, view))
        postfix.append(f"<script>{SCRIPT}</script>")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """Localise the page once pytest-html has written it."""
        result = yield
        written = self._config.getoption("htmlpath", None)
        if written and self._report is not None:
            path = Path.cwd() / Path(os.path.expandvars(written)).expanduser()
            localise(path, self._state.language)
        return result

    def _view(self) -> View:
        state = self._state
        session = state.session or SessionResult("", "", 0.0, 0, ())
        return View(
            session,
            state.language,
            state.exchange,
            state.redact,
            options=state.options,
            headers=state.headers,
            ended=state.ended,
        )

    def _put_rows(self, folded: Folded, view: View) -> None:
        report = self._report
        tests = dict(report.data["tests"])
        for row in folded.rows:
            warned = row.verdict is Verdict.WARN and self._state.fail_on_should
            result = "Failed" if warned else RESULTS[row.verdict]
            tests[row.id] = [entry(row, view, result)]
            report.outcomes[result.lower()]["value"] += 1
        report.set_data("tests", tests)


_LIKE = {"passed": Verdict.PASS, "failed": Verdict.FAIL}
