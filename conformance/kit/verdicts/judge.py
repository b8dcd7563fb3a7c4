"""Makes verdicts from what the judges say. Pure: a recorded session gets the same verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.formats.problem import json_path
from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.kit.drive.alarm import Alarm, until_cut
from conformance.kit.evidence.evidence import NotRecorded, RunEvidence, ToolEvidence
from conformance.kit.model.fault import Fault, Faulty, catching, fault_of, told_fault
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.run import Run
from conformance.kit.verdicts.by_schema import without_value
from conformance.kit.verdicts.checks import Checks, ClauseTest, Said, not_connected
from conformance.spec.clauses import Clause, clauses
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import (
    NeededFor,
    Offer,
    Requirement,
    RunKind,
    Scope,
    Verdict,
    Verified,
)

NOT_RECORDED = "kit.not_verified.not_recorded"
_CUT = "kit.not_verified.cut"
_LATE = "kit.not_verified.judging"
_NO_CALL = {
    RunKind.FULL: "kit.not_verified.no_call",
    RunKind.PROTOCOL: "kit.not_verified.no_known_call",
}
_BROKEN = frozenset({Verdict.FAIL, Verdict.WARN})
_BY_CALLS = frozenset({Verified.CALL, Verified.REPAIR})

_MOST_FINDINGS = 1_000
"""The most findings of one item that are kept. A long list may break a clause a hundred thousand
times.
"""


NOT_OFFERED = {
    Offer.RESOURCES: "kit.not_applicable.no_resources",
    Offer.TOOLSETS: "kit.not_applicable.no_toolsets",
}
"""Why a clause about an optional offer does not apply: the id of a message, by the offer."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to judge: a clause and a run, and a tool if the clause is about tools."""

    test: ClauseTest
    clause: Clause
    run: str
    tool: str | None = None


def belongs(clause: Clause, run: Run) -> bool:
    """Return whether a clause is about runs of this role, binding, era and version."""
    limits = clause.applies_to
    if not run.role.has(clause.needed_for):
        return False
    if limits.bindings and run.binding not in limits.bindings:
        return False
    if limits.openapi is not None and limits.openapi is not run.openapi:
        return False
    if limits.eras and run.era not in limits.eras:
        return False
    if limits.since is not None and run.version and run.version < limits.since:
        return False
    return not (limits.until is not None and run.version and run.version > limits.until)


Names = Mapping[Offer, tuple[str, ...]]
"""What a run offers in addition to tools, with the tools that each offer is about."""


def questions(
    tests: Iterable[tuple[ClauseTest, Clause]],
    runs: Mapping[str, tuple[Run, tuple[str, ...]]],
    offers: Mapping[str, Names] | None = None,
) -> list[Question]:
    """Return every (clause, run, tool) to judge. `runs` maps a run's id to the run and its tools'
    names.

    Clauses about targets of another role are left out. If a clause applies to no run, or no run has
    what it is about (`offers`, by the run's id), it is one question about the first run. For a run
    that tests the protocol only, just the clauses marked `protocol` are asked.
    """
    asked: list[Question] = []
    for test, clause in tests:
        own = [
            (run, tools)
            for run, tools in runs.values()
            if belongs(clause, run) and (test.protocol or run.kind is not RunKind.PROTOCOL)
        ]
        wanted = clause.applies_to.offers
        if wanted is not None:
            known = {run.id: (offers or {}).get(run.id, {}) for run, _ in own}
            own = [(run, known[run.id][wanted]) for run, _ in own if wanted in known[run.id]]
        for run, tools in own:
            if clause.scope is Scope.TOOL and tools:
                asked.extend(Question(test, clause, run.id, tool) for tool in tools)
            else:
                asked.append(Question(test, clause, run.id))
        if not own and any(run.role.has(clause.needed_for) for run, _ in runs.values()):
            ids = (id for id, (run, _) in runs.items() if run.role.has(clause.needed_for))
            asked.append(Question(test, clause, next(ids)))
    return asked


