"""Drives one tool: baseline calls, cases, repairs, and the baseline call once more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import Any

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.baseline import GIVEN, candidates, problem_of
from conformance.kit.cases.naming import MOST_BASELINE_CALLS, good_id
from conformance.kit.cases.phases import HeldPlan, Plans
from conformance.kit.cases.plan import Plan, by_kind, fewer, only
from conformance.kit.cases.seen_values import SeenValues
from conformance.kit.drive.channel import Channel, ConnectFailed
from conformance.kit.drive.pacing import together
from conformance.kit.drive.progress import Progress
from conformance.kit.evidence.evidence import Call, ToolEvidence, call_of
from conformance.kit.evidence.recorder import Series
from conformance.kit.evidence.safety import is_harmless, is_spared, promises_no_change
from conformance.kit.model.case import Case, CaseKind, Expectation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Trouble
from conformance.kit.repair.hints import fixed, followed, leads_on
from conformance.kit.transport.binding import to_bytes
from conformance.spec.messages import message

REPAIR_STEPS = 5
MOST_ANSWERED = 48 * 1024 * 1024
"""The most memory, in bytes, for a tool's answers. Above it, no more calls of the tool are sent."""
_HEAVY = 256 * 1024
"""Above this memory, in bytes, for its answers, a tool is finished before others have a turn."""
MOST_ENDS = 8
"""The calls that may end their process before the rest of a tool's cases are skipped."""
TELLING = 12
"""How many of a tool's cases count as its most telling ones."""
_CASES_OF_LEFT = 2 / 3
"""The share of a spared tool's remaining calls for its cases; the rest is for repairs."""
_CHANCES = 5
"""The most valid calls that can hardly be accepted, in addition to the telling cases."""
_SLOW_CALLS = 2
"""The calls that may take too long before the rest of a tool's cases are skipped."""


