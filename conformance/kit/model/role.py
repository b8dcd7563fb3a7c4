"""A role: what a target is tested as, and the levels that it can reach in it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from conformance.spec.vocabulary import Level, NeededFor


class Rung(NamedTuple):
    """A level, and the clauses that it needs as well as those of the levels below."""

    level: Level
    needed: NeededFor


class Role(StrEnum):
    """What a target is tested as."""

    SERVER = "server"
    """It offers tools, and answers calls."""

    @property
    def ladder(self) -> tuple[Rung, ...]:
        """The levels of this role, lowest first. Each includes the ones before it."""
        return _LADDERS[self]

    @property
    def levels(self) -> tuple[Level, ...]:
        """The same levels, after the one of a target that reaches none."""
        return (Level.NONE, *(rung.level for rung in self.ladder))

    def place(self, level: Level) -> int:
        """A level's place on the ladder: 0 for none."""
        return self.levels.index(level)


_LADDERS: Final = {
    Role.SERVER: (
        Rung(Level.DESCRIBED, NeededFor.DESCRIBED),
        Rung(Level.GUARDED, NeededFor.GUARDED),
        Rung(Level.EXPLAINED, NeededFor.EXPLAINED),
        Rung(Level.RECOVERABLE, NeededFor.RECOVERABLE),
    )
}