def pairs(runs: Iterable[tuple[Run, tuple[str, ...]]]) -> int:
    """Return how many pairs of clause and tool may be judged."""
    about_tools = [clause for clause in clauses().values() if clause.scope is Scope.TOOL]
    full = [(run, tools) for run, tools in runs if run.kind is RunKind.FULL]
    return sum(len(tools) * sum(belongs(each, run) for each in about_tools) for run, tools in full)


def judge_all(
    asked: Sequence[Question],
    evidence: Mapping[str, RunEvidence],
    alarm: Alarm | None = None,
) -> dict[int, Item]:
    """Return the verdict on each question, by its index in `asked`, before confirming.

    The questions about a tool are judged one after the other, because its calls may be stored in a
    file. If the alarm cuts a judge, that question and the later ones are not verified: see
    `is_late`.
    """
    places: dict[tuple[str, str | None], list[int]] = {}
    for n, question in enumerate(asked):
        places.setdefault((question.run, question.tool), []).append(n)

    def judged() -> Iterator[tuple[int, Item]]:
        for (run, tool), own in places.items():
            subject = None
            with catching() as caught:
                subject = None if evidence[run].fault is not None else _subject(tool, evidence[run])
            if caught.fault is not None:
                yield from ((n, judge_failed(asked[n], caught.fault)) for n in own)
                continue
            for n in own:
                yield n, judge(asked[n], evidence[run], subject)

    items = dict(judged() if alarm is None else until_cut(alarm, judged()))
    return {n: items.get(n) or late(_unjudged(each)) for n, each in enumerate(asked)}


def late(item: Item) -> Item:
    """Return an item as not verified, because judging took too long."""
    return not_verified(item, _LATE)


def is_late(item: Item) -> bool:
    """Return whether an item is not verified because judging took too long."""
    return [found.message.id for found in item.findings] == [_LATE]


def _unjudged(question: Question) -> Item:
    clause = question.clause
    return Item(clause.id, clause.requirement, question.run, question.tool, Verdict.NOT_APPLICABLE)


def judge(
    question: Question, evidence: RunEvidence, subject: RunEvidence | ToolEvidence | None = None
) -> Item:
    """Return the verdict on one question, before confirming.

    An exception in a judge is a fault of the kit, not of the target, and becomes the verdict of
    this item. `subject` is the evidence that the judge reads, if the caller has it already.
    """
    clause = question.clause
    item = _unjudged(question)
    if evidence.fault is not None:
        return faulty(item, message("kit.session_failed"), evidence.fault)
    try:
        in_force = requirement_in_force(clause, evidence)
        if in_force is not item.requirement:
            item = replace(item, requirement=in_force)
        with ends_in_recursion_error():
            return _judged(item, question, evidence, subject)
    except Faulty as error:
        return faulty(item, message("kit.script_failed"), error.fault)
    except Exception as error:
        return judge_failed(question, fault_of(error))


def judge_failed(question: Question, fault: Fault) -> Item:
    """Return the item of a question that the kit failed to judge."""
    return faulty(
        _unjudged(question), message("kit.judge_failed", clause=question.clause.id), fault
    )


def _judged(
    item: Item,
    question: Question,
    evidence: RunEvidence,
    subject: RunEvidence | ToolEvidence | None,
) -> Item:
    clause = question.clause
    own = None if question.tool is None else evidence.by_tool[question.tool]
    reason = _not_asked(question, evidence)
    if reason is not None:
        return replace(item, findings=(Finding(message(reason)),))
    if own is not None and own.fault is not None:
        where = "kit.tool_failed" if own.left_out is None else "kit.declaration_failed"
        if own.left_out is not None or clause.verified in _BY_CALLS:
            return faulty(item, message(where, tool=question.tool), own.fault)
    beyond = _beyond(clause, own, evidence)
    if beyond is not None:
        verdict, why = beyond
        return replace(item, verdict=verdict, findings=(Finding(why),))
    subject = subject or _subject(question.tool, evidence)
    silenced = _is_silenced(question, evidence)
    judged = _verdict(item, question.test.judge(subject), playing=evidence.playing)
    if _by_documents(clause):
        return judged
    return _unless_cut(judged, cut=_is_cut(clause, judged, subject), silenced=silenced)


