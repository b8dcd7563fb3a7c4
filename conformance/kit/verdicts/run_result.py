"""The outcome of one run: its level, rates and counts, and whether it claims ATDF."""

from __future__ import annotations

from conformance.kit.evidence.catalog import MANIFEST
from conformance.kit.evidence.declarations import Declared, unusable_by
from conformance.kit.evidence.discovered import TOO_MANY
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence
from conformance.kit.evidence.safety import is_called_unasked
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.results import Item, LeftOut, RunResult
from conformance.kit.model.settings import Settings
from conformance.kit.verdicts.judge import belongs, unasked
from conformance.kit.verdicts.levels import levels, reached
from conformance.kit.verdicts.rates import Tally
from conformance.spec.clauses import clauses
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import RunKind


def run_result(
    evidence: RunEvidence,
    items: list[Item],
    declared: Declared,
    settings: Settings,
    requests: int,
) -> RunResult:
    """All that one run gave; `requests` counts what was sent in it."""
    tools = evidence.by_tool.values()
    counted, accepted = Tally(), []
    for tool in tools:
        counted.add(tool)
        if tool.baseline is not None and tool.baseline.reading.accepted:
            accepted.append(tool.tool.name)
    mending = counted.repair
    states = levels(
        [item for item in items if belongs(clauses()[item.clause], evidence.run)],
        clauses(),
        mending,
        role=evidence.run.role,
        claims_atdf=evidence.claims_atdf,
        unasked=unasked((item.clause for item in items), evidence),
        unusable=unusable_by(declared),
        whole=not any(why.id == TOO_MANY for _, why in evidence.left_out),
    )
    full = evidence.run.kind is RunKind.FULL
    return RunResult(
        run=evidence.run,
        level=reached(states) if full else None,
        levels=states if full else {},
        repair=mending,
        explain=counted.explain,
        items=tuple(items),
        tools_called=tuple(t.tool.name for t in tools if t.calls),
        tools_left_out=tuple(
            LeftOut(t.tool.name, t.left_out or _why_uncalled(t))
            for t in tools
            if full and (t.left_out is not None or not (t.calls or t.cut or evidence.cut))
        )
        + tuple(LeftOut(name, why) for name, why in evidence.left_out),
        baseline_accepted=tuple(accepted),
        resources=evidence.offered.counts,
        claims_atdf=evidence.claims_atdf,
        tools_unmarked=tuple(
            t.tool.name
            for t in tools
            if t.calls and is_called_unasked(t.tool, evidence.run, settings)
        ),
        requests=requests,
    )


def _why_uncalled(tool: ToolEvidence) -> Message:
    """Why no call of a tool was made that was to be called."""
    return message("kit.not_verified.silent" if tool.silenced else "kit.not_verified.no_call")


def claims_atdf(evidence: RunEvidence, settings: Settings) -> bool:
    """Whether ATDF is claimed in this run."""
    if "atdf" in settings.profiles or any(tool.claims_atdf for tool in evidence.tools):
        return True
    if not evidence.run.openapi and _has_manifest(evidence):
        return True
    return any(call.reading.envelope is not None for call in evidence.calls)


def _has_manifest(evidence: RunEvidence) -> bool:
    looked = {exchange.step: exchange for exchange in evidence.scripts.get(LOOKED, ())}
    manifest = looked.get(MANIFEST)
    return manifest is not None and manifest.answer is not None and manifest.answer.status == 200
