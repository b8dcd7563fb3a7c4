"""Reads a JSON value from bytes; anything that two readers may read differently is a problem.

Serves ATDF-CAT-003. Nothing here raises for bad input, except `told_in`.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Any, Self

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.schema.schemas import deeper_than
from conformance.formats.text.memory import is_held
from conformance.formats.text.source_lines import (
    Position,
    position_at,
    position_of_word,
    positions_in,
    spots,
)
from conformance.formats.text.yaml_text import YamlFault, yaml_positions, yaml_value
from conformance.spec.messages import Message, message

LARGEST = 64 * 1024 * 1024
"""The most bytes of a document; a catalog of 10,000 tools has about 20 MB."""

DEEPEST = 256
"""The most levels of nested arrays and objects; real documents have a dozen."""

DEEPEST_TOLD = 500
"""The same limit for what a target sends: half of what the interpreter can process."""

MOST_MARKS = 4_000_000
"""The most commas, colons and brackets of a document; each may mean a value, of eighty bytes."""

_MOST_TOLD = 1_000
"""The most problems of one kind that are listed: a short text may have millions."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class Notation(StrEnum):
    """The notation of a document."""

    JSON = "json"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class Reading:
    """The value in the bytes.

    `readable` is False if there is no value at all; then `stopped` is where reading ended, if that
    is a place in the text. `problems` of a readable document are those of a stricter reader:
    another encoding, a repeated name, half a surrogate pair.
    """

    data: Any
    text: str
    notation: Notation
    readable: bool
    problems: tuple[Problem, ...] = ()
    stopped: Position | None = None


class WrittenNumber(float):
    """A number with its digits as they were written: a reader makes 1.1 of 1.10."""

    written: str

    def __new__(cls, written: str) -> Self:
        """Make it from the word of a JSON text."""
        made = super().__new__(cls, written)
        made.written = written
        return made


def read(raw: bytes, notation: Notation = Notation.JSON) -> Reading:
    """Return the value in `raw`. Its problems have no clause: the kind of document is unknown."""
    if len(raw) > LARGEST:
        said = message("documents.too_large", size=len(raw), limit=LARGEST)
        return _unreadable("", notation, "size", said)
    encoding = encoding_of(raw)
    if not is_held(raw, narrow=other_encoding(encoding) is None):
        return _unreadable("", notation, "size", message("documents.too_wide"))
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode(encoding, "replace")
        said = message("documents.not_text", encoding=encoding, byte=f"0x{raw[error.start]:02x}")
        where = position_at(before, len(before))
        return _unreadable(before, notation, "encoding", said, where)
    odd = other_encoding(encoding)
    strange = [problem((), "encoding", odd)] if odd is not None else []
    read_text = _read_yaml if notation is Notation.YAML else _read_json
    return read_text(text, tuple(strange))


def read_json(text: str) -> Reading:
    """Return the value of a JSON text, which may be a part of a longer text, such as a line."""
    return _read_json(text, ())


def encoding_of(raw: bytes) -> str:
    """Return the encoding that the first bytes show, by a byte order mark or by zero bytes."""
    for mark, name in _BOMS:
        if raw.startswith(mark):
            return name
    head = raw[:4]
    if len(head) == 4 and head[0] == 0 and head[1] != 0:
        return "utf-16-be"
    if len(head) == 4 and head[0] != 0 and head[1] == 0:
        return "utf-16-le" if head[2] != 0 or head[3] != 0 else "utf-32-le"
    return "utf-8"


def other_encoding(encoding: str) -> Message | None:
    """Return the message about an encoding that not every reader knows; None for UTF-8."""
    if encoding in ("utf-8", "utf-8-sig"):
        return None
    return message("documents.other_encoding", encoding=encoding.upper())


