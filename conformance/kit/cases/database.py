"""Remembers the random calls that failed: the next session begins with them.

A call is kept for its target, run and tool while it fails, and while the tool's input schema and
the generator of calls stay the same. The seed does not matter. A call that contains a secret is not
kept, and no file name reveals a target.
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
"""The most tools whose calls are kept, so that those of abandoned targets do not stay forever."""

_LARGEST: Final = 16 * 1024 * 1024
"""The most bytes of a stored call. Larger files are not read."""

_MOST_KEPT: Final = 2 * MOST_TOOLS
"""The most calls of one tool, or notes in the index, that are read."""

_INDEX: Final = b"agent-formats: when calls of which tool were kept"
_NOTE: Final = re.compile(rb"(\d{12}) ([0-9a-f]{64})")
"""A turn, and the key of a tool. In this form, notes sort by their turns."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A call that failed, and the clauses that it broke."""

    call: Drawn
    clauses: tuple[str, ...]


@dataclass(slots=True)
class Memory:
    """The calls remembered in a directory. If it cannot be written to, nothing is remembered."""

    folder: Path
    redact: Redactor = field(default_factory=Redactor)

    def recall(self, run: Run, tool: Tool) -> list[Remembered]:
        """Return the calls that failed before, in a stable order.

        Delete those for another schema, or from another generator of calls.
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
        """Store the calls in `after`, and delete those in `before` that are not among them."""
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
        """Note which tools' calls were stored now, and delete the calls of the oldest other tools.

        Calls of at most MOST_TOOLS tools remain.
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
        # This takes longer to load than the whole kit. If a call was drawn, it is loaded already.
        from hypothesis.database import DirectoryBasedExampleDatabase  # noqa: PLC0415

        return DirectoryBasedExampleDatabase(self.folder)

    def _key(self, run: Run, tool: Tool) -> bytes:
        """Return a hash as the key of a tool, because the database writes its keys to its files."""
        return _hashed([self.redact(run.target), run.id, tool.name])


def _kept(database: DirectoryBasedExampleDatabase, key: bytes) -> Iterator[bytes]:
    """Yield what is stored under a key. Only regular files are read, up to a size and a number.

    A server that the kit started may have left a pipe there, and reading it would never end.
    """
    with suppress(OSError):
        for path in islice(database._key_path(key).iterdir(), _MOST_KEPT):
            with suppress(OSError):
                if path.is_file() and path.stat().st_size <= _LARGEST:
                    yield path.read_bytes()


def _mark_of(tool: Tool) -> str:
    """Return a hash of what a stored call depends on: the input schema and the generator."""
    return _hashed([tool.input_schema, generator()]).decode()


def _hashed(value: Any) -> bytes:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest().encode()


def _written(one: Remembered, mark: str) -> bytes:
    call = {**asdict(one.call), "id": one.call.id.parts}
    value = {"mark": mark, "clauses": sorted(one.clauses), "call": call}
    return json.dumps(value).encode()


def _read(text: bytes, mark: str) -> Remembered | None:
    """Parse a stored call; None for another schema, or the format of another version of the kit."""
    try:
        value = json.loads(text)
        if value["mark"] != mark:
            return None
        call = Drawn(**{**value["call"], "id": CaseId(**value["call"]["id"])})
        texts = (call.scenario, call.pointer or "", *value["clauses"])
        if not all(isinstance(each, str) for each in texts):
            return None
        return Remembered(call, tuple(value["clauses"]))
    except (AttributeError, ValueError, KeyError, TypeError, RecursionError):
        return None


_CASES: Final = Path(__file__).parent
MODULES: Final = (_CASES, _CASES.parent / "schema", _CASES.parents[1] / "formats")
"""The directories of the code that decides which calls are drawn, and which are valid."""

LIBRARIES: Final = ("hypothesis", "hypothesis-jsonschema", "jsonschema")


@cache
def generator() -> str:
    """Return a name that changes with the modules that make the cases, and with LIBRARIES."""
    return digest_of(MODULES, {name: version(name) for name in LIBRARIES})


def digest_of(folders: Iterable[Path], versions: dict[str, str]) -> str:
    """Return 16 hexadecimal digits for the Python files in some directories, and for versions."""
    digest = sha256(repr(sorted(versions.items())).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
