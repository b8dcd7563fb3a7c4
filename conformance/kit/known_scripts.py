"""A recorded run's scripts, which know what the recording kit could not yet have played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.kit.exchange import Exchange


class KnownScripts(dict[str, tuple[Exchange, ...]]):
    """Scripts by name; `missed` is true once one was asked for that nobody recorded."""

    def __init__(self, scripts: Mapping[str, tuple[Exchange, ...]], known: Iterable[str]) -> None:
        super().__init__(scripts)
        self._known = frozenset(known)
        self.missed = False

    def get(self, name: str, default: Any = None) -> Any:
        """As of any dictionary; a script that the recording kit did not have is noted."""
        if name not in self and name not in self._known:
            self.missed = True
        return super().get(name, default)
