"""`exchanges.ndjson`: all evidence of a session, written as it comes, judged again offline.

A header line says what was looked at, each further line is one exchange, and a footer line counts
them: a file without one was cut.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, overload

from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run
from conformance.kit.record.recorded import Recorded, Recorder, Redact, mapped, read_exchange
from conformance.kit.record.runs import read_run, run_fields
from conformance.spec.messages import Message, message

FORMAT = 1
"""Goes up when an older kit could no longer read the file."""

_BATCH = 64
"""Lines between two flushes: what a crash may lose."""


class ExchangesError(Exception):
    """The file is no `exchanges.ndjson` that this kit can read; `reason` says where and why."""

    def __init__(self, path: Path, reason: Message) -> None:
        super().__init__(f"{path}: {reason.words()}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Looked:
    """A run and the tools that its target declared, each declaration as it came."""

    run: Run
    tools: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole file as read. `complete` is false where the file was cut or the session killed."""

    kit: str
    started: str
    runs: tuple[Looked, ...]
    exchanges: Sequence[Recorded]
    complete: bool
    first: Mapping[str, Any] = field(default_factory=dict)
    last: Mapping[str, Any] | None = None
    """The lines around the exchanges, with all that they hold; None for one that is missing."""


class _Lines(Sequence[Recorded]):
    """The exchanges of a file, each read when it is asked for: all of them may be too many."""

    def __init__(self, path: Path, places: Sequence[int]) -> None:
        self._path = path
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Recorded: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Recorded]: ...

    def __getitem__(self, index: int | slice) -> Recorded | Sequence[Recorded]:
        if isinstance(index, slice):
            return _Lines(self._path, self._places[index])
        with self._path.open("rb") as file:
            file.seek(self._places[index])
            return read_exchange(json.loads(file.readline()))

    def __iter__(self) -> Iterator[Recorded]:
        with self._path.open("rb") as file:
            for place in self._places:
                file.seek(place)
                yield read_exchange(json.loads(file.readline()))


class ExchangeWriter:
    """Appends exchanges to a file and gives them back by id; use it as a context.

    `redact` replaces secrets in every text before it is written. `more` goes into the first line,
    and what `last` holds when it is closed into the last. Not for two threads at once.
    """

    def __init__(
        self,
        path: Path,
        *,
        kit: str,
        started: str,
        runs: Iterable[Looked],
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
        self._file: BinaryIO = path.open("w+b")
        self._line({
            "format": FORMAT,
            "kit": kit,
            "started": started,
            "runs": [_looked(each, redact) for each in runs],
            **_clean(more or {}, redact),
        })  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, exchange: Exchange, *, whole: bool = False) -> None:
        """Append one exchange; `whole` keeps long bodies (discovery), else only their heads."""
        place = self._end
        try:
            self._line(Recorder(self._redact, whole=whole).record(exchange))
        except RecursionError:
            # A value nested as deeply as the decoder allows is too deep for the encoder.
            recorder = Recorder(self._redact, whole=whole, careful=True)
            self._line(recorder.record(exchange))
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
            with self.path.open("rb") as file:
                file.seek(place)
                return read_exchange(json.loads(file.readline())).exchange
        self._file.seek(place)
        line = self._file.readline()
        self._file.seek(0, 2)
        return read_exchange(json.loads(line)).exchange

    def close(self) -> None:
        """Write the footer and close the file; a second call does nothing."""
        if self._file.closed:
            return
        last = _clean(self.last, self._redact)
        self._line({"exchanges": len(self._places), "end": True, **last})
        self._file.close()

    def move(self, path: Path) -> None:
        """Close the file and move it; raises OSError."""
        self.close()
        self.path = self.path.rename(path)

    def _line(self, value: Mapping[str, Any]) -> None:
        # ASCII only: a line cannot turn or hide a terminal's text, and lone surrogates survive.
        self._end += self._file.write(
            json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
        )


def read_exchanges(path: Path) -> Recording:
    """Read a whole file; raises `ExchangesError`, OSError. A last line that is cut is left out."""
    with path.open("rb") as file:
        header = _header(path, file.readline())
        places = array("Q")
        footer: Any = None
        for place, line in _lines(path, file):
            if "end" in line:
                footer = line
                break
            try:
                read_exchange(line)
            except (KeyError, TypeError, ValueError) as error:
                where = message("kit.judge.line", line=len(places) + 2)
                raise ExchangesError(path, where) from error
            places.append(place)
    complete = footer is not None and footer.get("exchanges") == len(places)
    runs = tuple(Looked(read_run(each), tuple(each["tools"])) for each in header["runs"])
    return Recording(
        header["kit"],
        header["started"],
        runs,
        _Lines(path, places),
        complete,
        header,
        footer if complete else None,
    )


def _header(path: Path, line: bytes) -> Any:
    try:
        header = json.loads(line)
        version, _ = header["format"], header["runs"]
    except (ValueError, KeyError, TypeError) as error:
        raise ExchangesError(path, message("kit.judge.header")) from error
    if version != FORMAT:
        raise ExchangesError(path, message("kit.judge.format", found=version, known=FORMAT))
    return header


def _lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, Any]]:
    """Each line that is left, and where it begins."""
    place = file.tell()
    for count, line in enumerate(file, start=2):
        if not line.endswith(b"\n"):
            return
        try:
            yield place, json.loads(line)
        except ValueError as error:
            raise ExchangesError(path, message("kit.judge.line", line=count)) from error
        place += len(line)


def _clean(value: Mapping[str, Any], redact: Redact | None) -> dict[str, Any]:
    made: dict[str, Any] = dict(value) if redact is None else mapped(value, redact)
    return made


def _looked(looked: Looked, redact: Redact | None) -> dict[str, Any]:
    fields = run_fields(looked.run, redact or str)
    return {**fields, "tools": [_declared(tool, redact) for tool in looked.tools]}


def _declared(tool: Any, redact: Redact | None) -> Any:
    """Give a declaration without secrets; None for one nested too deeply to be written."""
    try:
        clean = tool if redact is None else mapped(tool, redact)
        json.dumps(clean)
    except RecursionError:
        return None
    return clean
