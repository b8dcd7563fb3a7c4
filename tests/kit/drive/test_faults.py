"""A fault of the kit costs one tool, one script or one clause: all else gets its verdict."""

import importlib
from dataclasses import replace

import pytest

from conformance.kit.cases.phases import Plans
from conformance.kit.drive.run_driver import RunDriver
from conformance.kit.model.settings import Settings
from conformance.kit.plugin.plan_listing import planned
from conformance.kit.report.exit import Exit, exit_of
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_driving import COUNT, judged, right, sound
from tests.kit.peers import offering
from tests.kit.samples import envelope, error

WHERE = {**COUNT, "name": "where", "description": "Where it is."}


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


STAGES = {
    "reading": "conformance.formats.tool.declared.tool",
    "knowing": "conformance.kit.evidence.destructive.route_of",
    "checking": "conformance.kit.evidence.declarations.validate",
    "choosing": "conformance.kit.drive.session_driver.why_left_out",
    "beginning": "conformance.kit.drive.tool_driver.candidates",
    "planning": "conformance.kit.cases.phases.Plans.cases",
    "sending": "conformance.kit.drive.channel.Channel.share",
    "receiving": "conformance.kit.drive.tool_driver.call_of",
    "repairing": "conformance.kit.repair.hints.apply",
    "keeping": "conformance.kit.drive.tool_driver.ToolRun.evidence",
    "confirming": "conformance.kit.confirm.confirm.Channel.call",
    "confirmed": "conformance.kit.confirm.confirmed.judge",
    "simplifying": "conformance.kit.confirm.confirming.in_smallest_form",
    "counting": "conformance.kit.verdicts.rates.Tally.add",
}
"""What is called for each tool at each stage of a session. It raises at the tool of that name."""
JUDGED = "ATDF-ERR-001"
"""The clause whose judge raises, for the tool `judging` alone."""


def names_in(values):
    """The texts and names in what a function is given, in whatever form."""
    waiting = list(values)
    for each in waiting:
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict | list | tuple):
            waiting += each.values() if isinstance(each, dict) else each
        else:
            known = (getattr(each, name, None) for name in ("tool", "name", "clause"))
            waiting += [one for one in known if one is not None]


def failing(monkeypatch, stage, place):
    """Let a function of the kit raise where it is about the tool that is named as the stage."""
    above, _, name = place.rpartition(".")
    try:
        holder = importlib.import_module(above)
    except ModuleNotFoundError:
        module, _, owner = above.rpartition(".")
        holder = getattr(importlib.import_module(module), owner)
    really = getattr(holder, name)

    def raising(*arguments, **options):
        if stage in names_in([*arguments, *options.values()]):
            raise ZeroDivisionError(f"while {stage}")
        return really(*arguments, **options)

    monkeypatch.setattr(holder, name, raising)


def flawed(name, arguments):
    """A server whose refusals suggest a value, and which accepts too much by the tools that are to
    be confirmed.
    """
    if name in {"confirming", "confirmed", "simplifying"}:
        return 200, {"ok": True}
    if right(arguments):
        return 200, {"ok": True}
    parameter = "n" if isinstance(arguments, dict) and "n" in arguments else None
    return 422, envelope({**error(parameter="n"), "suggested_value": 3} if parameter else error())


@pytest.fixture(scope="module")
def of_all_stages():
    """A session in which each tool but one makes the kit raise, each at another stage."""
    chapter = load("conformance.atdf")
    names = ["sound", "judging", *STAGES]
    tools = [{**COUNT, "name": name, "inputSchema": {**COUNT["inputSchema"], "title": name}}
             for name in names]  # fmt: skip

    def judging(really):
        def judge(evidence):
            if evidence.tool.name == "judging":
                raise ZeroDivisionError("while judging")
            return really(evidence)

        return judge

    with pytest.MonkeyPatch.context() as monkeypatch, offering(tools, flawed) as url:
        for stage, place in STAGES.items():
            failing(monkeypatch, stage, place)
        session = Session(Settings(targets=(url,), profiles=("http",), max_examples=0))
        session.discover((url,))
        asked = [
            replace(one, test=replace(one.test, judge=judging(one.test.judge)))
            if one.clause.id == JUDGED
            else one
            for one in session.questions(list(chapter.tests))
        ]
        session.drive()
        items = session.judge(asked)
        return session, session.results(asked, items)


def told_of(result, name):
    """The verdicts on a tool, by clause."""
    return {i.clause: i.verdict for run in result.runs for i in run.items if i.tool == name}


