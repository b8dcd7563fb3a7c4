"""How a failed item stands after what it rests on was sent again: the same judge is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.formats.tool.tool import Tool
from conformance.kit.confirm.confirm import FAILED, Repeats, to_confirm
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import read
from conformance.kit.evidence.script import UNPLAYED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.fault import Faulty
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.step import Step
from conformance.kit.verdicts.judge import Question, judge
from conformance.spec.messages import message
from conformance.spec.vocabulary import Outcome, Verdict

SEEN_ONCE = "kit.not_verified.seen_once"
"""Says what was found once, and not confirmed in time."""


def confirmed(question: Question, item: Item, evidence: RunEvidence, repeats: Repeats) -> Item:
    """The item as it stands after its findings were sent again.

    Each finding that was repeated must be found again each time. Where one was not, those that
    were not repeated are dropped with it: they may be no better. None left: the item is flaky. One
    of which nothing was sent again, because the session was cut short, is not verified. A re-send
    that the environment failed, such as one above a limit of calls, counts as not sent. Raises
    Faulty where the kit failed while it sent one.
    """
    for finding in to_confirm(question, item):
        what = finding.case or _script_of(finding, evidence)[0]
        if (question.run, what) in repeats.faults:
            raise Faulty(repeats.faults[question.run, what])
    if unconfirmed(question, item, evidence, repeats):
        first = to_confirm(question, item)[0]
        words = message(SEEN_ONCE, seen=first.message)
        seen = Finding(words, exchange=first.exchange, case=first.case)
        return replace(item, verdict=Verdict.NOT_VERIFIED, findings=(seen,))
    asked = to_confirm(question, item)
    gone = {f for f in asked if not _found_again(f, question, evidence, repeats)}
    kept = tuple(f for f in item.findings if f not in gone and (f in asked or not gone))
    if not kept:
        return replace(item, verdict=Verdict.FLAKY)
    return item if len(kept) == len(item.findings) else replace(item, findings=kept)


def unconfirmed(question: Question, item: Item, evidence: RunEvidence, repeats: Repeats) -> bool:
    """Whether a failed item rests on findings alone that were never sent again."""
    if question.run in repeats.gone:
        return False
    asked = to_confirm(question, item)
    return bool(asked) and not any(_was_repeated(f, question, evidence, repeats) for f in asked)


def _was_repeated(
    finding: Finding, question: Question, evidence: RunEvidence, repeats: Repeats
) -> bool:
    if finding.case is not None:
        key = question.run, finding.case
        if finding.exchange is None or key in repeats.stateless:
            return True
        sent = repeats.cases.get(key)
        return sent is not None and (not sent or bool(_telling(finding, sent, question, evidence)))
    script, _ = _script_of(finding, evidence)
    return script in UNPLAYED or (question.run, script) in repeats.scripts


def _found_again(
    finding: Finding, question: Question, evidence: RunEvidence, repeats: Repeats
) -> bool:
    if finding.case is not None:
        exchanges = repeats.cases.get((question.run, finding.case))
        if exchanges is None:
            return True
        telling = _telling(finding, exchanges, question, evidence)
        return all(case_again(finding, e, question, evidence) for e in telling)
    script, step = _script_of(finding, evidence)
    playings = repeats.scripts.get((question.run, script))
    if playings is None:
        return True
    return all(_step_again(script, step, p, question, evidence) for p in playings)


def _telling(
    finding: Finding, exchanges: Sequence[Exchange], question: Question, evidence: RunEvidence
) -> list[Exchange]:
    """The re-sends that prove something: not those that the environment failed this time only."""
    return [
        exchange
        for exchange in exchanges
        if read(exchange, _tool_of(exchange, evidence)).outcome is not Outcome.ENVIRONMENT
        or case_again(finding, exchange, question, evidence)
    ]


def _tool_of(exchange: Exchange, evidence: RunEvidence) -> Tool | None:
    called = evidence.by_tool.get(exchange.case.tool) if exchange.case is not None else None
    return None if called is None else called.tool


def case_again(
    finding: Finding, exchange: Exchange, question: Question, evidence: RunEvidence
) -> bool:
    """Whether a re-send, of the case or of a simpler one in its place, is found broken again.

    One that is refused for state confirms what it was sent to confirm.
    """
    assert finding.case is not None
    assert exchange.case is not None
    if read(exchange).outcome is Outcome.OTHER_REFUSED:
        return True
    again = judge(question, evidence.instead({finding.case: exchange}, {}))
    return again.verdict in FAILED and any(f.case == exchange.case.id.text for f in again.findings)


def _step_again(
    script: str,
    step: Step | None,
    playing: tuple[Exchange, ...],
    question: Question,
    evidence: RunEvidence,
) -> bool:
    again = judge(question, evidence.instead({}, {script: playing}))
    if again.verdict not in FAILED:
        return False
    steps = {e.id: e.step for e in playing}
    return any(steps.get(f.exchange or 0) == step for f in again.findings)


def _script_of(finding: Finding, evidence: RunEvidence) -> tuple[str, Step | None]:
    for name, exchanges in evidence.scripts.items():
        for exchange in exchanges:
            if exchange.id == finding.exchange:
                return name, exchange.step
    return "", None