class ToolRun:
    """One tool's calls over one channel, as many in parallel as the channel's width allows.

    They are made in three steps: `begin`, `tell`, `finish`.
    """

    def __init__(
        self,
        channel: Channel,
        tool: Tool,
        progress: Progress,
        numbers: Series,
        plans: Plans,
        seen: SeenValues,
    ) -> None:
        self._channel = channel
        self.tool = self._tool = tool
        self._progress = progress
        self._numbers = numbers
        self._plans, self._seen = plans, seen
        self._calls: list[Call] = []
        self._slow = self._ended = self._answered = 0
        self._held = HeldPlan(plans)
        self._unsent: list[Case] = []
        self._unplanned = self._off_route = ""
        self._baseline: Call | None = None
        self._planning: Future[Plan] | None = None
        self._left_over: Plan | None = None
        self._spared = is_spared(tool, channel.run, channel.context.settings)
        self.is_begun = self.is_told = False
        self.promises = promises_no_change(tool)
        self._few = self._spared and not self.promises

    async def begin(self) -> None:
        """Find a baseline call, and repeat it. The first of three steps, taken in turns."""
        self.is_begun = True
        baseline = self._baseline = await self._find_baseline()
        if baseline is None:
            self._unplanned = str(problem_of(self._tool) or self._off_route)
        elif baseline.reading.accepted:
            await self._accepted(baseline)

    async def begin_again(self, *, changed: bool) -> None:
        """Look for a baseline call again: others may have returned, or `changed`, what it needs.
        Only a tool that harms nothing gets ids of others.
        """
        tried = [call.case for call in self._calls if call.case.kind is CaseKind.BASELINE]
        harmless = is_harmless(self._tool, self._channel.run, self._channel.context.settings)
        made = self._seen.put_into(self._tool, tried[0].arguments) if harmless else ()
        seen = [own for own in made if self._channel.may_call(self._tool, own)]
        cases = [replace(tried[0], scenario="baseline", arguments=own) for own in seen]
        numbers = range(len(tried) + 1, MOST_BASELINE_CALLS + 1)
        for number, case in zip(numbers, [*cases, *(tried if changed else ())], strict=False):
            again = await self._call(replace(case, id=self._id(CaseKind.BASELINE, number)))
            if again is not None and again.reading.accepted:
                await self._accepted(again)
                return

    @property
    def accepts(self) -> bool | None:
        """Whether the baseline call was accepted; None if there is none to repeat."""
        read = self._baseline.reading if self._baseline is not None else None
        if read is None or not (read.accepted or read.refused):
            return None
        return read.accepted or (None if read.missing or self._few else False)

    def plan(self) -> None:
        """Start planning the tool's cases while other tools are called."""
        if self._planning is None and self._baseline is not None:
            arguments = self._baseline.case.arguments
            self._planning = self._plans.later(lambda: self._planned(arguments))

    @property
    def took(self) -> float:
        """Seconds that the baseline call took; 0 without one."""
        return self._baseline.exchange.elapsed if self._baseline is not None else 0.0

    @property
    def is_heavy(self) -> bool:
        """Whether its calls or answers are too large to stay in memory until its next turn."""
        return self._answered > _HEAVY or self._held.is_heavy

    async def tell(self) -> None:
        """Send the most telling cases: those that failed before, and one of each place and kind."""
        if not self.is_begun:
            await self.begin()
        self.plan()
        if self._planning is None:
            self.is_told = True
            return
        planned = await self._held.take(self._made)
        if not planned.cases:
            self._unplanned = "; ".join(planned.problems)
        planned = only(planned, self._channel.context.settings.replay)
        if self._spared:
            planned = fewer(planned, int(self._left * _CASES_OF_LEFT))
        self._progress.plan(len(planned.calls))
        await self._all(planned.remembered)
        telling = fewer(planned, TELLING).cases
        await self._all(telling)
        self.is_told = True
        sent = {case.id for case in telling}
        left = tuple(case for case in planned.cases if case.id not in sent)
        self._left_over = replace(planned, cases=left)

    async def _made(self) -> Plan:
        self.plan()
        assert self._planning is not None
        planning, self._planning = self._planning, None
        return await asyncio.wrap_future(planning)

    async def finish(self) -> None:
        """Send all other cases, follow what refusals suggest, and repeat the baseline call."""
        planned, baseline = self._left_over, self._baseline
        if planned is None or baseline is None:
            return
        for branch in planned.branches:
            await self._call(branch)
        await self._rest(planned.cases)
        await self._repairs()
        if baseline.reading.accepted:
            after = await self._once_more(baseline, CaseKind.AFTER)
            if after is not None and after.reading.refused and not after.reading.stopped:
                await self._try_alone(after)

    async def _rest(self, cases: tuple[Case, ...]) -> None:
        """Send cases, but few valid ones that can hardly be accepted.

        These are random ones of a tool that has accepted nothing, or all of a tool whose valid
        calls failed because something around the server is missing.
        """
        broken, *valid = by_kind(cases)
        await self._all(broken)
        tried = [call for call in self._calls if call.case.expects is Expectation.ACCEPT]
        lacks = all(call.reading.missing is not None for call in tried)
        for random, some in enumerate(valid):
            hopeless = lacks or (random and not any(call.reading.accepted for call in self._calls))
            cut = hopeless and self._channel.context.settings.replay is None
            await self._all(some[:_CHANCES] if cut else some)

    def _planned(self, arguments: dict[str, Any]) -> Plan:
        """Return the named scenarios, and the random or remembered calls."""
        run, context = self._channel.run, self._channel.context
        settings, memory = context.settings, context.memory
        count = 0 if self._spared else settings.max_examples
        known = memory.recall(run, self._tool) if memory and count else []
        return self._plans.cases(
            self._tool,
            run,
            arguments,
            seed=settings.seed,
            count=count,
            remembered=[one.call for one in known],
            today=datetime.now(UTC),
        )

    def so_far(self) -> ToolEvidence:
        """Return the evidence of a tool that is not done."""
        return replace(self.evidence(), cut=True, sampled=self.is_told)

    def evidence(self) -> ToolEvidence:
        """Return all evidence of the tool."""
        calls = sorted(self._calls, key=lambda call: call.exchange.id)
        ids = (call.case.id.text for call in calls)
        return ToolEvidence(
            self._channel.run,
            self._tool,
            tuple(calls),
            unsent=tuple(self._unsent),
            silent_after=frozenset(self._channel.silent_after.intersection(ids)),
            unplanned=self._unplanned,
            silenced=self._channel.silent,
            heavy=self._fills,
            lacking=self._is_lacking,
        )

    def let_go(self) -> None:
        """Drop the plan and the calls, once the evidence of all calls is kept."""
        self.drop_plan()
        self._calls, self._unsent, self._baseline = [], [], None

    def drop_plan(self) -> None:
        """Drop the plan, so that other tools can use the memory."""
        if self._planning is not None:
            self._planning.cancel()
        self._left_over = self._planning = None
        self._held.drop()

    def _has_enough(self) -> bool:
        """Return whether a limit is reached, so that no more calls of the tool are sent."""
        ends = self._slow >= _SLOW_CALLS or self._ended >= MOST_ENDS
        return ends or self._fills or self._left <= 0 or self._is_lacking

    @property
    def _fills(self) -> bool:
        """Whether the tool's answers, or all calls of the session, are too large in total."""
        return self._answered > MOST_ANSWERED or self._channel.context.recorder.has_sent_most

    def _may_send(self, case: Case) -> bool:
        """Return whether a case may be sent. A case that leaves the tool's own route never is."""
        if self._has_enough() or self._channel.silent:
            return False
        return self._channel.may_call(self._tool, case.arguments)

    @property
    def _left(self) -> float:
        """How many calls may still be made."""
        care = self._channel.context.care
        return care.left(self._channel.run, self._tool) if self._spared else inf

    @property
    def _is_lacking(self) -> bool:
        """Whether a spared tool failed too often because something around the server is missing."""
        care = self._channel.context.care
        return self._spared and care.has_failed(self._channel.run, self._tool)

    def _id(self, kind: CaseKind, number: int = 0) -> CaseId:
        return good_id(self._channel.run.id, self._tool.name, kind, number)

    async def _once_more(self, baseline: Call, kind: CaseKind) -> Call | None:
        return await self._call(replace(baseline.case, id=self._id(kind), kind=kind))

    async def _try_alone(self, refused: Call) -> None:
        """Repeat a refused call alone. If that is accepted, all later calls go alone."""
        shared = self._channel.shared
        if shared.one_at_a_time or self._channel.context.settings.concurrency == 1:
            return
        again = await self._call(replace(refused.case, id=self._id(CaseKind.AFTER, 2)), alone=True)
        shared.one_at_a_time |= again is not None and again.reading.accepted

    async def _find_baseline(self) -> Call | None:
        """Call candidates, fixed as refusals say, until one is accepted. Return the last call."""
        given = self._channel.context.settings.examples.get(self._tool.name, ())
        waiting = candidates(self._tool, given, datetime.now(UTC))
        own = {to_bytes(arguments) for arguments in given}
        tried: set[bytes] = set()
        last: Call | None = None
        number = 0
        while waiting and number < MOST_BASELINE_CALLS and not self._has_enough():
            arguments = waiting.pop(0)
            key = to_bytes(arguments)
            if key in tried:
                continue
            if not self._channel.may_call(self._tool, arguments):
                language = self._channel.context.settings.language
                self._off_route = message("kit.reason.other_route").words(language)
                continue
            tried.add(key)
            number += 1
            last = await self._call(
                Case(
                    id=self._id(CaseKind.BASELINE, number),
                    kind=CaseKind.BASELINE,
                    scenario=GIVEN if key in own else "baseline",
                    arguments=arguments,
                    expects=Expectation.ACCEPT,
                )
            )
            if last is None or last.reading.accepted:
                break
            if (repaired := fixed(last)) is not None:
                waiting.insert(0, repaired)
        return last

    async def _accepted(self, baseline: Call) -> None:
        """Note what the call returned, and repeat it if the tool says that it changes nothing."""
        self._baseline = baseline
        for value in baseline.reading.values:
            self._seen.note(self._tool.name, value)
        if self.promises:
            await self._once_more(baseline, CaseKind.SECOND)

    async def _all(self, cases: tuple[Case, ...]) -> None:
        """Send broken cases first: they are refused quickly, and valid ones may take longer."""
        for kind in (CaseKind.BROKEN, CaseKind.VALID):
            await together(self._call(case) for case in cases if case.kind is kind)

    async def _repairs(self) -> None:
        refused = [
            call
            for call in self._calls
            if call.case.kind is CaseKind.BROKEN and call.reading.refused and leads_on(call.reading)
        ]
        self._progress.plan(len(refused))
        in_order = sorted(refused, key=lambda call: call.exchange.id)
        numbered = [(call, self._numbers.take(REPAIR_STEPS)) for call in in_order]
        await together(self._repair(call, numbers) for call, numbers in numbered)

    async def _repair(self, refused: Call, numbers: Iterator[int]) -> None:
        """Follow the suggestions until the call is accepted, or until they lead no further.

        If no error has a suggestion, a retry hint is followed.
        """
        current = refused
        for step in range(1, REPAIR_STEPS + 1):
            if not current.reading.refused:
                break
            sent = current.case.arguments
            repaired = followed(current.reading, sent, self._tool.input_schema)
            differs = to_bytes(repaired) != to_bytes(sent)
            if not (differs and self._channel.may_call(self._tool, repaired)):
                break
            case = replace(
                refused.case,
                id=replace(refused.case.id, repair=step),
                kind=CaseKind.REPAIR,
                arguments=repaired,
                expects=Expectation.ACCEPT,
                neighbour=refused.case.id,
                step=step,
            )
            called = await self._call(case, next(numbers))
            if called is None:
                break
            current = called
        self._progress.one()

    async def _call(self, case: Case, number: int = 0, *, alone: bool = False) -> Call | None:
        """Make and record one call, with others or `alone`; None if it was not made.

        The tool may be too slow, or the server silent. The call gets its number before it waits, so
        the numbers follow the planned order.
        """
        number = number or self._numbers.next()
        exchange = None
        valid = case.expects is not Expectation.REJECT
        async with self._channel.width.turn((self._tool.name, valid)) as turn:
            if self._may_send(case):
                with suppress(ConnectFailed):
                    exchange = await self._channel.share(
                        self._tool, case, number=number, given_up=self._has_enough, alone=alone
                    )
            if exchange is not None and exchange.trouble is Trouble.TIMEOUT:
                turn.timed_out()
            elif exchange is not None:
                turn.answered(exchange.elapsed)
        if exchange is None:
            self._unsent.append(case)
            self._progress.one()
            return None
        self._slow += exchange.trouble is Trouble.TIMEOUT
        in_process = self._channel.binding.traits.starts_process
        self._ended += exchange.trouble is Trouble.CLOSED and in_process
        self._answered += exchange.answer.weight if exchange.answer is not None else 0
        call = call_of(exchange, self._tool)
        if call.reading.missing is not None:
            self._channel.context.care.failed(self._channel.run, self._tool)
        self._calls.append(call)
        if case.kind is not CaseKind.REPAIR:
            self._progress.one()
        return call
