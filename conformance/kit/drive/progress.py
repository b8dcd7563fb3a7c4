"""Progress: what the driver reports while it works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunDriven:
    """What a driven run took: calls of tools, all requests, and seconds."""

    run: str
    calls: int
    requests: int
    seconds: float


@dataclass(slots=True)
class Progress:
    """Counts calls for a display; `tell` is called after each change.

    `starts` is called once, before any run: an interrupt during the call takes effect when it
    returns. `begins` gets the id of each run when its driving begins, and `ends` gets what the run
    took. `first` gets the run and the name of the first tool that has shown something. `confirms`
    gets the number of clauses whose failures are sent again at the end.
    """

    planned: int = 0
    done: int = 0
    tell: Callable[[], None] = lambda: None
    starts: Callable[[], None] = lambda: None
    begins: Callable[[str], None] = lambda _: None
    ends: Callable[[RunDriven], None] = lambda _: None
    first: Callable[[str, str], Awaitable[None]] | None = None
    confirms: Callable[[int], None] = lambda _: None

    def plan(self, count: int) -> None:
        """Note that this many more calls are planned."""
        self.planned += count
        self.tell()

    def one(self) -> None:
        """Note that one call is done."""
        self.done += 1
        self.planned = max(self.planned, self.done)  # calls before the plan count too
        self.tell()
