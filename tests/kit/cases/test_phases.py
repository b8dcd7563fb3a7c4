"""A tool is planned once for all runs of its server, and each gets the plan that is its own."""

import asyncio
import gc
import threading
import tracemalloc
from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Input, Invocation, Tool, ToolForm, Where
from conformance.kit.cases import phases
from conformance.kit.cases.drawn import drawn_of
from conformance.kit.cases.phases import HEAVY_PLAN, LARGE_PLAN, HeldPlan, Plans, all_cases
from conformance.kit.cases.plan import Plan
from tests.kit.samples import HTTP, MCP, STDIO, case
from tests.waiting import rounds

BRANCH = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
SCHEMA = {
    "type": "object",
    "properties": {
        "place": {"type": "string", "minLength": 2},
        "guests": {"type": "integer", "minimum": 1, "maximum": 4},
        "by": {"anyOf": [{"type": "string"}, BRANCH]},
    },
    "required": ["place"],
}
TOOL = Tool(name="rooms", input_schema=SCHEMA, form=ToolForm.MCP, raw={})
GOOD = {"place": "Lima"}
RUNS = (HTTP, MCP, STDIO)
HOW = {"seed": 7, "count": 4}


@pytest.fixture
def made(monkeypatch):
    """The runs for which a plan was made."""
    asked = []

    def counted(tool, run, *rest, **more):
        asked.append(run.id)
        return all_cases(tool, run, *rest, **more)

    monkeypatch.setattr(phases, "all_cases", counted)
    return asked


def test_each_run_gets_the_plan_that_it_would_have_alone(made):
    plans = Plans()
    for run in RUNS:
        alone = all_cases(TOOL, run, GOOD, **HOW)
        assert plans.cases(TOOL, run, GOOD, **HOW) == alone
        assert alone.branches
        assert {case.neighbour for case in alone.cases} != {None}
    assert made == [""]


def test_another_baseline_makes_another_plan(made):
    plans = Plans()
    plans.cases(TOOL, HTTP, GOOD, **HOW)
    plans.cases(TOOL, HTTP, {"place": "Quito"}, **HOW)
    assert made == ["", ""]


def test_what_travels_as_text_is_planned_for_its_run_alone(made):
    asked = Tool(
        name="rooms",
        input_schema=SCHEMA,
        form=ToolForm.CATALOG,
        raw={},
        invocation=Invocation("/rooms", "GET"),
    )
    planned = Plans().cases(asked, HTTP, GOOD, **HOW)
    assert planned == all_cases(asked, HTTP, GOOD, **HOW)
    assert made == ["http"]


def test_the_plan_of_an_operation_with_a_whole_body_is_no_other_run_s(made):
    whole = replace(TOOL, invocation=Invocation("/rooms", inputs=(Input("by", Where.WHOLE),)))
    for first, second in (((whole, HTTP), (TOOL, MCP)), ((TOOL, MCP), (whole, HTTP))):
        plans = Plans()
        plans.cases(*first, GOOD, **HOW)
        assert plans.cases(*second, GOOD, **HOW) == all_cases(*second, GOOD, **HOW)


def test_what_was_remembered_of_one_run_is_sent_in_that_one_alone(made):
    plans = Plans()
    whole = plans.cases(TOOL, HTTP, GOOD, **HOW)
    seen = [drawn_of(case) for case in whole.cases if case.scenario.startswith("random-")][:1]
    again = plans.cases(TOOL, HTTP, GOOD, remembered=seen, **HOW)
    assert [case.id for case in again.remembered] == [seen[0].id]
    assert plans.cases(TOOL, MCP, GOOD, **HOW).remembered == ()


def test_no_more_plans_are_kept_than_a_few(made):
    plans = Plans()
    for number in (*range(phases.KEPT_PLANS), 0):
        plans.cases(TOOL, HTTP, {"place": f"Place {number}"}, seed=1, count=0)
    assert len(made) == phases.KEPT_PLANS
    for number in (phases.KEPT_PLANS, phases.KEPT_PLANS - 1, 0):
        plans.cases(TOOL, HTTP, {"place": f"Place {number}"}, seed=1, count=0)
    assert len(made) == phases.KEPT_PLANS + 2


