"""Places in a JSON document: tokens, JSON Pointers, and display names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from conformance.spec.pointer import steps_of, to_pointer

Tokens = tuple[str | int, ...]


class Absent:
    """The type of `ABSENT`, which means no value at all. That differs from null."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()
_MOST_DIGITS: Final = 9
"""The most digits of an index. No array is longer, and Python refuses thousands of digits.
"""


def is_index(token: str) -> bool:
    """Return whether a token can be the index of an item."""
    return token.isdecimal() and len(token) <= _MOST_DIGITS


def from_pointer(pointer: str, document: Any) -> Tokens:
    """Parse a JSON Pointer against its document.

    A token is an index if the document has an array there, else a property name. Raises
    `ValueError` if the pointer is not empty and does not begin with a slash.
    """
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON Pointer: it must begin with a slash")
    tokens: list[str | int] = []
    here = document
    for name in steps_of(pointer):
        token: str | int = int(name) if isinstance(here, list) and is_index(name) else name
        tokens.append(token)
        here = get(here, (token,))
    return tuple(tokens)


def to_parameter(tokens: Sequence[str | int]) -> str | None:
    """Return the name of a place as errors write it (`passengers[0].name`); None for `arguments`
    itself.
    """
    if not tokens:
        return None
    parts: list[str] = []
    for token in tokens:
        if isinstance(token, int):
            parts.append(f"[{token}]")
        else:
            parts.append(f".{token}" if parts else token)
    return "".join(parts)


def get(document: Any, tokens: Sequence[str | int]) -> Any:
    """Return the value at a place, or ABSENT."""
    here = document
    for token in tokens:
        if isinstance(here, dict):
            here = here.get(token, ABSENT)
        elif isinstance(here, list) and isinstance(token, int) and 0 <= token < len(here):
            here = here[token]
        else:
            return ABSENT
    return here


def put(document: Any, tokens: Sequence[str | int], value: Any) -> Any:
    """Return a copy of the document with `value` at a place. ABSENT removes the place.

    Only the containers on the path are copied. A missing key is added; an index at the end of an
    array appends. Raises `LookupError` if the path does not exist.
    """
    if not tokens:
        return value
    head, rest = tokens[0], tokens[1:]
    if isinstance(document, dict) and isinstance(head, str):
        return _put_member(document, head, rest, value)
    if isinstance(document, list) and isinstance(head, int) and 0 <= head <= len(document):
        items = list(document)
        if head < len(items):
            if rest or not isinstance(value, Absent):
                items[head] = put(items[head], rest, value)
            else:
                del items[head]
            return items
        if not rest and not isinstance(value, Absent):
            return [*items, value]
    raise LookupError(f"no place {to_pointer(tokens)!r} in the document")


def _put_member(document: dict[str, Any], head: str, rest: Sequence[str | int], value: Any) -> Any:
    copy = dict(document)
    if rest:
        if head not in copy:
            raise LookupError(f"no member {head!r} in the document")
        copy[head] = put(copy[head], rest, value)
    elif isinstance(value, Absent):
        copy.pop(head, None)
    else:
        copy[head] = value
    return copy
