"""Whether a tool's route exists over plain HTTP: what an answer says of the path, not of the call.

A 404 may be the tool's own word for a thing that it does not have. It is one for the route only if
a path where there is nothing is answered alike.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote, urlsplit

from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import traits_of

WIRE: Final = "http_wire"
"""The script that asks for what is not there."""
NOWHERE: Final = (Step("unknown-path"), Step("unknown-tool"))
"""Its steps that ask for it."""

_NO_METHOD: Final = frozenset({HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})
_COUNTED: Final = re.compile(r"\b[0-9a-f]{8}[0-9a-f-]*\b|\d+(?:[.:]\d+)*", re.IGNORECASE)
"""Ids, counters and times: they differ in each answer."""
_INSTANCE: Final = re.compile(r'"instance"\s*:\s*"[^"]*"')
"""What names an occurrence, of any form."""
_LEAST: Final = 3
"""Characters of a name in a path that is taken out of an answer's words."""


def has_no_route(tool: ToolEvidence) -> bool:
    """Whether the baseline call of a tool was answered as a path or a method that is not there."""
    traits = traits_of(tool.run)
    if tool.baseline is None or traits.speaks_mcp or not traits.over_http:
        return False
    status = tool.baseline.reading.status
    if status in _NO_METHOD:
        return True
    if status != HTTPStatus.NOT_FOUND or knows_the_tool(tool.baseline):
        return False
    steps = {exchange.step: exchange for exchange in tool.played(WIRE)}
    nowhere = (steps[name] for name in NOWHERE if name in steps)
    return any(is_answered_alike(tool.baseline.exchange, each) for each in nowhere)


def knows_the_tool(call: Call) -> bool:
    """Whether the errors of an answer name the tool that was called."""
    envelope = call.reading.envelope
    return envelope is not None and any(
        error.tool_name in call.tool.names for error in envelope.errors
    )


def is_answered_alike(one: Exchange, other: Exchange) -> bool:
    """Whether two requests get one answer, each with its own path, method, ids and times in it."""
    if one.answer is None or other.answer is None or one.answer.status != other.answer.status:
        return False
    return _words(one) == _words(other)


def _words(exchange: Exchange) -> str:
    """The body of an answer without what is of the request, or of this one occasion."""
    assert exchange.answer is not None
    text = exchange.answer.body.decode("utf-8", "replace")
    request = exchange.http
    path = urlsplit(request.url).path
    names = {name for part in path.split("/") for name in (part, unquote(part))}
    own = {request.url, path, request.method, *(n for n in names if len(n) >= _LEAST)}
    text = _INSTANCE.sub("", text)
    for word in sorted(own, key=len, reverse=True):
        before = r"(?<!\w)" if word[0].isalnum() else ""
        text = re.sub(rf"{before}{re.escape(word)}(?!\w)", "…", text)
    return _COUNTED.sub("#", text)
