"""The points at which the fake provider waits for what the other end of the test has seen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(slots=True)
class Barriers:
    """Events that the other end of the test has seen. A barrier that was opened stays open."""

    _events: dict[str, asyncio.Event] = field(default_factory=dict)

    def open(self, name: str) -> None:
        """Let all tasks pass that wait for `name`, now and later."""
        self._event(name).set()

    async def passed(self, name: str) -> None:
        """Wait until `name` is open."""
        await self._event(name).wait()

    def _event(self, name: str) -> asyncio.Event:
        return self._events.setdefault(name, asyncio.Event())
