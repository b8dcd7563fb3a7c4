"""Scripts that list the tools again and again, and call tools that must be called as tasks."""

from __future__ import annotations

from datetime import UTC, datetime

from conformance.kit.cases.baseline import candidates
from conformance.kit.evidence.script import Send, Stage, Steps, script
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import MCP_BINDINGS
from conformance.mcp.seen import gives_cursor
from conformance.mcp.steps import LEGACY, MODERN_ONLY, ids, listing
from conformance.spec.vocabulary import Era

BAD_CURSOR = "kit-not-a-cursor"
_TASKS_SINCE = "2025-11-25"
_MOST_TOOLS = 10
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""The time for arguments of calls that will be refused anyway, so their dates may be past."""


@script(*MCP_BINDINGS)
def mcp_lists(stage: Stage) -> Steps:
    """List the tools again on the connection of the calls.

    If the list has pages, an invalid cursor follows. In the modern era, two more full listings
    follow.
    """
    own, speaker = ids(20), stage.speaker()
    first = yield Send(speaker.request("tools/list", {}, id=next(own)), Step("list-probe"))
    if gives_cursor(first):
        request = speaker.request("tools/list", {"cursor": BAD_CURSOR}, id=next(own))
        yield Send(request, Step("bad-cursor"))
    if stage.run.era is Era.MODERN:
        yield from listing(speaker, own, "list-first")
        yield from listing(speaker, own, "list-second")


@script(*MCP_BINDINGS, eras=MODERN_ONLY)
def mcp_lists_again(stage: Stage) -> Steps:
    """List the tools once more, after another connection has listed them."""
    yield from listing(stage.speaker(), ids(21), "list-third")


@script(*MCP_BINDINGS, eras=LEGACY)
def mcp_tasks(stage: Stage) -> Steps:
    """Make plain calls of the tools that must be called as tasks, if the kit may call them."""
    if stage.run.version < _TASKS_SINCE:
        return
    own, speaker = ids(22), stage.speaker()
    wanted = [tool for tool in stage.tools if tool.task_required and tool.name in stage.may_call]
    for tool in wanted[:_MOST_TOOLS]:
        arguments = next(iter(candidates(tool, (), _NOW)), {})
        yield Send(speaker.call(tool, arguments, id=next(own)), Step("call", tool=tool.name))