@pytest.mark.parametrize("stage", ["judging", *STAGES])
def test_what_raises_at_a_stage_costs_one_tool(of_all_stages, stage):
    _, result = of_all_stages
    ours, theirs = told_of(result, "sound"), told_of(result, stage)
    assert theirs.keys() == ours.keys()
    assert any(f"ZeroDivisionError: while {stage}" in said for said in result.kit_errors)
    failed = {clause for clause, verdict in theirs.items() if verdict is Verdict.KIT_ERROR}
    if stage in {"reading", "checking", "choosing"}:
        assert failed >= {clause for clause, verdict in ours.items() if verdict is Verdict.PASS}
    elif stage in {"counting", "simplifying"}:
        assert not failed, "the verdicts stand"
    elif stage == "judging":
        assert failed == {JUDGED}
    else:
        assert failed


def test_what_raised_for_others_costs_no_other_tool(of_all_stages):
    session, result = of_all_stages
    assert Verdict.KIT_ERROR not in told_of(result, "sound").values()
    assert Verdict.PASS in told_of(result, "sound").values()
    code, _ = exit_of(result, session.settings, called_matters=True)
    assert code is Exit.KIT_FAULT
    (run,) = result.runs
    assert not any(state.reached for state in run.levels.values())
    assert len(set(result.kit_errors)) >= len(STAGES)
    assert any("Traceback" in trace for trace in result.kit_traces)


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
    assert len(result.kit_errors) == 1, "however many verdicts it costs"
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


def test_a_fault_that_costs_no_verdict_is_told_all_the_same():
    def raising(stage):
        raise ZeroDivisionError("of the kit")
        yield

    with offering([COUNT], sound) as url:
        session = Session(Settings(targets=(url,), profiles=("http",), max_examples=0))
        session.scripts = [replace(load("conformance.runtime").scripts[0], function=raising)]
        session.discover((url,))
        session.drive()
        result = session.results([], session.judge([]))
    assert any("ZeroDivisionError: of the kit" in said for said in result.kit_errors)


def test_a_fault_while_confirming_leaves_every_verdict(monkeypatch):
    async def raising(*_, **__):
        raise KeyError("of the kit")

    def wrong(name, arguments):
        return 200, {"ok": True}

    monkeypatch.setattr("conformance.kit.confirm.confirming.repeat", raising)
    items, session, _ = judged(wrong, max_examples=0)
    assert items["ATDF-CALL-002", "count"].verdict is Verdict.NOT_VERIFIED
    assert [fault.what for _, fault in session.faults.noted] == ["KeyError: 'of the kit'"]


def test_a_fault_that_belongs_to_no_tool_costs_its_run_alone(monkeypatch):
    really, begun = RunDriver.drive, []

    async def drive(driver):
        begun.append(driver)
        if len(begun) == 1:
            raise ZeroDivisionError("of the kit")
        await really(driver)

    monkeypatch.setattr(RunDriver, "drive", drive)
    chapter = load("conformance.atdf")
    with offering([COUNT], sound) as one, offering([WHERE], answers) as other:
        session = Session(Settings(targets=(one, other), profiles=("http",), max_examples=0))
        session.scripts.extend(chapter.scripts)
        session.discover((one, other))
        asked = session.questions(list(chapter.tests))
        session.drive()
        result = session.results(asked, session.judge(asked))
    refusal = [next(i for i in run.items if i.clause == "ATDF-CALL-001") for run in result.runs]
    assert [item.verdict for item in refusal] == [Verdict.KIT_ERROR, Verdict.PASS]
    assert any("ZeroDivisionError: of the kit" in said for said in result.kit_errors)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "its declaration cannot be used: "),
        ("es", "su declaración no se puede usar: "),
        ("pt", "a declaração dela não pode ser usada: "),
    ],
)
def test_a_plan_names_each_tool_that_cannot_be_used(language, words):
    broken = {**COUNT, "name": "broken", "inputSchema": {"type": "what"}}
    with offering([broken], sound) as url:
        session = Session(Settings(targets=(url,), profiles=("http",), language=language))
        session.discover((url,))
    (line,) = planned(session.found, session.settings)
    assert line.startswith(f"http  broken: {words}")


def test_a_fault_in_a_plan_costs_one_tool_of_the_list(monkeypatch):
    failing(monkeypatch, "where", "conformance.kit.plugin.plan_listing.candidates")
    with offering([WHERE, COUNT], sound) as url:
        session = Session(Settings(targets=(url,), profiles=("http",), max_examples=0))
        session.discover((url,))
    faults = []
    told = list(planned(session.found, session.settings, faults=faults))
    assert [fault.what for fault in faults] == ["ZeroDivisionError: while where"]
    assert sum("while where" in line for line in told) == 1
    assert any("count" in line and line.lstrip().startswith("reject") for line in told)
