"""What discovery found: one run, and what the target offers in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.formats.problem import Problem
from conformance.formats.tool.tool import Tool
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.spec.messages import Message, message

MOST_TOOLS = 2_000
"""Tools of a run that are judged: each costs memory and time for every clause about tools, also
where the session ends before its calls."""

TOO_MANY = "kit.left_out.too_many"
"""Why tools beyond those are left out; a level cannot be told without them."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """One run and what the target offers in it.

    `documents` are the catalog's pages as they came, `problems` what is wrong with them beyond
    a single tool, `capabilities` the server's own words on what it can do (MCP). `agreed` are the
    older versions of MCP that it agreed to, each with the result of its handshake.
    """

    run: Run
    tools: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()
    documents: tuple[Any, ...] = ()
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    listed: bool = True
    tools_path: str = ""
    left_out: tuple[tuple[str, Message], ...] = ()
    """What is declared and is no tool, with the reason: operations of an OpenAPI document."""
    agreed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def bounded(found: Discovered, settings: Settings) -> Discovered:
    """The same with no more tools than can be judged; how many more there are is said.

    Those that the command line selects come first: the others may be judged that way.
    """
    if len(found.tools) <= MOST_TOOLS:
        return found
    tools = sorted(found.tools, key=lambda tool: not settings.selects(tool.name))[:MOST_TOOLS]
    names = {tool.name for tool in tools}
    more = len(found.tools) - MOST_TOOLS
    reason = message(TOO_MANY, most=MOST_TOOLS, more=more)
    return replace(
        found,
        tools=tuple(tools),
        problems=tuple(p for p in found.problems if p.tool is None or p.tool in names),
        documents=tuple(_bounded(page, names) for page in found.documents),
        left_out=(*found.left_out, (f"+{more}", reason)),
    )


def _bounded(page: Any, names: set[str]) -> Any:
    if isinstance(page, list):
        return [one for one in page if _name(one) in names]
    listed = page.get("tools") if isinstance(page, dict) else None
    if not isinstance(listed, list):
        return page
    kept = [one for one in listed if isinstance(one, dict) and _name(one) in names]
    return {**page, "tools": kept}


def _name(item: Mapping[str, Any]) -> Any:
    found = (item.get(member) for member in ("name", "tool_id", "id"))
    return next((name for name in found if isinstance(name, str)), None)
