"""A run: one target, one binding, one version."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from conformance.kit.model.written import Foreign
from conformance.spec.vocabulary import Binding, Era, Level, NeededFor, RunKind


class Rung(NamedTuple):
    """A level, and the clauses that it needs in addition to those of the lower levels."""

    level: Level
    needed: NeededFor


class Role(StrEnum):
    """What a target is tested as."""

    SERVER = "server"
    """It offers tools, and answers calls."""
    GATEWAY = "gateway"
    """It takes model calls, and sends them to providers."""

    @property
    def ladder(self) -> tuple[Rung, ...]:
        """The levels of this role, lowest first. Each includes those before it."""
        return _LADDERS[self]

    @property
    def levels(self) -> tuple[Level, ...]:
        """The same levels, preceded by `none`."""
        return (Level.NONE, *(rung.level for rung in self.ladder))

    def has(self, needed: NeededFor) -> bool:
        """Return whether clauses with this `needed_for` are about targets of this role."""
        of_gateways = {rung.needed for rung in _LADDERS[Role.GATEWAY]}
        return (needed in of_gateways) is (self is Role.GATEWAY)

    def place(self, level: Level) -> int:
        """Return the position of a level on the ladder; 0 for none."""
        return self.levels.index(level)


KNOWN_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""Every published version of MCP, oldest first."""
MODERN = "2026-07-28"
"""The first version of the modern era. Later versions sort after it."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run. `id` is for example `http`, `openapi`, `mcp-2026-07-28` or `stdio-2025-11-25`. No code
    parses it.

    `version` is empty over plain HTTP. `endpoint` is the base URL (http), the MCP endpoint's URL
    (mcp) or the command (stdio).
    """

    id: str
    target: Foreign
    binding: Binding
    endpoint: Foreign
    version: str = ""
    kind: RunKind = RunKind.FULL
    role: Role = Role.SERVER
    openapi: bool = False
    """Whether the tools come from an OpenAPI document, not from a manifest or a catalog."""

    @property
    def usual_id(self) -> str:
        """Return the id of such a run, if no other target has it."""
        if self.openapi:
            return "openapi"
        return f"{self.binding.value}-{self.version}" if self.version else self.binding.value

    @property
    def era(self) -> Era | None:
        """The protocol era of an MCP run; None over plain HTTP, which has no version."""
        if not self.version:
            return None
        return Era.MODERN if self.version >= MODERN else Era.LEGACY

    @property
    def superseded(self) -> bool:
        """Whether the target also speaks a newer version of this era, which has the full run."""
        return self.kind is RunKind.PROTOCOL


def free_id(id: str, taken: Collection[str]) -> str:
    """Return the id of a run, with a number if another target has the same id."""
    name, number = id, 2
    while name in taken:
        name, number = f"{id}-{number}", number + 1
    return name


_LADDERS: Final = {
    Role.SERVER: (
        Rung(Level.DESCRIBED, NeededFor.DESCRIBED),
        Rung(Level.GUARDED, NeededFor.GUARDED),
        Rung(Level.EXPLAINED, NeededFor.EXPLAINED),
        Rung(Level.RECOVERABLE, NeededFor.RECOVERABLE),
    ),
    Role.GATEWAY: (
        Rung(Level.FAITHFUL, NeededFor.FAITHFUL),
        Rung(Level.HONEST, NeededFor.HONEST),
        Rung(Level.RESILIENT, NeededFor.RESILIENT),
    ),
}
