"""Waiting for what happens, and never for long enough: the only place of the tests that sleeps."""

import asyncio
import time
from collections.abc import Callable

DEADLINE = 60.0
"""Seconds in which anything happens, on however busy a machine: longer is a hang."""


def until(condition: Callable[[], object], within: float = DEADLINE) -> bool:
    """Ask until `condition` holds; False when it does not within so many seconds."""
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


async def rounds(count: int) -> None:
    """Let the loop go round so often: each time, all that can go on goes on."""
    for _ in range(count):
        await asyncio.sleep(0)


def slow_by(seconds: float) -> None:
    """Take so long to answer: for a server under test whose slowness is what is tested."""
    time.sleep(seconds)


async def slow_to_answer(seconds: float) -> None:
    """Take so long to answer, as `slow_by`, where the server runs in a loop."""
    await asyncio.sleep(seconds)
