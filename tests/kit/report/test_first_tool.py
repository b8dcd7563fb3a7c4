"""What is printed about the first tool, while all others are still to be called."""

import asyncio

import pytest

from conformance.kit.drive import tool_turns as driving
from conformance.kit.model.settings import Settings
from conformance.kit.report.progress import FirstTool, first_line, first_tool
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_driving import COUNT, WHERE, sound
from tests.kit.peers import offering
from tests.waiting import slow_by

LANGUAGES = ("en", "es", "pt")


def driven(call):
    """A session with such a server: its session, what was told early, and the items at the end."""
    chapter = load("conformance.atdf")
    told = []
    with offering([COUNT, WHERE], call) as url:
        session = Session(Settings(targets=(url,), profiles=("http",)))
        session.discover((url,))
        asked = session.questions(list(chapter.tests))

        async def first(run, tool):
            done = {e.case.tool for e in session.recorder.by_id.values() if e.case is not None}
            told.append((await first_tool(asked, session.evidence()[run], tool), done))

        session.progress.first = first
        session.drive()
        items = session.judge(asked)
    return session, told, [items[n] for n in range(len(asked))]


def test_the_first_tool_is_told_before_the_second_is_called(monkeypatch):
    monkeypatch.setattr(driving, "FIRST_TOOL_AHEAD", 60.0)
    _, told, items = driven(sound)
    [(seen, called)] = told
    assert (seen.run, seen.tool, seen.doubtful) == ("http", "count", 0)
    assert called == {"count"}
    held = [i for i in items if i.tool == "count" and i.verdict is Verdict.PASS]
    assert seen.held == len(held) > 5


def test_what_seems_broken_is_counted_apart():
    _, [(seen, _)], items = driven(lambda name, arguments: (200, {"ok": True}))
    broken = [i for i in items if i.tool == "count" and i.verdict in {Verdict.FAIL, Verdict.WARN}]
    assert seen.doubtful == len(broken) > 0


def test_a_slow_first_tool_holds_up_no_other(monkeypatch):
    monkeypatch.setattr(driving, "FIRST_TOOL_AHEAD", 0.0)

    def call(name, arguments):
        slow_by(0.02 if name == "count" else 0.0)
        return sound(name, arguments)

    session, [(seen, called)], _ = driven(call)
    assert (seen.tool, called) == ("count", {"count", "where"})
    assert not any(e.trouble for e in session.recorder.by_id.values())


def test_where_no_call_shows_anything_nothing_is_told():
    session, _, _ = driven(sound)
    evidence = session.evidence()["http"]
    assert asyncio.run(first_tool([], evidence, "count")) is None


def test_a_first_tool_that_refused_the_call_that_should_work_is_not_said_to_hold():
    _, [(seen, _)], _ = driven(lambda name, arguments: (404, {"detail": "unknown"}))
    assert seen.refused
    line = first_line(seen, "en")
    assert "was refused, so most clauses cannot be checked yet" in line
    assert "none seems broken" not in line
    _, [(seen, _)], _ = driven(sound)
    assert not seen.refused


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_line_names_the_tool_and_what_is_open(language):
    whole = first_line(FirstTool("http", "count", 12, 0), language)
    open_ = first_line(FirstTool("http", "count", 1, 2), language)
    assert whole.startswith("http: ")
    assert "count" in whole
    assert "12" in whole
    assert whole != open_
    assert {"1", "2"} <= set(open_.split())
