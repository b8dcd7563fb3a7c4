"""The scripts of the HTTP binding: what a call of a tool does not show."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.formats.schema.uri import urlsplit
from conformance.formats.text.address import in_address
from conformance.formats.tool.tool import JSON
from conformance.kit.evidence.declared_conformance import claims_class, claims_in, link_in
from conformance.kit.evidence.response import body_json
from conformance.kit.evidence.script import MOST_ITEMS, Send, Stage, Steps, script
from conformance.kit.model.exchange import HttpRequest
from conformance.kit.model.step import Mark, Step
from conformance.kit.schema.places import Tokens, put
from conformance.kit.transport.binding import to_bytes
from conformance.spec.vocabulary import Binding, ConformanceClass

NOWHERE = "/agent-formats-no-such-path"
NO_TOOL = "agent-formats-no-such-tool"
ORIGIN = "http://localhost:3000"

COLLECTION = "collection"
"""The name of the steps that ask for a collection; each step has its path."""
LINKED, PROFILE = "linked", "profile"
"""The names of the steps for the links of a discovery document, and for the routes of a profile."""
LINKS = ("manifest", "toolset_catalog", "openapi", "mcp")
"""The names of a discovery document's possible links."""
ONE = "one"
"""The name of the steps that ask for one tool; each step has the tool's name."""

_JSON = ("Content-Type", "application/json")
_DEEP = 1000
_LONG = 1 << 20


@script(Binding.HTTP)
def http_look_around(stage: Stage) -> Steps:
    """Ask for health, the collections without tools, each tool by its id, and an unknown id."""
    if stage.run.openapi:
        return
    web = stage.web()
    yield Send(web.get("/health"), Step("health"))
    manifest = yield Send(web.get("/manifest"), Step("manifest"))
    for collection in _others(body_json(manifest)):
        yield Send(web.get(collection), Step(COLLECTION, place=collection))
    path = tools_path(stage)
    for tool in stage.tools[:MOST_ITEMS]:
        yield Send(web.get(f"{path}/{in_address(tool.name)}"), Step(ONE, tool=tool.name))
    yield Send(web.get(f"{path}/{NO_TOOL}"), Step("unknown-id"))


@script(Binding.HTTP)
def http_declared(stage: Stage) -> Steps:
    """Ask for the links of the discovery document and, if it claims the profile, for its routes."""
    web, document = stage.web(), stage.offered.discovery
    for name in LINKS:
        linked = link_in(document, name)
        if linked is not None:
            yield Send(web.get(linked), Step(LINKED, place=linked))
    if not claims_class(claims_in(document), ConformanceClass.SERVER_V1):
        return
    paths = ["/health", "/metrics", "/tools", "/openapi.json"]
    paths += [f"/tools/{in_address(tool.name)}" for tool in stage.tools[:1]]
    for each in paths:
        yield Send(web.get(each), Step(PROFILE, place=each))


def _others(manifest: Any) -> list[str]:
    """Return the paths of the collections that have no tools, which discovery did not read."""
    listed = manifest.get("resources") if isinstance(manifest, dict) else None
    found = [entry for entry in (listed if isinstance(listed, list) else []) if _is_other(entry)]
    return list(dict.fromkeys(entry["path"] for entry in found))


def _is_other(entry: Any) -> bool:
    """Return whether a manifest entry is not for tools and has a path on the target itself."""
    if not isinstance(entry, dict) or entry.get("type") == "tool":
        return False
    path = entry.get("path")
    return isinstance(path, str) and path.startswith("/") and not path.startswith("//")


@script(Binding.HTTP)
def http_wire(stage: Stage) -> Steps:
    """Send malformed and misdirected requests, and a good one after each."""
    web = stage.web()
    yield Send(web.get(NOWHERE), Step("unknown-path"))
    yield Send(web.get(tools_path(stage)), Step("unknown-path", mark=Mark.ALIVE))
    yield Send(web.send("POST", f"/tools/{NO_TOOL}/invoke", body=b"{}"), Step("unknown-tool"))
    yield Send(web.get(tools_path(stage)), Step("unknown-tool", mark=Mark.ALIVE))
    good = next(posted(stage), None)
    if good is None:
        return
    malformed = {
        "wrong-method": web.send("GET", good.url, headers=()),
        "wrong-method-beside": web.send("GET", _beside(good.url), headers=()),
        "not-json": replace(good, body=b"this is no JSON"),
        "cut-json": replace(good, body=good.body[:-1]),
        "empty-body": replace(good, body=b""),
        "wrong-type": good.with_headers((("Content-Type", "text/plain"),)),
    }
    malformed |= {
        step: replace(good.with_headers(headers), body=body)
        for step, (headers, body) in strange_requests(good.body).items()
    }
    malformed |= _strange_numbers(stage)
    for step, request in malformed.items():
        yield Send(request, Step(step))
        yield Send(web.get(tools_path(stage)), Step(step, mark=Mark.ALIVE))


