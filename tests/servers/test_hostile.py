"""Hostile servers: a sample of them ends in a verdict, in little memory, and in an inert report."""

from __future__ import annotations

import pytest

from fixtures.servers.hostility.table import table
from scripts.survive import attempt, main

SAMPLE = [
    ("markup-in-every-text", "http"),
    ("markup-in-every-answer", "mcp"),
    pytest.param("endless-noise", "stdio", marks=pytest.mark.slow),
    pytest.param("compression-bomb", "http", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of a session with a server that has markup in every text."""
    folder = tmp_path_factory.mktemp("report")
    survived = attempt("markup-in-every-text", "http", folder, max_time=15.0)
    assert survived.wrong == ""
    return folder / "report.html"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "binding"), SAMPLE[1:])
def test_a_hostile_server_ends_in_a_verdict_and_a_report_in_little_memory(name, binding):
    assert attempt(name, binding, max_time=15.0).wrong == ""


@pytest.mark.slow
def test_the_report_on_markup_runs_no_script_and_asks_for_nothing(report, chromium):
    from tests.browser import opened

    page, seen = opened(chromium, report.as_uri())
    for row in page.locator("details > summary").all()[:20]:
        if row.is_visible():
            row.click(timeout=2000, no_wait_after=True)
    own = ("file:", "data:", "blob:")
    assert [url for url in seen.requests if not url.startswith(own)] == []
    assert (seen.dialogs, page.locator("img[src='x']").count()) == ([], 0)
    assert "pwned" not in page.title()


HASHES = ("", "#r1", "#r99999", "#r1<img src=x onerror=alert(1)>", "#__proto__", "#search",
          "#r1%00", "#:~:text=pwned", "#" + "r" * 100_000)  # fmt: skip
SOUGHT = ("<img src=x onerror=alert(1)>", "(a+)+$", "\\", "a" * 50_000, "__proto__")


@pytest.mark.slow
def test_the_report_on_links_leads_nowhere_that_a_target_says(tmp_path, chromium):
    from tests.browser import opened

    assert attempt("names-that-are-links", "http", tmp_path, max_time=15.0).wrong == ""
    report = (tmp_path / "report.html").as_uri()
    page, seen = opened(chromium, report)
    for fragment in HASHES:
        page.goto(report + fragment)
    page.click("#open-all")
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    for sought in SOUGHT:
        page.fill("#search", sought)
    addresses = page.evaluate("[...document.querySelectorAll('a')].map(each => each.href)")
    assert addresses
    own = (tmp_path.as_uri() + "/", "https://")
    assert [each for each in addresses if not each.startswith(own) or "192.0.2.1" in each] == []
    assert page.locator("iframe, form, base, object, embed, svg[onload], img").count() == 0
    assert {url.partition("#")[0] for url in seen.requests} == {report}
    assert (seen.dialogs, seen.errors) == ([], [])
    assert "pwned" not in page.title()
    assert page.evaluate("({}).pwned") is None


def test_every_hostile_server_has_a_binding():
    assert [name for name, bindings in table().items() if not bindings] == []


def test_a_hostile_server_that_does_not_exist_is_an_unusable_command_line(capsys):
    assert main(["--only", "no-such-server"]) == 2
    assert "no-such-server" in capsys.readouterr().err
