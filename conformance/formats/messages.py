"""Sentences by id: code raises ids and values, readers get words in their language."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "es", "pt")


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence of the source by its id, with the values of its placeholders as text."""

    id: str
    values: tuple[tuple[str, str], ...] = ()

    def words(self, language: str = "en") -> str:
        """The sentence in `language`; raises KeyError for an id that the source does not have."""
        template = _catalog()[self.id][language]
        for name, value in self.values:
            template = template.replace("{" + name + "}", value)
        return template


def message(id: str, **values: object) -> Message:  # noqa: A002 - the field's name is the point
    """A Message; each value is kept as its text."""
    return Message(id, tuple((name, str(value)) for name, value in values.items()))


@cache
def _catalog() -> dict[str, dict[str, str]]:
    path = Path(__file__).with_name("messages.json")
    loaded: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
