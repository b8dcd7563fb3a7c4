"""What every connection does: send one request, give back what came, say how long it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.kit.model.exchange import Answer, Request, Trouble

BODY_CAP = 10 * 1024 * 1024
"""Bytes read of one answer; the rest is left unread."""

CUT_KEPT = 64 * 1024
"""Bytes kept of an answer that was longer: nothing is judged by it, and many come at once."""


@dataclass(frozen=True, slots=True)
class Received:
    """What a request gave: an answer, or a trouble, or a part of an answer and a trouble."""

    answer: Answer | None
    trouble: Trouble | None
    elapsed: float
    detail: str = ""


class Connection(Protocol):
    """One way to one target. Never raises for what the target does."""

    async def send(self, request: Request) -> Received:
        """Send `request` and read its answer, within the request timeout."""
        ...

    async def close(self) -> Received:
        """End the connection; over stdio the answer's status is the process's exit code."""
        ...
