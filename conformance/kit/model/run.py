"""A run: one target, one binding, one version."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from conformance.kit.model.written import Foreign
from conformance.spec.vocabulary import Binding, Era, Level, NeededFor, RunKind


class Rung(NamedTuple):
    """A level, and the clauses that it needs as well as those of the levels below."""

    level: Level
    needed: NeededFor


class Role(StrEnum):
    """What a target is tested as."""

    SERVER = "server"
    """It offers tools, and answers calls."""
    GATEWAY = "gateway"
    """It takes model calls, and asks providers."""

    @property
    def ladder(self) -> tuple[Rung, ...]:
        """The levels of this role, lowest first. Each includes the ones before it."""
        return _LADDERS[self]

    @property
    def levels(self) -> tuple[Level, ...]:
        """The same levels, after the one of a target that reaches none."""
        return (Level.NONE, *(rung.level for rung in self.ladder))

    def has(self, needed: NeededFor) -> bool:
        """Whether clauses that are needed so are about targets of this role."""
        of_gateways = {rung.needed for rung in _LADDERS[Role.GATEWAY]}
        return (needed in of_gateways) is (self is Role.GATEWAY)

    def place(self, level: Level) -> int:
        """A level's place on the ladder: 0 for none."""
        return self.levels.index(level)


KNOWN_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""Every published version of MCP, oldest first."""
MODERN = "2026-07-28"
"""The first version of the modern era; later ones sort behind it."""


@dataclass(frozen=True, slots=True)
class Run:
    """`id` is `http`, `openapi`, `mcp-2026-07-28`, `stdio-2025-11-25`; nothing is read out of it.

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
    """Whether an OpenAPI document says what can be called: no manifest, no catalog."""

    @property
    def usual_id(self) -> str:
        """The id of such a run where no other target has it."""
        if self.openapi:
            return "openapi"
        return f"{self.binding.value}-{self.version}" if self.version else self.binding.value

    @property
    def era(self) -> Era | None:
        """The protocol era of an MCP run; None for the HTTP binding, which has no version."""
        if not self.version:
            return None
        return Era.MODERN if self.version >= MODERN else Era.LEGACY

    @property
    def superseded(self) -> bool:
        """Whether the target speaks a newer version of the same era, which has the full run."""
        return self.kind is RunKind.PROTOCOL


def free_id(id: str, taken: Collection[str]) -> str:
    """The id of a run; where another target has it, with a number behind it."""
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
