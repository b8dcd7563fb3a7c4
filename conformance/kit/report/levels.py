"""The level of a session, what keeps it from the next, and its counts and lists."""

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
from conformance.kit.transport.bindings import traits_of
from conformance.spec.clauses import guides_url
from conformance.spec.messages import Message, Topic, message
from conformance.spec.vocabulary import Level, Missing, Requirement, RunKind, Verdict

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
"""All verdicts, in the order in which a reader wants to see them."""

_JUDGED = {Verdict.PASS, Verdict.FAIL, Verdict.WARN, Verdict.WAIVED, Verdict.FLAKY}


def session_level(session: SessionResult) -> Level | None:
    """Return the level of the weakest full run; None if there is no full run.

    An interrupted session has no level, even if a file of an older kit has one.
    """
    if session.interrupted:
        return None
    places = [(r.run.role.place(r.level), r.level) for r in session.runs if r.level is not None]
    return min(places, key=lambda pair: pair[0])[1] if places else None


def standing_name(session: SessionResult, language: str) -> str:
    """Return the name of the session's level, or the reason why there is none."""
    if session.interrupted:
        return say("report.level.interrupted", language)
    if session.selection:
        return say("report.level.selection", language)
    return level_name(session_level(session), language)


def ended_early(session: SessionResult, language: str) -> str:
    """Return what ended a session early; empty if it ran to its end."""
    if session.time_up:
        return say("report.time-up", language)
    return say("report.interrupted", language) if session.interrupted else ""


def run_standing_name(run: RunResult, session: SessionResult, language: str) -> str:
    """Return the name of a run's level; for a protocol run, how many of its clauses passed."""
    if session.interrupted:
        return standing_name(session, language)
    if run.run.kind is RunKind.FULL:
        return level_name(run.level, language)
    judged = {item.clause for item in run.items if item.verdict in _JUDGED}
    kept = judged - {item.clause for item in run.items if item.verdict is Verdict.FAIL}
    return say("report.level.protocol", language, passed=len(kept), judged=len(judged))


def weakest_run(session: SessionResult) -> RunResult | None:
    """Return the first full run with the session's level."""
    level = session_level(session)
    return next((run for run in session.runs if level is not None and run.level is level), None)


def next_level(run: RunResult) -> Level | None:
    """Return the first level that a full run did not reach; None at the top and for other runs."""
    if run.level is None:
        return None
    above = run.run.role.levels[run.run.role.place(run.level) + 1 :]
    return above[0] if above else None


def missing_for(run: RunResult, level: Level) -> tuple[str, ...]:
    """Return the clauses that keep a run from `level`.

    If the target does not claim ATDF, clauses that apply only with a claim are left out, because
    the report names the missing claim itself.
    """
    state = run.levels.get(level)
    missing = state.missing if state else ()
    if run.claims_atdf:
        return missing
    judged = {i.clause for i in run.items if i.verdict is not Verdict.NOT_APPLICABLE}
    return tuple(clause for clause in missing if clause in judged)


def in_the_way(session: SessionResult) -> frozenset[str]:
    """Return the clauses that keep a run from any level."""
    states = (state for run in session.runs for state in run.levels.values())
    return frozenset(clause for state in states for clause in state.missing)


def capped(run: RunResult) -> Message | None:
    """Return why a run cannot have a level: the kit does not judge so many tools together."""
    return why_cut(left.reason for left in run.tools_left_out)


def counts(items: Iterable[Item]) -> dict[Verdict, int]:
    """Count items by verdict. The result has every verdict, the gravest first."""
    found = Counter(item.verdict for item in items)
    return {verdict: found[verdict] for verdict in GRAVITY}


def all_items(session: SessionResult) -> Iterable[Item]:
    """Return the items of all runs."""
    return (item for run in session.runs for item in run.items)


def clauses_verified(session: SessionResult) -> tuple[int, int]:
    """Count the clauses that were judged wherever they apply, and the clauses that apply at all.

    Left-out tools are ignored for a clause that was judged on other tools; the report lists them
    separately.
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


def unverified(session: SessionResult) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the clauses that could not be verified somewhere, and for which tools.

    Each is there once. There are no tools if none of the clauses is about tools.
    """
    found = [item for item in all_items(session) if item.verdict is Verdict.NOT_VERIFIED]
    tools = dict.fromkeys(item.tool for item in found if item.tool is not None)
    return tuple(sorted({item.clause for item in found})), tuple(tools)


