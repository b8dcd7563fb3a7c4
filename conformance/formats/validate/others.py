"""Says what a value is if it is not a document but a common other thing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.formats.problem import Problem
from conformance.formats.validate.recognize import (
    CLOSEST,
    NO_DOCUMENT,
    UNRECOGNIZED,
    Recognition,
    objects_in,
)
from conformance.spec.messages import message

_PREFIX = "documents.unknown."
_NAMES = (
    "rpc_error", "tool_error", "tool_result", "error", "problem", "configuration", "initialize",
    "model_api", "calls", "waivers",
)  # fmt: skip
ELSEWHERE = frozenset(_PREFIX + each for each in (*_NAMES, "openapi", "agent_card"))
"""The messages for a value in a form that others define, or that another command reads."""
UNKNOWN = UNRECOGNIZED | ELSEWHERE
"""The messages for a value that is not a document."""
_STATUS = range(400, 600)
_TYPES = re.compile(r"response\.|(message|content_block)_(start|stop)$|[a-z_]+_delta$")
_OBJECTS = ("chat.completion", "text_completion")
"""How the kinds begin that the APIs of model providers give their answers and chunks."""
OF_RESULT = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})
"""The members of a tool's result in MCP."""
_BLOCKS = ("text", "image", "audio", "resource", "resource_link")
"""The types of the content blocks in a tool's result."""


def is_strange(recognized: Recognition | Problem) -> bool:
    """Return whether a value is like none of the documents."""
    return isinstance(recognized, Problem) and recognized.message.id in CLOSEST


def elsewhere(unknown: Problem, data: Any) -> Problem:
    """Return the problem of a value that is not a document; of a common other thing, what it is."""
    if not is_strange(unknown):
        return unknown
    if isinstance(data, dict):
        calls = unknown.message.id == NO_DOCUMENT and _are_calls(data)
        name = _other(data) or ("calls" if calls else None)
    else:
        name = "waivers" if _are_waivers(data) else None
    return unknown if name is None else replace(unknown, message=message(_PREFIX + name))


def _other(data: Mapping[str, Any]) -> str | None:
    """Return what servers and clients write in other forms; None if nobody can tell."""
    kind, title, detail = data.get("type"), data.get("title"), data.get("detail")
    if is_of_model_api(data):
        return "model_api"
    if isinstance(data.get("error"), dict) and "jsonrpc" in data:
        return "rpc_error"
    if data.get("isError") is True:
        return "tool_error"
    if _is_tool_result(data):
        return "tool_result"
    if isinstance(data.get("mcpServers"), dict):
        return "configuration"
    if "protocolVersion" in data and "serverInfo" in data:
        return "initialize"
    typed = isinstance(title, str) or (isinstance(kind, str) and not {":", "/"}.isdisjoint(kind))
    problem = typed or isinstance(detail, str) or data.get("status") in _STATUS
    error = data.get("error")
    said = error.get("message") if isinstance(error, dict) else error
    plain = isinstance(data.get("message"), str) or isinstance(said, str)
    if not (isinstance(detail, list) or (problem and "name" not in data) or plain):
        return None
    return "problem" if typed else "error"


def _is_tool_result(data: Mapping[str, Any]) -> bool:
    """Return whether an object has the content blocks of a tool's result in MCP, and no member
    that such a result lacks.
    """
    listed = data.get("content")
    if not isinstance(listed, list) or not OF_RESULT.issuperset(data):
        return False
    return bool(listed or "structuredContent" in data) and all(
        isinstance(each, dict) and each.get("type") in _BLOCKS for each in listed
    )


def _are_waivers(data: Any) -> bool:
    """Return whether a value is a file of waivers: a list in which each has a clause."""
    return bool(objects_in(data)) and all(
        isinstance(each, dict) and isinstance(each.get("clause"), str) for each in data
    )


def _are_calls(data: Mapping[str, Any]) -> bool:
    """Return whether an object can be the file of `--examples`: lists of arguments, by tool."""
    return all(
        isinstance(calls, list) and bool(calls) and len(objects_in(calls)) == len(calls)
        for calls in data.values()
    )


def is_of_model_api(data: Mapping[str, Any]) -> bool:
    """Return whether an object is an answer, or a chunk of one, of a model provider's API."""
    kind, name = data.get("type"), data.get("object")
    if isinstance(kind, str) and _TYPES.match(kind):
        return True
    if isinstance(name, str) and name.startswith(_OBJECTS):
        return True
    choices, candidates = (objects_in(data.get(each)) for each in ("choices", "candidates"))
    return any("delta" in each or "message" in each for each in choices) or any(
        "content" in each for each in candidates
    )
