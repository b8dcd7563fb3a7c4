"""A fault of the kit costs one tool, one script or one clause: all else gets its verdict."""

from dataclasses import replace

import pytest

from conformance.kit.cases.phases import Plans
from conformance.kit.model.settings import Settings
from conformance.kit.report.exit import Exit, exit_of
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_driving import COUNT, judged, sound
from tests.kit.peers import offering

WHERE = {**COUNT, "name": "where"}


def answers(name, arguments):
    return sound("count", arguments)


@pytest.fixture
def unplannable(monkeypatch):
    """Planning the tool `where` raises, as it once did on extreme numbers."""
    really = Plans.cases

    def cases(self, tool, *more, **options):
        if tool.name == "where":
            raise OverflowError("cannot convert float infinity to integer")
        return really(self, tool, *more, **options)

    monkeypatch.setattr(Plans, "cases", cases)


def by_tool(items, tool):
    return {clause: item for (clause, about), item in items.items() if about == tool}


@pytest.mark.usefixtures("unplannable")
def test_a_tool_that_cannot_be_planned_costs_that_tool_alone():
    items, _, _ = judged(answers, tools=(COUNT, WHERE), max_examples=0)
    ours, theirs = by_tool(items, "count"), by_tool(items, "where")
    assert Verdict.KIT_ERROR not in {item.verdict for item in ours.values()}
    assert ours["ATDF-CALL-001"].verdict is Verdict.PASS
    failed = theirs["ATDF-CALL-001"]
    assert failed.verdict is Verdict.KIT_ERROR
    said = failed.findings[0].message.words()
    assert "where" in said
    assert "OverflowError" in said
    declared = [clause for clause, item in theirs.items() if item.verdict is not Verdict.KIT_ERROR]
    assert declared
    assert all(ours[clause].verdict is theirs[clause].verdict for clause in declared)
    again, _, _ = judged(answers, tools=(COUNT, WHERE), max_examples=0)
    known = by_tool(again, "where")["ATDF-CALL-001"]
    assert known.findings[0].message == failed.findings[0].message, "and has the same id"


@pytest.mark.usefixtures("unplannable")
def test_the_session_is_reported_and_ends_as_a_fault_of_the_kit():
    _, session, result = judged(answers, tools=(COUNT, WHERE), max_examples=0)
    code, _ = exit_of(result, session.settings, called_matters=True)
    assert code is Exit.KIT_FAULT
    assert len(result.kit_errors) > 1
    assert "Traceback" in result.kit_traces[0]


def test_a_script_that_raises_costs_the_clauses_that_rest_on_it():
    def broken(script):
        def raising(stage):
            raise ZeroDivisionError("of the kit")
            yield

        return replace(script, function=raising)

    chapter = load("conformance.http")
    with offering([COUNT], sound) as url:
        session = Session(Settings(targets=(url,), profiles=("http",), max_examples=0))
        spoilt, *others = chapter.scripts
        session.scripts = [broken(spoilt), *others]
        session.discover((url,))
        asked = session.questions(list(chapter.tests))
        session.drive()
        items = session.judge(asked)
    verdicts = [item.verdict for item in items.values()]
    assert Verdict.KIT_ERROR in verdicts
    assert Verdict.PASS in verdicts
    said = next(i for i in items.values() if i.verdict is Verdict.KIT_ERROR).findings[0]
    assert "ZeroDivisionError: of the kit" in said.message.words()


def test_a_fault_while_confirming_leaves_every_verdict(monkeypatch):
    async def raising(*_, **__):
        raise KeyError("of the kit")

    def wrong(name, arguments):
        return 200, {"ok": True}

    monkeypatch.setattr("conformance.kit.confirm.confirming.repeat", raising)
    items, session, _ = judged(wrong, max_examples=0)
    assert items["ATDF-CALL-002", "count"].verdict is Verdict.NOT_VERIFIED
    assert [fault.what for fault in session.confirming.faults] == ["KeyError: 'of the kit'"]
