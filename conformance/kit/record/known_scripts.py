"""A recorded run's scripts, which know what the recording kit could not yet have played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.kit.evidence.cut import note
from conformance.kit.model.exchange import Exchange


class KnownScripts(dict[str, tuple[Exchange, ...]]):
    """Scripts by name; asking for one that the recording kit did not have is noted."""

    def __init__(self, scripts: Mapping[str, tuple[Exchange, ...]], known: Iterable[str]) -> None:
        super().__init__(scripts)
        self._known = frozenset(known)

    def get(self, name: str, default: Any = None) -> Any:
        """As of any dictionary."""
        if name not in self and name not in self._known:
            note()
        return super().get(name, default)
