"""Confirming: what failed is sent twice more, alone; `standing` tells what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.play import play
from conformance.kit.drive.run_driver import good_calls
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.evidence.script import Script
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import traits_of
from conformance.kit.verdicts.judge import Question
from conformance.spec.vocabulary import Verdict

TIMES = 2
_CASES = 3
"""Cases, and steps of scripts, confirmed at most for each (clause, tool)."""
FAILED = frozenset({Verdict.FAIL, Verdict.WARN})


@dataclass(slots=True)
class Repeats:
    """What was sent again: for each case and each script of a run, one entry a time."""

    cases: dict[tuple[str, str], Sequence[Exchange]] = field(default_factory=dict)
    scripts: dict[tuple[str, str], list[tuple[Exchange, ...]]] = field(default_factory=dict)
    smallest: dict[tuple[str, str, str], Sequence[Exchange]] = field(default_factory=dict)
    """By run, clause and case: the exchange of its smallest form, and those that confirm it."""
    gone: set[str] = field(default_factory=set)
    """The runs whose server could not be asked again: what was found there stands."""

    def of_case(self, run: str, case: str) -> list[Sequence[Exchange]]:
        """The smallest forms of a case that were found for some clause."""
        return [made for (r, _, c), made in self.smallest.items() if (r, c) == (run, case)]


def to_confirm(question: Question, item: Item) -> list[Finding]:
    """The findings of a failed item that are to be sent again."""
    if item.verdict not in FAILED or not question.clause.confirm:
        return []
    chosen: dict[str, Finding] = {}
    for finding in item.findings:
        if finding.case is not None and finding.case not in chosen and len(chosen) < _CASES:
            chosen[finding.case] = finding
    by_exchange = [f for f in item.findings if f.case is None and f.exchange is not None]
    return [*chosen.values(), *by_exchange[:_CASES]]


async def repeat(
    failed: Iterable[tuple[Question, Item]],
    evidence: dict[str, RunEvidence],
    scripts: list[Script],
    context: Context,
    repeats: Repeats,
) -> None:
    """Send every case and play every script again that some failed item rests on.

    What came is kept in `repeats` as it comes: should this be cut short, that still counts.
    """
    by_tool: dict[tuple[str, str], dict[CaseId, Exchange]] = {}
    played: dict[str, set[str]] = {}
    doubtful: dict[tuple[str, str], list[list[Exchange]]] = {}
    for question, item in failed:
        beside = [f.exchange for f in under_way(question, item, evidence[question.run])]
        known = (context.recorder.by_id.get(id or 0) for id in beside[:MOST_ASKED])
        if question.tool is not None and question.clause.confirm:
            every = doubtful.setdefault((question.run, question.tool), [])
            every.append([exchange for exchange in known if exchange is not None])
        for finding in to_confirm(question, item):
            exchange = context.recorder.by_id.get(finding.exchange or 0)
            if exchange is None:
                continue
            if exchange.case is not None:
                key = (question.run, exchange.case.tool)
                by_tool.setdefault(key, {})[exchange.case.id] = exchange
            elif exchange.script is not None:
                played.setdefault(question.run, set()).add(exchange.script)
    runs = dict.fromkeys([*(run for run, _ in by_tool), *played])
    answering = {run for run in runs if await _answers(evidence[run], context)}
    repeats.gone |= set(runs) - answering
    for (run, tool), originals in by_tool.items():
        if run in answering:
            some = doubtful.get((run, tool), [])
            await _repeat_cases(evidence[run], tool, originals, some, context, repeats)
    for run, names in played.items():
        for script in scripts:
            if run in answering and script.name in names:
                try:
                    await _repeat_script(evidence[run], script, context, repeats)
                except ConnectFailed:
                    repeats.gone.add(run)


async def _answers(evidence: RunEvidence, context: Context) -> bool:
    """Whether there is a server to ask again. One that is gone for good confirms nothing: what was
    found before stands. Where the kit starts a process, there is one unless it could not be started
    anew.
    """
    if traits_of(evidence.run).starts_process:
        if not evidence.silenced:
            return True
    elif evidence.silenced:
        return False
    try:
        channel = await open_channel(evidence.run, context)
    except ConnectFailed:
        return False
    try:
        return await channel.answers_a_list(Step("before-confirming"))
    finally:
        await channel.close()


async def _repeat_cases(
    evidence: RunEvidence,
    tool: str,
    originals: dict[CaseId, Exchange],
    doubtful: list[list[Exchange]],
    context: Context,
    repeats: Repeats,
) -> None:
    """A tool's cases, one after the other, on a connection (stdio: a process) of their own.

    Of those that are `doubtful` (see `bystanders`), by clause, more are asked, until as many are
    found guilty as are asked of any other.
    """
    try:
        channel = await open_channel(evidence.run, context)
    except ConnectFailed:
        repeats.gone.add(evidence.run.id)
        return
    try:
        await channel.started()
        for original in originals.values():
            await _repeat_case(channel, evidence, tool, original, repeats)
        for some in doubtful:
            guilty = 0
            for original in some:
                if guilty < _CASES:
                    again = await _repeat_case(channel, evidence, tool, original, repeats)
                    guilty += ended_again(again)
    except ConnectFailed:
        repeats.gone.add(evidence.run.id)
    finally:
        await channel.close()


async def _repeat_case(
    channel: Channel, evidence: RunEvidence, tool: str, original: Exchange, repeats: Repeats
) -> Sequence[Exchange]:
    """What came when a case was sent again; it is sent unless it has been."""
    assert original.case is not None
    key = evidence.run.id, original.case.id.text
    if key not in repeats.cases:
        again = [await _again(channel, evidence, tool, original)]
        if again[0].trouble is Trouble.TIMEOUT and channel.binding.traits.starts_process:
            await channel.renew()  # one fresh process that hangs is enough
        else:
            again += [await _again(channel, evidence, tool, original) for _ in range(TIMES - 1)]
        repeats.cases[key] = channel.context.recorder.put_away(again)
    return repeats.cases[key]


async def _again(
    channel: Channel, evidence: RunEvidence, tool: str, original: Exchange
) -> Exchange:
    assert original.case is not None
    await channel.revive()
    return await channel.call(evidence.by_tool[tool].tool, original.case, confirms=original.id)


async def _repeat_script(
    evidence: RunEvidence, script: Script, context: Context, repeats: Repeats
) -> None:
    before = evidence.steps(script.name)
    playings = []
    for _ in range(TIMES):
        alone = replace(script, fresh=True)
        tools, good = evidence.tools, good_calls(evidence)
        playings.append(
            await play(
                alone,
                evidence.run,
                context,
                tools,
                good,
                offered=evidence.offered,
                confirms=before,
            )
        )
        await asyncio.sleep(0)
    repeats.scripts[evidence.run.id, script.name] = playings


Repeated = Mapping[tuple[str, str], Sequence[Exchange]]
"""What came when cases were sent again, by run and case."""
MOST_ASKED: Final = 12
"""Of them sent again at most for each (clause, tool), until enough are found guilty: a bystander
costs two quick calls, a guilty one two starts of a process.
"""


def under_way(question: Question, item: Item, evidence: RunEvidence) -> list[Finding]:
    """The findings, one for each case, of calls that others may have left without an answer."""
    if question.tool is None or not traits_of(evidence.run).starts_process:
        return []
    own = evidence.by_tool[question.tool]
    found: dict[str, Finding] = {}
    for finding in item.findings:
        case = finding.case or ""
        if case in own.ended_in and case not in own.ended_alone:
            found.setdefault(case, finding)
    return list(found.values())


def ended_again(again: Sequence[Exchange] | None) -> bool:
    """Whether a call that was sent again ended its process each time: nothing else was there."""
    return bool(again) and all(each.trouble is Trouble.CLOSED for each in again or ())


def ended_by_another(
    case: str | None, question: Question, evidence: RunEvidence, cases: Repeated
) -> bool:
    """Whether another call of the same process is known to end it, alone or when it was sent again.

    Of a tool with some such calls those count too that were not sent again: not all are.
    """
    process = evidence.by_tool[question.tool or ""].ended_in.get(case or "")
    return any(
        other != case and ended_in == process and _is_guilty(other, tool, cases)
        for tool in evidence.by_tool.values()
        for other, ended_in in tool.ended_in.items()
    )


def _is_guilty(case: str, tool: ToolEvidence, cases: Repeated) -> bool:
    again = cases.get((tool.run.id, case))
    if case in tool.ended_alone or again is not None:
        return case in tool.ended_alone or ended_again(again)
    return any(
        each in tool.ended_alone or ended_again(cases.get((tool.run.id, each)))
        for each in tool.ended_in
    )