def _subject(tool: str | None, evidence: RunEvidence) -> RunEvidence | ToolEvidence:
    """Return the evidence that a judge reads: that of a tool with what its run knows, or of the
    run.
    """
    own = None if tool is None else evidence.by_tool[tool]
    if own is None:
        return evidence
    return replace(
        own,
        claims_atdf=evidence.claims_atdf,
        cut=own.cut or (evidence.cut and own.left_out is None and not own.calls),
        scripts=evidence.scripts,
        known_scripts=evidence.known_scripts,
        faults=evidence.faults,
        playing=evidence.playing,
        entry=evidence.offered.entries.get(own.tool.name),
        around=evidence,
    )


def faulty(item: Item, where: Message, fault: Fault) -> Item:
    """Return the item with the verdict that a fault of the kit prevented one."""
    found = Finding(told_fault(where, fault), trace=fault.trace)
    return replace(item, verdict=Verdict.KIT_ERROR, findings=(found,))


def not_verified(item: Item, reason: str) -> Item:
    """Return the item as not verified. `reason` is the id of a message."""
    return replace(item, verdict=Verdict.NOT_VERIFIED, findings=(Finding(message(reason)),))


def _by_documents(clause: Clause) -> bool:
    """Return whether a clause depends on declarations alone: these are complete before any call."""
    looks = clause.verified in {Verified.SCHEMA, Verified.STATIC}
    return looks and clause.needed_for is NeededFor.DESCRIBED


def _is_silenced(question: Question, evidence: RunEvidence) -> bool:
    """Return whether the server stopped answering before everything for this question was sent."""
    by_calls = question.clause.verified in _BY_CALLS
    if question.tool is None:
        silenced = (tool.silenced for tool in evidence.by_tool.values())
        return evidence.silenced or (by_calls and any(silenced))
    return evidence.by_tool[question.tool].silenced or (evidence.silenced and not by_calls)


def _is_cut(clause: Clause, judged: Item, subject: RunEvidence | ToolEvidence) -> bool:
    """Return whether the session ended before everything that a pass needs was sent.

    It is enough if the most important cases of a tool were sent. Clauses that need no calls depend
    on scripts, and a judge says itself if a script is missing.
    """
    if isinstance(subject, ToolEvidence):
        enough = subject.sampled and judged.verdict is Verdict.PASS
        return subject.cut and not (enough and clause.verified is Verified.CALL)
    by_scripts = subject.playing and judged.verdict is not Verdict.PASS
    return subject.cut and (by_scripts or clause.verified in _BY_CALLS)


def _unless_cut(item: Item, *, cut: bool, silenced: bool) -> Item:
    """Return the item as not verified if it passed but not everything planned was sent."""
    if item.verdict not in {Verdict.PASS, Verdict.NOT_APPLICABLE} or not (cut or silenced):
        return item
    reason = message("kit.not_verified.silent" if silenced else _CUT)
    return replace(item, verdict=Verdict.NOT_VERIFIED, findings=(Finding(reason),))


def unasked(asked: Iterable[str], evidence: RunEvidence) -> list[str]:
    """Return the MUST clauses that apply to a run and are not among those asked about."""
    about = set(asked)
    return [
        clause.id
        for clause in clauses().values()
        if clause.id not in about
        and clause.excluded is None
        and clause.scope is not Scope.DOCUMENT
        and belongs(clause, evidence.run)
        and (evidence.claims_atdf or not clause.applies_to.claimed)
        and _offers(clause, evidence)
        and requirement_in_force(clause, evidence) is Requirement.MUST
    ]


