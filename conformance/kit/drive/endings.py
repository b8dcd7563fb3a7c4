"""Endings: which answered calls of a process may have ended it a moment later."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from conformance.kit.drive.wire import Made
from conformance.kit.model.case import Case, Expectation

_MOMENT = 2.0
"""A call is suspected of ending its process for this many seconds after its answer."""
_MOST_SUSPECTS = 6
"""The most answered calls that are sent again to find the one that ended the process."""
_WATCHED = 2
"""How many calls of each tool and kind are watched, once a process has ended."""


@dataclass(frozen=True, slots=True)
class SharedCall:
    """A call to make: `made` makes its request, and `number` is the number of its exchange.

    `given_up` returns whether enough is known about the tool, so that the call is not sent again.
    """

    made: Made
    case: Case
    number: int
    given_up: Callable[[], bool]


class Endings:
    """The answered calls of a process. One of them may end it a moment later."""

    def __init__(self) -> None:
        self.tools: set[str] = set()
        """Tools that ended a process after an answer."""
        self._answered: dict[tuple[str, Expectation], tuple[float, SharedCall]] = {}
        self._watched: Counter[tuple[str, Expectation]] = Counter()

    def answered(self, call: SharedCall) -> None:
        """Note an answered call after which the process was not watched."""
        self._answered.pop(_like(call), None)
        self._answered[_like(call)] = (time.monotonic(), call)

    def forget(self) -> None:
        """Forget the answered calls: another process is used now, or this one still lives."""
        self._answered.clear()

    def suspects(self) -> list[SharedCall]:
        """Return the last call of each tool and kind, if just answered, newest first."""
        since = time.monotonic() - _MOMENT
        recent = [call for at, call in self._answered.values() if at >= since]
        return recent[: -_MOST_SUSPECTS - 1 : -1]

    def is_watched(self, call: SharedCall) -> bool:
        """Return whether to watch the process after this call. It takes time, so most are not."""
        self._watched[_like(call)] += 1
        return call.case.tool in self.tools or self._watched[_like(call)] <= _WATCHED


def _like(call: SharedCall) -> tuple[str, Expectation]:
    return call.case.tool, call.case.expects
