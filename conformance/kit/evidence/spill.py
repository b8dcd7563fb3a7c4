"""Keeps the exchanges of a long session: in memory while there is room, and otherwise in a file.

A server with a thousand tools is called 170,000 times. An exchange is read back as it was, so a
judge cannot tell the difference.

Each pass goes over all tools in their order. So the first exchanges stay in memory, and those that
are read back have a small separate cache. If they replaced the least recently used ones, every pass
would read everything.

The file has no name and is gone with the process, because it has the secrets that are left out of
`exchanges.ndjson`.
"""

from __future__ import annotations

import io
import pickle
import tempfile
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any, BinaryIO, Generic, TypeVar, overload

from conformance.formats.tool.tool import Tool
from conformance.kit.evidence.evidence import Call, call_again
from conformance.kit.model.exchange import Exchange, beside_body, weight

T = TypeVar("T")

ROOM = 128 * 1024 * 1024
"""The most bytes of exchanges that stay in memory, by an estimate."""

_READ_BACK = 8
"""The cache for exchanges from the file has the room divided by this number."""

_EACH = 5_000
"""Bytes of memory of an exchange in addition to its bodies."""


class Kept(Sequence[T], Generic[T]):
    """Values that a spill keeps, each made of one exchange. They can be read like a tuple.

    `ids` are the ids of the exchanges, in order.
    """

    __slots__ = ("_spill", "again", "cost", "exchange_of", "ids", "place")

    def __init__(
        self,
        spill: Spill,
        exchanges: Sequence[Exchange],
        exchange_of: Callable[[T], Exchange],
        again: Callable[[Exchange], T],
    ) -> None:
        self._spill = spill
        self.exchange_of = exchange_of
        self.again = again
        self.ids = array("q", (exchange.id for exchange in exchanges))
        self.cost = sum(map(cost, exchanges))
        self.place: tuple[int, int] | None = None
        """Their offset and length in the file; None if they never left memory."""

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._spill.values(self)[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._spill.values(self))


class _Last:
    """A cache of the most recently used values. The last ones stay even if there is no room."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._held: OrderedDict[Kept[Any], tuple[Any, ...]] = OrderedDict()

    def get(self, kept: Kept[T]) -> tuple[T, ...] | None:
        if kept in self._held:
            self._held.move_to_end(kept)
        return self._held.get(kept)

    def hold(self, kept: Kept[T], values: tuple[T, ...]) -> None:
        self.make_room(kept)
        self._held[kept] = values
        self._room -= kept.cost

    def make_room(self, kept: Kept[Any]) -> None:
        """Drop the least recently used values until there is room for `kept`."""
        while self._room < kept.cost and self._held:
            oldest, _ = self._held.popitem(last=False)
            self._room += oldest.cost


class Spill:
    """Holds the first values for which there is room, and the most recently used ones.

    It is not safe for threads.
    """

    def __init__(self, room: int = ROOM) -> None:
        self._room = room - room // _READ_BACK
        self._held: dict[Kept[Any], tuple[Any, ...]] = {}
        self._last = _Last(room // _READ_BACK)
        self._file: BinaryIO | None = None

    def keep(self, exchanges: Sequence[Exchange]) -> Kept[Exchange]:
        """Keep these exchanges."""
        return self._keep(exchanges, _itself, _itself)

    def keep_calls(self, calls: Sequence[Call], tool: Tool) -> Kept[Call]:
        """Keep these calls of one tool."""
        return self._keep(calls, _exchange_of, partial(call_again, tool=tool))

    def values(self, kept: Kept[T]) -> tuple[T, ...]:
        """Return the kept values, from memory or from the file."""
        if kept.place is None:
            return self._held[kept]
        held = self._last.get(kept)
        if held is None:
            self._last.make_room(kept)
            held = self._read(kept)
            self._last.hold(kept, held)
        return held

    def _keep(
        self,
        values: Sequence[T],
        exchange_of: Callable[[T], Exchange],
        again: Callable[[Exchange], T],
    ) -> Kept[T]:
        exchanges = [exchange_of(value) for value in values]
        kept = Kept(self, exchanges, exchange_of, again)
        self._room -= kept.cost
        if self._room < 0:
            kept.place = self._written(exchanges)
        if kept.place is None:
            self._held[kept] = tuple(values)
        else:
            self._room += kept.cost
            self._last.hold(kept, tuple(values))
        return kept

    def _written(self, exchanges: list[Exchange]) -> tuple[int, int] | None:
        """Write exchanges to the file, and return their offset and length.

        Return None if they have to stay in memory, because a value is nested too deeply to be
        written. Such a value could still be read from JSON.
        """
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open until the process ends
        start = self._file.seek(0, io.SEEK_END)
        packed = _Packed(self._file)
        try:
            _Pickler(packed, pickle.HIGHEST_PROTOCOL).dump(exchanges)
        except RecursionError:
            self._file.truncate(start)
            return None
        packed.end()
        return start, self._file.tell() - start

    def _read(self, kept: Kept[T]) -> tuple[T, ...]:
        assert self._file is not None
        assert kept.place is not None
        start, length = kept.place
        self._file.seek(start)
        # The file has no name, so only this process can have written to it.
        exchanges = pickle.loads(zlib.decompress(self._file.read(length)))  # noqa: S301
        return tuple(map(kept.again, exchanges))


class _Pickler(pickle.Pickler):
    """Writes a frozen value by its slots.

    The way of dataclasses asks for the fields each time, which took a third of the time of judging.
    """

    def reducer_override(self, value: Any) -> Any:
        if not is_dataclass(value) or isinstance(value, type) or hasattr(value, "__dict__"):
            return NotImplemented
        kind = type(value)
        return _made, (kind, *(getattr(value, name) for name, _ in _slots(kind)))


class _Packed:
    """Compresses what is written to a file, part by part, so that long answers are never copied."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._packer = zlib.compressobj(1)

    def write(self, part: bytes) -> int:
        self._file.write(self._packer.compress(part))
        return len(part)

    def end(self) -> None:
        self._file.write(self._packer.flush())


def _made(kind: type, *values: Any) -> Any:
    """Return the value whose slots had these values."""
    made: Any = object.__new__(kind)
    for (_, put), value in zip(_slots(kind), values, strict=True):
        put(made, value)
    return made


@cache
def _slots(kind: Any) -> tuple[tuple[str, Callable[[Any, Any], None]], ...]:
    """Return the fields of a class with slots, each with its setter, which ignores `frozen`."""
    return tuple((each.name, getattr(kind, each.name).__set__) for each in fields(kind))


def cost(exchange: Exchange) -> int:
    """Return about how many bytes of memory an exchange takes."""
    answered = exchange.answer.weight if exchange.answer is not None else 0
    seen = sum(moment.weight for moment in exchange.timeline)
    sent = weight(exchange.request.body) + beside_body(exchange.request)
    return _EACH + sent + answered + seen


def _itself(exchange: Exchange) -> Exchange:
    return exchange


def _exchange_of(call: Call) -> Exchange:
    return call.exchange
