"""The scripts of the runtime vocabulary: calls that no case makes."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from conformance.formats.schema.uri import urljoin
from conformance.formats.tool.meta import both_names
from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.response import body_json, header_of, response_of
from conformance.kit.evidence.script import Action, Restart, Send, Stage, Steps, script
from conformance.kit.model.exchange import Exchange, Request
from conformance.kit.model.slug import slug
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import BINDINGS
from conformance.kit.transport.http import HttpBinding
from conformance.spec.vocabulary import Binding, Emission, MetaKey

SENT = "runtime_calls"
"""The script whose steps are calls of tools; each step has the tool's name."""

LATER = "runtime_later"
"""The script that fetches results later; its steps have the tool's name, too."""

POLL = "poll"
"""The name of the steps of `LATER` that ask for the status."""

CANARY = "agent-formats-injected-7d41"
"""A value that no runtime would inject."""

LIMIT = "limit"
RESERVED = "server_data"
META_HEADER = "Agent-Formats-Call-Meta"
MOST_POLLS = 40
_BETWEEN_POLLS = 0.1
"""The least seconds between two of them. A server may ask for more, in `poll_after_ms`."""
_WAITED = 5.0
_WAITED_IN_ALL = 15.0
"""The most seconds that the script waits for the result of one tool, and of all tools."""

_MOST_TOOLS = 8
_FIRST_ID = 950_000_000
_PLENTY = 1000
"""The limit for tools whose schema has no maximum."""

Members = Mapping[str, Any]
Sent = Generator[Action, Exchange, Exchange]


def _in_toolsets(stage: Stage) -> list[tuple[Tool, Members]]:
    """Return the first tools of toolsets whose baseline call is known, with their entries."""
    entries = stage.offered.entries
    able = [(t, entries[t.name]) for t in stage.tools if t.name in entries]
    return [(tool, entry) for tool, entry in able if tool.name in stage.good_calls][:_MOST_TOOLS]


@script(*BINDINGS)
def runtime_calls(stage: Stage) -> Steps:
    """Call each tool with metadata, server data on and off, an injected field, and limits."""
    ids = count(_FIRST_ID)
    for tool, entry in _in_toolsets(stage):
        good = stage.good_calls[tool.name]
        meta = {
            "run_id": "kit-run",
            "session_id": "kit-session",
            "tool_call_id": f"kit-call-{slug(tool.name)}",
        }
        yield Send(_request(stage, tool, good, next(ids), meta), Step("meta", tool=tool.name))
        if entry.get("server_data"):
            for word in Emission:
                asked = {**good, RESERVED: word.value}
                step = Step(word.value, tool=tool.name)
                yield Send(_request(stage, tool, asked, next(ids)), step)
        injected = _first_text(entry.get("injected"))
        if injected is not None:
            asked = {**good, injected: CANARY}
            for name, sent in (("plain", good), ("injected", asked), ("plain-again", good)):
                yield Send(_request(stage, tool, sent, next(ids)), Step(name, tool=tool.name))
        if entry.get("bounded") is True:
            yield from _sizes(stage, tool, good, ids)


def _sizes(stage: Stage, tool: Tool, good: Members, ids: Any) -> Generator[Action, Exchange, None]:
    """Ask for all items; then for exactly that number, for one more, and for one fewer.

    The number is what the widest call returns, if its result was not cut.
    """
    properties = tool.input_schema.get("properties")
    schema = properties.get(LIMIT) if isinstance(properties, dict) else None
    if not isinstance(schema, dict) or schema.get("type") != "integer":
        return
    least = max(1, _bound(schema, "minimum", 1))  # an empty result is never cut
    most = _bound(schema, "maximum", _PLENTY)
    widest = _request(stage, tool, {**good, LIMIT: most}, next(ids))
    exchange = yield Send(widest, Step("all", tool=tool.name))
    returned, truncated = _told(exchange)
    if returned is None or truncated is not False:
        return
    for name, limit in (("exactly", returned), ("larger", returned + 1), ("fewer", returned - 1)):
        if least <= limit <= most:
            asked = {**good, LIMIT: limit}
            yield Send(_request(stage, tool, asked, next(ids)), Step(name, tool=tool.name))


def _bound(schema: Members, keyword: str, otherwise: int) -> int:
    found = schema.get(keyword)
    return found if type(found) is int else otherwise


def _told(exchange: Exchange) -> tuple[int | None, Any]:
    """Return how many items an answer says that it returns, and whether they were cut."""
    document = body_json(exchange) if exchange.request.answer_to is None else None
    bounds = document.get("bounds") if isinstance(document, dict) else None
    if exchange.request.answer_to is not None:
        result = (response_of(exchange) or {}).get("result")
        bounds = result.get("structuredContent") if isinstance(result, dict) else None
    if not isinstance(bounds, dict) or type(bounds.get("returned")) is not int:
        return None, None
    return bounds["returned"], bounds.get("truncated")


def _pause(status: Members) -> float:
    """Return how many seconds to wait before the status of a call is asked for again."""
    asked = status.get("poll_after_ms")
    told = min(asked, _WAITED * 1000) / 1000 if type(asked) is int else 0.0
    return max(told, _BETWEEN_POLLS)


def _resolved(url: str, place: str) -> str:
    """Return a `Location` as a full URL. It is relative to the called URL, not to the target."""
    try:
        return urljoin(url, place)
    except ValueError:  # such as `http://[`, which the connection refuses
        return place


def _first_text(listed: Any) -> str | None:
    names = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
    return next(iter(names), None)


def _request(
    stage: Stage, tool: Tool, arguments: Any, id: int, meta: Members | None = None
) -> Request:
    """Return a call with its metadata, where the binding places it."""
    if isinstance(stage.binding, HttpBinding):
        request = stage.binding.call(tool, arguments)
        if meta is None:
            return request
        return request.with_headers(((META_HEADER, json.dumps(meta)),))
    speaker = stage.speaker()
    params: dict[str, Any] = {"name": tool.name, "arguments": arguments}
    carried = both_names(MetaKey.CALL_META, meta) if meta is not None else {}
    if speaker.modern:
        whole = {**speaker.meta(), **carried}
        return speaker.request("tools/call", params, id=id, meta=whole, tool=tool)
    if carried:
        params["_meta"] = carried
    return speaker.request("tools/call", params, id=id, tool=tool)


@script(Binding.HTTP, fresh=True)
def runtime_later(stage: Stage) -> Steps:
    """Call tools that change nothing, and fetch the results later, over another connection."""
    web, left = stage.web(), _WAITED_IN_ALL
    for tool, _ in _in_toolsets(stage):
        if tool.annotations.read_only is not True and tool.safe is not True:
            continue
        request = web.call(tool, stage.good_calls[tool.name])
        asking = replace(request, headers=(*request.headers, ("Prefer", "respond-async")))
        started = yield Send(asking, Step("started", tool=tool.name))
        place = header_of(started, "location")
        if started.answer is None or started.answer.status != 202 or not place:
            continue
        yield Restart()
        status_at = _resolved(request.url, place)
        patience, wait = min(left, _WAITED), 0.0
        for number in range(1, MOST_POLLS + 1):
            step = Step(POLL, number=number, tool=tool.name)
            polled = yield Send(web.get(status_at), step, after=wait)
            patience, left = patience - wait, left - wait
            document = body_json(polled)
            status = document.get("status") if isinstance(document, dict) else None
            if status != "running":
                yield Send(web.get(status_at), Step("again", tool=tool.name))
                break
            if patience <= 0:
                break
            wait = min(_pause(document), patience)
        yield Send(request, Step("at-once", tool=tool.name))
