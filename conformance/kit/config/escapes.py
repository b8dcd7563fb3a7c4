"""Undoes the escapes in a text, as JSON, an address or HTML has them, level by level."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from io import StringIO

from conformance.kit.config.secret_forms import CONTROLS

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
_SURROGATE = re.compile("[\ud800-\udfff]")


def readings(text: str) -> Iterator[str]:
    """Yield the text, and the text with its escapes undone, level by level.

    Each kind of escape is undone alone, and all kinds together. A run of backslashes becomes one.
    """
    yield with_one_backslash(text)
    kinds = {escape: sign for sign, escape in _ESCAPES if sign in text}
    for escape in (*kinds, *(_ANY if len({*kinds.values()}) > 1 else [])):
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
