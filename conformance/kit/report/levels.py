"""Where a session stands: its level, what keeps it from the next, its counts and its groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from conformance.kit.evidence.declarations import why_cut
from conformance.kit.model.results import (
    Item,
    RunResult,
    SessionResult,
    Shortage,
    Unnamed,
)
from conformance.kit.model.run import Role
from conformance.kit.report.words import level_name, say
from conformance.spec.messages import Message, Topic
from conformance.spec.vocabulary import Level, Missing, RunKind, Verdict

GRAVITY = (
    Verdict.KIT_ERROR,
    Verdict.FAIL,
    Verdict.FLAKY,
    Verdict.WARN,
    Verdict.NOT_VERIFIED,
    Verdict.WAIVED,
    Verdict.NOT_APPLICABLE,
    Verdict.PASS,
)
"""What a reader wants to see first."""

_JUDGED = {Verdict.PASS, Verdict.FAIL, Verdict.WARN, Verdict.WAIVED, Verdict.FLAKY}


def session_level(session: SessionResult) -> Level | None:
    """Give the level of the weakest full run; None where there is no full run.

    A session that was interrupted has none, whatever a file of an earlier kit says.
    """
    if session.interrupted:
        return None
    places = [(r.run.role.place(r.level), r.level) for r in session.runs if r.level is not None]
    return min(places, key=lambda pair: pair[0])[1] if places else None


def standing_name(session: SessionResult, language: str) -> str:
    """Give what stands where the level stands: its name, or why there is none."""
    if session.interrupted:
        return say("report.level.interrupted", language)
    if session.selection:
        return say("report.level.selection", language)
    return level_name(session_level(session), language)


def ended_early(session: SessionResult, language: str) -> str:
    """Say what ended a session before its end; nothing where it was not ended."""
    if session.time_up:
        return say("report.time-up", language)
    return say("report.interrupted", language) if session.interrupted else ""


def run_standing_name(run: RunResult, session: SessionResult, language: str) -> str:
    """Give what stands where a run's level stands; of a protocol run, what of it was kept."""
    if session.interrupted:
        return standing_name(session, language)
    if run.run.kind is RunKind.FULL:
        return level_name(run.level, language)
    judged = {item.clause for item in run.items if item.verdict in _JUDGED}
    kept = judged - {item.clause for item in run.items if item.verdict is Verdict.FAIL}
    return say("report.level.protocol", language, passed=len(kept), judged=len(judged))


def weakest_run(session: SessionResult) -> RunResult | None:
    """Give the first full run that has the session's level."""
    level = session_level(session)
    return next((run for run in session.runs if level is not None and run.level is level), None)


def next_level(run: RunResult) -> Level | None:
    """Give the first level that a full run did not reach; None at the top and for others."""
    if run.level is None:
        return None
    above = run.run.role.levels[run.run.role.place(run.level) + 1 :]
    return above[0] if above else None


def missing_for(run: RunResult, level: Level) -> tuple[str, ...]:
    """Give the clauses that keep a run from `level`.

    Where ATDF is not claimed, those that only a claim would bring are left out: that says it all.
    """
    state = run.levels.get(level)
    missing = state.missing if state else ()
    if run.claims_atdf:
        return missing
    judged = {i.clause for i in run.items if i.verdict is not Verdict.NOT_APPLICABLE}
    return tuple(clause for clause in missing if clause in judged)


def in_the_way(session: SessionResult) -> frozenset[str]:
    """Give the clauses that keep a run from a level, whichever it is."""
    states = (state for run in session.runs for state in run.levels.values())
    return frozenset(clause for state in states for clause in state.missing)


def capped(run: RunResult) -> Message | None:
    """Give why a run can have no level: the target has more tools than are judged together."""
    return why_cut(left.reason for left in run.tools_left_out)


def counts(items: Iterable[Item]) -> dict[Verdict, int]:
    """Count items by verdict; every verdict is there, gravest first."""
    found = Counter(item.verdict for item in items)
    return {verdict: found[verdict] for verdict in GRAVITY}


def all_items(session: SessionResult) -> Iterable[Item]:
    """Give the items of all runs."""
    return (item for run in session.runs for item in run.items)


