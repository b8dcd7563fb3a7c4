"""Measures how a browser opens the report of very many tools, and a row of it.

    python -m scripts.bench_report [--tools N]

The results are invented, from real clauses and messages: to drive a thousand tools would take
minutes, and a page does not depend on it. The kit's own code for reports writes the page.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.kit.model.case import Case, CaseKind, Expectation, Violation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest
from conformance.kit.model.results import (
    Explain,
    Finding,
    Item,
    LevelState,
    Rate,
    Repair,
    RunResult,
    SessionResult,
)
from conformance.kit.model.run import MODERN, Run
from conformance.kit.verdicts.judge import belongs
from conformance.spec.clauses import clauses
from conformance.spec.messages import message
from conformance.spec.vocabulary import Binding, Level, Scope, Verdict
from scripts.measure.figures import Figure, told

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
TOOLS = 1_000
TURNS = 3
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

_TARGET = "http://127.0.0.1:8000"
_RUNS = (
    Run("http", _TARGET, Binding.HTTP, _TARGET),
    Run(f"mcp-{MODERN}", _TARGET, Binding.MCP, f"{_TARGET}/mcp", MODERN),
    Run("mcp-2025-11-25", _TARGET, Binding.MCP, f"{_TARGET}/mcp", "2025-11-25"),
)
_FAILS = 10
"""Each clause fails for one in this number of tools, with different tools for each clause."""
_WORDS = (
    ("finding.call.accepted", {"parameter": "guests", "sent": "9", "keywords": "maximum"}),
    ("finding.error.parameter_name", {"named": "check_out", "parameter": "guests"}),
)

_PLUGIN = """
import pytest
from conformance.kit.plugin.html_report import HtmlReport, ReportState
from scripts.bench_report import exchange_of, session_of

state = ReportState()

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.pluginmanager.register(HtmlReport("report.html", config, state))

def pytest_runtestloop(session):
    state.session = session_of({tools})
    state.exchange = exchange_of
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """The milliseconds until the page is drawn, and until a row is drawn."""

    opens: float
    row: float


def session_of(tools: int) -> SessionResult:
    """Return invented results of three runs; each clause about tools fails for some tools."""
    names = [f"tool_{number:05}" for number in range(tools)]
    numbers = count(1)
    return SessionResult(
        kit="1.0",
        started="2026-11-21T09:40:12+00:00",
        duration=300.0,
        seed=0,
        runs=tuple(_run(run, names, numbers) for run in _RUNS),
    )


def _run(run: Run, names: Sequence[str], numbers: Iterator[int]) -> RunResult:
    asked = [c for c in clauses().values() if c.scope is Scope.TOOL and belongs(c, run)]
    items = [
        Item(
            clause.id,
            clause.requirement,
            run.id,
            name,
            Verdict.FAIL if fails else Verdict.PASS,
            tuple(_finding(run, name, number, next(numbers)) for number in range(2 * fails)),
            checked=50,
        )
        for place, clause in enumerate(asked)
        for number, name in enumerate(names)
        for fails in [(number + place) % _FAILS == 0]
    ]
    return RunResult(
        run=run,
        level=Level.NONE,
        levels={level: LevelState(reached=False) for level in Level if level is not Level.NONE},
        repair=Repair(Rate(900, 1_000), {"maximum": Rate(900, 1_000)}),
        explain=Explain(),
        items=tuple(items),
        tools_called=tuple(names),
        tools_left_out=(),
        baseline_accepted=tuple(names),
        claims_atdf=True,
        requests=100 * len(names),
    )


def _finding(run: Run, tool: str, number: int, exchange: int) -> Finding:
    id, values = _WORDS[number % len(_WORDS)]
    case = CaseId(run.id, tool, "above-maximum", "guests", count=number).text
    words = message(id, **values)
    return Finding(words, exchange, case, "above-maximum", "guests", "$.errors[0].parameter_name")


def exchange_of(id: int) -> Exchange:
    """Return a call with a kilobyte of arguments, and its refusal."""
    tool = f"tool_{id % TOOLS:05}"
    arguments = {"guests": 9, "wishes": [f"wish {number}" for number in range(60)]}
    refusal = {"errors": [{"type": "about:blank", "parameter_name": "check_out", "detail": "No."}]}
    case = Case(
        CaseId("http", tool, "above-maximum", "guests"),
        CaseKind.BROKEN,
        "above-maximum",
        arguments,
        Expectation.REJECT,
        Violation("/guests", "guests", ("maximum",), was=2, sent=9),
    )
    request = HttpRequest(
        "POST",
        f"{_TARGET}/tools/{tool}/invoke",
        (("Content-Type", "application/json"),),
        json.dumps(arguments).encode(),
    )
    headers = (("content-type", "application/json"),)
    answer = Answer(422, headers, json.dumps(refusal).encode())
    return Exchange(id, "http", request, answer, None, 1.0, 0.018, case)


def written(folder: Path, tools: int = TOOLS) -> Path:
    """Write the report of so many tools, and return its path; raises `CalledProcessError`."""
    (folder / "conftest.py").write_text(_PLUGIN.format(tools=tools), encoding="utf-8")
    (folder / "test_nothing.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
    named = ("-ppytest_metadata.plugin", "-ppytest_html.plugin", "-pno:cacheprovider")
    command = [sys.executable, "-m", "pytest", *named]
    subprocess.run(
        [*command, "-q", "-c", os.devnull, "--rootdir", "."],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    return folder / "report.html"


_DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_OPENS = f"""async () => {{
    await {_DRAWN};
    performance.mark('drawn');
    return performance.getEntriesByName('drawn')[0].startTime;
}}"""
_ROW = f"""async (button) => {{
    performance.mark('asked');
    button.click();
    await {_DRAWN};
    performance.mark('open');
    return performance.measure('row', 'asked', 'open').duration;
}}"""


def seen(browser: Browser, report: Path) -> Seen:
    """Open a report and its first row, and measure both with the page's clock."""
    page = browser.new_page()
    try:
        page.goto(report.as_uri())
        opens: float = page.evaluate(_OPENS)
        first = page.locator("#results-table tbody .open").first
        row: float = first.evaluate(_ROW)
        assert page.locator("#results-table .detail").first.is_visible()
    finally:
        page.close()
    return Seen(opens, row)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the installed browser, or Playwright's; raises Playwright's `Error` without one."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for development alone

    with sync_playwright() as playwright:
        found = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


def figures(tools: int = TOOLS) -> list[Figure]:
    """Return the measurements for a report of this number of tools."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        report = written(Path(folder), tools)
        took = time.perf_counter() - began
        with chromium() as browser:
            turns = [seen(browser, report) for _ in range(TURNS)]
        size = report.stat().st_size / 1e6
    of = {"tools": tools}
    return [
        Figure("report_written", (took,), of),
        Figure("report_size", (size,), of),
        Figure("report_opens", tuple(turn.opens for turn in turns), of),
        Figure("report_row", tuple(turn.row for turn in turns), of),
    ]


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="bench_report", description="Measure the report's page.")
    parser.add_argument("--tools", type=int, default=TOOLS, help=f"how many (default {TOOLS})")
    chosen = parser.parse_args(arguments)
    from playwright.sync_api import Error  # noqa: PLC0415 - for development alone

    try:
        measured = figures(chosen.tools)
    except Error as error:
        sys.stderr.write(f"bench_report: no Chromium to open the report in: {error.message}\n")
        return 1
    sys.stdout.writelines(f"{told(figure)}\n" for figure in measured)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
