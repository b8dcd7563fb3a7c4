"""Care: limits how often and how fast tools are called that may reach beyond their server.

Another service may pay for each such call. All calls of a session count, including those that
confirm a failure, and those that the kit sends again, such as after a 429.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from conformance.formats.tool.tool import Tool
from conformance.kit.drive.wire import Made
from conformance.kit.evidence.safety import is_spared
from conformance.kit.model.exchange import Request
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings

MOST_CALLS: Final = 60
"""The most calls of one tool in a session, over all runs of its server."""
PER_SECOND: Final = 5
"""The most calls per second of all such tools of one server."""
MOST_FAILURES: Final = 5
"""The most calls of one tool that may fail because something around the server is missing."""
_CONFIRMING: Final = 1 / 6
"""The share of the calls that is kept for confirming."""


@dataclass(slots=True)
class Care:
    """Counts the calls of the tools that are spared (`is_spared`)."""

    _runs: Counter[str] = field(default_factory=Counter)
    _sent: Counter[tuple[str, str]] = field(default_factory=Counter)
    _failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    _free: dict[str, float] = field(default_factory=dict)
    """When the next call of each server may be sent, by the caller's clock."""

    def shared_by(self, runs: Iterable[Run]) -> None:
        """Divide the calls of each tool equally between the runs of one server."""
        self._runs = Counter(run.target for run in runs)

    def left(self, run: Run, tool: Tool) -> int:
        """Return how many more calls of a spared tool may be made before failures are confirmed."""
        return int(self._share(run) * (1 - _CONFIRMING)) - self._sent[run.id, tool.name]

    def may_confirm(self, run: Run, tool: Tool, settings: Settings, calls: int) -> bool:
        """Return whether this many calls of a tool may still be made."""
        if not is_spared(tool, run, settings):
            return True
        return self._sent[run.id, tool.name] + calls <= self._share(run)

    def wait(self, run: Run, tool: Tool, settings: Settings, now: float) -> float:
        """Count a call, and return the seconds to wait before it is sent."""
        if not is_spared(tool, run, settings):
            return 0.0
        self._sent[run.id, tool.name] += 1
        at = max(now, self._free.get(run.target, now))
        self._free[run.target] = at + 1 / PER_SECOND
        return at - now

    def counted(
        self, make: Callable[[], Request], run: Run, tool: Tool, settings: Settings
    ) -> Made:
        """Return what makes a call. The call counts each time that it is sent again."""
        spared = is_spared(tool, run, settings)

        def wait() -> float | None:
            if spared and self.left(run, tool) <= 0:
                return None
            return self.wait(run, tool, settings, time.monotonic())

        return Made(make, wait)

    def failed(self, run: Run, tool: Tool) -> None:
        """Note that a call failed because something around the server is missing."""
        self._failed[run.id, tool.name] += 1

    def has_failed(self, run: Run, tool: Tool) -> bool:
        """Return whether so many calls of a tool failed that no more are made."""
        return self._failed[run.id, tool.name] >= MOST_FAILURES

    def _share(self, run: Run) -> int:
        return MOST_CALLS // max(self._runs[run.target], 1)
