"""The forms in which a server may repeat a secret: whole, or with some of its characters escaped.
Also finds what the kit made of a text that it sent.

docs/*/conformance/safety.md lists them.
"""

from __future__ import annotations

import base64
import html
import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from html.entities import html5
from typing import Any, Final
from urllib.parse import quote, quote_plus

from jsonpointer import escape as as_step

SHORTEST = 6
"""The shortest secret, in characters. Ordinary words contain shorter values."""
PART = 8
"""The shortest piece of a secret, in characters, that is removed where the kit cut a text."""
_NO_WORD = 20
"""The shortest secret without a digit, in characters, that is replaced in other letters too. A
shorter one may be a word of the kit's own files.
"""
_RUN = r"\\{1,32}"
"""The backslashes before an escaped character in JSON within JSON. Without the upper limit, a long
run would take hours.
"""
CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
"""The control characters with a name in JSON, by this name."""
_NAMES: Final = {character: name for name, character in CONTROLS.items()}
_ENTITIES: dict[str, list[str]] = {}


def any_forms(secret: str) -> re.Pattern[str]:
    """Return a pattern that finds a secret with each character in any form.

    It never starts inside a run of backslashes: it would try a million of them one by one.
    """
    return re.compile(r"(?!(?<=\\)\\)" + "".join(map(any_form, secret)))


def any_form(character: str) -> str:
    """Return a pattern that finds one character of a secret, plain or escaped in any way."""
    code = ord(character)
    forms = [re.escape(character)]
    if character in "/\"'":
        forms = [rf"(?:{_RUN})?{re.escape(character)}"]
    if character == "\\":
        forms = [r"\\(?:u(?i:005c)|x(?i:5c))?"]  # not \\+: a run has too many readings
    elif code < 0x10000:
        forms.append(rf"{_RUN}u(?i:{code:04x})")
    else:
        high, low = divmod(code - 0x10000, 0x400)
        forms.append(rf"{_RUN}u(?i:{0xD800 + high:04x}){_RUN}u(?i:{0xDC00 + low:04x})")
    if code < 0x100 and character != "\\":
        forms.append(rf"{_RUN}x(?i:{code:02x})")
    if character in _NAMES:
        forms.append(_RUN + _NAMES[character])
    octets = character.encode("utf-8", "surrogatepass")
    forms.append("(?i:" + "".join(f"%(?:25)*{octet:02x}" for octet in octets) + ")")
    names = [str(code), f"(?i:x0*{code:x})"]
    forms += [rf"&(?:amp;)*\#0*{name};" for name in names]
    forms += [rf"&(?:amp;)*{name}" for name in _entities(character)]
    return f"(?:{'|'.join(forms)})" + ("{1,64}" if character == "\\" else "")


def _entities(character: str) -> list[str]:
    """Return the HTML names of a character, with their semicolons."""
    if not _ENTITIES:
        for name, meant in html5.items():
            if name.endswith(";"):
                _ENTITIES.setdefault(meant, []).append(name)
    return _ENTITIES.get(character, [])


def written(secret: str) -> Iterator[str]:
    """Yield a secret as it is written in JSON text, in an address, in HTML, and in hexadecimal.

    The kit writes the names of headers in small letters, and methods in capital letters. It reads
    headers as Latin-1, names members in JSON Pointers, and quotes bytes as Python shows them.
    """
    if len(secret) >= _NO_WORD or any(map(str.isdigit, secret)):
        yield from (secret.lower(), secret.upper())
    yield from (json.dumps(secret, ensure_ascii=ascii)[1:-1] for ascii in (False, True))
    as_bytes = secret.encode("utf-8", "surrogatepass")  # variables need not hold UTF-8
    quoted = quote(as_bytes, safe="")
    yield from (quoted, re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), quoted))
    yield quote_plus(as_bytes)
    yield html.escape(secret)
    yield from (as_bytes.hex(), as_bytes.hex().upper())
    yield as_step(secret)
    yield from (as_bytes.decode("latin-1"), repr(as_bytes)[2:-1])


def coded(secret: str) -> Iterator[str]:
    """Yield a secret as it is written in base64, at any place of the encoded text.

    Three bytes become four characters, so there are three forms. Characters that also hold bits of
    the text before or after the secret are left out.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        first, last = -(-8 * before // 6), 8 * (before + len(raw)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            core = encode(b"\0" * before + raw).decode("ascii")[first:last]
            if len(core) >= SHORTEST:
                yield core


def made_of(whole: str, text: str) -> tuple[int, int, int] | None:
    """Return where the part of `whole` that a text is made of begins in the text, and its ends.

    Before and after that part, the text has one character again and again, or nothing.
    """
    small = in_small(text)
    for at in (0, len(small) - len(small.lstrip(small[:1]))):
        sizes = range(1, len(small) - at + 1)
        size = bisect_left(sizes, True, key=lambda n: small[at : at + n] not in whole)
        if size >= PART and len(set(small[at + size :])) <= 1:
            begin = whole.index(small[at : at + size])
            return at, begin, begin + size
    return None


def in_small(text: str) -> str:
    """Return a text in small letters, unless that changes its length."""
    return small if len(small := text.lower()) == len(text) else text


def texts_at(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield every string in a value, after its place. The items of a list have one place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield f"{place}/", name
            yield from texts_at(inner, f"{place}/{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from texts_at(inner, place)
