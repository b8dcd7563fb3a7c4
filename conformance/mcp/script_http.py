"""The scripts that only HTTP needs: sessions, methods, headers, origins."""

from __future__ import annotations

import base64
import re
from dataclasses import replace

from conformance.formats.tool import header_names
from conformance.formats.tool.headers import encoded, mirrored
from conformance.kit.evidence.script import Send, Stage, Steps, script
from conformance.kit.model.exchange import HttpRequest, Request
from conformance.kit.model.loopback import is_loopback
from conformance.kit.model.step import Step
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.mcp import LEGACY_VERSIONS
from conformance.kit.transport.mcp_http import McpHttpBinding
from conformance.mcp.seen import is_ok
from conformance.mcp.steps import (
    LEGACY,
    MCP_OVER_HTTP,
    MODERN_ONLY,
    UNKNOWN_METHOD,
    UNKNOWN_VERSION,
    callable_tool,
    harmless,
    ids,
    shake,
)
from conformance.spec.vocabulary import Era

FOREIGN = "http://attacker.example"
"""An origin that no server on this machine would allow on purpose."""

_STREAM = {"Accept": "text/event-stream"}
_VERSION_HEADER_SINCE = "2025-06-18"
_MOST_TOOLS = 20
_INTEGER = re.compile(r"-?[0-9]{1,1000}")
_SAFE = frozenset({"accept", "accept-language", "content-language", "origin"})
"""Headers that a browser lets every page send."""


@script(*MCP_OVER_HTTP, eras=LEGACY, fresh=True, handshake=False, protocol=True, last=True)
def mcp_session(stage: Stage) -> Steps:
    """Start, use and end a session. GET is sent only once: a server may refuse a second one.

    The probe asks for the list of tools, which every server with tools answers. A broken server may
    end all sessions, so this comes last.
    """
    own = ids(10)
    speaker = yield from shake(spoken(stage.binding, McpHttpBinding), own)
    if speaker is None:
        return
    method = "tools/list" if stage.tools else "ping"
    yield Send(speaker.request(method, id=next(own)), Step("probe"))
    yield Send(speaker.without_body("GET", _STREAM), Step("get"))
    if speaker.version >= _VERSION_HEADER_SINCE:
        header = {header_names.PROTOCOL_VERSION: UNKNOWN_VERSION}
        request = speaker.request(method, id=next(own), headers=header)
        yield Send(request, Step("unknown-version"))
    if speaker.session_id is None:
        return
    request = speaker.request(method, id=next(own), headers={header_names.SESSION_ID: None})
    yield Send(request, Step("without-session"))
    yield Send(speaker.without_body("DELETE"), Step("delete"))
    yield Send(speaker.request(method, id=next(own)), Step("after-delete"))


@script(*MCP_OVER_HTTP, fresh=True, handshake=False, protocol=True)
def mcp_origin(stage: Stage) -> Steps:
    """Send a local target the same request without an origin and with a foreign one.

    Then send the preflight that a browser sends before a page of that origin may make the request.
    """
    if not is_loopback(stage.run.endpoint):
        return
    own = ids(11)
    yield Send(_opening(stage, next(own)), Step("none"))
    foreign = _opening(stage, next(own))
    yield Send(replace(foreign, headers=(*foreign.headers, ("Origin", FOREIGN))), Step("foreign"))
    asked = (
        ("Origin", FOREIGN),
        ("Access-Control-Request-Method", foreign.method),
        ("Access-Control-Request-Headers", ",".join(unsafe(foreign))),
    )
    yield Send(HttpRequest("OPTIONS", foreign.url, asked), Step("preflight"))


def unsafe(request: HttpRequest) -> tuple[str, ...]:
    """Return the headers that a page may send only if the answer to a preflight names them."""
    return tuple(sorted({n.lower() for n, _ in request.headers} - _SAFE))


def _opening(stage: Stage, id: int) -> HttpRequest:
    """Return a request that can come first on a connection."""
    speaker = spoken(stage.binding, McpHttpBinding)
    if stage.run.era is Era.LEGACY:
        return speaker.initialize(id=id)
    return speaker.request(harmless(stage), {}, id=id)


