"""Remembers the random calls that failed: the next session begins with them.

They are kept for each target, run and tool, as long as they fail, and as the tool's input schema
and what draws the calls stay as they are; the seed says nothing of a call that is there. A call in
which a secret stands is not kept, and nothing is named after a target.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.drawn import Drawn
from conformance.kit.config.secrets import Redactor
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.run import Run

if TYPE_CHECKING:
    from hypothesis.database import DirectoryBasedExampleDatabase

MOST_TOOLS: Final = 1_000
"""Tools of which calls are kept: those of targets that are judged no more would stay for ever."""

_LARGEST: Final = 16 * 1024 * 1024
"""Bytes of a call that is kept."""

_MOST_KEPT: Final = 2 * MOST_TOOLS
"""Calls of one tool, or notes in the index, that are read."""

_INDEX: Final = b"agent-formats: when calls of which tool were kept"
_NOTE: Final = re.compile(rb"(\d{12}) ([0-9a-f]{64})")
"""A turn, and the key of a tool: so written, notes sort by their turns."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A call that failed, and the clauses that it broke."""

    call: Drawn
    clauses: tuple[str, ...]


@dataclass(slots=True)
class Memory:
    """What is remembered in a folder; a folder that cannot be written to remembers nothing."""

    folder: Path
    redact: Redactor = field(default_factory=Redactor)

    def recall(self, run: Run, tool: Tool) -> list[Remembered]:
        """What failed before, in a lasting order.

        What another schema, or another generator of calls, made obsolete is forgotten.
        """
        if not self.folder.is_dir():
            return []
        key, mark = self._key(run, tool), _mark_of(tool)
        found: list[Remembered] = []
        database = self._database()
        for text in sorted(_kept(database, key)):
            one = _read(text, mark)
            if one is None:
                database.delete(key, text)
            else:
                found.append(one)
        return found

    def replace(
        self, run: Run, tool: Tool, before: Collection[Remembered], after: Iterable[Remembered]
    ) -> None:
        """Forget those before that are not among those after, and keep these."""
        key, mark = self._key(run, tool), _mark_of(tool)
        database, kept = self._database(), {_written(one, mark) for one in after}
        for one in before:
            if (text := _written(one, mark)) not in kept:
                database.delete(key, text)
        for text in kept:
            words = text.decode()
            if self.redact(words) == words:
                database.save(key, text)

    def tidy(self, latest: Collection[tuple[Run, Tool]]) -> None:
        """Note of which tools calls were kept now, and forget the others that came first.

        What is left is of MOST_TOOLS at most.
        """
        keys = {self._key(run, tool) for run, tool in latest}
        if not keys:
            return
        database = self._database()
        before = sorted(_kept(database, _INDEX))
        read = [found for found in map(_NOTE.fullmatch, before) if found]
        turn = max((int(found[1]) for found in read), default=0) + 1
        notes = {found[0]: found[2] for found in read if found[2] not in keys}
        notes |= {b"%012d %s" % (turn, key): key for key in keys if any(_kept(database, key))}
        kept = sorted(notes)[-MOST_TOOLS:]
        for note in kept:
            database.save(_INDEX, note)
        for note in {*before, *notes}.difference(kept):
            database.delete(_INDEX, note)
        for key in set(notes.values()).difference(notes[note] for note in kept):
            for text in list(_kept(database, key)):
                database.delete(key, text)

    def _database(self) -> DirectoryBasedExampleDatabase:
        # It takes longer to load than all the kit, and is there already where anything was drawn.
        from hypothesis.database import DirectoryBasedExampleDatabase  # noqa: PLC0415

        return DirectoryBasedExampleDatabase(self.folder)

    def _key(self, run: Run, tool: Tool) -> bytes:
        """The database writes its keys down: this one tells nobody what it stands for."""
        return _hashed([self.redact(run.target), run.id, tool.name])


def _kept(database: DirectoryBasedExampleDatabase, key: bytes) -> Iterator[bytes]:
    """What is kept under a key: of files alone, and of no more than any call has. A server that was
    started may have left a pipe there, on which reading never ends.
    """
    with suppress(OSError):
        for path in islice(database._key_path(key).iterdir(), _MOST_KEPT):
            with suppress(OSError):
                if path.is_file() and path.stat().st_size <= _LARGEST:
                    yield path.read_bytes()


def _mark_of(tool: Tool) -> str:
    """Name what a kept call rests on."""
    return _hashed([tool.input_schema, generator()]).decode()


def _hashed(value: Any) -> bytes:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest().encode()


def _written(one: Remembered, mark: str) -> bytes:
    call = {**asdict(one.call), "id": one.call.id.parts}
    value = {"mark": mark, "clauses": sorted(one.clauses), "call": call}
    return json.dumps(value).encode()


def _read(text: bytes, mark: str) -> Remembered | None:
    """None for another schema, and for what another version of the kit wrote."""
    try:
        value = json.loads(text)
        if value["mark"] != mark:
            return None
        call = {**value["call"], "id": CaseId(**value["call"]["id"])}
        return Remembered(Drawn(**call), tuple(value["clauses"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


_CASES: Final = Path(__file__).parent
MODULES: Final = (_CASES, _CASES.parent / "schema", _CASES.parents[1] / "formats")
"""Where it stands what is drawn, and what is valid."""

LIBRARIES: Final = ("hypothesis", "hypothesis-jsonschema", "jsonschema")


@cache
def generator() -> str:
    """Give a name that changes with the modules that make the cases, and the libraries below."""
    return digest_of(MODULES, {name: version(name) for name in LIBRARIES})


def digest_of(folders: Iterable[Path], versions: dict[str, str]) -> str:
    """Name the Python files below some folders, and some versions, in 16 hexadecimal digits."""
    digest = sha256(repr(sorted(versions.items())).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
