"""Confirming: what failed is sent twice more, alone; `confirmed` tells what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.kit.drive.channel import Channel, ConnectFailed, Context, open_channel
from conformance.kit.drive.play import play
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import read
from conformance.kit.evidence.script import Script
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.fault import Fault, fault_of
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
    stateless: set[tuple[str, str]] = field(default_factory=set)
    """Accepted cases that nobody can confirm: a fresh process refuses their baseline call, too."""
    gone: set[str] = field(default_factory=set)
    """The runs whose server could not be asked again: what was found there stands."""
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)
    """By run and case or script: the fault of the kit that kept it from being sent again."""

    @asynccontextmanager
    async def noting(self, run: str, what: str) -> AsyncIterator[None]:
        """Note what is raised while this is sent again: it costs what rests on that alone."""
        try:
            with ends_in_recursion_error():
                yield
        except (ConnectFailed, OSError):
            raise
        except Exception as error:
            self.faults[run, what] = fault_of(error)

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
    by_run: dict[str, dict[CaseId, Exchange]] = {}
    played: dict[str, set[str]] = {}
    for question, item in failed:
        for finding in to_confirm(question, item):
            exchange = context.recorder.by_id.get(finding.exchange or 0)
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


async def _repeat_run(
    evidence: RunEvidence,
    originals: list[Exchange],
    scripts: list[Script],
    context: Context,
    repeats: Repeats,
) -> None:
    """A run's cases, one after the other, and the scripts that may share their connection."""
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
    """Send a case again; the process of one that hangs is ended, and once is enough."""
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
    """Whether a fresh process refuses what was accepted, and refuses the baseline call as well.

    It lacks what earlier calls had made: its refusals say nothing of the case.
    """
    assert original.case is not None
    called = evidence.by_tool[original.case.tool]
    if not read(original, called.tool).accepted:
        return False
    baseline = called.baseline
    if baseline is None or not all(read(each, called.tool).refused for each in again):
        return False
    await channel.revive()
    probe = await channel.call(called.tool, baseline.case, confirms=baseline.exchange.id)
    return read(probe, called.tool).refused


async def _again(channel: Channel, evidence: RunEvidence, original: Exchange) -> Exchange:
    """Send a case again; once more where the process ended, which it did not at first.

    An earlier call may have ended it behind its answer.
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
    """Play a script again, each time on a connection of its own if none is to be shared."""
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
                offered=evidence.offered,
                shared=shared,
                confirms=before,
            )
        )
        await asyncio.sleep(0)
    repeats.scripts[evidence.run.id, script.name] = playings
