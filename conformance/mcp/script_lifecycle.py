"""Beginnings and ends: handshakes, versions, requests that stand alone, the end of the input."""

from __future__ import annotations

from dataclasses import replace

from conformance.kit.evidence.script import Close, Restart, Send, Stage, Steps, script
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.bindings import MCP_BINDINGS
from conformance.kit.transport.mcp import LEGACY_VERSIONS, META
from conformance.mcp.seen import result_of
from conformance.mcp.steps import (
    LEGACY,
    MODERN_ONLY,
    UNKNOWN_VERSION,
    harmless,
    ids,
    listing,
    shake,
)


@script(*MCP_BINDINGS, eras=LEGACY, fresh=True, handshake=False, protocol=True)
def mcp_handshake(stage: Stage) -> Steps:
    """The handshake, two pings with ids of both types, and the tools."""
    own = ids(1)
    speaker = yield from shake(stage.speaker(), own)
    if speaker is None:
        return
    pinged = yield Send(speaker.request("ping", id="kit-ping"), Step("ping-string"))
    if pinged.trouble is not None:
        return
    yield Send(speaker.request("ping", id=next(own)), Step("ping-number"))
    yield Send(speaker.request("tools/list", {}, id=next(own)), Step("tools-list"))


@script(*MCP_BINDINGS, eras=LEGACY, fresh=True, handshake=False)
def mcp_versions(stage: Stage) -> Steps:
    """`initialize` with an unknown version, and with each that was ever published.

    Over stdio the questions share a process, and only one that did not get its version is asked
    again in a process of its own: a server may settle on a version once.
    """
    own, speaker = ids(2), stage.speaker()
    for version in (UNKNOWN_VERSION, *LEGACY_VERSIONS):
        step = Step("ask", version=version)
        exchange = yield Send(speaker.initialize(id=next(own), version=version), step)
        offered = (result_of(exchange) or {}).get("protocolVersion")
        alone = stage.binding.traits.over_http or version == UNKNOWN_VERSION
        if alone or offered == version:
            continue
        opened = yield Restart(handshake=False)
        if opened.trouble is not None:
            return
        request = speaker.initialize(id=next(own), version=version)
        yield Send(request, replace(step, mark=Mark.ALONE))


@script(*MCP_BINDINGS, eras=MODERN_ONLY, fresh=True)
def mcp_alone(stage: Stage) -> Steps:
    """The first message of all is a request for the tools; at the end the input is closed."""
    own, speaker = ids(3), stage.speaker()
    yield from listing(speaker, own, "list-first")
    yield Send(speaker.request("server/discover", id=next(own)), Step("discover"))
    yield Send(speaker.request("tools/list", {}, id=next(own)), Step("list-later"))
    yield Close(Step("end"))


@script(*MCP_BINDINGS, eras=MODERN_ONLY, fresh=True)
def mcp_initialize(stage: Stage) -> Steps:
    """A legacy handshake with nothing before it: a modern server refuses it, and says why."""
    speaker = replace(stage.speaker(), version=LEGACY_VERSIONS[-1])
    yield Send(speaker.initialize(id=next(ids(4))), Step("initialize"))


@script(*MCP_BINDINGS, eras=MODERN_ONLY)
def mcp_requests(stage: Stage) -> Steps:
    """Requests in an unknown version and without what `_meta` must hold, between good ones."""
    own, speaker = ids(5), stage.speaker()
    meta = speaker.meta()
    yield Send(speaker.request(harmless(stage), {}, id=next(own)), Step("good"))
    unknown = {**meta, META + "protocolVersion": UNKNOWN_VERSION}
    header = {"MCP-Protocol-Version": UNKNOWN_VERSION}
    request = speaker.request(harmless(stage), {}, id=next(own), meta=unknown, headers=header)
    yield Send(request, Step("unknown-version"))
    yield Send(speaker.request(harmless(stage), {}, id=next(own)), Step("good-again"))
    for key in ("clientCapabilities", "protocolVersion"):
        less = {name: value for name, value in meta.items() if name != META + key}
        request = speaker.request(harmless(stage), {}, id=next(own), meta=less)
        yield Send(request, Step(f"without-{key}"))
    yield Send(speaker.request(harmless(stage), {}, id=next(own), meta={}), Step("without-meta"))