@script(*MCP_OVER_HTTP, eras=MODERN_ONLY)
def mcp_headers(stage: Stage) -> Steps:
    """Send the standard headers: missing, unlike the body, in another case, and encoded."""
    own, speaker, method = ids(12), stage.speaker(), harmless(stage)

    def listed(**headers: str | None) -> Request:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return speaker.request(method, {}, id=next(own), headers=named)

    yield Send(listed(), Step("plain"))
    yield Send(listed(Mcp_Method=None), Step("no-method"))
    yield Send(listed(Mcp_Method="tools/call"), Step("other-method"))
    yield Send(listed(MCP_Protocol_Version=None), Step("no-version"))
    yield Send(listed(MCP_Protocol_Version=LEGACY_VERSIONS[-1]), Step("other-version"))
    cased = {"mcp-METHOD": method, "mcp-protocol-VERSION": speaker.version}
    yield Send(speaker.request(method, {}, id=next(own), headers=cased), Step("other-case"))
    tool = callable_tool(stage)
    if tool is None:
        return
    params = {"name": tool.name, "arguments": stage.good_calls[tool.name]}

    def called(name: dict[str, str | None]) -> Request:
        return speaker.request("tools/call", params, id=next(own), headers=name, tool=tool)

    others = [name for name in stage.good_calls if name != tool.name]  # no tool that is left out
    other = others[0] if others else f"{tool.name}-other"
    yield Send(called({}), Step("call-plain"))
    yield Send(called({header_names.NAME: _wrapped(tool.name)}), Step("call-encoded-name"))
    yield Send(called({"mcp-NAME": encoded(tool.name)}), Step("call-other-case"))
    yield Send(called({header_names.NAME: None}), Step("call-no-name"))
    yield Send(called({header_names.NAME: encoded(other)}), Step("call-other-name"))


def _wrapped(text: str) -> str:
    """Return `text` as base64, even if it needs no encoding: a server has to read both forms."""
    raw = base64.b64encode(text.encode("utf-8", "surrogatepass"))
    return f"=?base64?{raw.decode('ascii')}?="


@script(*MCP_OVER_HTTP, eras=MODERN_ONLY)
def mcp_removed(stage: Stage) -> Steps:
    """Ask for what the modern era does not have: methods, sessions, GET and DELETE."""
    own, speaker = ids(13), spoken(stage.binding, McpHttpBinding)
    legacy = replace(speaker, version=LEGACY_VERSIONS[-1])
    shaken = yield Send(legacy.initialize(id=next(own)), Step("initialize"))
    removed = {
        UNKNOWN_METHOD: {},
        "ping": {},
        "logging/setLevel": {"level": "info"},
        "resources/subscribe": {"uri": "kit://nothing"},
    }
    for method, params in removed.items():
        yield Send(speaker.request(method, params, id=next(own)), Step(method))
    session = {header_names.SESSION_ID: "kit-made-session"}
    yield Send(speaker.request(harmless(stage), {}, id=next(own), headers=session), Step("session"))
    if is_ok(shaken):
        return
    yield Send(speaker.without_body("GET", _STREAM), Step("get"))
    yield Send(speaker.without_body("DELETE"), Step("delete"))


@script(*MCP_OVER_HTTP, eras=MODERN_ONLY)
def mcp_parameters(stage: Stage) -> Steps:
    """Send valid calls of tools with mirrored inputs: correct, without a header, with another."""
    own, speaker = ids(14), stage.speaker()
    for tool in [one for one in stage.tools if one.name in stage.good_calls][:_MOST_TOOLS]:
        arguments = stage.good_calls[tool.name]
        headers = mirrored(tool, arguments)
        if not headers:
            continue
        name, value = headers[0]
        params = {"name": tool.name, "arguments": arguments}
        for step, changed in (
            ("plain", {}),
            ("missing", {name: None}),
            ("other", {name: _other(value)}),
        ):
            request = speaker.request(
                "tools/call", params, id=next(own), headers=changed, tool=tool
            )
            yield Send(request, Step(step, tool=tool.name))


def _other(value: str) -> str:
    """Return another header value of the same type."""
    if value in {"true", "false"}:
        return "false" if value == "true" else "true"
    if _INTEGER.fullmatch(value):
        return str(int(value) + 1)
    return "kit-other-value"
