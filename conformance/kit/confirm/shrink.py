"""Shrinking: looks for a simpler call that shows the same failure as a random call.

It works like confirming, with other arguments. Each simpler call is sent alone, the same judge
looks at it, and the smallest one that still fails is sent twice more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.kit.cases.drawn import case_of, drawn_of, is_by_chance, is_smallest, smaller
from conformance.kit.cases.shrink import Steps, smaller_calls
from conformance.kit.confirm.confirm import FAILED, TIMES, Repeats, to_confirm
from conformance.kit.confirm.confirmed import case_again
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.case import Case
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.step import Step
from conformance.kit.schema.applies import applied
from conformance.kit.schema.constraints import constraints
from conformance.kit.schema.places import from_pointer
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of
from conformance.kit.verdicts.judge import Question, judge

MOST_CALLS = 30
"""The most calls for each (clause, tool), including those that confirm the smallest."""
_MOST_TRIED = 3_000
"""The most simpler calls that are tried. The schema excludes most of them before they are sent."""
_BOUNDS = frozenset({"maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
                     "maxItems"})  # fmt: skip
"""Keywords whose broken value may move nearer to the bound. For other keywords the value stays: it
was chosen because every server reads it as broken.
"""


def of_chance_alone(
    question: Question, item: Item, exchanges: Mapping[int, Exchange]
) -> list[Finding]:
    """Return the first finding of each message, if only random calls broke the clause.

    If a named scenario broke it, that scenario is already the simplest call.
    """
    chosen: dict[str, Finding] = {}
    for finding in to_confirm(question, item):
        exchange = exchanges.get(finding.exchange or 0)
        if exchange is None or exchange.case is None or not is_by_chance(exchange.case):
            return []
        chosen.setdefault(finding.message.id, finding)
    return list(chosen.values())


async def shrink(
    failed: tuple[Question, Item],
    evidence: Mapping[str, RunEvidence],
    context: Context,
    repeats: Repeats,
) -> None:
    """Find the smallest form of confirmed findings, and add each to `repeats`."""
    question, item = failed
    own, left = evidence[question.run], MOST_CALLS
    for finding in of_chance_alone(question, item, context.recorder.by_id):
        original = context.recorder.by_id[finding.exchange or 0]
        if original.case is None or is_smallest(original.case):
            continue
        silenced = own.silenced or own.by_tool[original.case.tool].silenced
        if silenced or original.trouble is Trouble.TIMEOUT:
            continue  # do not wait for thirty timeouts
        search = _Search(question, finding, original, own, left)
        known = repeats.of_case(question.run, original.case.id.text)
        found = next((made for made in known if search.shows(made[0])), None)
        if found is None:
            found = await search.run(context)
            found = found and context.recorder.put_away(found)
        left -= search.calls
        if found is not None:
            repeats.smallest[question.run, question.clause.id, original.case.id.text] = found


class _Search:
    """The search for the smallest form of one finding."""

    def __init__(
        self,
        question: Question,
        finding: Finding,
        original: Exchange,
        evidence: RunEvidence,
        most: int,
    ) -> None:
        assert original.case is not None
        self._question = question
        self._finding = finding
        self._original = original
        self._case: Case = original.case
        self._evidence = evidence
        self._tool = evidence.by_tool[self._case.tool].tool
        self._most = most - TIMES
        self._channel: Channel | None = None
        self.calls = 0

    def shows(self, exchange: Exchange) -> bool:
        """Return whether an exchange of a simpler case gets the same finding by the same judge."""
        return in_place_of(self._question, self._finding, exchange, self._evidence) is not None

    async def run(self, context: Context) -> tuple[Exchange, ...] | None:
        """Return the smallest exchange and those that confirm it; None if no smaller call fails
        too.
        """
        try:
            best = await self._descend(context)
            if best is None:
                return None
            assert best.case is not None
            channel = await self._connected(context)
            again = [await self._send(channel, best.case, best.id) for _ in range(TIMES)]
            if all(case_again(self._finding, e, self._question, self._evidence) for e in again):
                return (best, *again)
        except ConnectFailed:
            return None  # the server is gone: keep the earlier finding
        finally:
            if self._channel is not None:
                await self._channel.close()
        return None

    async def _connected(self, context: Context) -> Channel:
        """Return the connection of this search, opened for its first call: many make none."""
        if self._channel is None:
            self._channel = await open_channel(self._evidence.run, context)
            await self._channel.started()
        return self._channel

    async def _descend(self, context: Context) -> Exchange | None:
        """Return the simplest exchange that still fails, within the limit of calls."""
        best: Exchange | None = None
        known: dict[str, bool] = {}
        steps = self._simpler()
        try:
            arguments = next(steps)
            for _ in range(_MOST_TRIED):
                key = json.dumps(arguments, sort_keys=True)
                if key not in known:
                    known[key] = False
                    case = self._with(arguments)
                    if case is not None and self.calls >= self._most:
                        break
                    if case is not None:
                        channel = await self._connected(context)
                        if channel.may_call(self._tool, arguments):
                            exchange = await self._send(channel, case, self._original.id)
                            if not await self._still_answers(channel, exchange):
                                break
                            if self.shows(exchange):
                                best, known[key] = exchange, True
                arguments = steps.send(known[key])
        except StopIteration:
            return best
        return best

    def _simpler(self) -> Steps:
        """Yield simpler arguments to try; none if the schema is too costly to evaluate."""
        case, violation = self._case, self._case.violation
        baseline = self._evidence.by_tool[case.tool].baseline
        known = baseline.case.arguments if baseline is not None else {}
        try:
            view = view_of(self._tool.input_schema)
            view.refill()
            needed = constraints(applied(view, (view.root,), case.arguments).flat).required
        except SchemaProblem:
            return
        place = from_pointer(violation.pointer, case.arguments) if violation is not None else None
        bound = violation is not None and _BOUNDS.issuperset(violation.keywords)
        yield from smaller_calls(case.arguments, known, needed, place, bound=bound)

    def _with(self, arguments: Any) -> Case | None:
        """Return the case with simpler arguments, broken in the same way at the same place."""
        made = case_of(smaller(drawn_of(self._case), arguments), self._tool, self._evidence.run)
        if made is None or made.strictness is not self._case.strictness:
            return None
        before, after = self._case.violation, made.violation
        same = before is None or (after is not None and after.keywords == before.keywords)
        return made if same else None

    async def _send(self, channel: Channel, case: Case, confirms: int) -> Exchange:
        self.calls += 1
        return await channel.call(self._tool, case, confirms=confirms)

    async def _still_answers(self, channel: Channel, exchange: Exchange) -> bool:
        """Return whether to go on: not if the server is gone or hangs."""
        if exchange.trouble is None:
            return True
        assert exchange.case is not None
        late = exchange.trouble is Trouble.TIMEOUT
        return not late and await channel.answers_a_list(Step("after", place=exchange.case.id.text))


def in_place_of(
    question: Question, finding: Finding, exchange: Exchange, evidence: RunEvidence
) -> Finding | None:
    """Return the judge's finding for another exchange in place of the original; None unless its
    message is the same.
    """
    assert exchange.case is not None
    assert finding.case is not None
    again = judge(question, evidence.instead({finding.case: exchange}, {}))
    if again.verdict not in FAILED:
        return None
    ids = exchange.case.id.text, finding.message.id
    return next((f for f in again.findings if (f.case, f.message.id) == ids), None)


def in_smallest_form(
    question: Question, item: Item, evidence: RunEvidence, repeats: Repeats
) -> Item:
    """Return the item; each finding is in the smallest form that was found for it."""
    findings = []
    for finding in item.findings:
        key = question.run, question.clause.id, finding.case or ""
        made = repeats.smallest.get(key)
        smallest = in_place_of(question, finding, made[0], evidence) if made else None
        findings.append(smallest or finding)
    return replace(item, findings=tuple(findings))
