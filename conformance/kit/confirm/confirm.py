"""Sends what failed twice more, alone. `confirmed` draws the conclusion."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from conformance.formats.tool.tool import Tool
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.play import play
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import read
from conformance.kit.evidence.script import Script
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.fault import Fault, catching
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import traits_of
from conformance.kit.verdicts.judge import Question
from conformance.spec.vocabulary import Verdict

TIMES = 2
_CASES = 3
"""The most cases, and the most steps of scripts, that are confirmed for each (clause, tool)."""
FAILED = frozenset({Verdict.FAIL, Verdict.WARN})


@dataclass(slots=True)
class Repeats:
    """What was sent again, by run and case or script. Each repetition is one entry."""

    cases: dict[tuple[str, str], Sequence[Exchange]] = field(default_factory=dict)
    scripts: dict[tuple[str, str], list[tuple[Exchange, ...]]] = field(default_factory=dict)
    smallest: dict[tuple[str, str, str], Sequence[Exchange]] = field(default_factory=dict)
    """By run, clause and case: the exchange of its smallest form, then those that confirm it."""
    stateless: set[tuple[str, str]] = field(default_factory=set)
    """Accepted cases that cannot be confirmed: a new process also refuses their baseline call."""
    gone: set[str] = field(default_factory=set)
    """The runs whose server did not answer any more: their findings are kept."""
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)
    """By run and case or script: the fault of the kit that prevented the repetition."""

    @asynccontextmanager
    async def noting(self, run: str, what: str) -> AsyncIterator[None]:
        """Record an exception of the kit in this block: only findings that need this repetition are
        lost.
        """
        with catching(ConnectFailed) as caught:
            yield
        if caught.fault is not None:
            self.faults[run, what] = caught.fault

    def of_case(self, run: str, case: str) -> list[Sequence[Exchange]]:
        """Return the smallest forms of a case that were found, for all clauses."""
        return [made for (r, _, c), made in self.smallest.items() if (r, c) == (run, case)]


def is_unconfirmed(question: Question, item: Item) -> bool:
    """Return whether an item failed, and only counts once its findings were sent again."""
    return item.verdict in FAILED and question.clause.confirm


def to_confirm(question: Question, item: Item) -> list[Finding]:
    """Return the findings of a failed item that have to be sent again."""
    if not is_unconfirmed(question, item):
        return []
    chosen: dict[str, Finding] = {}
    for finding in item.findings:
        if finding.case is not None and finding.case not in chosen and len(chosen) < _CASES:
            chosen[finding.case] = finding
    by_exchange = [f for f in item.findings if f.case is None and f.exchange is not None]
    return [*chosen.values(), *by_exchange[:_CASES]]


def shown_by(finding: Finding) -> int:
    """Return the id of the exchange that is sent again: what followed last from a finding, if
    anything did.

    If a repair failed, its last step was refused. The refusal before it is not what failed.
    """
    return (finding.then or (finding.exchange or 0,))[-1]


async def repeat(
    failed: Iterable[tuple[Question, Item]],
    evidence: dict[str, RunEvidence],
    scripts: list[Script],
    context: Context,
    repeats: Repeats,
) -> None:
    """Send again every case, and play again every script, that a failed item needs.

    Each result is added to `repeats` when it arrives, so an interrupt loses nothing.
    """
    by_run: dict[str, dict[CaseId, Exchange]] = {}
    played: dict[str, set[str]] = {}
    for question, item in failed:
        for finding in to_confirm(question, item):
            exchange = context.recorder.by_id.get(shown_by(finding))
            if exchange is None:
                continue
            if exchange.case is not None:
                by_run.setdefault(question.run, {})[exchange.case.id] = exchange
            elif exchange.script is not None:
                played.setdefault(question.run, set()).add(exchange.script)
    for run in dict.fromkeys([*by_run, *played]):
        own = evidence[run]
        again = [script for script in scripts if script.name in played.get(run, ())]
        if not await _answers(own, context):
            repeats.gone.add(run)
            continue
        try:
            await _repeat_run(own, list(by_run.get(run, {}).values()), again, context, repeats)
        except ConnectFailed:
            repeats.gone.add(run)


async def _answers(evidence: RunEvidence, context: Context) -> bool:
    """Return whether the server still answers. If it does not, nothing is confirmed and the
    findings are kept.

    A process that the kit starts counts as available, unless it could not be started again.
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


