"""Care: how often, and how fast, tools are called that may reach beyond their server.

Somebody else's service pays for each call of such a tool. All calls of a session count: those that
confirm a failure, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.safety import is_spared
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings

MOST_CALLS: Final = 60
"""Calls of one tool in a session, over all runs of its server."""
PER_SECOND: Final = 5
"""Calls of all such tools of one server."""
MOST_FAILURES: Final = 5
"""Calls of one tool that failed for want of something around the server."""
_CONFIRMING: Final = 1 / 6
"""Of the calls, what is kept for confirming."""


@dataclass(slots=True)
class Care:
    """Counts the calls of the tools that are spared (`is_spared`)."""

    _runs: Counter[str] = field(default_factory=Counter)
    _sent: Counter[tuple[str, str]] = field(default_factory=Counter)
    _failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    _free: dict[str, float] = field(default_factory=dict)
    """When the next call of each server may be sent, by the clock of the caller."""

    def shared_by(self, runs: Iterable[Run]) -> None:
        """Let these runs share the calls of each tool: those of one server get as many each."""
        self._runs = Counter(run.target for run in runs)

    def left(self, run: Run, tool: Tool) -> int:
        """How many calls of a spared tool may still be made before failures are confirmed."""
        return int(self._share(run) * (1 - _CONFIRMING)) - self._sent[run.id, tool.name]

    def may_confirm(self, run: Run, tool: Tool, settings: Settings, calls: int) -> bool:
        """Whether so many calls may still be made of a tool."""
        if not is_spared(tool, run, settings):
            return True
        return self._sent[run.id, tool.name] + calls <= self._share(run)

    def wait(self, run: Run, tool: Tool, settings: Settings, now: float) -> float:
        """Count a call that is sent; gives the seconds until it may be."""
        if not is_spared(tool, run, settings):
            return 0.0
        self._sent[run.id, tool.name] += 1
        at = max(now, self._free.get(run.target, now))
        self._free[run.target] = at + 1 / PER_SECOND
        return at - now

    def failed(self, run: Run, tool: Tool) -> None:
        """Note that a call failed for want of something around the server."""
        self._failed[run.id, tool.name] += 1

    def has_failed(self, run: Run, tool: Tool) -> bool:
        """Whether so many calls failed so that no other is to be made."""
        return self._failed[run.id, tool.name] >= MOST_FAILURES

    def _share(self, run: Run) -> int:
        return MOST_CALLS // max(self._runs[run.target], 1)
