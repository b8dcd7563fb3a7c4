"""Whether a started process says that it listens at an address, and so may not read its input."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Set
from typing import Any, Final

_LISTENS: Final = re.compile(
    r"^(?!.*\bconnect)[^\n]{0,200}?\b(?:running|listening|listens|serving|started|available)\b[^\n]{0,60}?"
    r"(https?://(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])[^\s\"'<>()]*)",
    re.IGNORECASE | re.MULTILINE,
)
_SHARE: Final = 12
"""A process that says so is waited for this many times shorter."""


def listens_at(text: str) -> str:
    """Return the address on this machine at which a text says that a server listens, or ""."""
    found = _LISTENS.search(text)
    return found.group(1).rstrip(".,;") if found is not None else ""


class Listening:
    """Knows whether a process has said so."""

    def __init__(self) -> None:
        self._said = asyncio.Event()

    def notice(self, text: str) -> None:
        """Take what the process has written."""
        if listens_at(text):
            self._said.set()

    async def first(self, heard: Set[asyncio.Future[Any]], limit: float, least: float) -> None:
        """Wait for the first answer for `limit`, or for a part of it once the process said so."""
        began = time.perf_counter()
        said = asyncio.ensure_future(self._said.wait())
        try:
            await asyncio.wait({*heard, said}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            said.cancel()
        left = max(limit - (time.perf_counter() - began), 0.0)
        part = min(left, max(least, limit / _SHARE))
        await asyncio.wait(heard, timeout=part, return_when=asyncio.FIRST_COMPLETED)
