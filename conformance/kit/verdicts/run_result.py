"""The result of one run: level, rates, counts, and whether the run claims ATDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from conformance.kit.evidence.catalog import has_manifest
from conformance.kit.evidence.declarations import Declared, is_cut, unusable_by
from conformance.kit.evidence.declared_conformance import claims_in, in_capabilities
from conformance.kit.evidence.evidence import RunEvidence, ToolEvidence, side_by_side
from conformance.kit.evidence.safety import is_called_unasked, is_spared
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.fault import Fault, FaultLog, catching
from conformance.kit.model.results import (
    Claim,
    Explain,
    Item,
    LeftOut,
    LevelState,
    Repair,
    RunResult,
    Shortage,
)
from conformance.kit.model.run import Role
from conformance.kit.model.settings import Settings
from conformance.kit.verdicts.checks import not_connected
from conformance.kit.verdicts.judge import NOT_OFFERED, belongs, no_call, unasked
from conformance.kit.verdicts.rates import Tally
from conformance.spec.clauses import Clause, clauses
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import (
    VERDICT_BLOCKS_LEVEL,
    Level,
    Missing,
    NeededFor,
    Requirement,
    RunKind,
    Scope,
    Seen,
    Specification,
    Verdict,
)


def run_result(
    evidence: RunEvidence,
    items: list[Item],
    declared: Declared,
    settings: Settings,
    requests: int,
) -> RunResult:
    """Return the result of one run. `requests` is the number of requests in it."""
    tools = evidence.by_tool.values()
    counted, accepted = Tally(), []
    short: dict[Missing, Shortage] = {}
    faults: list[Fault] = []
    full = evidence.run.kind is RunKind.FULL
    unmarked: list[str] = []
    spared: list[str] = []
    for tool in tools:  # one pass: the calls of many tools are read from a file each time
        with catching() as caught:
            counted.add(tool)
            _add_shortages(short, tool)
            if tool.baseline is not None and tool.baseline.reading.accepted:
                accepted.append(tool.tool.name)
            if tool.calls and is_called_unasked(tool.tool, evidence.run, settings):
                unmarked.append(tool.tool.name)
            if full and tool.calls and is_spared(tool.tool, evidence.run, settings):
                spared.append(tool.tool.name)
        if caught.fault is not None:
            faults.append(caught.fault)
    repair = counted.repair
    states = levels(
        [item for item in items if belongs(clauses()[item.clause], evidence.run)],
        clauses(),
        repair,
        role=evidence.run.role,
        claims_atdf=evidence.claims_atdf,
        unasked=unasked((item.clause for item in items), evidence),
        unusable=unusable_by(declared),
        whole=not (faults or is_cut(evidence.left_out)),
    )
    return RunResult(
        run=evidence.run,
        level=reached(states) if full else None,
        levels=states if full else {},
        repair=repair,
        explain=counted.explain,
        items=tuple(items),
        tools_called=tuple(t.tool.name for t in tools if t.calls),
        tools_left_out=tuple(
            LeftOut(t.tool.name, t.left_out or _why_uncalled(t, evidence))
            for t in tools
            if full and (t.left_out is not None or not (t.calls or t.cut or evidence.cut))
        )
        + tuple(LeftOut(name, why) for name, why in evidence.left_out),
        baseline_accepted=tuple(accepted),
        resources=evidence.offered.counts,
        claims_atdf=evidence.claims_atdf,
        tools_unmarked=tuple(unmarked),
        tools_spared=tuple(spared),
        requests=requests,
        claims=claims_of(evidence),
        declares_atdf=declares_atdf(evidence),
        shortages=tuple(short.values()),
        overhead=overhead(each for script in evidence.scripts.values() for each in script),
        faults=tuple(faults),
        tools_path=evidence.tools_path,
    )


def result_of(
    evidence: RunEvidence,
    items: list[Item],
    declared: Declared,
    settings: Settings,
    requests: int,
    log: FaultLog,
) -> RunResult:
    """Return the result of a run. After a fault of the kit it has the verdicts, and no counts.

    `log` gets the faults that no verdict tells, such as that of a script that nothing rests on.
    """
    told = {finding.trace for item in items for finding in item.findings}
    known = [evidence.fault, *evidence.faults.values()]
    known += [tool.fault for tool in evidence.by_tool.values()]
    for fault in known:
        if fault is not None and fault.trace not in told:
            log.add("kit.session_failed", fault)
    with catching() as caught:
        made = run_result(evidence, items, declared, settings, requests)
        for fault in made.faults:
            log.add("kit.count_failed", fault)
        return made
    if caught.fault is not None:
        log.add("kit.session_failed", caught.fault)
    bare = Repair(), Explain(), tuple(items), (), (), (), False, requests
    return RunResult(evidence.run, None, {}, *bare)


def overhead(exchanges: Iterable[Exchange]) -> float | None:
    """Return the seconds that a gateway adds at least before the first content; None without a
    call.

    The result is the minimum over all calls, because calls run at the same time. For each call that
    reached the provider once, two spans are added: until the request arrived at the provider, and
    from the provider's status until the client had content. Both ends are on this machine.
    """
    added = []
    for exchange in exchanges:
        first: dict[Seen, float] = {}
        for moment in exchange.timeline:
            first.setdefault(moment.seen, moment.at)
        asked = sum(moment.seen is Seen.ARRIVED for moment in exchange.timeline)
        if asked == 1 and {Seen.HEAD, Seen.CLIENT_CONTENT} <= first.keys():
            back = first[Seen.CLIENT_CONTENT] - first[Seen.HEAD]
            added.append(first[Seen.ARRIVED] + max(back, 0.0))
    return min(added, default=None)


def _add_shortages(short: dict[Missing, Shortage], tool: ToolEvidence) -> None:
    """Add what the server lacks in its environment, as the calls of a tool show it."""
    for call in tool.calls:
        lacking = tool.lacking_at(call)
        if lacking is not None:
            missing, words = lacking
            known = short.get(missing, Shortage(missing, words, ()))
            if tool.tool.name not in known.tools:
                short[missing] = replace(known, tools=(*known.tools, tool.tool.name))


def _why_uncalled(tool: ToolEvidence, evidence: RunEvidence) -> Message:
    """Return why a tool got no call although it should have."""
    if not evidence.connected:
        return not_connected(evidence)
    return message("kit.not_verified.silent") if tool.silenced else no_call(tool, RunKind.FULL)


def claimed(driven: Mapping[str, RunEvidence], settings: Settings) -> dict[str, RunEvidence]:
    """Return the evidence of each run, with what it claims. A fault of the kit costs its run."""

    def with_claim(one: RunEvidence) -> RunEvidence:
        with catching() as caught:
            return replace(one, claims_atdf=claims_atdf(one, settings))
        return replace(one, fault=one.fault or caught.fault)

    with catching() as caught:
        driven = side_by_side(driven)
    if caught.fault is not None:
        driven = {name: replace(one, fault=caught.fault) for name, one in driven.items()}
    return {name: with_claim(one) for name, one in driven.items()}


def claims_atdf(evidence: RunEvidence, settings: Settings) -> bool:
    """Return whether this run claims ATDF."""
    if "atdf" in settings.profiles or declares_atdf(evidence):
        return True
    return any(call.reading.envelope is not None for call in evidence.calls)


def declares_atdf(evidence: RunEvidence) -> bool:
    """Return whether the tools of this run, or its documents, claim ATDF. No call is needed."""
    if any(tool.claims_atdf for tool in evidence.tools):
        return True
    looked = {e.step: e for e in evidence.scripts.get(LOOKED, ()) if e.step is not None}
    if not evidence.run.openapi and has_manifest(looked):
        return True
    return any(claim.spec == Specification.ATDF for claim in claims_of(evidence))


def claims_of(evidence: RunEvidence) -> tuple[Claim, ...]:
    """Return what the target claims, over either binding."""
    return claims_in(evidence.offered.discovery or in_capabilities(evidence.capabilities))


REPAIR_CLAUSE = "ATDF-ERR-012"
"""The clause that the repair rate measures. The level Recoverable needs a rate of 1."""

ENVELOPE_CLAUSE = "ATDF-ERR-001"
"""The clause that blocks Explained if ATDF is not claimed: errors lack a machine-readable shape.
"""

_NOT_OFFERED = frozenset(NOT_OFFERED.values())

_IN_THE_WAY = frozenset(verdict for verdict, blocks in VERDICT_BLOCKS_LEVEL.items() if blocks)


def levels(
    items: Iterable[Item],
    clauses: Mapping[str, Clause],
    repair: Repair,
    *,
    role: Role,
    claims_atdf: bool,
    unasked: Iterable[str] = (),
    unusable: Iterable[str] = (),
    whole: bool = True,
) -> dict[Level, LevelState]:
    """Return the state of each level of a role. A level includes all lower ones.

    `unasked` are MUST clauses that the command line left out. They block a level, as clauses that
    are not verified do. `unusable` are the clauses because of which tools could not be used. If
    ATDF is not claimed, no item reports them, but they block Described. If only a part of the tools
    was looked at (`whole` is False), no level is reached.
    """
    all_items, unasked = list(items), tuple(unasked)
    states: dict[Level, LevelState] = {}
    below: tuple[str, ...] = ()
    for level, needed in role.ladder:
        own = _missing(all_items, clauses, needed)
        own += tuple(id for id in unasked if clauses[id].needed_for is needed)
        if level is Level.DESCRIBED:
            own = (*own, *unusable)
        if level is Level.EXPLAINED and not claims_atdf:
            own = (*own, ENVELOPE_CLAUSE)
        if level is Level.RECOVERABLE and repair.rate.rate != 1:
            own = (*own, REPAIR_CLAUSE)
        below = tuple(dict.fromkeys((*below, *own)))
        states[level] = LevelState(whole and not below, below)
    return states


def reached(states: Mapping[Level, LevelState]) -> Level:
    """Return the highest level reached. `states` begins at the lowest; `none` if that was not
    reached.
    """
    best = Level.NONE
    for level, state in states.items():
        if not state.reached:
            break
        best = level
    return best


def _missing(
    items: list[Item], clauses: Mapping[str, Clause], needed: NeededFor
) -> tuple[str, ...]:
    """Return the MUST clauses that block one level.

    Levels above Described need a clause about tools that passed. If none passed, all of them block
    the level, except those about an offer that the target does not make.
    """
    own = [
        item
        for item in items
        if clauses[item.clause].needed_for is needed and item.requirement is Requirement.MUST
    ]
    if needed is not NeededFor.DESCRIBED:
        of_tools = [item for item in own if clauses[item.clause].scope is Scope.TOOL]
        if of_tools and not any(item.verdict is Verdict.PASS for item in of_tools):
            # No tool passed any of them, so the level is not reached.
            own = [item for item in of_tools if not _is_beside(item)] or of_tools
            return tuple(dict.fromkeys(item.clause for item in own))
    return tuple(dict.fromkeys(item.clause for item in own if item.verdict in _IN_THE_WAY))


def _is_beside(item: Item) -> bool:
    """Return whether an item is about an optional offer that this target does not make."""
    return any(finding.message.id in _NOT_OFFERED for finding in item.findings)
