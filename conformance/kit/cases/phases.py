"""All cases of a tool: the named scenarios, and the random calls."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.drawn import Drawn
from conformance.kit.cases.plan import Plan, plan
from conformance.kit.cases.textual import is_one_value, textual
from conformance.kit.model.case import Case
from conformance.kit.model.run import Run
from conformance.kit.schema.string_formats import SOMEDAY

KEPT_PLANS: Final = 32
"""The most plans kept for other runs of the same server.

One of a big tool takes half a megabyte.
"""
KEPT_BYTES: Final = 32 * 1024 * 1024
"""The most bytes that the calls of all kept plans have together."""


LARGE_PLAN: Final = 8 * 1024 * 1024
"""A plan whose calls have more bytes is large. Only one tool at a time holds a large plan."""
HEAVY_PLAN: Final = 4 * 1024 * 1024
"""A plan whose calls have more bytes is heavy. Its tool is finished before others have a turn."""
_MOST_HELD: Final = 16 * 1024 * 1024
"""If the calls that all tools hold together have more bytes, each plan counts as heavy."""


class Plans:
    """Plans each tool once for all runs that list it. By default, five runs check one server."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Plan, int]] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()
        self._planner = ThreadPoolExecutor(1, "plan")
        self.held = 0
        """Bytes of the calls in all plans that tools hold now."""
        self.large = asyncio.Lock()
        """Locked by the tool with a large plan. No other large plan is kept meanwhile."""

    def later(self, planned: Callable[[], Plan]) -> Future[Plan]:
        """Plan while calls are made, one tool at a time, so that the first plan is ready sooner."""
        return self._planner.submit(planned)

    def close(self) -> None:
        """Cancel the plans that wait: Python would make all of them before it exits."""
        self._planner.shutdown(wait=False, cancel_futures=True)

    def cases(
        self,
        tool: Tool,
        run: Run,
        baseline: Mapping[str, Any],
        *,
        seed: int,
        count: int,
        remembered: Sequence[Drawn] = (),
        today: datetime = SOMEDAY,
    ) -> Plan:
        """Return the plan that `all_cases` makes, from the cache if it is the same for all runs.

        It differs between runs if calls are remembered, if values travel as text, or if the whole
        body is one of several inputs.
        """

        def made_for(own: Run) -> Plan:
            return all_cases(
                tool,
                own,
                baseline,
                seed=seed,
                count=count,
                remembered=remembered,
                today=today,
            )

        if remembered or textual(tool, run) is not None or not is_one_value(tool, run):
            return made_for(run)
        try:
            key = json.dumps([tool.name, tool.input_schema, dict(baseline), seed, count])
        except RecursionError:
            return made_for(run)
        with self._lock:
            known = self._known.get(key)
        if known is not None:
            return _of_run(known[0], run.id)
        made = made_for(replace(run, id=""))
        self._keep(key, made, made.weight)
        return _of_run(made, run.id)

    def _keep(self, key: str, made: Plan, weight: int) -> None:
        with self._lock:
            if key not in self._known:
                self._known[key] = made, weight
                self._weight += weight
            while len(self._known) > KEPT_PLANS or self._weight > KEPT_BYTES:
                self._weight -= self._known.popitem(last=False)[1][1]


class HeldPlan:
    """What one tool holds of all plans, from its first case to its last."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._weight = 0
        self._is_large = False

    @property
    def is_heavy(self) -> bool:
        """Whether the plan should be dropped soon: it is heavy, or all held plans together are."""
        return self._weight > HEAVY_PLAN or self._plans.held > _MOST_HELD

    async def take(self, made: Callable[[], Awaitable[Plan]]) -> Plan:
        """Return the plan once no other large one is held. If it has to wait, it is made again."""
        plan: Plan | None = await made()
        assert plan is not None
        if plan.weight > LARGE_PLAN:
            waits = self._plans.large.locked()
            plan = None if waits else plan
            await self._plans.large.acquire()
            self._is_large = True
            plan = plan or await made()
        self._weight = plan.weight
        self._plans.held += self._weight
        return plan

    def drop(self) -> None:
        """Stop holding the plan, so that other tools can hold as much."""
        self._plans.held -= self._weight
        self._weight = 0
        if self._is_large:
            self._is_large = False
            self._plans.large.release()


def all_cases(
    tool: Tool,
    run: Run,
    baseline: Mapping[str, Any],
    *,
    seed: int,
    count: int,
    remembered: Sequence[Drawn] = (),
    today: datetime = SOMEDAY,
) -> Plan:
    """Plan a tool's cases from a baseline call, with at most `count` random calls of each kind.

    The calls in `remembered` failed in an earlier session. If `count` is 0, the plan has neither
    random nor remembered calls.
    """
    named = plan(tool, run, baseline, today=today)
    if count <= 0:
        return named
    # The random phase takes longer to load than all the rest. The first call does not need it.
    from conformance.kit.cases.random.plan import with_chance  # noqa: PLC0415

    return with_chance(named, tool, run, baseline, seed=seed, count=count, remembered=remembered)


def _of_run(made: Plan, run: str) -> Plan:
    """Return a plan that was made without a run, with the ids of this one."""

    def own(case: Case) -> Case:
        beside = None if case.neighbour is None else case.neighbour.in_run(run)
        return replace(case, id=case.id.in_run(run), neighbour=beside)

    return replace(made, cases=tuple(map(own, made.cases)), branches=tuple(map(own, made.branches)))
