"""The line that a report prints below a finding: run again, it finds the same."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cli.check import parser
from conformance.kit.config.options import given_in, repeating, with_defaults
from conformance.kit.config.settings import settings_of
from conformance.kit.model.results import Finding
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import again_line
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load, packages
from conformance.spec.vocabulary import Verdict
from fixtures.servers.faults import FAULTS
from scripts.prove import serving, trials_of
from tests.kit.drive.test_driving import COUNT, WHERE, right
from tests.kit.peers import offering
from tests.kit.samples import envelope, error
from tests.thorough import every

AMONG_MANY = {"noise-behind-a-buffer"}
"""Faults that only many calls show: the line of one case cannot show them."""
FEW = ("get_booking", "search_database")
"""The tools to call if a fault is not about a tool."""
SAMPLE = [fault for fault in every(24, list(FAULTS.values())) if fault.name not in AMONG_MANY]


def checked(*words):
    """A session as the command line would run it: its report, and its items."""
    chosen = parser().parse_intermixed_args(list(words))
    given = given_in(vars(chosen))
    given["target"] = [*chosen.targets, *given.get("target", [])]
    session = Session(settings_of(with_defaults(given), Path.cwd()))
    chapters = [load(package) for package in packages()]
    session.scripts = [script for chapter in chapters for script in chapter.scripts]
    session.discover(session.settings.targets)
    asked = session.questions([test for chapter in chapters for test in chapter.tests])
    session.drive()
    items = session.judge(asked)
    seen = session.recorder.by_id.get
    report = Report(session.results(asked, items), options=repeating(given), exchange=seen)
    return report, list(items.values())


def failing(items):
    """The clauses that fail, each with its tool and the finding that the report shows."""
    broken = (item for item in items if item.verdict is Verdict.FAIL)
    return {(item.clause, item.tool): item.findings[0] for item in broken}


def printed_by(*words):
    """The line of each failure that has one."""
    report, items = checked(*words)
    lines = {key: again_line(report, finding) for key, finding in failing(items).items()}
    return {key: line for key, line in lines.items() if line is not None}


def found_by(line):
    """The clauses that fail, each with its tool, if a printed line is run."""
    _, items = checked(*shlex.split(line)[2:])
    return failing(items).keys()


def not_found_again(*words):
    """The failures with a printed line, and those of them that their own line does not find."""
    printed = printed_by(*words)
    again = {line: found_by(line) for line in {*printed.values()}}
    return printed, [(key, line) for key, line in printed.items() if key not in again[line]]


def one_tool_in_words(name, arguments):
    """`count` refuses in the envelope; `where` refuses every call in words of its own."""
    if name == "where":
        return 404, {"detail": "unknown place"}
    if right(arguments):
        return 200, {"ok": True}
    return 422, envelope(error(parameter="n", tool_name="count"))


def test_a_claim_that_only_other_cases_show_is_in_the_line():
    with offering([COUNT, WHERE], one_tool_in_words) as url:
        printed, lost = not_found_again(url, "--profile", "http")
        assert ("ATDF-ERR-015", "where") in printed
        assert lost == []
        printed, lost = not_found_again(url, "--profile", "http", "--profile", "atdf")
    line = printed["ATDF-ERR-015", "where"]
    assert lost == []
    assert line.count("--profile atdf") == 1


def test_a_claim_of_the_target_itself_is_not_in_the_line():
    tools = [{**COUNT, "tags": ["counting"]}, {**WHERE, "tags": ["places"]}]
    with offering(tools, one_tool_in_words) as url:
        printed, lost = not_found_again(url)
    assert ("ATDF-ERR-015", "where") in printed
    assert lost == []
    assert not [line for line in printed.values() if "--profile" in line]


def test_a_line_of_another_run_does_not_claim():
    with offering([COUNT, WHERE], one_tool_in_words) as url:
        report, items = checked(url)
    found = failing(items)["ATDF-ERR-015", "where"]
    other = Finding(found.message, case="http-2/where/baseline-1")
    assert "--profile atdf" in again_line(report, found)
    assert "--profile" not in again_line(report, other)
    told = replace(report, options=("--target", "TARGET"), recorded=True)
    assert "TARGET --profile atdf --replay" in again_line(told, found)


@pytest.mark.slow
@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("fault", SAMPLE, ids=lambda fault: fault.name)
def test_the_line_below_each_failure_finds_it_again(fault):
    """On a server that starts afresh, because some calls work only once."""
    (trial,) = trials_of(fault, full=False)
    words = ["--allow-calls", "all", "--profile", "http" if trial.binding == "http" else "mcp"]
    words += [word for name in fault.tools or FEW for word in ("--include-tool", name)]
    with serving(trial) as target:
        printed = printed_by(target, *words)
    lines = dict.fromkeys(printed.values(), "")
    for line in lines:
        with serving(trial) as fresh:
            lines[line] = found_by(line.replace(target, fresh))
    assert [key for key, line in printed.items() if key not in lines[line]] == []
