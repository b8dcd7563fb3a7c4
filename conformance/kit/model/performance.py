"""What the fake provider does in answer to one request, and what was seen meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from conformance.kit.model.written import Body, Foreign
from conformance.spec.vocabulary import Seen


@dataclass(frozen=True, slots=True)
class Head:
    """Send the status and the headers. The body follows in chunks, of any length."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Send:
    """Send bytes of the body, cut at these positions. Each part is a chunk and a write."""

    data: bytes
    cuts: tuple[int, ...] = ()

    @property
    def parts(self) -> tuple[bytes, ...]:
        """The bytes between the cuts; no part is empty."""
        places = (0, *sorted(self.cuts), len(self.data))
        parts = (self.data[a:b] for a, b in pairwise(places))
        return tuple(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for so many seconds. Without a number: until the other side leaves."""

    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """Wait until the other end of the test has seen `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class End:
    """End the body as HTTP says."""


@dataclass(frozen=True, slots=True)
class Fin:
    """Close the connection where the answer stands, with a FIN."""


@dataclass(frozen=True, slots=True)
class Rst:
    """Break the connection off where the answer stands, with an RST."""


Act = Head | Send | Wait | Barrier | End | Fin | Rst
"""One primitive. A performance is a list of them, in order."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request that arrived. `number` counts all requests of the provider, from 1."""

    number: int
    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    at: float

    def header(self, name: str) -> str:
        """The first value of a header, by its case-insensitive name; empty without one."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")


OVER: Final = frozenset({Seen.ENDED, Seen.BROKEN, Seen.LEFT, Seen.CUT})
"""After these, nothing more is seen of a request."""
Performance = Callable[[Arrival, int], Iterable[Act]]
"""Says what is done in answer to an attempt of one call; the first attempt is number 1."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that was seen. `at` is in seconds since a call was made, or on another clock.

    `arrival` numbers the request that it is about, 0 at the client's end. The other fields hold
    the request where it arrived.
    """

    seen: Seen
    at: float
    arrival: int = 0
    detail: str = ""
    path: Foreign = ""
    headers: tuple[tuple[Foreign, Foreign], ...] = ()
    body: Body = b""
