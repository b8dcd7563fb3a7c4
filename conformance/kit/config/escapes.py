"""Undoes the escapes in a text, as JSON, an address or HTML has them, level by level."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from io import StringIO
from itertools import takewhile
from typing import Final

from conformance.kit.config.secret_forms import CONTROLS, PART, any_form

_JSON = r"\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[/\"'\\])"
_JSON_TOO = _JSON.replace("[/", "[bfnrt/")
"""The same with the names of line ends and tabs. A secret may have a backslash before an `n`."""
_ADDRESS = r"(?:%[0-9a-fA-F]{2})++"
_HTML = r"&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});"
_ESCAPES = (
    ("\\", re.compile(_JSON)),
    ("\\", re.compile(_JSON_TOO)),
    ("\\", re.compile(_JSON_TOO.replace("+", "", 1))),
    ("%", re.compile(_ADDRESS)),
    ("&", re.compile(_HTML)),
)
"""Each kind of escape, with the sign that it needs. The first two patterns take a run of
backslashes as one escape, and the third takes each backslash alone: a secret with a backslash may
be escaped more than once.
"""
_ANY = [re.compile(f"{json}|{_ADDRESS}|{_HTML}") for json in (_JSON, _JSON_TOO)]
"""All kinds at the same time. Each is tried alone, too: a secret may look like an escape."""
_DEEPEST = 4
"""The most levels of escapes that are undone, such as JSON in JSON, in an address, in HTML."""
WIDEST: Final = 24
"""The most characters that one escaped character takes."""
SHORT_PATTERN: Final = 256
"""The same for a secret that a target makes, and half a secret: each answer may have a new one."""
_REST = r"[\\%#;&\w\ufffd]{0,24}?"
"""What may be left of an escape that was cut."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def readings(text: str) -> Iterator[str]:
    """Yield the text, and the text with its escapes undone, level by level.

    Each kind of escape is undone alone, and all kinds together. A run of backslashes becomes one.
    """
    yield with_one_backslash(text)
    kinds = [escape for sign, escape in _ESCAPES if sign in text]
    for escape in (*kinds, *(_ANY if kinds else [])):  # one kind may show another, as `%5C%22` does
        plain = text
        for _ in range(_DEEPEST):
            before, plain = plain, _undone(escape, plain)
            if plain == before:
                break
            if _SURROGATE.search(plain):  # two of them are one character
                plain = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            yield with_one_backslash(plain)


def _undone(escape: re.Pattern[str], text: str) -> str:
    """Return a text with escapes undone. `sub` would keep each piece, in 20 times the memory."""
    made, at = StringIO(), 0
    for found in escape.finditer(text):
        made.write(text[at : found.start()])
        made.write(_unescaped(found))
        at = found.end()
    made.write(text[at:])
    return made.getvalue() if at else text


def with_one_backslash(text: str) -> str:
    """Return a text in which each run of backslashes is one."""
    while "\\\\" in text:
        text = text.replace("\\\\", "\\")
    return text


def _unescaped(found: re.Match[str]) -> str:
    """Return the text that an escape means. Several percent-escapes may be one character."""
    text = found.group()
    if text[0] == "%":
        return bytes.fromhex(text.replace("%", "")).decode("utf-8", "replace")
    if text[0] == "&":
        return html.unescape(text)
    own = text.lstrip("\\")
    if not own:
        return "\\"
    return chr(int(own[1:], 16)) if own[0] in "ux" else CONTROLS.get(own, own)


def half_at_end(text: str, secret: str) -> int:
    """Return how many characters at a text's end are the start of a secret.

    Some of them may be escaped, and the cut may go through an escape.
    """
    tail = text[-WIDEST * len(secret) :]
    if count := max(_at_end(plain, secret) for plain in readings(tail)):
        rest = _REST if count <= SHORT_PATTERN else "(?s:.*)"
        half = "".join(map(any_form, secret[: min(count, SHORT_PATTERN)])) + rest + r"\Z"
        if found := re.search(half, tail):
            return len(found.group())
    return 0


def half_at_beginning(text: str, secret: str) -> int:
    """Return how many characters at a text's start are the end of a secret, in the same way."""
    head = text[: WIDEST * len(secret)]
    if count := max(_at_end(plain[::-1], secret[::-1]) for plain in readings(head)):
        rest = _REST if count <= SHORT_PATTERN else "(?s:.*)"
        half = rest + "".join(map(any_form, secret[-min(count, SHORT_PATTERN) :]))
        if found := re.match(half, head):
            return found.end()
    return 0


def _at_end(text: str, secret: str) -> int:
    """Return how many characters of a secret's start are at the end of a text; 0 if too few.

    The rest of an escape that was cut may follow.
    """
    place = text.find(secret[:PART])
    while place >= 0:
        pairs = zip(text[place:], secret, strict=False)
        count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if re.fullmatch(_REST, text[place + count :]):
            return count
        place = text.find(secret[:PART], place + 1)
    return 0