def test_no_more_bytes_of_plans_are_kept_than_a_few(made, monkeypatch):
    plans = Plans()
    weight = plans.cases(TOOL, HTTP, {"place": "Place 0"}, seed=1, count=0).weight
    assert weight > 0
    monkeypatch.setattr(phases, "KEPT_BYTES", 3 * weight)
    for number in (1, 2, 3):
        plans.cases(TOOL, HTTP, {"place": f"Place {number}"}, seed=1, count=0)
    assert len(made) == 4
    plans.cases(TOOL, HTTP, {"place": "Place 3"}, seed=1, count=0)
    assert len(made) == 4
    plans.cases(TOOL, HTTP, {"place": "Place 0"}, seed=1, count=0)
    assert len(made) == 5


def test_a_schema_too_deep_to_be_written_is_named(made):
    deep = {}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}}
    planned = Plans().cases(replace(TOOL, input_schema=deep), HTTP, GOOD, seed=1, count=0)
    assert planned.cases == ()
    assert "deep" in planned.problems[0]
    assert made == ["http"]


def test_nothing_is_drawn_where_none_is_asked_for_and_another_seed_draws_other_cases():
    def drawn(seed, count, remembered=()):
        made = all_cases(TOOL, HTTP, GOOD, seed=seed, count=count, remembered=remembered)
        found = [case for case in made.cases if case.scenario.startswith("random-")]
        return found, made.remembered

    some, _ = drawn(7, 4)
    assert drawn(7, 4) == (some, ())
    assert drawn(8, 4) != (some, ())
    assert 0 < len(drawn(7, 1)[0]) < len(some)
    assert drawn(7, 0, [drawn_of(some[0])]) == ([], ())


def test_what_waits_to_be_planned_is_given_up_at_the_end():
    plans, may_go_on = Plans(), threading.Event()
    under_way = plans.later(may_go_on.wait)
    waiting = [plans.later(may_go_on.wait) for _ in range(3)]
    plans.close()
    may_go_on.set()
    assert under_way.result()
    assert all(each.cancelled() for each in waiting)


def weighing(size):
    """What makes a plan of so many bytes, and counts how often it was made."""
    asked = []

    async def made():
        asked.append(size)
        return Plan((case(arguments={"text": "a" * size}),))

    return made, asked


def test_a_second_large_plan_is_forgotten_until_the_first_is_done():
    async def main():
        plans = Plans()
        first, second, small = HeldPlan(plans), HeldPlan(plans), HeldPlan(plans)
        made, asked = weighing(LARGE_PLAN)
        await first.take(made)
        waiting = asyncio.create_task(second.take(made))
        await small.take(weighing(100)[0])
        await rounds(5)
        assert not waiting.done()
        first.drop()
        await waiting
        assert len(asked) == 3, "the one that waited was made anew"
        for held in (second, small):
            held.drop()
        assert plans.held == 0
        assert not plans.large.locked()

    asyncio.run(main())


def test_plans_of_many_tools_are_heavy_together():
    async def main():
        plans = Plans()
        held = [HeldPlan(plans) for _ in range(8)]
        for each in held:
            await each.take(weighing(HEAVY_PLAN - 1_000)[0])
        assert held[-1].is_heavy
        for each in held[1:]:
            each.drop()
        assert not held[0].is_heavy

    asyncio.run(main())


def test_what_was_drawn_of_long_values_is_not_kept():
    long = {"type": "string", "minLength": 60_000, "maxLength": 60_100}
    schema = {"type": "object", "properties": {"a": long}, "required": ["a"]}

    def drawn(number):
        tool = replace(TOOL, input_schema={**schema, "title": f"{number}"})
        made = all_cases(tool, HTTP, {"a": "a" * 60_000}, seed=1, count=12)
        return sum(case.scenario.startswith("random-") for case in made.cases)

    assert drawn(0) > 10  # what draws is loaded now
    tracemalloc.start()
    try:
        for number in (1, 2, 3):
            drawn(number)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1024 * 1024, "each draws more than that"
