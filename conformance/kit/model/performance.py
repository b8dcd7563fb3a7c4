"""What the fake provider does with one request, and what both ends saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from conformance.kit.model.written import Body, Foreign, Seconds
from conformance.spec.vocabulary import Seen

HEADER: Final = 192
"""Bytes of memory for a header in addition to its characters: two texts, and the pair of them."""
_MOMENT: Final = 250
"""Bytes of memory for a moment in addition to its request."""


@dataclass(frozen=True, slots=True)
class Head:
    """Send the status and the headers. The body follows in chunks of any length."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Send:
    """Send bytes of the body, cut at these positions. Each part is a separate chunk and write."""

    data: bytes
    cuts: tuple[int, ...] = ()

    @property
    def parts(self) -> tuple[bytes, ...]:
        """The bytes between the cuts, without empty parts."""
        places = (0, *sorted(self.cuts), len(self.data))
        parts = (self.data[a:b] for a, b in pairwise(places))
        return tuple(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for some seconds; without a number, until the other side closes."""

    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """Wait until the other end of the test has seen `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class End:
    """End the body as HTTP defines."""


@dataclass(frozen=True, slots=True)
class Fin:
    """Close the connection with a FIN, without ending the answer."""


@dataclass(frozen=True, slots=True)
class Rst:
    """Abort the connection with an RST, without ending the answer."""


Act = Head | Send | Wait | Barrier | End | Fin | Rst
"""One step. A performance is a sequence of steps."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request that arrived. `number` counts all requests of the provider, from 1.

    `port` is the one at which the provider got it. The header `Host` may name any other.
    """

    number: int
    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    at: float
    port: int = 0

    def header(self, name: str) -> str:
        """Return the first value of a header, or an empty text. The name is case-insensitive."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")


OVER: Final = frozenset({Seen.ENDED, Seen.BROKEN, Seen.LEFT, Seen.CUT})
"""The last event of a request is one of these."""
Performance = Callable[[Arrival, int], Iterable[Act]]
"""Returns the steps for one attempt of a call. The first attempt is number 1."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event that was seen. `at` is in seconds since the call was made, or on another clock.

    `arrival` is the number of the request, or 0 at the client's end. The other fields hold the
    request as it arrived.
    """

    seen: Seen
    at: Seconds
    arrival: int = 0
    detail: Foreign = ""
    path: Foreign = ""
    headers: tuple[tuple[Foreign, Foreign], ...] = ()
    body: Body = b""

    @property
    def weight(self) -> int:
        """The estimated bytes that it takes in memory."""
        headers = sum(HEADER + len(name) + len(value) for name, value in self.headers)
        return _MOMENT + len(self.path) + headers + len(self.body)
