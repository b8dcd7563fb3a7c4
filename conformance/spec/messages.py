"""Messages by id: code passes ids and values, readers get sentences in their language."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

LANGUAGES = ("en", "es", "pt")

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)(?:\|([^{}|]*)\|([^{}|]*))?\}|\{\{|\}\}")
"""A name in braces, or a doubled brace, which means one brace.

`{name|one|other}` means `one` if the value is 1, otherwise `other`; a `#` in them is replaced by
the value.
"""


_LONGEST = 200
"""The most characters of a name in a sentence."""

CODE = frozenset({"case", "header", "method", "option", "parameter", "request", "tool"})
"""Placeholders for names from code, which a sentence shows between backquotes."""
LISTS = frozenset({"fields", "keywords", "members"})
"""Placeholders for several names from code, joined by `listed`."""
TOLD = "told"
"""The number of tools that a reason is about: one, unless a report joins several (`of`)."""
_BETWEEN = ", "


class Topic(StrEnum):
    """The topic of a message, as the prefix of its id.

    It has only the topics that code asks about.
    """

    DOCUMENT = "documents"
    """A place in a document. The message does not name the place."""
    CALL = "call"
    """What was sent in a tool call."""
    STEP = "step"
    """What was sent in a step of a script."""
    LEFT_OUT = "kit.left_out"
    """Why a tool was not called; the same for every clause."""
    NOT_APPLICABLE = "kit.not_applicable"
    """Why a clause does not apply; the same for every clause."""


@dataclass(frozen=True, slots=True)
class Message:
    """The id of a message, with the values of its placeholders.

    A value is text, or another Message, which is then shown in the same language.
    """

    id: str
    values: tuple[tuple[str, str | Message], ...] = ()

    @property
    def topic(self) -> Topic | None:
        """The topic of the message; None if it is not in `Topic`."""
        return _topic(self.id)

    def words(self, language: str = "en") -> str:
        """Return the sentence in `language`; raises `KeyError` for an unknown id."""
        said = {name: v.words(language) for name, v in self.values if isinstance(v, Message)}
        values = {TOLD: "1"} | {name: v for name, v in self.values if isinstance(v, str)}
        return filled(catalog()[self.id][language], values | said, said)

    def begins_small(self, language: str = "en") -> bool:
        """Return whether the sentence itself, not a value in it, begins with a small letter."""
        begins = catalog()[self.id][language].removeprefix("{told|")[0]
        return begins.islower()

    def of(self, tools: int) -> Message:
        """Return the message as it is said of so many tools together."""
        return Message(self.id, ((TOLD, str(max(tools, 1))), *self.values))


@lru_cache(4096)
def _topic(id: str) -> Topic | None:
    return next((each for each in Topic if id.startswith(f"{each}.")), None)


def message(id: str, **values: object) -> Message:
    """Return a Message. Values that are not Messages are converted to text."""
    kept = ((name, v if isinstance(v, Message) else str(v)) for name, v in values.items())
    return Message(id, tuple(kept))


def filled(template: str, values: Mapping[str, str], said: Container[str] = ()) -> str:
    """Return a template with its values filled in; a name without a value stays unchanged.

    Names from code (`CODE`, `LISTS`) get backquotes, unless the template has them already. Names in
    `said` are sentences, and get none.
    """
    return _PLACEHOLDER.sub(lambda found: _filled(found, values, said), template)


def as_code(name: str) -> str:
    """Return a name between backquotes, or as JSON text if it cannot be between backquotes."""
    cut = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"
    return f"`{cut}`" if cut.strip() and cut.isprintable() and "`" not in cut else json.dumps(cut)


def listed(names: Iterable[str]) -> str:
    """Join several names into the value of a placeholder (`LISTS`), without marks."""
    return _BETWEEN.join(names)


def codes(names: Iterable[str]) -> str:
    """Return several names for a sentence, each marked as code."""
    return _BETWEEN.join(map(as_code, names))


def is_message(id: str) -> bool:
    """Return whether there is a message with this id."""
    return id in catalog()


def _filled(found: re.Match[str], values: Mapping[str, str], said: Container[str]) -> str:
    name, one, other = found.groups()
    if name is None:
        return found[0][0]
    if name not in values:
        return found[0]
    if one is None:
        between = found.string.count("`", 0, found.start()) % 2
        return values[name] if name in said or between else _in_words(name, values[name])
    form: str = one if values[name] == "1" else other
    return form.replace("#", values[name])


def _in_words(name: str, value: str) -> str:
    """Return the value of a placeholder for a sentence, marked if it is code."""
    if name in LISTS:
        return codes(value.split(_BETWEEN)) if value else "—"
    return as_code(value) if name in CODE else value


@cache
def catalog() -> dict[str, dict[str, str]]:
    """Return every message: by id, then by language."""
    path = Path(__file__).with_name("messages.json")
    loaded: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
