"""Work side by side that ends together: nothing of it is left when one part fails or is cut."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What each gave, in order; raises what the first raised that failed.

    The others are then cancelled and have ended before anything is raised. Left to the loop's own
    end they would be cancelled at once with what they wait for, and asyncio waits for good for a
    process whose pipes it was just connecting.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
