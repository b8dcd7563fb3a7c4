"""`exchanges.ndjson`: writes all evidence of a session as it arrives, and reads it for `--judge`.

A header line says what discovery found and what the user asked for. Each further line is one
exchange. A footer line counts them, so a file without a footer was cut. `kit/model` defines the
fields.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, overload
from weakref import finalize

from conformance.formats.text.json_text import MOST_MARKS, has_at_most
from conformance.formats.text.memory import is_held
from conformance.formats.text.sse import sse_events
from conformance.kit.config.secrets import Redactor
from conformance.kit.evidence.recorder import MOST_WRITTEN
from conformance.kit.model.exchange import Answer, Exchange
from conformance.kit.model.written import (
    Redact,
    Writing,
    codec,
    from_strict,
    strict_json,
    strict_parts,
)
from conformance.spec.messages import Message, message

FORMAT = 3
"""The version of the file format. It increases when an older kit can no longer read the file."""

_LAST_ID = 2**63 - 1

LONGEST_LINE = 128 * 1024 * 1024
"""The most bytes of a line that are read. The kit never writes a longer one."""

_LEAST_WRITTEN = 1024
"""The most characters of a header, an address or a line of noise if the file is too long already.
"""

_BATCH = 64
"""The number of lines between two flushes, so also the most that a crash can lose."""


class ExchangesError(Exception):
    """The file is not an `exchanges.ndjson` that this kit can read. `reason` says where and why."""

    def __init__(self, path: Path, reason: Message) -> None:
        super().__init__(f"{path}: {reason.words()}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole file as read. `complete` is False if the file was cut or the session was killed.

    `first` is the header line, and `last` the footer line or None.
    """

    kit: str
    started: str
    exchanges: Sequence[Exchange]
    complete: bool
    first: Mapping[str, Any]
    last: Mapping[str, Any] | None = None


def read_exchange(line: Any) -> Exchange:
    """Read an exchange from one parsed line. Raises `ValueError`."""
    try:
        exchange = codec(Exchange).validate_python(line)
    except (OverflowError, RecursionError) as error:
        raise ValueError(f"no exchange is like this ({type(error).__name__})") from error
    if not 0 <= exchange.id <= _LAST_ID:
        raise ValueError(f"{exchange.id} is not the number of an exchange")
    answer = exchange.answer
    if answer is None or answer.messages is not None:
        return exchange
    return replace(exchange, answer=replace(answer, messages=_messages(answer)))


def _messages(answer: Answer) -> tuple[Any, ...]:
    """Parse messages again from the body. The line lacks them if they were nested too deeply to
    write.
    """
    text = answer.body.decode("utf-8", "replace")
    events = [event.data for event in sse_events(text) if event.data and event.ended]
    try:
        return tuple(map(json.loads, events or filter(None, [text])))
    except RecursionError as error:
        raise ValueError("messages are nested too deeply to be read") from error


class _Lines(Sequence[Exchange]):
    """The exchanges of a file. Each is read on access, as all of them may not fit in memory."""

    def __init__(self, path: Path, places: Sequence[int]) -> None:
        self._path = path
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Exchange: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Exchange]: ...

    def __getitem__(self, index: int | slice) -> Exchange | Sequence[Exchange]:
        if isinstance(index, slice):
            return _Lines(self._path, self._places[index])
        with self._path.open("rb") as file:
            file.seek(self._places[index])
            return read_exchange(_loaded(file.readline()))

    def __iter__(self) -> Iterator[Exchange]:
        with self._path.open("rb") as file:
            for place in self._places:
                file.seek(place)
                yield read_exchange(_loaded(file.readline()))


