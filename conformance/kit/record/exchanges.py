"""`exchanges.ndjson`: all evidence of a session, written as it comes, judged again offline.

A header line says what was found and asked, each further line is one exchange, and a footer line
counts them: a file without one was cut. The forms of the fields are in `kit/model`.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
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
from conformance.kit.model.written import Redact, Writing, codec, from_strict, strict_json
from conformance.spec.messages import Message, message

FORMAT = 3
"""Goes up when an older kit could no longer read the file."""

_LAST_ID = 2**63 - 1

LONGEST_LINE = 128 * 1024 * 1024
"""Bytes of a line that are read: no session that this kit records writes as many."""

_LEAST_WRITTEN = 1024
"""Characters of a header, an address or a line of noise in a file that is too long already."""

_BATCH = 64
"""Lines between two flushes: what a crash may lose."""


class ExchangesError(Exception):
    """The file is no `exchanges.ndjson` that this kit can read; `reason` says where and why."""

    def __init__(self, path: Path, reason: Message) -> None:
        super().__init__(f"{path}: {reason.words()}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole file as read. `complete` is false where the file was cut or the session killed.

    `first` and `last` are the lines around the exchanges; `last` is None where it is missing.
    """

    kit: str
    started: str
    exchanges: Sequence[Exchange]
    complete: bool
    first: Mapping[str, Any]
    last: Mapping[str, Any] | None = None


def read_exchange(line: Any) -> Exchange:
    """Make the exchange of one line again; raises ValueError."""
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
    """Messages that were nested too deeply to be written, read again from the body."""
    text = answer.body.decode("utf-8", "replace")
    events = [event.data for event in sse_events(text) if event.data and event.ended]
    try:
        return tuple(map(json.loads, events or filter(None, [text])))
    except RecursionError as error:
        raise ValueError("messages are nested too deeply to be read") from error


class _Lines(Sequence[Exchange]):
    """The exchanges of a file, each read when it is asked for: all of them may be too many."""

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


class ExchangeWriter:
    """Appends exchanges to a file and gives them back by id; use it as a context.

    `redact` replaces secrets in every text before it is written. `more` goes into the first line,
    and what `last` holds when it is closed into the last. Not for two threads together.
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
        # What has the name by then may be a link, or another file: a server may reach this
        # directory.
        path.unlink(missing_ok=True)
        self._file: BinaryIO = path.open("x+b")
        self._reader: BinaryIO = path.open("rb")
        finalize(self, self._reader.close)
        first = {"format": FORMAT, "kit": kit, "started": started}
        self._line({**first, **self._writing().value(dict(more or {}))})

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
        if place > MOST_WRITTEN:  # a target decides how long its session id and its addresses are
            writing = replace(writing, longest=_LEAST_WRITTEN)
        try:
            self._line(self._written(exchange, writing))
        except RecursionError:
            # A value nested as deeply as the decoder allows is too deep for the encoder.
            self._line(self._written(exchange, replace(writing, careful=True)))
        self._places[exchange.id] = place
        self._unflushed += 1
        if self._unflushed >= _BATCH:
            self._file.flush()
            self._unflushed = 0

    def read(self, id: int) -> Exchange | None:
        """Give a written exchange as the file has it, without secrets; None for an unknown id."""
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
        last = self._writing().value(dict(self.last))
        self._line({"exchanges": len(self._places), "end": True, **last})
        self._file.close()

    def _writing(self) -> Writing:
        known = not isinstance(self._redact, Redactor) or self._redact.knows_any
        return Writing(self._redact if known else None)

    @staticmethod
    def _written(exchange: Exchange, writing: Writing) -> Any:
        line = codec(Exchange).dump_python(exchange, context=writing, exclude_defaults=True)
        # It is a default, and says which request it is.
        line["request"]["transport"] = exchange.request.transport
        return line

    def _line(self, value: Mapping[str, Any]) -> None:
        # ASCII only: a line cannot turn or hide a terminal's text, and lone surrogates survive. Nor
        # is it a command to a CI system: those begin with two of these signs.
        line = strict_json(dict(value)).replace("##", r"\u0023#")
        self._end += self._file.write(line.encode("ascii") + b"\n")


def read_exchanges(path: Path) -> Recording:
    """Read a whole file; raises `ExchangesError`, OSError. A last line that is cut is left out."""
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
    """Each line that is left, and where it begins."""
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
