"""The HTTP binding's sequences: what no tool call shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from conformance.formats.tool.tool import JSON, Tool
from conformance.kit.evidence.declared_conformance import claims_class, claims_in, link_in
from conformance.kit.evidence.response import body_json
from conformance.kit.evidence.script import MOST_ITEMS, Send, Stage, Steps, script
from conformance.kit.model.step import Mark, Step
from conformance.kit.schema.places import Tokens, put
from conformance.kit.transport.binding import to_bytes
from conformance.spec.vocabulary import Binding, ConformanceClass

NOWHERE = "/agent-formats-no-such-path"
NO_TOOL = "agent-formats-no-such-tool"
ORIGIN = "http://localhost:3000"

COLLECTION = "collection"
"""The name of the steps that ask for a collection, each with its path."""
LINKED, PROFILE = "linked", "profile"
"""The names of the steps that ask for what a discovery document links to, and for a profile."""
LINKS = ("manifest", "toolset_catalog", "openapi", "mcp")
"""What a discovery document may link to."""
ONE = "one"
"""The name of the steps that ask for one tool, each with its name."""

_JSON = ("Content-Type", "application/json")
_DEEP = 1000
_LONG = 1 << 20


@script(Binding.HTTP)
def http_look_around(stage: Stage) -> Steps:
    """Health, the collections other than tools, each tool by its id, an id that is none."""
    if stage.run.openapi:
        return
    web = stage.web()
    yield Send(web.get("/health"), Step("health"))
    manifest = yield Send(web.get("/manifest"), Step("manifest"))
    for collection in _others(body_json(manifest)):
        yield Send(web.get(collection), Step(COLLECTION, place=collection))
    path = tools_path(stage)
    for tool in stage.tools[:MOST_ITEMS]:
        yield Send(web.get(f"{path}/{quote(tool.name, safe='')}"), Step(ONE, tool=tool.name))
    yield Send(web.get(f"{path}/{NO_TOOL}"), Step("unknown-id"))


@script(Binding.HTTP)
def http_declared(stage: Stage) -> Steps:
    """What the discovery document links to, and the routes of the profile, if it claims that."""
    web, document = stage.web(), stage.offered.discovery
    for name in LINKS:
        linked = link_in(document, name)
        if linked is not None:
            yield Send(web.get(linked), Step(LINKED, place=linked))
    if not claims_class(claims_in(document), ConformanceClass.SERVER_V1):
        return
    paths = ["/health", "/metrics", "/tools", "/openapi.json"]
    paths += [f"/tools/{quote(tool.name, safe='')}" for tool in stage.tools[:1]]
    for each in paths:
        yield Send(web.get(each), Step(PROFILE, place=each))


def _others(manifest: Any) -> list[str]:
    """The paths of the collections that discovery left alone: those of no tools."""
    listed = manifest.get("resources") if isinstance(manifest, dict) else None
    found = [entry for entry in (listed if isinstance(listed, list) else []) if _is_other(entry)]
    return list(dict.fromkeys(entry["path"] for entry in found))


def _is_other(entry: Any) -> bool:
    """Whether an entry of the manifest has a path of the target's own and another type."""
    if not isinstance(entry, dict) or entry.get("type") == "tool":
        return False
    path = entry.get("path")
    return isinstance(path, str) and path.startswith("/") and not path.startswith("//")


@script(Binding.HTTP)
def http_wire(stage: Stage) -> Steps:
    """Malformed and misdirected requests, each followed by a good one."""
    web = stage.web()
    yield Send(web.get(NOWHERE), Step("unknown-path"))
    yield Send(web.get(tools_path(stage)), Step("unknown-path", mark=Mark.ALIVE))
    yield Send(web.send("POST", f"/tools/{NO_TOOL}/invoke", body=b"{}"), Step("unknown-tool"))
    yield Send(web.get(tools_path(stage)), Step("unknown-tool", mark=Mark.ALIVE))
    tool = next(posted(stage), None)
    if tool is None:
        return
    method, url = web.route(tool)
    good = to_bytes(stage.good_calls[tool.name])
    malformed = {
        "wrong-method": web.send("GET", url, headers=()),
        "wrong-method-beside": web.send("GET", _beside(url), headers=()),
        "not-json": web.send(method, url, body=b"this is no JSON"),
        "cut-json": web.send(method, url, body=good[:-1]),
        "empty-body": web.send(method, url, body=b""),
        "wrong-type": web.send(method, url, headers=(("Content-Type", "text/plain"),), body=good),
    }
    malformed |= {
        step: web.send(method, url, headers=headers, body=body)
        for step, (headers, body) in strange_requests(good).items()
    }
    for step, (counting, body) in _strange_numbers(stage).items():
        malformed[step] = web.send(*web.route(counting), body=body)
    for step, request in malformed.items():
        yield Send(request, Step(step))
        yield Send(web.get(tools_path(stage)), Step(step, mark=Mark.ALIVE))


def _beside(url: str) -> str:
    """The address of something that is not there, in the place of what is."""
    return url.rpartition("/")[0] + f"/{NO_TOOL}"


def strange_requests(good: bytes) -> dict[str, tuple[tuple[tuple[str, str], ...], bytes]]:
    """A good body made strange in one way each, with its headers: what matters is what follows.

    How a server takes them is its own affair; one that is gone after them has been brought down.
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


def _strange_numbers(stage: Stage) -> dict[str, tuple[Tool, bytes]]:
    """Good calls with a number that no float is: what servers write into a refusal, and cannot."""
    for tool in posted(stage):
        good = stage.good_calls[tool.name]
        place = next(_numbers_in(good), None)
        if place is not None:
            strange = {"number-nan": math.nan, "number-huge": 10**400}
            return {
                step: (tool, to_bytes(put(good, place, number))) for step, number in strange.items()
            }
    return {}


def _numbers_in(value: Any, here: Tokens = ()) -> Iterator[Tokens]:
    """The places of numbers, the outermost of each member first."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield here
    elif isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for step, each in inner:
            yield from _numbers_in(each, (*here, step))


@script(Binding.HTTP)
def http_cors(stage: Stage) -> Steps:
    """A success, an error and a preflight, as a page on this machine would make them."""
    web = stage.web()
    origin = ("Origin", ORIGIN)
    yield Send(web.get(tools_path(stage), (origin,)), Step("success"))
    yield Send(web.get(NOWHERE, (origin,)), Step("error"))
    tool = next(posted(stage), None)
    method, url = web.route(tool) if tool is not None else ("GET", web.url(tools_path(stage)))
    asked = (
        origin,
        ("Access-Control-Request-Method", method),
        ("Access-Control-Request-Headers", "content-type"),
    )
    yield Send(web.send("OPTIONS", url, headers=asked), Step("preflight"))
    if tool is not None:
        yield Send(web.send(method, url, headers=(_JSON, origin), body=b"no JSON"), Step("refusal"))


def tools_path(stage: Stage) -> str:
    """Where the target lists its tools: what its manifest said, else the usual path."""
    return stage.tools_path or "/tools"


def posted(stage: Stage) -> Iterator[Tool]:
    """The tools that were called with success, by a method with a JSON body, at the target."""
    web = stage.web()
    host = urlsplit(web.url("/"))[:2]
    for tool in stage.tools:
        method, url = web.route(tool)
        if tool.invocation is not None and tool.invocation.sent != JSON:
            continue
        if tool.name in stage.good_calls and method == "POST" and urlsplit(url)[:2] == host:
            yield tool
