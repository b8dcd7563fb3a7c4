"""Parts that several scripts of this chapter share."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import count
from typing import TypeVar

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.script import INITIALIZE, Action, Send, Stage
from conformance.kit.model.exchange import Exchange, Request
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import MCP_BINDINGS, OVER_HTTP
from conformance.kit.transport.mcp import McpBinding
from conformance.mcp.seen import result_of
from conformance.spec.vocabulary import Era

MCP_OVER_HTTP = tuple(name for name in MCP_BINDINGS if name in OVER_HTTP)
LEGACY = (Era.LEGACY,)
MODERN_ONLY = (Era.MODERN,)
M = TypeVar("M", bound=McpBinding[Request])

UNKNOWN_VERSION = "1999-01-01"
"""A version that was never published and never will be."""

UNKNOWN_METHOD = "kit/no-such-method"

MOST_PAGES = 100
"""The most pages of a list that one script reads. Discovery checks whether a list ends."""

_FIRST_ID = 900_000_000
_IDS_EACH = 10_000


def ids(number: int) -> Iterator[int]:
    """Return JSON-RPC ids for a script. Each script has a number, and its ids are unique."""
    return count(_FIRST_ID + number * _IDS_EACH)


def shake(speaker: M, own: Iterator[int]) -> Generator[Action, Exchange, M | None]:
    """Make the legacy handshake; return the speaker for the next requests, or None if it failed."""
    exchange = yield Send(speaker.initialize(id=next(own)), INITIALIZE)
    settled = speaker.after_handshake(result_of(exchange), exchange.answer)
    if settled is None:
        return None
    yield Send(settled.notification("notifications/initialized"), Step("initialized"))
    return settled


def listing(
    speaker: McpBinding[Request], own: Iterator[int], name: str
) -> Generator[Action, Exchange, None]:
    """Read the list of tools, with one step for each page, all of the same name."""
    cursor: str | None = None
    seen: set[str] = set()
    for page in range(1, MOST_PAGES + 1):
        params = {"cursor": cursor} if cursor is not None else {}
        request = speaker.request("tools/list", params, id=next(own))
        exchange = yield Send(request, Step(name, number=page))
        following = (result_of(exchange) or {}).get("nextCursor")
        if not isinstance(following, str) or not following or following in seen:
            return
        seen.add(following)
        cursor = following


def harmless(stage: Stage) -> str:
    """Return a method that changes nothing and that the server answers, with or without tools."""
    return "tools/list" if stage.tools else "server/discover"


def callable_tool(stage: Stage) -> Tool | None:
    """Return a tool whose baseline call is known, preferably one that is read-only, or None."""
    able = [tool for tool in stage.tools if tool.name in stage.good_calls]
    harmless = [tool for tool in able if tool.annotations.read_only is True]
    return next(iter(harmless or able), None)
