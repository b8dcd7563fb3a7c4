"""What was not called, and what was called with care, is said where it is seen, with what to do."""

from dataclasses import replace

import pytest

from conformance.kit.model.results import LeftOut
from conformance.kit.model.run import Run
from conformance.kit.report import reproduce
from conformance.kit.report.html.page import Page
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import wider
from conformance.kit.report.summary import Summary
from conformance.kit.report.terminal import Terminal
from conformance.spec.messages import message
from conformance.spec.vocabulary import Binding
from tests.kit.report.sample import sample_words, session

UNCALLED = "No tool was called: this level is based on documents alone."
STARTED = Run("stdio-2025-11-25", "stdio:serve", Binding.STDIO, "serve", "2025-11-25")


@pytest.fixture(autouse=True)
def words(monkeypatch):
    monkeypatch.setattr(reproduce.sys, "platform", "linux")
    with sample_words():
        yield


def left_out(why, run=STARTED, called=()):
    """A session in which this tool was left out."""
    sample = session()
    left = (LeftOut("book", message(f"kit.left_out.{why}", method="PUT")),)
    own = replace(sample.runs[0], run=run, tools_called=called, tools_left_out=left, items=())
    return replace(sample, runs=(own,))


def told(made, **more):
    """What the terminal, the summary and the page say."""
    report = Report(made, "en", **more)
    reporters = (Terminal(), Summary(), Page("1", []))
    return ["".join(each.parts(report)) for each in reporters]


def test_that_no_tool_was_called_is_said_first_with_the_line_that_calls_them():
    words = ("--target", "stdio:serve", "--allow-calls", "none", "--seed", "3")
    terminal, summary, page = told(left_out("none"), options=words)
    lines = terminal.splitlines()
    assert lines[0] == UNCALLED
    assert lines[2].endswith("check stdio:serve --seed 3 --sandbox")
    assert lines[3].startswith(
        "    Only if the server cannot work there, use --allow-calls all instead"
    )
    assert summary.index(UNCALLED) < summary.index("Level")
    assert "--seed 3 --sandbox</code>" in summary
    assert page.index(UNCALLED) < page.index('id="h-standing"')


def test_where_some_tools_were_called_the_line_follows_what_was_left_out():
    terminal, summary, page = told(left_out("read_only", called=("other",)))
    assert UNCALLED not in terminal + summary
    lines = terminal.splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip().startswith("book: is not marked"))
    assert lines[at + 2].endswith("--sandbox")
    assert "--sandbox</code>" in page[page.index('id="h-left-out"') :]


@pytest.mark.parametrize("why", ["read_only", "destructive", "other_method"])
def test_a_server_that_runs_already_is_in_no_sandbox(why):
    made = wider(Report(left_out(why, session().runs[0].run)))
    assert made.line.endswith("--allow-calls all")


def test_what_was_left_out_in_the_sandbox_is_called_by_the_widest_option():
    made = wider(Report(left_out("none"), options=("--sandbox",), sandbox=True))
    assert made.line.endswith("--sandbox --allow-calls all")


def test_a_system_without_a_sandbox_is_not_told_of_one(monkeypatch):
    monkeypatch.setattr(reproduce.sys, "platform", "darwin")
    assert wider(Report(left_out("read_only"))).line.endswith("--allow-calls all")


def test_what_no_option_includes_has_no_such_line():
    assert wider(Report(left_out("task_required"))) is None
    terminal, *_ = told(left_out("task_required"))
    assert terminal.splitlines()[:2] == [UNCALLED, ""]


def test_a_server_without_a_tool_is_told_that_it_needs_one_and_not_that_it_needs_the_claim():
    without = left_out("none")
    none = replace(without.runs[0], tools_left_out=(), claims_atdf=False)
    needs, claim = "The kit found no tool. Every higher level", "does not claim ATDF"
    for words in told(replace(without, runs=(none,))):
        assert needs in words
        assert claim not in words
    for words in told(replace(without, runs=(replace(none, tools_called=("book",)),))):
        assert needs not in words
        assert claim in words


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "[of a record"])
def test_an_openapi_document_without_an_operation_is_named(host):
    without = left_out("none")
    run = replace(without.runs[0].run, openapi=True)
    url = f"http://{host}/openapi.json"
    none = replace(without.runs[0], run=run, tools_left_out=(), claims_atdf=False, tools_path=url)
    for words in told(replace(without, runs=(none,))):
        assert "found no operation in the OpenAPI document at http" in words
        assert "/openapi.json. Every" in words
        assert "found no tool" not in words


@pytest.mark.parametrize("change", [{"selection": True}, {"interrupted": True}])
def test_a_session_without_a_level_says_nothing_of_one(change):
    assert not any(UNCALLED in each for each in told(replace(left_out("none"), **change)))


def test_tools_that_were_called_with_care_are_named():
    sample = session()
    own = replace(sample.runs[0], tools_spared=("flight_search",))
    for each in told(replace(sample, runs=(own,))):
        assert "it may reach beyond the server: " in each
        assert "at most 60 calls" in each
        assert "flight" in each.partition("beyond the server: ")[2][:60]
