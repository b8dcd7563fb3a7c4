"""Builds call records of a toolset's tools, which the rules of the runtime vocabulary check.

Over HTTP the tool result is the body. Over MCP it is put together from several places of the
result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from conformance.formats.problem import Problem
from conformance.formats.text.json_text import told_in
from conformance.formats.tool.meta import held, key_in
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.cache import ByIdentity
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.evidence.response import Reading, read
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import Check, unknown
from conformance.runtime.scripts import SENT
from conformance.spec.messages import Message
from conformance.spec.vocabulary import MetaKey, Outcome

BOUNDS = ("returned", "total", "truncated", "refinement_hint")

Members = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One call with its exchange, its arguments, its result and its problems.

    `at` is the call of a case, or the exchange of a script's step, whose name is `step`. `result`
    is the tool result, or None if the answer has none. `meta` is the call's metadata that was sent.
    """

    at: Call | Exchange
    step: str
    reading: Reading
    arguments: Members
    result: Members | None
    meta: Members | None
    problems: tuple[Problem, ...]


def as_object(value: Any) -> dict[str, Any]:
    """Return a value that is a JSON object, or an empty object."""
    return value if isinstance(value, dict) else {}


def records(tool: ToolEvidence) -> Sequence[Record]:
    """Return the records of a tool's answered calls: of its cases first, then of the script."""
    return _of_tool(ByIdentity(tool)) if tool.entry is not None else ()


@lru_cache(maxsize=1)
def _of_tool(key: ByIdentity) -> Sequence[Record]:
    """Return the records of one tool.

    About two dozen judges ask for them, one after the other. The records of more tools would fill
    the memory with their calls.
    """
    tool: ToolEvidence = key.held
    entry = as_object(tool.entry)
    found = [_of_call(entry, call) for call in tool.calls]
    sent = tool.played(SENT)
    own = [each for each in sent if each.step is not None and each.step.tool == tool.tool.name]
    found += [_of_step(entry, each) for each in own]
    return [each for each in found if each is not None]


def _of_call(entry: Members, call: Call) -> Record | None:
    """Return the record of a case's call, or None if `arguments` itself is malformed."""
    arguments = call.case.arguments
    if not isinstance(arguments, dict):
        return None
    return _record(entry, call, "", call.reading, arguments, None)


def _of_step(entry: Members, exchange: Exchange) -> Record | None:
    arguments, meta = _sent(exchange)
    name = exchange.step.name if exchange.step is not None else ""
    return _record(entry, exchange, name, read(exchange), arguments, meta)


def _record(
    entry: Members,
    at: Call | Exchange,
    step: str,
    reading: Reading,
    arguments: Members,
    meta: Members | None,
) -> Record | None:
    if reading.outcome in {Outcome.SERVER_FAULT, Outcome.NO_ANSWER}:
        return None
    over_mcp = reading.result is not None
    result = _assembled(entry, reading) if over_mcp else _body(reading)
    problems: tuple[Problem, ...] = ()
    if result is not None:
        document: dict[str, Any] = {"tool": entry, "arguments": arguments, "tool_result": result}
        if meta is not None:
            document["meta"] = meta
        if over_mcp:
            document["model_view"] = _model_view(reading)
        found = validate(document, "call-record")
        problems = tuple(replace(each, path=_inside(each.path)) for each in found)
    return Record(at, step, reading, arguments, result, meta, problems)


def _inside(path: str) -> str:
    """Return a problem's path within the tool result. Paths outside it stay the same."""
    return path.replace("$.tool_result", "$", 1)


def _body(reading: Reading) -> Members | None:
    """Return the body of an answer if it is a tool result."""
    document = reading.document
    if not isinstance(document, dict) or not {"name", "tool_call_id"} & document.keys():
        return None
    return document


def _assembled(entry: Members, reading: Reading) -> Members:
    """Build the tool result from a result of `tools/call`, as the MCP binding places its parts."""
    result = as_object(reading.result)
    meta = as_object(result.get("_meta"))
    structured: Any = result.get("structuredContent")
    made: dict[str, Any] = {
        "name": entry.get("id"),
        "tool_call_id": as_object(held(meta, MetaKey.CALL_META)).get("tool_call_id", "-"),
    }
    if {"returned", "truncated"} <= as_object(structured).keys():
        made["bounds"] = {name: structured[name] for name in BOUNDS if name in structured}
    if reading.accepted:
        made["result"] = structured if "structuredContent" in result else _texts(result)
    else:
        error = held(meta, MetaKey.ERROR)
        made["error"] = (
            {name: value for name, value in error.items() if name != "errors"}
            if isinstance(error, dict)
            else {"message": "-"}  # RT-MCP-001 reports that it is missing
        )
    for key in (MetaKey.RETRY_HINT, MetaKey.SERVER_DATA):
        if key_in(meta, key) is not None:
            made[key.value] = held(meta, key)
    return made


def _model_view(reading: Reading) -> Any:
    """Return what a model sees of a result: its texts, decoded if they are JSON, and its data."""
    result = as_object(reading.result)
    return {"content": _texts(result), "structured": result.get("structuredContent")}


def _texts(result: Members) -> list[Any]:
    content = result.get("content")
    found: list[Any] = []
    for block in content if isinstance(content, list) else []:
        text = as_object(block).get("text")
        try:
            found.append(told_in(text) if isinstance(text, str) else None)
        except (ValueError, RecursionError):
            found.append(text)
    return found


def _sent(exchange: Exchange) -> tuple[Members, Members | None]:
    """Return the arguments and the call's metadata in a script's request."""
    body = as_object(_json(exchange.request.body))
    request = exchange.request
    if not request.is_rpc:
        named = {name.lower(): value for name, value in request.headers}
        meta = _json(named.get("agent-formats-call-meta", "").encode())
        return body, meta if isinstance(meta, dict) else None
    params = as_object(body.get("params"))
    meta = held(params.get("_meta"), MetaKey.CALL_META)
    return as_object(params.get("arguments")), meta if isinstance(meta, dict) else None


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def ended(tool: ToolEvidence) -> Iterator[Record]:
    """Yield the records that have a tool result."""
    return (each for each in records(tool) if each.result is not None)


def not_called(reason: Message) -> Check:
    """Return the check for a tool that was not called, with the reason."""
    return unknown(reason.id, None, **dict(reason.values))
