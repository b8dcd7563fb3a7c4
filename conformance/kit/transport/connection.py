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


@dataclass(frozen=True, slots=True)
class Process:
    """The process behind a connection: its exit code, None while it runs, and its last errors."""

    exit_code: int | None = None
    stderr: str = ""


class Connection(Protocol):
    """One way to one target. Once started, it never raises for what the target does."""

    @property
    def is_open(self) -> bool:
        """Whether something that is sent may be answered."""
        ...

    @property
    def process(self) -> Process:
        """What is known of the process that was started; nothing where none was."""
        ...

    async def start(self) -> None:
        """Make ready to send; raises OSError or ValueError if a command cannot be run."""
        ...

    async def send(self, request: Request) -> Received:
        """Send `request` and read its answer, within the request timeout."""
        ...

    async def close(self) -> Received:
        """End the connection; over stdio the answer's status is the process's exit code."""
        ...
