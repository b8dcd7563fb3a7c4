"""Makes verdicts of what the judges say: pure, and the same online and offline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.formats.schema.depth import ends_in_recursion_error
from conformance.kit.evidence.evidence import NotRecorded, RunEvidence, ToolEvidence
from conformance.kit.model.fault import Fault, Faulty, fault_of
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.run import Run
from conformance.kit.verdicts.checks import Checks, ClauseTest, Said
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
_BROKEN = frozenset({Verdict.FAIL, Verdict.WARN})
_BY_CALLS = frozenset({Verified.CALL, Verified.REPAIR})

_MOST_FINDINGS = 1_000
"""Findings of one item that are kept: a short list may break a clause a hundred thousand times."""


NOT_OFFERED = {
    Offer.RESOURCES: "kit.not_applicable.no_resources",
    Offer.TOOLSETS: "kit.not_applicable.no_toolsets",
}
"""Why a clause does not apply that is about what a target may offer in addition to tools."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to judge: a clause of a run, and of a tool where the clause is about tools."""

    test: ClauseTest
    clause: Clause
    run: str
    tool: str | None = None


def belongs(clause: Clause, run: Run) -> bool:
    """Whether a clause is about runs of this binding, era and version at all."""
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
"""What a run offers in addition to tools, and the tools that each offer is about."""


def questions(
    tests: Iterable[tuple[ClauseTest, Clause]],
    runs: Mapping[str, tuple[Run, tuple[str, ...]]],
    offers: Mapping[str, Names] | None = None,
) -> list[Question]:
    """Every (clause, run, tool) to judge; `runs` maps a run's id to it and its tools' names.

    A clause about targets of another role is left out. One that belongs to none of the runs, or is
    about what none of them offers (`offers`, by the run's id), is one question, of the first run.
    A run that speaks the protocol alone is asked only what its few exchanges can show.
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


def judge_all(asked: Sequence[Question], evidence: Mapping[str, RunEvidence]) -> dict[int, Item]:
    """The verdict on each question, by its place in `asked`, before any confirming.

    A tool's questions are judged one after the other, since its calls may have to be read back.
    """
    places: dict[tuple[str, str | None], list[int]] = {}
    for n, question in enumerate(asked):
        places.setdefault((question.run, question.tool), []).append(n)
    items: dict[int, Item] = {}
    for (run, tool), own in places.items():
        subject = _subject(tool, evidence[run])
        items |= {n: judge(asked[n], evidence[run], subject) for n in own}
    return {n: items[n] for n in range(len(asked))}


def judge(
    question: Question, evidence: RunEvidence, subject: RunEvidence | ToolEvidence | None = None
) -> Item:
    """The verdict on one question, before any confirming.

    An exception in a judge is a fault of the kit, not of the target: it is kept as that. `subject`
    is what the judge looks at, where it is known from the question before.
    """
    clause = question.clause
    item = Item(clause.id, clause.requirement, question.run, question.tool, Verdict.NOT_APPLICABLE)
    try:
        in_force = requirement_in_force(clause, evidence)
        if in_force is not item.requirement:
            item = replace(item, requirement=in_force)
        with ends_in_recursion_error():
            return _judged(item, question, evidence, subject)
    except Faulty as error:
        return faulty(item, message("kit.script_failed"), error.fault)
    except Exception as error:
        return faulty(item, message("kit.judge_failed", clause=clause.id), fault_of(error))


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
    """What a judge looks at: a tool, with what its run knows, or the run."""
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
    )


def faulty(item: Item, where: Message, fault: Fault) -> Item:
    """The item as one that a fault of the kit left without a verdict."""
    said = message("kit.fault", where=where, fault=fault.id, what=fault.what)
    found = Finding(said, trace=fault.trace)
    return replace(item, verdict=Verdict.KIT_ERROR, findings=(found,))


def not_verified(item: Item, reason: str) -> Item:
    """The item as one that could not be judged; `reason` is the id of a message."""
    return replace(item, verdict=Verdict.NOT_VERIFIED, findings=(Finding(message(reason)),))


def _by_documents(clause: Clause) -> bool:
    """Whether a clause rests on what was declared alone: that is whole before any call."""
    looks = clause.verified in {Verified.SCHEMA, Verified.STATIC}
    return looks and clause.needed_for is NeededFor.DESCRIBED


def _is_silenced(question: Question, evidence: RunEvidence) -> bool:
    """Whether the server stopped answering before all was sent that a question rests on."""
    by_calls = question.clause.verified in _BY_CALLS
    if question.tool is None:
        silenced = (tool.silenced for tool in evidence.by_tool.values())
        return evidence.silenced or (by_calls and any(silenced))
    return evidence.by_tool[question.tool].silenced or (evidence.silenced and not by_calls)


def _is_cut(clause: Clause, judged: Item, subject: RunEvidence | ToolEvidence) -> bool:
    """Whether the session ended before all was sent that a pass rests on.

    A tool whose most telling cases were sent has shown enough. What no call shows was seen in the
    scripts: a check that asks for one that was not played has said so.
    """
    if isinstance(subject, ToolEvidence):
        enough = subject.sampled and judged.verdict is Verdict.PASS
        return subject.cut and not (enough and clause.verified is Verified.CALL)
    by_scripts = subject.playing and judged.verdict is not Verdict.PASS
    return subject.cut and (by_scripts or clause.verified in _BY_CALLS)


def _unless_cut(item: Item, *, cut: bool, silenced: bool) -> Item:
    """A pass rests on all that was planned: on a part of it, it is not verified."""
    if item.verdict not in {Verdict.PASS, Verdict.NOT_APPLICABLE} or not (cut or silenced):
        return item
    reason = message("kit.not_verified.silent" if silenced else "kit.not_verified.cut")
    return replace(item, verdict=Verdict.NOT_VERIFIED, findings=(Finding(reason),))


def unasked(asked: Iterable[str], evidence: RunEvidence) -> list[str]:
    """The MUST clauses that hold for a run and are not among those asked about."""
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
    """Whether a target offers what a clause is about; most are about tools."""
    wanted = clause.applies_to.offers
    return wanted is None or wanted in evidence.offered.names


def requirement_in_force(clause: Clause, evidence: RunEvidence) -> Requirement:
    """A clause's requirement on this target: some rise where ATDF is claimed."""
    if evidence.claims_atdf and clause.where_claimed is not None:
        return clause.where_claimed
    return clause.requirement


