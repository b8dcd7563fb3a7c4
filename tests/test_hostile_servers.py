"""Hostile servers: a sample of them ends in a verdict, in little memory, and in an inert report."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures.servers.hostility.table import table
from scripts.survive import attempt, main

SAMPLE = [
    ("markup-in-every-text", "http"),
    ("markup-in-every-answer", "mcp"),
    ("endless-noise", "stdio"),
    ("compression-bomb", "http"),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of a session with a server that has markup in every text."""
    folder = tmp_path_factory.mktemp("report")
    survived = attempt("markup-in-every-text", "http", folder)
    assert survived.wrong == ""
    return folder / "report.html"


@pytest.mark.parametrize(("name", "binding"), SAMPLE[1:])
def test_a_hostile_server_ends_in_a_verdict_and_a_report_in_little_memory(name, binding):
    assert attempt(name, binding).wrong == ""


def test_the_report_on_markup_runs_no_script_and_asks_for_nothing(report: Path):
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch()
        except api.Error as reason:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(f"no browser: {reason.message.splitlines()[0]}")
        page = browser.new_page()
        asked, said = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(report.as_uri())
        for row in page.locator("tr.collapsible td.col-result, details > summary").all()[:20]:
            row.click(timeout=2000, force=True, no_wait_after=True) if row.is_visible() else None
        title, images = page.title(), page.locator("img[src='x']").count()
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert (said, images) == ([], 0)
    assert "pwned" not in title


def test_every_hostile_server_has_a_binding():
    assert [name for name, bindings in table().items() if not bindings] == []


def test_a_hostile_server_that_does_not_exist_is_an_unusable_command_line(capsys):
    assert main(["--only", "no-such-server"]) == 2
    assert "no-such-server" in capsys.readouterr().err
