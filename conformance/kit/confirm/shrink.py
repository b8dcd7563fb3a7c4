"""Shrinking: what a random call has shown is asked again with simpler calls.

It is the confirm loop with other arguments: each simpler call is sent alone, the same judge is
asked, and the smallest that still fails is sent twice more.
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
"""Calls for each (clause, tool), those that confirm the smallest among them."""
_MOST_TRIED = 3_000
"""Simpler calls made up at most: most of them the schema rules out, at no call."""
_BOUNDS = frozenset({"maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
                     "maxItems"})  # fmt: skip
"""Broken keywords whose value may come nearer to the bound. Others are broken by a value that was
chosen so that every server reads it as broken: it stays.
"""


def of_chance_alone(
    question: Question, item: Item, exchanges: Mapping[int, Exchange]
) -> list[Finding]:
    """The first finding of each message, if only random calls broke the clause.

    Where a named scenario did, that one is the simplest call that shows it.
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
    """Find the smallest form of what was confirmed, and keep it in `repeats` as it is found."""
    question, item = failed
    own, left = evidence[question.run], MOST_CALLS
    for finding in of_chance_alone(question, item, context.recorder.by_id):
        original = context.recorder.by_id[finding.exchange or 0]
        if original.case is None or is_smallest(original.case):
            continue
        silenced = own.silenced or own.by_tool[original.case.tool].silenced
        if silenced or original.trouble is Trouble.TIMEOUT:
            continue  # nobody waits thirty times for nothing
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
    """One search for the smallest form of one finding."""

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
        self.calls = 0

    def shows(self, exchange: Exchange) -> bool:
        """Whether an exchange of a simpler case shows the same: by the same judge, in its words."""
        return in_place_of(self._question, self._finding, exchange, self._evidence) is not None

    async def run(self, context: Context) -> tuple[Exchange, ...] | None:
        """The smallest exchange and those that confirm it; None if nothing smaller fails too."""
        try:
            channel = await open_channel(self._evidence.run, context)
        except ConnectFailed:
            return None
        try:
            await channel.started()
            best = await self._descend(channel)
            if best is None:
                return None
            assert best.case is not None
            again = [await self._send(channel, best.case, best.id) for _ in range(TIMES)]
            if all(case_again(self._finding, e, self._question, self._evidence) for e in again):
                return (best, *again)
        except ConnectFailed:
            return None  # the server is gone: what was found before stands
        finally:
            await channel.close()
        return None

    async def _descend(self, channel: Channel) -> Exchange | None:
        """The simplest exchange that still shows it, as far as the calls reach."""
        best: Exchange | None = None
        known: dict[str, bool] = {}
        steps = self._simpler()
        try:
            arguments = next(steps)
            for _ in range(_MOST_TRIED):
                key = json.dumps(arguments, sort_keys=True)
                if key not in known:
                    case = self._with(arguments)
                    known[key] = False
                    if case is not None and channel.may_call(self._tool, arguments):
                        if self.calls >= self._most:
                            break
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
        """What to try; nothing where the schema is too costly to judge."""
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
        """The case with simpler arguments, broken in the same way at the same place."""
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
        """Whether there is a point in going on: not with a server that is gone or hangs."""
        if exchange.trouble is None:
            return True
        assert exchange.case is not None
        late = exchange.trouble is Trouble.TIMEOUT
        return not late and await channel.answers_a_list(Step("after", place=exchange.case.id.text))


def in_place_of(
    question: Question, finding: Finding, exchange: Exchange, evidence: RunEvidence
) -> Finding | None:
    """What the judge finds, in the words of `finding`, in another exchange in place of its own."""
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
    """The item with each finding in the smallest form that was found for it."""
    findings = []
    for finding in item.findings:
        key = question.run, question.clause.id, finding.case or ""
        made = repeats.smallest.get(key)
        smallest = in_place_of(question, finding, made[0], evidence) if made else None
        findings.append(smallest or finding)
    return replace(item, findings=tuple(findings))