def _offers(clause: Clause, evidence: RunEvidence) -> bool:
    """Return whether a target offers what a clause is about. Most clauses are about tools."""
    wanted = clause.applies_to.offers
    return wanted is None or wanted in evidence.offered.names


def requirement_in_force(clause: Clause, evidence: RunEvidence) -> Requirement:
    """Return a clause's requirement on this target. Some are stricter if the target claims ATDF."""
    if evidence.claims_atdf and clause.where_claimed is not None:
        return clause.where_claimed
    return clause.requirement


def _not_asked(question: Question, evidence: RunEvidence) -> str | None:
    """Return why a clause does not apply to a run or tool, as a message id; None if it does."""
    clause = question.clause
    if clause.applies_to.offers is not None and not _offers(clause, evidence):
        return NOT_OFFERED[clause.applies_to.offers]
    if not belongs(clause, evidence.run):
        return "kit.not_applicable.other_binding"
    if clause.applies_to.claimed and not evidence.claims_atdf:
        return "kit.not_applicable.not_claimed"
    if clause.scope is Scope.TOOL and question.tool is None:
        if evidence.run.kind is RunKind.PROTOCOL:
            return "kit.not_applicable.protocol_alone"
        return "kit.not_applicable.no_tools"
    return None


def _beyond(
    clause: Clause, tool: ToolEvidence | None, evidence: RunEvidence
) -> tuple[Verdict, Message] | None:
    """Return the verdict and the reason if nothing was sent for a question; None if a judge
    decides.
    """
    if not evidence.connected:
        return Verdict.NOT_VERIFIED, not_connected(evidence)
    if tool is None or clause.verified not in _BY_CALLS:
        return None
    if tool.left_out is not None:
        return Verdict.NOT_VERIFIED, tool.left_out
    if not tool.calls and tool.silenced:
        return Verdict.NOT_VERIFIED, message("kit.not_verified.silent")
    if not tool.calls:
        cut = tool.cut or evidence.cut
        return Verdict.NOT_VERIFIED, message(_CUT) if cut else no_call(tool, evidence.run.kind)
    return None


def no_call(tool: ToolEvidence, kind: RunKind) -> Message:
    """Return why no call of a tool was made: its schema allows none, or the kit knows none."""
    empty = without_value(tool.tool.input_schema) if kind is RunKind.FULL else None
    if empty is None:
        return message(_NO_CALL[kind])
    *place, keyword = empty
    return message("kit.not_verified.no_value", keyword=str(keyword), place=json_path(place))


def _verdict(item: Item, checks: Checks, *, playing: bool) -> Item:
    by_kind: dict[Said, dict[Finding, None]] = {said: {} for said in Said}
    held = broken = 0
    try:
        for check in checks:
            if check.said is Said.HOLDS:
                held += 1
            elif check.finding is not None:
                broken += check.said is Said.BROKEN
                if len(by_kind[check.said]) < _MOST_FINDINGS:
                    by_kind[check.said].setdefault(check.finding)
    except NotRecorded:  # findings so far stay, but a pass needs all evidence
        reason = _CUT if playing else NOT_RECORDED
        by_kind[Said.UNKNOWN] = {Finding(message(reason)): None}
    looked_at = held + broken
    if by_kind[Said.BROKEN]:
        must = item.requirement is Requirement.MUST
        verdict, findings = (Verdict.FAIL if must else Verdict.WARN), by_kind[Said.BROKEN]
    elif by_kind[Said.UNKNOWN]:
        verdict, findings = Verdict.NOT_VERIFIED, by_kind[Said.UNKNOWN]
    elif held:
        verdict, findings = Verdict.PASS, {}
    else:
        nothing = {Finding(message("kit.not_applicable.nothing_to_judge")): None}
        verdict, findings = Verdict.NOT_APPLICABLE, by_kind[Said.ABSENT] or nothing
    return replace(item, verdict=verdict, findings=tuple(findings), checked=looked_at)