def _not_asked(question: Question, evidence: RunEvidence) -> str | None:
    """Why a clause does not apply to a run or tool at all; the id of a message."""
    clause = question.clause
    if clause.applies_to.offers is not None and not _offers(clause, evidence):
        return NOT_OFFERED[clause.applies_to.offers]
    if not belongs(clause, evidence.run):
        return "kit.not_applicable.other_binding"
    if clause.applies_to.claimed and not evidence.claims_atdf:
        return "kit.not_applicable.not_claimed"
    if clause.scope is Scope.TOOL and question.tool is None:
        return "kit.not_applicable.no_tools"
    return None


def _beyond(
    clause: Clause, tool: ToolEvidence | None, evidence: RunEvidence
) -> tuple[Verdict, Message] | None:
    """The verdict on a question that no judge need be asked, since nothing was sent, and why."""
    if not evidence.connected:
        return Verdict.NOT_VERIFIED, message("kit.not_verified.not_connected")
    if tool is None or clause.verified not in _BY_CALLS:
        return None
    if tool.left_out is not None:
        return Verdict.NOT_VERIFIED, tool.left_out
    if not tool.calls and tool.silenced:
        return Verdict.NOT_VERIFIED, message("kit.not_verified.silent")
    if not tool.calls:
        cut = tool.cut or evidence.cut
        reason = "kit.not_verified.cut" if cut else "kit.not_verified.no_call"
        return Verdict.NOT_VERIFIED, message(reason)
    return None


def _verdict(item: Item, checks: Checks, *, playing: bool) -> Item:
    by_kind: dict[Said, list[Finding]] = {said: [] for said in Said}
    held = broken = 0
    try:
        for check in checks:
            if check.said is Said.HOLDS:
                held += 1
            elif check.finding is not None:
                broken += check.said is Said.BROKEN
                if len(by_kind[check.said]) < _MOST_FINDINGS:
                    by_kind[check.said].append(check.finding)
    except NotRecorded:  # what was found broken before stands; a pass needs all
        reason = "kit.not_verified.cut" if playing else NOT_RECORDED
        by_kind[Said.UNKNOWN] = [Finding(message(reason))]
    looked_at = held + broken
    if by_kind[Said.BROKEN]:
        must = item.requirement is Requirement.MUST
        verdict, findings = (Verdict.FAIL if must else Verdict.WARN), by_kind[Said.BROKEN]
    elif by_kind[Said.UNKNOWN]:
        verdict, findings = Verdict.NOT_VERIFIED, by_kind[Said.UNKNOWN]
    elif held:
        verdict, findings = Verdict.PASS, []
    else:
        nothing = [Finding(message("kit.not_applicable.nothing_to_judge"))]
        verdict, findings = Verdict.NOT_APPLICABLE, by_kind[Said.ABSENT] or nothing
    return replace(item, verdict=verdict, findings=tuple(findings), checked=looked_at)
