"""ATDF's sequences: what a single call of a tool does not show."""

from __future__ import annotations

from dataclasses import replace

from conformance.kit.evidence.script import Send, Stage, Steps, script
from conformance.kit.model.exchange import HttpRequest
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import OVER_HTTP

CANARY = "agent-formats-canary-5f0c2a7e"
"""A made-up credential: an answer that holds it gives away what callers send."""

_TOOLS = 3
_MISTAKE = {"agent_formats_no_such_parameter": CANARY[:8]}


@script(*OVER_HTTP)
def canary(stage: Stage) -> Steps:
    """A mistake in a call of each of the first tools, made with a made-up credential."""
    for number, tool in enumerate(t for t in stage.tools if t.name in stage.good_calls):
        if number == _TOOLS:
            break
        request = stage.binding.call(tool, _MISTAKE, id=70 + number)
        assert isinstance(request, HttpRequest)
        yield Send(_with_credential(request), Step("mistake", number=number + 1))


def _with_credential(request: HttpRequest) -> HttpRequest:
    kept = tuple((k, v) for k, v in request.headers if k.lower() != "authorization")
    return replace(request, headers=(*kept, ("Authorization", f"Bearer {CANARY}")))
