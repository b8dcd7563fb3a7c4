"""A fault of the kit while it writes a report costs a row or a file; the rest is written."""

from tests.kit.drive.test_driving import COUNT, sound
from tests.kit.peers import offering
from tests.kit.plugin.test_report_files import run_with

BROKEN = """
import pytest
from conformance.kit.report.html import page
from conformance.kit.report.summary import Summary

def parts(summary, report):
    raise ZeroDivisionError("of the summary")
    yield

really, told = page.evidence, []

def evidence(row, report):
    told.append(row.clause)
    if told.count(row.clause) == len(told) == 1:
        raise ZeroDivisionError("of the row")
    return really(row, report)

Summary.parts, page.evidence = parts, evidence
"""
UNTOLD = """
from conformance.kit.report.html.page import Page

really = Page.parts

def parts(page, report):
    if not page.empty:
        raise ZeroDivisionError("of the page")
    return really(page, report)

Page.parts = parts
"""


def written_with(plugin, tmp_path):
    (tmp_path / "breaks.py").write_text(plugin)
    folder = tmp_path / "report"
    with offering([COUNT], sound) as url:
        ran = run_with("breaks", url, folder)
    return ran, {path.name: path.read_text() for path in folder.iterdir()}


def test_a_fault_in_a_file_or_a_row_costs_that_alone(tmp_path):
    ran, files = written_with(BROKEN, tmp_path)
    assert ran.returncode == 3
    assert {"results.json", "badge.json", "report.html", "junit.xml"} <= files.keys()
    assert "summary.md" not in files
    assert ran.stdout.count("ZeroDivisionError: of the summary") == 1
    assert ran.stdout.count("ZeroDivisionError: of the row") == 1
    assert files["report.html"].count("ZeroDivisionError: of the row") == 1
    assert 'data-verdict="pass"' in files["report.html"], "the row itself is there"
    assert "Traceback" not in ran.stdout + ran.stderr


def test_a_fault_in_the_whole_page_is_told_on_a_page(tmp_path):
    ran, files = written_with(UNTOLD, tmp_path)
    assert ran.returncode == 3
    assert {"results.json", "badge.json", "summary.md"} <= files.keys()
    assert "ZeroDivisionError: of the page" in files["report.html"]
    assert "ZeroDivisionError: of the page" in ran.stdout
