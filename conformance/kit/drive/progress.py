"""Progress: what the driver reports while it works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunDriven:
    """What driving a run took: calls of tools, all requests, and seconds."""

    run: str
    calls: int
    requests: int
    seconds: float


@dataclass(slots=True)
class Progress:
    """Counts for who watches; `tell` is called after each change.

    `starts` is called once, before any run: an interrupt that comes meanwhile is answered when it
    returns. `begins` receives the id of each run as its driving begins, `ends` what it took.
    `first` receives the run and the name of the first tool of all whose calls are done, `confirms`
    how many failures are sent again after all else.
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
        """So many more calls are to be made."""
        self.planned += count
        self.tell()

    def one(self) -> None:
        """One call is done."""
        self.done += 1
        self.planned = max(self.planned, self.done)  # calls before the plan is made count too
        self.tell()
