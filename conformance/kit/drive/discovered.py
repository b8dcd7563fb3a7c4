"""What discovery found: one run, and what the target offers in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.messages import Message
from conformance.formats.problem import Problem
from conformance.formats.tool import Tool
from conformance.kit.exchange import Exchange
from conformance.kit.run import Run


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