class Numbered(Mapping[int, Exchange]):
    """Exchanges of a file by their numbers. Each is read on access, and alone."""

    def __init__(self, exchanges: Sequence[Exchange], places: Mapping[int, int]) -> None:
        """`places` maps the number of an exchange to its index among `exchanges`."""
        self._exchanges = exchanges
        self._places = places

    def __getitem__(self, id: int) -> Exchange:
        return self._exchanges[self._places[id]]

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class ExchangeWriter:
    """Appends exchanges to a file and reads them back by id. Use it as a context manager.

    `redact` replaces secrets in every text before it is written. `more` is added to the header, and
    `last` to the footer. Not thread-safe.
    """

    def __init__(
        self,
        path: Path,
        *,
        kit: str,
        started: str,
        redact: Redact | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self.last: Mapping[str, Any] = {}
        self._redact = redact
        self._places: dict[int, int] = {}
        self._unflushed = 0
        self._end = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        # A server may be able to write to this directory, and may have put a link or file at the
        # path.
        path.unlink(missing_ok=True)
        self._file: BinaryIO = path.open("x+b")
        self._reader: BinaryIO = path.open("rb")
        finalize(self, self._reader.close)
        first = {"format": FORMAT, "kit": kit, "started": started}
        try:
            header = {**first, **self._writing().value(dict(more or {}))}
            self._put(strict_parts(header))  # it has all declarations
        except Exception:
            self._file.close()
            path.unlink(missing_ok=True)  # without its first line, it is of no use
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, exchange: Exchange) -> None:
        """Append one exchange."""
        place = self._end
        writing = self._writing()
        if place > MOST_WRITTEN:  # a target decides how long its session id and addresses are
            writing = replace(writing, longest=_LEAST_WRITTEN)
        try:
            self._line(self._written(exchange, writing))
        except RecursionError:
            # The decoder allows deeper nesting than the encoder.
            self._line(self._written(exchange, replace(writing, careful=True)))
        self._places[exchange.id] = place
        self._unflushed += 1
        if self._unflushed >= _BATCH:
            self._file.flush()
            self._unflushed = 0

    def read(self, id: int) -> Exchange | None:
        """Return an exchange as the file has it, without secrets; None if the id is unknown."""
        place = self._places.get(id)
        if place is None:
            return None
        if self._file.closed:
            self._reader.seek(place)
            return read_exchange(_loaded(self._reader.readline()))
        self._file.seek(place)
        line = self._file.readline()
        self._file.seek(0, 2)
        return read_exchange(_loaded(line))

    def close(self) -> None:
        """Write the footer and close the file; a second call does nothing."""
        if self._file.closed:
            return
        try:
            last = self._writing().value(dict(self.last))
            self._line({"exchanges": len(self._places), "end": True, **last})
        finally:
            self._file.close()

    def _writing(self) -> Writing:
        known = not isinstance(self._redact, Redactor) or self._redact.knows_any
        return Writing(self._redact if known else None)

    @staticmethod
    def _written(exchange: Exchange, writing: Writing) -> Any:
        line = codec(Exchange).dump_python(exchange, context=writing, exclude_defaults=True)
        # Defaults are left out, but this field tells the kinds of request apart.
        line["request"]["transport"] = exchange.request.transport
        return line

    def _line(self, value: Mapping[str, Any]) -> None:
        self._put([strict_json(dict(value))])

    def _put(self, parts: Iterable[str]) -> None:
        # ASCII only, so that a line cannot reorder or hide text in a terminal, and lone
        # surrogates survive. `##` is escaped because commands to a CI system begin with it.
        for part in parts:
            self._end += self._file.write(part.replace("##", r"\u0023\u0023").encode("ascii"))
        self._end += self._file.write(b"\n")


def read_exchanges(path: Path) -> Recording:
    """Read a whole file; ignore a last line that was cut. Raises `ExchangesError` and `OSError`."""
    with path.open("rb") as file:
        header = _header(path, file.readline(LONGEST_LINE))
        places = array("Q")
        footer: Any = None
        for place, line in _lines(path, file):
            if isinstance(line, dict) and "end" in line:
                footer = line
                break
            try:
                read_exchange(line)
            except ValueError as error:
                where = message("kit.judge.line", line=len(places) + 2)
                raise ExchangesError(path, where) from error
            places.append(place)
    complete = footer is not None and footer.get("exchanges") == len(places)
    return Recording(
        header["kit"],
        header["started"],
        _Lines(path, places),
        complete,
        header,
        footer if complete else None,
    )


def _value(line: bytes) -> Any:
    if not has_at_most(MOST_MARKS, line):
        raise ValueError("more values than any session has in a line")
    if not is_held(line):
        raise ValueError("longer texts than any session has in a line")
    return _loaded(line)


def _loaded(line: bytes) -> Any:
    return from_strict(json.loads(line))


def _header(path: Path, line: bytes) -> Any:
    try:
        header = _value(line)
        version = header["format"]
        if version != FORMAT:
            raise ExchangesError(path, message("kit.judge.format", found=version, known=FORMAT))
        _ = header["kit"], header["started"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ExchangesError(path, message("kit.judge.header")) from error
    return header


def _lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, Any]]:
    """Yield each remaining line with the offset where it begins."""
    place = file.tell()
    lines = iter(partial(file.readline, LONGEST_LINE), b"")
    for count, line in enumerate(lines, start=2):
        if len(line) == LONGEST_LINE:
            raise ExchangesError(path, message("kit.judge.line", line=count))
        if not line.endswith(b"\n"):
            return
        try:
            yield place, _value(line)
        except (ValueError, RecursionError) as error:
            raise ExchangesError(path, message("kit.judge.line", line=count)) from error
        place += len(line)
