"""Decides what becomes of a failed item after the repetitions: the same judge looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.formats.problem import quoted
from conformance.formats.tool.tool import Tool
from conformance.kit.confirm.confirm import FAILED, Repeats, shown_by, to_confirm
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
"""The message for a finding that was seen once and could not be confirmed in time."""
SEEN_UNCLEAR = "kit.not_verified.seen_unclear"
"""The same, if the repetitions were stopped, whatever they asked."""


def confirmed(question: Question, item: Item, evidence: RunEvidence, repeats: Repeats) -> Item:
    """Return the item after its findings were sent again.

    Each repeated finding must be found again every time. If one is not, the findings that were not
    repeated are dropped as well, as they may be just as doubtful. If none remains, the item is
    flaky. If nothing was repeated before the session ended, the item is not verified, nor if all
    repetitions were stopped whatever they asked, such as those above a rate limit. Raises
    `Faulty` if the kit failed during the repetition.
    """
    asked = to_confirm(question, item)
    for finding in asked:
        what = _case_of(finding, question, evidence) or _script_of(finding, evidence)[0]
        if (question.run, what) in repeats.faults:
            raise Faulty(repeats.faults[question.run, what])
    if unconfirmed(question, item, evidence, repeats):
        first = asked[0]
        words = message(SEEN_ONCE, seen=first.message)
        sent = repeats.cases.get((question.run, _case_of(first, question, evidence)))
        if sent:
            said = quoted(read(sent[-1], _tool_of(sent[-1], evidence)).said or "—")
            words = message(SEEN_UNCLEAR, said=said, seen=first.message)
        seen = Finding(words, exchange=first.exchange, case=first.case)
        return replace(item, verdict=Verdict.NOT_VERIFIED, findings=(seen,))
    repeated = [f for f in asked if _counts(f, question, evidence, repeats)]
    gone = {f for f in repeated if not _found_again(f, question, evidence, repeats)}
    kept = tuple(f for f in item.findings if f not in gone and (f in repeated or not gone))
    if not kept:
        return replace(item, verdict=Verdict.FLAKY)
    return item if len(kept) == len(item.findings) else replace(item, findings=kept)


def unconfirmed(question: Question, item: Item, evidence: RunEvidence, repeats: Repeats) -> bool:
    """Return whether none of the findings of a failed item was sent again."""
    asked = to_confirm(question, item)
    return bool(asked) and not any(_counts(f, question, evidence, repeats) for f in asked)


def _counts(finding: Finding, question: Question, evidence: RunEvidence, repeats: Repeats) -> bool:
    """Return whether a finding was sent again, or its server was gone before that."""
    return question.run in repeats.gone or _was_repeated(finding, question, evidence, repeats)


def _was_repeated(
    finding: Finding, question: Question, evidence: RunEvidence, repeats: Repeats
) -> bool:
    if finding.case is not None:
        key = question.run, _case_of(finding, question, evidence)
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
        exchanges = repeats.cases.get((question.run, _case_of(finding, question, evidence)))
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
    """Return the repetitions that prove something. Those that were stopped whatever they asked do
    not.
    """
    return [
        exchange
        for exchange in exchanges
        if not read(exchange, _tool_of(exchange, evidence)).stopped
        or case_again(finding, exchange, question, evidence)
    ]


def _case_of(finding: Finding, question: Question, evidence: RunEvidence) -> str:
    """Return the id of the case that is sent again for a finding; empty if it is about a script."""
    if not finding.then or question.tool is None:
        return finding.case or ""
    calls = evidence.by_tool[question.tool].calls
    return next(call.case.id.text for call in calls if call.exchange.id == shown_by(finding))


def _tool_of(exchange: Exchange, evidence: RunEvidence) -> Tool | None:
    called = evidence.by_tool.get(exchange.case.tool) if exchange.case is not None else None
    return None if called is None else called.tool


def case_again(
    finding: Finding, exchange: Exchange, question: Question, evidence: RunEvidence
) -> bool:
    """Return whether the judge reports a repetition too, of the case or of its smaller form.

    A repetition that the server refuses because of its state counts as confirmed.
    """
    assert finding.case is not None
    assert exchange.case is not None
    reading = read(exchange)
    if reading.outcome is Outcome.OTHER_REFUSED and not reading.stopped:
        return True
    place, shown = finding.case, exchange.case.id.text
    if finding.then:  # another call shows it than the one that it is about
        place, shown = shown, place
    again = judge(question, evidence.instead({place: exchange}, {}))
    return again.verdict in FAILED and any(f.case == shown for f in again.findings)


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