def _read_json(text: str, strange: tuple[Problem, ...]) -> Reading:
    twice = False

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        made = dict(pairs)
        twice = twice or len(made) < len(pairs)
        return made

    if not has_at_most(MOST_MARKS, text):
        said = message("documents.too_many", limit=MOST_MARKS)
        return _unreadable(text, Notation.JSON, "size", said)
    try:
        data = json.loads(
            text, object_pairs_hook=members, parse_constant=_no_number, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        return _not_json(text, error.pos)
    except NoNumberError as error:
        odd = error.word
        said = message("documents.no_number", word=shown(odd))
        where = position_of_word(text, lambda word: word == odd)
        return _unreadable(text, Notation.JSON, "number", said, where)
    except ValueError:  # Python does not read integers with thousands of digits
        said = message("documents.long_number")
        where = position_of_word(text, lambda word: len(word) > sys.get_int_max_str_digits())
        return _unreadable(text, Notation.JSON, "number", said, where)
    except RecursionError:
        return _too_deep(text, Notation.JSON)
    # A value is never deeper than the number of brackets, and most documents have few.
    if text.count("{") + text.count("[") > DEEPEST and deeper_than(data, DEEPEST):
        return _too_deep(text, Notation.JSON)
    found = [*strange]
    if twice:
        found += islice(_twice(spot.place for spot in spots(text) if spot.again), _MOST_TOLD)
    if _SURROGATE.search(text):
        found += islice(_half_pairs(data), _MOST_TOLD)
    return Reading(data, text, Notation.JSON, readable=True, problems=tuple(found))


def told_in(text: str) -> Any:
    """Return the value of a JSON text from a target.

    Raises `ValueError` if it is invalid, and `RecursionError` if it is too deep to be written
    again.
    """
    value = json.loads(text)
    brackets = text.count("[") + text.count("{")
    if brackets > DEEPEST_TOLD and deeper_than(value, DEEPEST_TOLD):
        raise RecursionError
    return value


def has_at_most(values: int, text: str | bytes) -> bool:
    """Return whether a JSON text has no more commas, colons and brackets; each may mean a value."""
    if len(text) <= values:
        return True
    if isinstance(text, bytes):
        return sum(map(text.count, (b",", b":", b"[", b"{"))) <= values
    return sum(map(text.count, ",:[{")) <= values


def _read_yaml(text: str, strange: tuple[Problem, ...]) -> Reading:
    try:
        data, twice = yaml_value(text)
    except YamlFault as fault:
        where = fault.position
        return _unreadable(text, Notation.YAML, fault.keyword, fault.message, where)
    except RecursionError:
        return _too_deep(text, Notation.YAML)
    if deeper_than(data, DEEPEST):
        return _too_deep(text, Notation.YAML)
    told = (islice(each, _MOST_TOLD) for each in (_twice(twice), _half_pairs(data)))
    found = (*strange, *chain.from_iterable(told))
    return Reading(data, text, Notation.YAML, readable=True, problems=found)


def positions_of(reading: Reading, places: Iterable[Place]) -> dict[Place, Position]:
    """Return the position of each place in the text, or of the nearest place around it."""
    if not reading.readable:
        where = reading.stopped or Position(1, 1)
        return dict.fromkeys(places, where)
    if reading.notation is Notation.YAML:
        return yaml_positions(reading.text, places)
    return positions_in(reading.text, places)


class NoNumberError(Exception):
    """A word means a number that JSON does not have."""

    def __init__(self, word: str) -> None:
        self.word = word
        super().__init__(word)


def _no_number(word: str) -> float:
    raise NoNumberError(word)


def _finite(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise NoNumberError(word)
    return number


def _not_json(text: str, offset: int) -> Reading:
    where = position_at(text, offset)
    line = text[offset : offset + 20].split("\n", maxsplit=1)[0]
    if not text.strip():
        said = message("documents.empty")
    elif not text[offset:].strip():
        said = message("documents.not_json.ends", line=where.line, column=where.column)
    else:
        said = message(
            "documents.not_json", line=where.line, column=where.column, found=shown(line or "\n")
        )
    return _unreadable(text, Notation.JSON, "syntax", said, where)


def _too_deep(text: str, notation: Notation) -> Reading:
    said = message("documents.too_deep", limit=DEEPEST)
    return _unreadable(text, notation, "depth", said)


def _twice(places: Iterable[Place]) -> Iterator[Problem]:
    for place in places:
        said = message("documents.member_twice", name=shown(place[-1]))
        yield problem(place, "duplicate", said)


def _half_pairs(data: Any) -> Iterator[Problem]:
    """Yield a problem for each string or name with half of a surrogate pair."""
    waiting: list[Iterator[tuple[Place, Any]]] = [iter([((), data)])]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            continue
        place, value = found
        if isinstance(value, str) and _HALF.search(value):
            said = message("documents.half_pair", value=shown(value))
            yield problem(place, "surrogate", said)
        elif isinstance(value, dict):
            for name in value:
                if _HALF.search(name):
                    said = message("documents.half_pair", value=shown(name))
                    yield problem((*place, name), "surrogate", said)
        if isinstance(value, dict | list):
            waiting.append(_inside(place, value))


def _inside(place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return (((*place, step), each) for step, each in pairs)


def _unreadable(
    text: str,
    notation: Notation,
    keyword: str,
    said: Message,
    stopped: Position | None = None,
) -> Reading:
    found = (problem((), keyword, said),)
    return Reading(None, text, notation, readable=False, problems=found, stopped=stopped)
