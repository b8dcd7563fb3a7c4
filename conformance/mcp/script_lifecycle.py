"""Scripts for starts and ends: handshakes, versions, single requests, the end of the input."""

from __future__ import annotations

from dataclasses import replace

from conformance.formats.tool import header_names
from conformance.kit.evidence.script import Close, Restart, Send, Stage, Steps, script
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.bindings import MCP_BINDINGS
from conformance.kit.transport.mcp import LEGACY_VERSIONS, META
from conformance.mcp.seen import result_of
from conformance.mcp.steps import (
    LEGACY,
    MCP_OVER_HTTP,
    MODERN_ONLY,
    UNKNOWN_VERSION,
    harmless,
    ids,
    listing,
    shake,
)


@script(*MCP_BINDINGS, eras=LEGACY, fresh=True, handshake=False, protocol=True, opens=True)
def mcp_handshake(stage: Stage) -> Steps:
    """Make the handshake, send two pings with ids of both types, and ask for the tools."""
    own = ids(1)
    speaker = yield from shake(stage.speaker(), own)
    if speaker is None:
        return
    pinged = yield Send(speaker.request("ping", id="kit-ping"), Step("ping-string"))
    if pinged.trouble is Trouble.CLOSED:
        return
    if pinged.trouble is None:
        yield Send(speaker.request("ping", id=next(own)), Step("ping-number"))
    yield Send(speaker.request("tools/list", {}, id=next(own)), Step("tools-list"))


@script(*MCP_BINDINGS, eras=LEGACY, fresh=True, handshake=False, shares=True, last=True)
def mcp_versions(stage: Stage) -> Steps:
    """Send `initialize` with each published legacy version, and with an unknown one.

    Over stdio the requests share a process. If one does not get its version, it is sent again in a
    fresh process, because a server may settle on a version only once. Then the unknown version is
    asked for in a fresh process, too.
    """
    own, speaker = ids(2), stage.speaker()
    settles_once = False
    for version in LEGACY_VERSIONS:
        step = Step("ask", version=version)
        exchange = yield Send(speaker.initialize(id=next(own), version=version), step)
        if stage.binding.traits.over_http or _offered(exchange) == version:
            continue
        opened = yield Restart(handshake=False)
        if opened.trouble is not None:
            return
        request = speaker.initialize(id=next(own), version=version)
        again = yield Send(request, replace(step, mark=Mark.ALONE))
        settles_once = settles_once or _offered(again) == version
    if settles_once:
        opened = yield Restart(handshake=False)
        if opened.trouble is not None:
            return
    step = Step("ask", version=UNKNOWN_VERSION)
    asked = yield Send(speaker.initialize(id=next(own), version=UNKNOWN_VERSION), step)
    if stage.binding.traits.over_http or settles_once or _offered(asked) is not None:
        return
    opened = yield Restart(handshake=False)
    if opened.trouble is None:
        request = speaker.initialize(id=next(own), version=UNKNOWN_VERSION)
        yield Send(request, replace(step, mark=Mark.ALONE))


def _offered(exchange: Exchange) -> object:
    """Return the version that an answer to `initialize` offers."""
    return (result_of(exchange) or {}).get("protocolVersion")


@script(*MCP_BINDINGS, eras=MODERN_ONLY, fresh=True, opens=True)
def mcp_alone(stage: Stage) -> Steps:
    """Ask for the tools in the very first message, and close the input at the end."""
    own, speaker = ids(3), stage.speaker()
    yield from listing(speaker, own, "list-first")
    yield Send(speaker.request("server/discover", id=next(own)), Step("discover"))
    yield Send(speaker.request("tools/list", {}, id=next(own)), Step("list-later"))
    yield Close(Step("end"))


@script(*MCP_OVER_HTTP, eras=MODERN_ONLY, fresh=True)
def mcp_initialize(stage: Stage) -> Steps:
    """Send a legacy `initialize` first: a modern server refuses it, and says why.

    Over stdio, discovery has already sent it in a separate process.
    """
    speaker = replace(stage.speaker(), version=LEGACY_VERSIONS[-1])
    yield Send(speaker.initialize(id=next(ids(4))), Step("initialize"))


@script(*MCP_BINDINGS, eras=MODERN_ONLY)
def mcp_requests(stage: Stage) -> Steps:
    """Send requests in an unknown version, and without keys of `_meta`, after good ones."""
    own, speaker = ids(5), stage.speaker()
    meta = speaker.meta()
    yield Send(speaker.request(harmless(stage), {}, id=next(own)), Step("good"))
    unknown = {**meta, META + "protocolVersion": UNKNOWN_VERSION}
    header = {header_names.PROTOCOL_VERSION: UNKNOWN_VERSION}
    request = speaker.request(harmless(stage), {}, id=next(own), meta=unknown, headers=header)
    yield Send(request, Step("unknown-version"))
    yield Send(speaker.request(harmless(stage), {}, id=next(own)), Step("good-again"))
    for key in ("clientCapabilities", "protocolVersion"):
        less = {name: value for name, value in meta.items() if name != META + key}
        request = speaker.request(harmless(stage), {}, id=next(own), meta=less)
        yield Send(request, Step(f"without-{key}"))
    yield Send(speaker.request(harmless(stage), {}, id=next(own), meta={}), Step("without-meta"))