def clauses_verified(session: SessionResult) -> tuple[int, int]:
    """Count the clauses judged wherever they apply, and those that apply to the target at all.

    Tools that were left out are not looked at, if others were called: they are listed apart.
    """
    applicable, judged, doubtful = set(), set(), set()
    for item in all_items(session):
        if item.verdict is not Verdict.NOT_APPLICABLE:
            applicable.add(item.clause)
            if item.verdict in _JUDGED:
                judged.add(item.clause)
            elif item.clause not in doubtful and not _is_left_out(item):
                doubtful.add(item.clause)
    return len(judged - doubtful), len(applicable)


def tools_unverified(session: SessionResult) -> tuple[str, ...]:
    """Give the tools about which something could not be verified, each once, in order."""
    found = (item for item in all_items(session) if item.verdict is Verdict.NOT_VERIFIED)
    return tuple(dict.fromkeys(item.tool for item in found if item.tool is not None))


def misleading(session: SessionResult) -> tuple[Unnamed, ...]:
    """Give refusals that name other parameters than the wrong one, each once, whatever the run."""
    found: dict[tuple[str, str, tuple[str, ...]], Unnamed] = {}
    for run in session.runs:
        for each in run.explain.unnamed:
            if each.named:
                found.setdefault((each.tool, each.parameter, each.named), each)
    return tuple(found.values())


def _is_left_out(item: Item) -> bool:
    """Whether an item was not judged because its tool was not to be called."""
    return any(finding.message.topic is Topic.LEFT_OUT for finding in item.findings)


def failing(
    session: SessionResult, *, should: bool = False, superseded: bool = False
) -> Iterable[Item]:
    """Give what fails a session: each broken MUST of a current version.

    `should`: a broken SHOULD as well. `superseded`: those of superseded versions as well.
    """
    wanted = {Verdict.FAIL, Verdict.WARN} if should else {Verdict.FAIL}
    return (
        item
        for run in session.runs
        if superseded or not run.run.superseded
        for item in run.items
        if item.verdict in wanted
    )


def left_out_title(session: SessionResult) -> str:
    """What is left out: the tools of a server, or the providers of a gateway."""
    tools = any(offers_tools(run) for run in session.runs)
    return "report.left-out" if tools else "report.left-out-providers"


def left_out(session: SessionResult) -> dict[Message, tuple[str, ...]]:
    """Give the tools that were not called in some run, each once, by the reason."""
    found: dict[Message, dict[str, None]] = {}
    for run in session.runs:
        for left in run.tools_left_out:
            found.setdefault(left.reason, {})[left.tool] = None
    return {reason: tuple(tools) for reason, tools in found.items()}


def shortages(session: SessionResult) -> tuple[Shortage, ...]:
    """Give what is missing around the servers, each once, with the tools of all runs."""
    found: dict[Missing, Shortage] = {}
    for one in (each for run in session.runs for each in run.shortages):
        known = found.get(one.missing, one)
        found[one.missing] = replace(known, tools=tuple(dict.fromkeys((*known.tools, *one.tools))))
    return tuple(found.values())


def tools_spared(session: SessionResult) -> tuple[str, ...]:
    """Give the tools that got few calls in any run, each once, in order."""
    return tuple(dict.fromkeys(tool for run in session.runs for tool in run.tools_spared))


def rests_on_documents(session: SessionResult) -> bool:
    """Whether no tool was called, so that the level says nothing of what the tools do."""
    full = [run for run in session.runs if run.run.kind is RunKind.FULL and offers_tools(run)]
    whole = not (session.selection or session.interrupted)
    return whole and bool(full) and not tools_called(session)


def offers_tools(run: RunResult) -> bool:
    """Whether a run's target is one that has tools: a gateway has none."""
    return run.run.role is Role.SERVER


def may_claim(run: RunResult) -> bool:
    """Whether a run is of a target that could reach more if it claimed ATDF."""
    return offers_tools(run) and not run.claims_atdf


def tools_called(session: SessionResult) -> tuple[str, ...]:
    """Give the tools that were called in any run, each once, in order."""
    return tuple(dict.fromkeys(tool for run in session.runs for tool in run.tools_called))


def resources_listed(session: SessionResult) -> dict[str, int]:
    """Count the ARDF resources by type; runs of one server list the same ones."""
    found: dict[str, int] = {}
    for run in session.runs:
        for kind, count in run.resources.items():
            found[kind] = max(count, found.get(kind, 0))
    return found
