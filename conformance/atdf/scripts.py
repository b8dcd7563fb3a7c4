"""ATDF's scripts: what a single call of a tool does not show."""

from __future__ import annotations

from conformance.kit.evidence.script import Send, Stage, Steps, script
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import OVER_HTTP

CANARY = "agent-formats-canary-5f0c2a7e"
"""A made-up credential. An answer that contains it gives away what callers send."""

_TOOLS = 3
_MISTAKE = {"agent_formats_no_such_parameter": CANARY[:8]}


@script(*OVER_HTTP)
def canary(stage: Stage) -> Steps:
    """Call each of the first tools with a mistake and with a made-up credential."""
    for number, tool in enumerate(t for t in stage.tools if t.name in stage.good_calls):
        if number == _TOOLS:
            break
        request = stage.binding.call(tool, _MISTAKE, id=70 + number)
        request = request.with_headers((("Authorization", f"Bearer {CANARY}"),))
        yield Send(request, Step("mistake", number=number + 1))
