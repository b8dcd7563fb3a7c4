"""A list that comes in pages: followed to its end, within bounds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from conformance.kit.evidence.script import MOST_PAGES
from conformance.kit.model.exchange import Exchange


async def pages(
    fetch: Callable[[str | None, int], Awaitable[Exchange]],
    page_of: Callable[[Exchange], Any],
    most: int = MOST_PAGES,
) -> list[dict[str, Any]]:
    """The page objects that `fetch(cursor, number)` gives, until one has no next cursor.

    A cursor that comes twice ends the walk: following it would never end.
    """
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str] = set()
    for number in range(1, most + 1):
        page = page_of(await fetch(cursor, number))
        if not isinstance(page, dict):
            break
        found.append(page)
        following = page.get("nextCursor")
        if not isinstance(following, str) or not following or following in seen:
            break
        seen.add(following)
        cursor = following
    return found
