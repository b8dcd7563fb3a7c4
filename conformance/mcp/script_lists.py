"""Lists of tools, again and again, and tools that ask to be called as tasks."""

from __future__ import annotations

from datetime import UTC, datetime

from conformance.kit.cases.baseline import candidates
from conformance.kit.evidence.script import Send, Stage, Steps, script
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import MCP_BINDINGS
from conformance.mcp.seen import result_of
from conformance.mcp.steps import LEGACY, MODERN_ONLY, ids, listing
from conformance.spec.vocabulary import Era

BAD_CURSOR = "kit-not-a-cursor"
_TASKS_SINCE = "2025-11-25"
_MOST_TOOLS = 10
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""For arguments of calls that are to be refused anyway: their dates need not be ahead."""


@script(*MCP_BINDINGS)
def mcp_lists(stage: Stage) -> Steps:
    """The list on the connection that served the calls, twice; an invalid cursor if it has any."""
    own, speaker = ids(20), stage.speaker()
    first = yield Send(speaker.request("tools/list", {}, id=next(own)), Step("list-probe"))
    if isinstance((result_of(first) or {}).get("nextCursor"), str):
        request = speaker.request("tools/list", {"cursor": BAD_CURSOR}, id=next(own))
        yield Send(request, Step("bad-cursor"))
    if stage.run.era is Era.MODERN:
        yield from listing(speaker, own, "list-first")
        yield from listing(speaker, own, "list-second")


@script(*MCP_BINDINGS, eras=MODERN_ONLY)
def mcp_lists_again(stage: Stage) -> Steps:
    """The list once more, after another connection has had it."""
    yield from listing(stage.speaker(), ids(21), "list-third")


@script(*MCP_BINDINGS, eras=LEGACY)
def mcp_tasks(stage: Stage) -> Steps:
    """Plain calls of tools that have to be called as tasks, where they may be called at all."""
    if stage.run.version < _TASKS_SINCE:
        return
    own, speaker = ids(22), stage.speaker()
    wanted = [tool for tool in stage.tools if tool.task_required and tool.name in stage.may_call]
    for tool in wanted[:_MOST_TOOLS]:
        arguments = next(iter(candidates(tool, (), _NOW)), {})
        yield Send(speaker.call(tool, arguments, id=next(own)), Step("call", tool=tool.name))
