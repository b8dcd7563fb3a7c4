"""CallsUnderWay: the calls that are under way on one process, which one of them may end for all.

Whose call it was cannot be told from outside. So each that was left without an answer is sent again
alone, while nothing else is under way. If one of them ends the process again, the others were
bystanders, and what they are answered now is their answer; if none does, all stays as it was seen.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

_GUILTY: Final = 3
"""Calls of one tool that ended a process alone: from then on it is known that the tool does."""


@dataclass(slots=True, eq=False)
class Group:
    """The calls that were sent to one process, which `process` numbers."""

    process: int = 0
    under_way: set[int] = field(default_factory=set)
    together: set[int] = field(default_factory=set)
    """Those beside which another one was under way at some time."""
    waiting: int = 0
    guilty: bool = False
    """Whether a call is known that ends the process."""
    settled: asyncio.Event = field(default_factory=asyncio.Event)


class CallsUnderWay:
    """Who is under way beside whom in one channel, and who is sent again alone."""

    def __init__(self) -> None:
        self._alone = asyncio.Lock()
        self._under_way = 0
        self._nobody = asyncio.Event()
        self._nobody.set()
        self._group = Group()
        self._process: object = None
        self._guilty: Counter[str] = Counter()
        self.sent_to: dict[int, int] = {}
        """The process that each call was sent to first, by the numbers of both."""
        self.ended_alone: set[int] = set()
        """The calls that ended a process beside no other: none of them is a bystander."""

    @asynccontextmanager
    async def among(self) -> AsyncIterator[None]:
        """Be under way among others; waits while one is sent alone."""
        async with self._alone:
            self._under_way += 1
            self._nobody.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._nobody.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Be under way while nobody else is."""
        async with self._alone:
            await self._nobody.wait()
            yield

    def joins(self, number: int, process: object) -> Group:
        """Note that a call is sent to a process; gives those that are sent to the same."""
        if process is not self._process:
            self._process, self._group = process, Group(self._group.process + 1)
        group = self._group
        self.sent_to[number] = group.process
        if group.under_way:
            group.together |= {*group.under_way, number}
        group.under_way.add(number)
        return group

    def is_known(self, tool: str) -> bool:
        """Whether enough calls of a tool are known that end the process."""
        return self._guilty[tool] >= _GUILTY

    def ended(self, tool: str, number: int, group: Group) -> None:
        """Note that a call of a tool ended the process, and no other can have."""
        self._guilty[tool] += 1
        self.ended_alone.add(number)
        group.guilty = True

    @asynccontextmanager
    async def judged(self, group: Group) -> AsyncIterator[None]:
        """Be sent again; at the end all of the group have been, so that it is known who did it."""
        try:
            yield
        finally:
            group.waiting -= 1
            if not group.waiting:
                group.settled.set()
        await group.settled.wait()