def is_partial(session: SessionResult) -> bool:
    """Return whether a MUST of a current version could not be verified somewhere."""
    return any(
        item.verdict is Verdict.NOT_VERIFIED and item.requirement is Requirement.MUST
        for run in session.runs
        if not run.run.superseded
        for item in run.items
    )


def misleading(session: SessionResult) -> tuple[Unnamed, ...]:
    """Return the refusals that name other parameters than the wrong one, each once for all runs."""
    found: dict[tuple[str, str, tuple[str, ...]], Unnamed] = {}
    for run in session.runs:
        for each in run.explain.unnamed:
            if each.named:
                found.setdefault((each.tool, each.parameter, each.named), each)
    return tuple(found.values())


def _is_left_out(item: Item) -> bool:
    """Return whether an item was not judged because its tool was left out."""
    return any(finding.message.topic is Topic.LEFT_OUT for finding in item.findings)


def failing(
    session: SessionResult, *, should: bool = False, superseded: bool = False
) -> Iterable[Item]:
    """Return what fails a session: each broken MUST of a current version.

    `should` adds every broken SHOULD. `superseded` adds superseded versions.
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
    """Return the message id of the title for what was left out: tools or providers."""
    tools = any(offers_tools(run) for run in session.runs)
    return "report.left-out" if tools else "report.left-out-providers"


def answered_line(session: SessionResult) -> str:
    """Return the message id of the line that quotes the answer of a server, or of a gateway."""
    tools = any(offers_tools(run) for run in session.runs)
    return "report.answered" if tools else "report.answered-gateway"


def left_out(session: SessionResult) -> dict[Message, tuple[str, ...]]:
    """Return the tools that were not called in some run, each once, by the reason."""
    found: dict[Message, dict[str, None]] = {}
    for run in session.runs:
        for left in run.tools_left_out:
            found.setdefault(left.reason, {})[left.tool] = None
    return {reason: tuple(tools) for reason, tools in found.items()}


def shortages(session: SessionResult) -> tuple[Shortage, ...]:
    """Return what the servers' environments lacked, each once, with the tools of all runs."""
    found: dict[Missing, Shortage] = {}
    for one in (each for run in session.runs for each in run.shortages):
        known = found.get(one.missing, one)
        found[one.missing] = replace(known, tools=tuple(dict.fromkeys((*known.tools, *one.tools))))
    return tuple(found.values())


def tools_spared(session: SessionResult) -> tuple[str, ...]:
    """Return the tools that got only a few calls in any run, each once, in order."""
    return tuple(dict.fromkeys(tool for run in session.runs for tool in run.tools_spared))


def rests_on_documents(session: SessionResult) -> bool:
    """Return whether no tool was called, so that the level is based on documents alone."""
    full = [run for run in session.runs if is_rated(run)]
    whole = not (session.selection or session.interrupted)
    return whole and bool(full) and not tools_called(session)


def offers_tools(run: RunResult) -> bool:
    """Return whether a run's target is a server, and so has tools; a gateway has none."""
    return run.run.role is Role.SERVER


def is_rated(run: RunResult) -> bool:
    """Return whether a run has rates: a full run of a target with tools."""
    return run.run.kind is RunKind.FULL and offers_tools(run)


def no_tools(run: RunResult) -> Message | None:
    """Return that the kit found no tool of a server; None if it found one."""
    if not offers_tools(run) or run.tools_called or run.tools_left_out:
        return None
    if run.run.openapi:
        return message("report.no-operations", url=run.tools_path)
    return message("report.no-tools")


def may_claim(run: RunResult) -> bool:
    """Return whether the target of a run could reach a higher level if it claimed ATDF."""
    return offers_tools(run) and not run.claims_atdf and no_tools(run) is None


def guides_for(run: RunResult, language: str) -> str:
    """Return the URL of the guides for servers that speak like the target of a run."""
    return guides_url(language, mcp=traits_of(run.run).speaks_mcp)


def tools_called(session: SessionResult) -> tuple[str, ...]:
    """Return the tools that were called in any run, each once, in order."""
    return tuple(dict.fromkeys(tool for run in session.runs for tool in run.tools_called))


def resources_listed(session: SessionResult) -> dict[str, int]:
    """Count the ARDF resources by type.

    Runs of one server list the same resources, so they are not added up.
    """
    found: dict[str, int] = {}
    for run in session.runs:
        for kind, count in run.resources.items():
            found[kind] = max(count, found.get(kind, 0))
    return found