async def _repeat_run(
    evidence: RunEvidence,
    originals: list[Exchange],
    scripts: list[Script],
    context: Context,
    repeats: Repeats,
) -> None:
    """Repeat the cases of a run one after the other, and the scripts that can share their
    connection.
    """
    shared = [script for script in scripts if script.shares_connection(evidence.run)]
    if originals or shared:
        channel = await open_channel(evidence.run, context)
        try:
            await channel.started()
            for original in originals:
                assert original.case is not None
                async with repeats.noting(evidence.run.id, original.case.id.text):
                    await _repeat_case(channel, evidence, original, repeats)
            for script in shared:
                async with repeats.noting(evidence.run.id, script.name):
                    await _repeat_script(evidence, script, context, repeats, channel)
        finally:
            await channel.close()
    for script in scripts:
        if script not in shared:
            async with repeats.noting(evidence.run.id, script.name):
                await _repeat_script(evidence, script, context, repeats, None)


async def _repeat_case(
    channel: Channel, evidence: RunEvidence, original: Exchange, repeats: Repeats
) -> None:
    """Send a case again. If the server process hangs, end it and do not send the case a second
    time.
    """
    assert original.case is not None
    context, tool = channel.context, evidence.by_tool[original.case.tool].tool
    if not context.care.may_confirm(channel.run, tool, context.settings, TIMES):
        return
    again = [await _again(channel, evidence, original)]
    if again[0].trouble is Trouble.TIMEOUT and channel.binding.traits.starts_process:
        await channel.close()
    else:
        again += [await _again(channel, evidence, original) for _ in range(TIMES - 1)]
    key = evidence.run.id, original.case.id.text
    if await _lacks_state(channel, evidence, original, again):
        repeats.stateless.add(key)
    else:
        repeats.cases[key] = channel.context.recorder.put_away(again)


async def _lacks_state(
    channel: Channel, evidence: RunEvidence, original: Exchange, again: Sequence[Exchange]
) -> bool:
    """Return whether a new process refuses an accepted case, and refuses the baseline call as well.

    A refusal because of rights or limits does not count.

    The new process then lacks what earlier calls created, so its refusal says nothing about the
    case.
    """
    assert original.case is not None
    called = evidence.by_tool[original.case.tool]
    if not read(original, called.tool).accepted:
        return False
    baseline = called.baseline
    if baseline is None or not all(_refuses(each, called.tool) for each in again):
        return False
    await channel.revive()
    probe = await channel.call(called.tool, baseline.case, confirms=baseline.exchange.id)
    return _refuses(probe, called.tool)


def _refuses(exchange: Exchange, tool: Tool) -> bool:
    reading = read(exchange, tool)
    return reading.refused and not reading.stopped


async def _again(channel: Channel, evidence: RunEvidence, original: Exchange) -> Exchange:
    """Send a case again. If the process ended this time only, send the case once more.

    An earlier call may have made it end after the answer.
    """
    assert original.case is not None
    tool = evidence.by_tool[original.case.tool].tool
    ended = original.trouble is Trouble.CLOSED
    for _ in range(2):
        await channel.revive()
        exchange = await channel.call(tool, original.case, confirms=original.id, ended=ended)
        if ended or exchange.trouble is not Trouble.CLOSED:
            break
    return exchange


async def _repeat_script(
    evidence: RunEvidence,
    script: Script,
    context: Context,
    repeats: Repeats,
    shared: Channel | None,
) -> None:
    """Play a script again, each time on a new connection unless `shared` is given.

    A script that leaves its process silent again is not played a second time, since each silence
    takes as long as an answer may take.
    """
    before, playings = evidence.steps(script.name), []
    for _ in range(TIMES):
        if shared is not None:
            await shared.revive()
        playings.append(
            await play(
                replace(script, fresh=True) if shared is None else script,
                evidence.run,
                context,
                evidence.tools,
                evidence.good_calls,
                tools_path=evidence.tools_path,
                offered=evidence.offered,
                shared=shared,
                confirms=before,
            )
        )
        await asyncio.sleep(0)
        silent = playings[-1] and playings[-1][-1].trouble is Trouble.TIMEOUT
        if silent and traits_of(evidence.run).starts_process:
            break
    repeats.scripts[evidence.run.id, script.name] = playings
