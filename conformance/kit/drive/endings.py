"""Endings: which of the answered calls of a process may have ended it a moment later."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from conformance.kit.model.case import Case, Expectation
from conformance.kit.model.exchange import Request

_MOMENT = 2.0
"""Seconds after its answer in which a call is suspected of having ended its process."""
_MOST_SUSPECTS = 6
"""Answered calls that are sent again, to find the one that ended the process."""
_WATCHED = 2
"""Calls of each tool and kind behind which a process is watched, once one has ended."""


@dataclass(frozen=True, slots=True)
class SharedCall:
    """A call to be made: `made` gives its request, `number` is its exchange's.

    `given_up` says whether enough is known of the tool, so that it need not be sent again.
    """

    made: Callable[[], Request]
    case: Case
    number: int
    given_up: Callable[[], bool]


class Endings:
    """The answered calls of a process, one of which may end it a moment later."""

    def __init__(self) -> None:
        self.tools: set[str] = set()
        """Tools that were seen to end a process behind an answer."""
        self._answered: dict[tuple[str, Expectation], tuple[float, SharedCall]] = {}
        self._watched: Counter[tuple[str, Expectation]] = Counter()

    def answered(self, call: SharedCall) -> None:
        """Note a call behind which the process was not watched."""
        self._answered.pop(_like(call), None)
        self._answered[_like(call)] = (time.monotonic(), call)

    def forget(self) -> None:
        """Forget the answered calls: another process is asked now, or this one lives."""
        self._answered.clear()

    def suspects(self) -> list[SharedCall]:
        """The last call of each tool and kind that was answered a moment ago, newest first."""
        since = time.monotonic() - _MOMENT
        recent = [call for at, call in self._answered.values() if at >= since]
        return recent[: -_MOST_SUSPECTS - 1 : -1]

    def is_watched(self, call: SharedCall) -> bool:
        """Whether the process is watched behind this call: it costs time, so not behind each."""
        self._watched[_like(call)] += 1
        return call.case.tool in self.tools or self._watched[_like(call)] <= _WATCHED


def _like(call: SharedCall) -> tuple[str, Expectation]:
    return call.case.tool, call.case.expects
