"""Finds whether a tool's route exists over plain HTTP: what an answer says about the path.

A 404 may be the tool's answer for something that it does not have. It is about the route only if a
path that does not exist gets the same answer, and no argument is in the path: many frameworks use
the same words for `/files/{name}` without such a file, and for a path without a route.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote

from conformance.formats.schema.uri import urlsplit
from conformance.kit.evidence.evidence import Call, ToolEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import traits_of

WIRE: Final = "http_wire"
"""The script that requests what does not exist."""
NOWHERE: Final = (Step("unknown-path"), Step("unknown-tool"))
"""The steps of this script with these requests."""

_COUNTED: Final = re.compile(r"\b[0-9a-f]{8}[0-9a-f-]*\b|\d+(?:[.:]\d+)*+", re.IGNORECASE)
"""Ids, counters and times, which differ in each answer."""
_INSTANCE: Final = re.compile(r'"instance"\s*:\s*"[^"]*"')
"""The member that names an occurrence, in any form."""
_LEAST: Final = 3
"""The fewest characters of a name in a path that is removed from an answer's text."""


def has_no_route(tool: ToolEvidence) -> bool:
    """Return whether the answer to a tool's baseline call says that the path or method does not
    exist.
    """
    traits = traits_of(tool.run)
    if tool.baseline is None or traits.speaks_mcp or not traits.over_http:
        return False
    status = tool.baseline.reading.status
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        return True
    if status == HTTPStatus.NOT_IMPLEMENTED:
        return not _is_implemented(tool, tool.baseline.exchange.http.method)
    if status != HTTPStatus.NOT_FOUND or knows_the_tool(tool.baseline):
        return False
    if tool.tool.invocation is not None and "{" in tool.tool.invocation.endpoint:
        return False
    steps = {exchange.step: exchange for exchange in tool.played(WIRE)}
    nowhere = (steps[name] for name in NOWHERE if name in steps)
    return any(is_answered_alike(tool.baseline.exchange, each) for each in nowhere)


def _is_implemented(tool: ToolEvidence, method: str) -> bool:
    """Return whether a method got another answer than 501 somewhere.

    Then a 501 is not about the method, but about an operation that the server does not do yet.
    """
    return any(
        exchange.answer is not None and exchange.answer.status != HTTPStatus.NOT_IMPLEMENTED
        for exchange in tool.played(WIRE)
        if exchange.http.method == method
    )


def knows_the_tool(call: Call) -> bool:
    """Return whether the errors of an answer name the tool that was called."""
    envelope = call.reading.envelope
    return envelope is not None and any(
        error.tool_name in call.tool.names for error in envelope.errors
    )


def is_answered_alike(one: Exchange, other: Exchange) -> bool:
    """Return whether two answers are the same, apart from their path, method, ids and times."""
    if one.answer is None or other.answer is None or one.answer.status != other.answer.status:
        return False
    return _words(one) == _words(other)


def _words(exchange: Exchange) -> str:
    """Return the body of an answer without the parts that belong to the request or the occasion."""
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
