"""Sentences by id: code raises ids and values, readers get words in their language."""

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
"""A name in braces, or a doubled brace, which stands for one.

`{name|one|other}` stands for its second part where the value is 1, else for its third; a `#` in
them for the value.
"""


_LONGEST = 200
"""Characters of a name in a sentence."""

CODE = frozenset({"case", "header", "method", "option", "parameter", "request", "tool"})
"""Placeholders whose text is a name of code: a sentence has it between backquotes."""
LISTS = frozenset({"fields", "keywords", "members"})
"""The same, each with several names, as `listed` gives them."""
_BETWEEN = ", "


class Topic(StrEnum):
    """What a message is about, where others need to know: how its id begins in the source."""

    DOCUMENT = "documents"
    """A place in a document. The message does not name the place."""
    CALL = "call"
    """What was sent in a call of a tool."""
    STEP = "step"
    """What was sent in a step of a script."""
    LEFT_OUT = "kit.left_out"
    """Why a tool was not called, whatever the clause."""
    NOT_APPLICABLE = "kit.not_applicable"
    """Why a clause does not apply, whatever the clause."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence of the source by its id, with the values of its placeholders.

    A value is text, or a Message where it is words too, which are then said in the same language.
    """

    id: str
    values: tuple[tuple[str, str | Message], ...] = ()

    @property
    def topic(self) -> Topic | None:
        """What the message is about; None where nobody needs to know."""
        return _topic(self.id)

    def words(self, language: str = "en") -> str:
        """The sentence in `language`; raises KeyError for an id that the source does not have."""
        said = {name: v.words(language) for name, v in self.values if isinstance(v, Message)}
        values = {name: v for name, v in self.values if isinstance(v, str)}
        return filled(catalog()[self.id][language], values | said, said)


@lru_cache(4096)
def _topic(id: str) -> Topic | None:
    return next((each for each in Topic if id.startswith(f"{each}.")), None)


def message(id: str, **values: object) -> Message:
    """A Message; each value that is not a Message is kept as its text."""
    kept = ((name, v if isinstance(v, Message) else str(v)) for name, v in values.items())
    return Message(id, tuple(kept))


def filled(template: str, values: Mapping[str, str], said: Container[str] = ()) -> str:
    """A template of the source with its values put in; a name without a value stays as it is.

    A name of code (`CODE`, `LISTS`) gets its backquotes here, unless the template has them. Those
    in `said` are words already.
    """
    return _PLACEHOLDER.sub(lambda found: _filled(found, values, said), template)


def as_code(name: str) -> str:
    """A name in a sentence: between backquotes; one that they cannot hold, as JSON text."""
    cut = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"
    return f"`{cut}`" if cut.strip() and cut.isprintable() and "`" not in cut else json.dumps(cut)


def listed(names: Iterable[str]) -> str:
    """Several names as the value of a placeholder (`LISTS`): plain, as programs read it."""
    return _BETWEEN.join(names)


def codes(names: Iterable[str]) -> str:
    """Several names in a sentence."""
    return _BETWEEN.join(map(as_code, names))


def is_message(id: str) -> bool:
    """Whether the source has a sentence of this id."""
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
    """The value of a placeholder in a sentence: marked where it is code."""
    if name in LISTS:
        return codes(value.split(_BETWEEN)) if value else "—"
    return as_code(value) if name in CODE else value


@cache
def catalog() -> dict[str, dict[str, str]]:
    """Give every sentence of the source: by id, then by language."""
    path = Path(__file__).with_name("messages.json")
    loaded: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
