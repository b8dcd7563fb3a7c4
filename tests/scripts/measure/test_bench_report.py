"""The report of a thousand tools in a real browser: it opens at once, and so does a row of it.

The goals are those of the benchmark. A busy machine is many times slower than its own best, so
what fails here is a page that got slower by an order, not by a little.
"""

import os

import pytest
from playwright.sync_api import Error

from scripts.bench_report import chromium, seen, written

OPENS, ROW = 1_000, 100
"""Milliseconds: the goals."""
BUSY = 10
TURNS = 3


@pytest.fixture(scope="module")
def in_chromium():
    try:
        with chromium() as own:
            yield own
    except Error as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"no Chromium to open the report in: {error.message.splitlines()[0]}")


def test_the_report_of_a_thousand_tools_opens_at_once_and_so_does_a_row(in_chromium, tmp_path):
    report = written(tmp_path)
    assert report.read_text(encoding="utf-8").count("<template id=") > 50
    turns = [seen(in_chromium, report) for _ in range(TURNS)]
    opens, row = min(turn.opens for turn in turns), min(turn.row for turn in turns)
    print(f"open after {opens:.0f} ms, a row after {row:.0f} ms")
    assert opens < BUSY * OPENS
    assert row < BUSY * ROW
