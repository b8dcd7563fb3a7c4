"""Turns: what is cheap and certain comes first, and each tool shows something in time."""

import asyncio
import math
from collections import Counter

import pytest

from conformance.kit.drive import tool_turns
from conformance.kit.drive.tool_turns import Turns
from conformance.kit.model.case import CaseKind
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Scope, Verdict, Verified
from tests.kit.drive.test_driving import COUNT, right
from tests.kit.peers import offering
from tests.waiting import slow_by

NEVER = math.inf


class Run:
    """A tool's run that writes down its steps; `stops` at one of them for good."""

    is_heavy = False
    promises = False
    accepts = None

    def __init__(self, name, log, stops="", took=0.0):
        self.name, self.log, self.stops, self.took = name, log, stops, took
        self.is_begun = self.is_told = False
        self.gathered = True
        self.planned = None

    def drop_plan(self):
        """It holds none."""

    def let_go(self):
        self.gathered = False

    async def begin(self):
        self.is_begun = True
        await self._step("begin")

    def plan(self):
        self.planned = len(self.log)

    async def tell(self):
        await self._step("tell")
        self.is_told = True

    async def finish(self):
        await self._step("finish")

    async def _step(self, step):
        if step == self.stops:
            await asyncio.Event().wait()
        self.log.append((step, self.name))
        await asyncio.sleep(0)


def taken(log, *runs, first=None, ends=NEVER, until=None):
    """What was kept of such runs, in the end, by the name of each."""
    kept = {}

    async def between():
        log.append(("between", ""))

    async def main():
        own = Turns(
            runs, lambda run, done, fault=None: kept.update({run.name: done}), between, first
        )
        async with asyncio.timeout(None) as limit:
            if until is not None:
                asyncio.get_running_loop().call_soon(_when, until, limit)
            await own.take(ends)

    with pytest.raises(TimeoutError) if until else _nothing():
        asyncio.run(main())
    return kept


def _when(until, limit):
    """End what goes on as soon as nothing else happens."""
    loop = asyncio.get_running_loop()
    if until():
        limit.reschedule(loop.time())
    else:
        loop.call_soon(_when, until, limit)


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def steps(log):
    """The kinds of steps, in order, without repetitions."""
    return list(dict.fromkeys(step for step, _ in log))


def test_every_tool_begins_before_any_goes_on():
    log = []
    kept = taken(log, *(Run(f"t{n}", log) for n in range(9)))
    assert steps(log) == ["begin", "between", "tell", "finish"]
    assert Counter(step for step, _ in log) == {"begin": 9, "between": 1, "tell": 9, "finish": 9}
    assert kept == {f"t{n}": True for n in range(9)}


def test_the_first_tools_are_planned_from_their_baseline_on_beside_the_calls_of_others():
    log = []
    runs = [Run(f"t{n}", log) for n in range(20)]
    taken(log, *runs)
    ahead = [run for run in runs if run.planned is not None]
    assert ahead == runs[: len(ahead)]
    assert 4 <= len(ahead) < len(runs)
    for run in ahead:
        assert log.index(("begin", run.name)) < run.planned <= log.index(("between", ""))
    assert runs[0].planned < log.index(("begin", "t19"))


def test_a_tool_that_does_not_end_takes_nothing_from_the_others():
    log = []
    runs = [Run("slow", log, stops="finish"), *(Run(f"t{n}", log) for n in range(6))]
    kept = taken(log, *runs, until=lambda: sum(step == "finish" for step, _ in log) == 6)
    assert kept == {"slow": False, **{f"t{n}": True for n in range(6)}}
    assert ("tell", "slow") in log


def test_a_tool_that_is_done_keeps_nothing_in_memory_while_others_go_on():
    log = []
    slow, *quick = (Run(name, log, stops="finish" * (name == "slow")) for name in ("slow", *"abc"))
    taken(log, slow, *quick, until=lambda: sum(step == "finish" for step, _ in log) == 3)
    assert slow.gathered
    assert not any(run.gathered for run in quick)


def test_what_did_not_begin_in_time_begins_in_its_next_turn():
    log = []
    kept = taken(log, Run("a", log), Run("b", log), ends=-NEVER)
    assert steps(log) == ["between", "tell", "finish"]
    assert kept == {"a": True, "b": True}


def test_of_very_many_tools_each_is_finished_in_its_turn(monkeypatch):
    monkeypatch.setattr(tool_turns, "MOST_IN_TURNS", 3)
    log = []
    taken(log, *(Run(f"t{n}", log) for n in range(9)))
    assert steps(log)[:2] == ["begin", "between"]
    assert log.index(("finish", "t0")) < log.index(("tell", "t8"))


def test_a_quick_first_tool_goes_before_all_others():
    log, shown = [], []

    async def first(run):
        shown.append((run.name, len(log)))

    taken(log, Run("a", log), Run("b", log), first=first)
    assert log[:3] == [("begin", "a"), ("tell", "a"), ("finish", "a")]
    assert shown == [("a", 3)]


def test_a_slow_first_tool_waits_for_its_turn():
    log, shown = [], []

    async def first(run):
        shown.append((run.name, ("tell", "a") in log))

    taken(log, Run("a", log, took=60.0), Run("b", log), first=first)
    assert steps(log) == ["begin", "between", "tell", "finish"]
    assert shown == [("a", True)]


@pytest.mark.slow
def test_a_session_whose_time_is_up_has_verdicts_for_what_it_did():
    """Of a server that would need minutes; it is not waited for longer than ten seconds more."""
    tools = [{**COUNT, "name": f"count{n}"} for n in range(12)]

    def call(name, arguments):
        slow_by(0.1)
        return (200, {"ok": True}) if right(arguments) else (400, {"n": "1 to 9"})

    settings = Settings(
        profiles=("http",), max_time=20.0, concurrency=2, request_timeout=5.0, max_examples=200
    )
    chapters = [load(f"conformance.{name}") for name in ("atdf", "http")]
    tests = [test for chapter in chapters for test in chapter.tests]
    with offering(tools, call) as url:
        session = Session(settings)
        session.scripts.extend(script for chapter in chapters for script in chapter.scripts)
        session.discover((url,))
        asked = session.questions(tests)
        session.drive()
        items = session.judge(asked)
    result = session.results(asked, items)
    assert result.time_up
    assert result.duration <= settings.max_time + 10
    (evidence,) = session.evidence().values()
    for tool in evidence.by_tool.values():
        assert CaseKind.BASELINE in {call.case.kind for call in tool.calls}
    told = [tool for tool in evidence.by_tool.values() if tool.sampled]
    assert told
    by = {(q.clause.id, q.tool): items[n].verdict for n, q in enumerate(asked)}
    assert by["ATDF-CALL-001", told[0].tool.name] is Verdict.PASS
    wire = [
        items[n].verdict
        for n, q in enumerate(asked)
        if q.clause.scope is Scope.TARGET and q.clause.verified is Verified.WIRE
    ]
    assert Verdict.PASS in wire


def test_those_that_change_nothing_have_their_baseline_before_any_other_is_called():
    log = []
    runs = [Run(f"t{n}", log) for n in range(9)]
    for run in runs[4:]:
        run.promises = True
    taken(log, *runs)
    begun = [name for step, name in log if step == "begin"]
    assert set(begun[:5]) == {"t4", "t5", "t6", "t7", "t8"}
