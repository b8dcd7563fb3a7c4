"""Remembers the calls drawn by chance that failed: the next session begins with them.

They are kept for each target, run and tool, as long as they fail and the tool's input schema stays
as it is. A call in which a secret stands is not kept, and nothing is named after a target.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.formats.tool import Tool
from conformance.kit.cases.by_chance import Drawn
from conformance.kit.run import Run
from conformance.kit.secrets import Redactor

if TYPE_CHECKING:
    from hypothesis.database import DirectoryBasedExampleDatabase


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
        """What failed before, in a lasting order. What the schema made obsolete is forgotten."""
        if not self.folder.is_dir():
            return []
        key, schema = self._key(run, tool), _schema_of(tool)
        found: list[Remembered] = []
        database = self._database()
        for text in sorted(database.fetch(key)):
            one = _read(text, schema)
            if one is None:
                database.delete(key, text)
            else:
                found.append(one)
        return found

    def replace(
        self, run: Run, tool: Tool, before: Collection[Remembered], after: Iterable[Remembered]
    ) -> None:
        """Forget those before that are not among those after, and keep these."""
        key, schema = self._key(run, tool), _schema_of(tool)
        database, kept = self._database(), {_written(one, schema) for one in after}
        for one in before:
            if (text := _written(one, schema)) not in kept:
                database.delete(key, text)
        for text in kept:
            words = text.decode()
            if self.redact(words) == words:
                database.save(key, text)

    def _database(self) -> DirectoryBasedExampleDatabase:
        # It takes longer to load than all the kit, and is there already where anything was drawn.
        from hypothesis.database import DirectoryBasedExampleDatabase  # noqa: PLC0415

        return DirectoryBasedExampleDatabase(self.folder)

    def _key(self, run: Run, tool: Tool) -> bytes:
        """The database writes its keys down: this one tells nobody what it stands for."""
        return _hashed([self.redact(run.target), run.id, tool.name])


def _schema_of(tool: Tool) -> str:
    return _hashed(tool.input_schema).decode()


def _hashed(value: Any) -> bytes:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest().encode()


def _written(one: Remembered, schema: str) -> bytes:
    value = {"schema": schema, "clauses": sorted(one.clauses), "call": asdict(one.call)}
    return json.dumps(value).encode()


def _read(text: bytes, schema: str) -> Remembered | None:
    """None for another schema, and for what another version of the kit wrote."""
    try:
        value = json.loads(text)
        if value["schema"] != schema:
            return None
        return Remembered(Drawn(**value["call"]), tuple(value["clauses"]))
    except (ValueError, KeyError, TypeError):
        return None
