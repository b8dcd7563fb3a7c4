"""The lines that `--plan` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.database import Memory
from conformance.kit.cases.naming import good_ids
from conformance.kit.cases.phases import all_cases
from conformance.kit.cases.plan import Plan, only
from conformance.kit.evidence.catalog import Offered
from conformance.kit.evidence.declarations import Discovered, declared, why_unusable
from conformance.kit.evidence.safety import why_left_out
from conformance.kit.evidence.script import Script, Stage, scenario_id, sends_of
from conformance.kit.model.case import Expectation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.fault import Fault, catching, told_fault
from conformance.kit.model.run import Role
from conformance.kit.model.settings import Settings
from conformance.kit.transport.bindings import binding_of
from conformance.spec.messages import message
from conformance.spec.vocabulary import RunKind


def planned(
    found: list[Discovered],
    settings: Settings,
    memory: Memory | None = None,
    scripts: Sequence[Script] = (),
    faults: list[Fault] | None = None,
) -> Iterator[str]:
    """Yield a line for each case that would be sent. They start from baseline calls that were not
    tried.

    For a gateway, yield the ids of its scenarios. A tool that cannot be called has a line with the
    reason. A fault of the kit has a line too, and is added to `faults`.
    """
    for one in found:
        if one.run.role is Role.GATEWAY:
            yield from _scenarios(one, settings, scripts)
        if one.run.kind is RunKind.PROTOCOL:
            continue  # only a baseline call is sent in it, which the full run finds
        for tool in one.tools:
            lines: list[str] = []
            with catching() as caught:
                lines = list(_of_tool(one, tool, settings, memory))
            yield from lines
            if caught.fault is not None:
                if faults is not None:
                    faults.append(caught.fault)
                where = message("kit.tool_failed", tool=tool.name)
                told = told_fault(where, caught.fault)
                yield told.words(settings.language)
        if settings.replay is None:
            yield from _uncalled(one, settings)


def _uncalled(one: Discovered, settings: Settings) -> Iterator[str]:
    """Yield a line with the reason for each declaration that cannot be called."""
    judged = declared(one)
    for name in (stub.name for stub in judged.unusable):
        failed = message("kit.left_out.fault") if name in judged.faults else None
        reason = failed or why_unusable(name, judged, settings.language)
        yield f"{one.run.id}  {name}: {reason.words(settings.language)}"
    for name, reason in one.left_out:
        yield f"{one.run.id}  {name}: {reason.words(settings.language)}"


def _of_tool(
    one: Discovered, tool: Tool, settings: Settings, memory: Memory | None
) -> Iterator[str]:
    reason = why_left_out(tool, one.run, settings)
    if reason is not None and settings.replay is not None:
        return  # only one case is asked for, which another tool has
    if reason is not None:
        yield f"{one.run.id}  {tool.name}: {reason.words(settings.language)}"
        return
    given = settings.examples.get(tool.name, ())
    tried = candidates(tool, given, datetime.now(UTC))
    baseline = tried[0] if tried else {}
    known = memory.recall(one.run, tool) if memory and settings.max_examples else []
    made = all_cases(
        tool,
        one.run,
        baseline,
        seed=settings.seed,
        count=settings.max_examples,
        remembered=[each.call for each in known],
        today=datetime.now(UTC),
    )
    if settings.replay is not None:
        yield from _replayed(made, good_ids(one.run.id, tool.name), settings.replay)
        return
    said = message("kit.plan.tool", run=one.run.id, name=tool.name, cases=len(made.calls))
    yield said.words(settings.language)
    for case in made.calls:
        yield f"  {case.expects.value}  {case.id}"
    yield from (f"  ! {problem}" for problem in made.problems)
    if made.dropped:
        left = message("kit.plan.dropped", dropped=made.dropped)
        yield "  " + left.words(settings.language)
    for what in made.skipped:
        yield "  " + message("kit.plan.skipped", what=what).words(settings.language)


def _scenarios(found: Discovered, settings: Settings, scripts: Iterable[Script]) -> Iterator[str]:
    """Yield each scenario of a gateway once. Its scripts do not depend on answers."""
    families = tuple(found.capabilities.get("families", ()))
    stage = Stage(
        binding_of(found.run, settings),
        (),
        {},
        offered=Offered(families=families),
        declared=settings.gateway_policy,
    )
    own = (script for script in scripts if script.runs_in(found.run))
    sent = (send for script in own for send in sends_of(script, stage))
    ids = dict.fromkeys(scenario_id(found.run.id, send.step) for send in sent)
    yield from (f"  {id}" for id in ids if settings.replay is None or id.names(settings.replay))


def _replayed(made: Plan, good: Iterable[CaseId], wanted: str) -> Iterator[str]:
    """Yield the one case to repeat, and the call without which it proves nothing."""
    if any(id.text == wanted for id in good):
        yield f"  {Expectation.ACCEPT.value}  {wanted}"
    kept = only(made, wanted)
    for case in kept.calls:
        yield f"  {case.expects.value}  {case.id}"