def _beside(url: str) -> str:
    """Return the address of a tool that does not exist, next to a tool that does."""
    return url.partition("?")[0].rpartition("/")[0] + f"/{NO_TOOL}"


def strange_requests(good: bytes) -> dict[str, tuple[tuple[tuple[str, str], ...], bytes]]:
    """Return copies of a good body, each strange in one way, with their headers.

    A server may accept or refuse them, but it must still answer afterwards.
    """
    more = good.rstrip()[:-1] + (b"," if len(good.strip()) > 2 else b"")
    bodies = {
        "duplicate-keys": more + b'"kit":1,"kit":2}',
        "not-a-number": more + b'"kit":NaN}',
        "huge-number": more + b'"kit":1' + b"0" * 5000 + b"}",
        "beyond-float": more + b'"kit":1e400}',
        "deep": more + b'"kit":' + b"[" * _DEEP + b"]" * _DEEP + b"}",
        "lone-surrogate": more + b'"kit":"\\ud800"}',
        "not-utf8": more + b'"kit":"\xff\xfe"}',
        "long-text": more + b'"kit":"' + b"a" * _LONG + b'"}',
    }
    found: dict[str, tuple[tuple[tuple[str, str], ...], bytes]] = {
        step: ((_JSON,), body) for step, body in bodies.items()
    }
    charset = (("Content-Type", "application/json; charset=utf-16"),)
    found["other-charset"] = (charset, good.decode("utf-8", "replace").encode("utf-16"))
    return found


def _strange_numbers(stage: Stage) -> dict[str, HttpRequest]:
    """Return a valid call with NaN and with a number too large for a float.

    A server that tries to write such a number into its refusal may fail.
    """
    for good in posted(stage):
        body = json.loads(good.body)
        place = next(_numbers_in(body), None)
        if place is not None:
            strange = {"number-nan": math.nan, "number-huge": 10**400}
            return {
                step: replace(good, body=to_bytes(put(body, place, number)))
                for step, number in strange.items()
            }
    return {}


def _numbers_in(value: Any, here: Tokens = ()) -> Iterator[Tokens]:
    """Yield the places of numbers, in the order of the document."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield here
    elif isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for step, each in inner:
            yield from _numbers_in(each, (*here, step))


@script(Binding.HTTP)
def http_cors(stage: Stage) -> Steps:
    """Make a success, an error, a preflight and a refusal, as a page on this machine would."""
    web = stage.web()
    origin = ("Origin", ORIGIN)
    yield Send(web.get(tools_path(stage), (origin,)), Step("success"))
    yield Send(web.get(NOWHERE, (origin,)), Step("error"))
    good = next(posted(stage), None)
    method, url = (good.method, good.url) if good else ("GET", web.url(tools_path(stage)))
    asked = (
        origin,
        ("Access-Control-Request-Method", method),
        ("Access-Control-Request-Headers", "content-type"),
    )
    yield Send(web.send("OPTIONS", url, headers=asked), Step("preflight"))
    if good is not None:
        yield Send(replace(good.with_headers((origin,)), body=b"no JSON"), Step("refusal"))


def tools_path(stage: Stage) -> str:
    """Return the path where the target lists its tools: the manifest's, or the usual one."""
    return stage.tools_path or "/tools"


def posted(stage: Stage) -> Iterator[HttpRequest]:
    """Yield the accepted calls that are posted to the target with a JSON object as their body."""
    web = stage.web()
    host = urlsplit(web.url("/"))[:2]
    for tool in stage.tools:
        if tool.name not in stage.good_calls:
            continue
        if tool.invocation is not None and tool.invocation.sent != JSON:
            continue
        good = web.call(tool, stage.good_calls[tool.name])
        is_here = good.method == "POST" and urlsplit(good.url)[:2] == host
        if is_here and good.body.startswith(b"{"):
            yield good
