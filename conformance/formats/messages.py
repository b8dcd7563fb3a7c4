"""Sentences by id: code raises ids and values, readers get words in their language."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "es", "pt")

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}|\{\{|\}\}")
"""A name in braces, or a doubled brace, which stands for one."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence of the source by its id, with the values of its placeholders as text."""

    id: str
    values: tuple[tuple[str, str], ...] = ()

    def words(self, language: str = "en") -> str:
        """The sentence in `language`; raises KeyError for an id that the source does not have."""
        values = dict(self.values)
        template = _catalog()[self.id][language]
        return _PLACEHOLDER.sub(lambda found: _filled(found, values), template)


def message(id: str, **values: object) -> Message:
    """A Message; each value is kept as its text."""
    return Message(id, tuple((name, str(value)) for name, value in values.items()))


def _filled(found: re.Match[str], values: dict[str, str]) -> str:
    if found[1] is None:
        return found[0][0]
    return values.get(found[1], found[0])


@cache
def _catalog() -> dict[str, dict[str, str]]:
    path = Path(__file__).with_name("messages.json")
    loaded: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
