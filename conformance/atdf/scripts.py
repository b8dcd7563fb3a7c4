"""ATDF's sequences: what a single call of a tool does not show."""

from __future__ import annotations

from dataclasses import replace

from conformance.kit.evidence.script import Send, Stage, Steps, script
from conformance.kit.model.exchange import Request
from conformance.spec.vocabulary import Binding

CANARY = "agent-formats-canary-5f0c2a7e"
"""A made-up credential: an answer that holds it gives away what callers send."""

_HEADER = {"Authorization": f"Bearer {CANARY}"}
_TOOLS = 3
_MISTAKE = {"agent_formats_no_such_parameter": CANARY[:8]}


@script(Binding.HTTP, Binding.MCP)
def canary(stage: Stage) -> Steps:
    """A mistake in a call of each of the first tools, made with a made-up credential."""
    for number, tool in enumerate(t for t in stage.tools if t.name in stage.good_calls):
        if number == _TOOLS:
            break
        if stage.http is not None:
            request = stage.http.call(tool, _MISTAKE)
            request = _with_header(request)
        else:
            params = {"name": tool.name, "arguments": _MISTAKE}
            request = stage.speaker().request("tools/call", params, id=70 + number, headers=_HEADER)
        yield Send(request, f"mistake-{number + 1}")


def _with_header(request: Request) -> Request:
    kept = tuple((k, v) for k, v in request.headers if k.lower() != "authorization")
    return replace(request, headers=(*kept, *_HEADER.items()))
