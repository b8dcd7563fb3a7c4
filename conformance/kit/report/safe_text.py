"""Making a target's text harmless: visible, short, and inert in Markdown.

Everything that a target says is hostile until it has gone through here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from conformance.formats.problem import beginning
from conformance.formats.text.unseen import UNSEEN

ONE_LINE = 200
"""Characters of a target's text where one line is wanted."""
A_MISTAKE = 2_000
"""Characters of what is said of a file that cannot be used: a name in it may have millions."""

_LITTLE = 20
"""Characters too few to be left off: to say so takes as many."""

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSEEN_BUT_LINES = re.compile(UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))
_COMMANDS = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))|^([^\S\n]*):(?=:)", re.MULTILINE)
"""How a line speaks to the system that runs it: `::name::` at its beginning on GitHub, `##[name]`
there and on Azure, `##vso[name]` on Azure, `##teamcity[name]`, the last three anywhere in a line.
The space before `::` ends at the line's end: many empty lines would be read again for each of them.
"""
_IN_JSON = re.compile(_UNSEEN_BUT_LINES.pattern + r"|#(?=#(?:\[|vso\[|teamcity\[))")
_MARKS = re.compile(r"([\\`*_{}\[\]()#!~$])")
_REFERENCE = re.compile(
    r"(&#64;|(?:(?<!&)#|!|&#38;)(?=[0-9])|\bgh-(?=[0-9])"
    r"|:(?=[0-9]*[a-z+-][a-z0-9+\\_-]{0,99}:|100:|1234:))",
    re.IGNORECASE,
)
"""What a code host makes a link of once Markdown is undone: `@name` tells somebody, and `#1` writes
into an issue, as `!1` and `&1` do on some hosts. Of `:white_check_mark:` it makes a picture, which
would look like a verdict of the kit. Neither a backslash nor an entity keeps it from that; a
comment in between does.
"""
_ADDRESS = re.compile(r"(www)\.", re.IGNORECASE)


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(
    text: str,
    limit: int | None = ONE_LINE,
    *,
    lines: bool = False,
    left_off: Callable[[int], str] | None = None,
) -> str:
    """Give `text` with every unseen character written as its escape, cut at `limit` characters.

    A command to a CI system gets its first sign escaped, too: logs are read by machines.

    Line ends and tabs are kept where `lines` is true. A cut text ends with a whole word, `…` and
    what `left_off` says of so many characters; it is not cut for a few.
    """
    kept, cut = text, ""
    if limit is not None and len(text) > limit + _LITTLE:
        kept = beginning(text, limit)
        cut = "…" if left_off is None else f"… ({left_off(len(text) - len(kept))})"
    pattern = _UNSEEN_BUT_LINES if lines else UNSEEN
    return _COMMANDS.sub(_disarmed, pattern.sub(_escape, kept)) + cut


def _disarmed(found: re.Match[str]) -> str:
    return r"\x23" if found.group() == "#" else f"{found.group(1)}\\x3a"


def in_json(text: str) -> str:
    """Give JSON text of the same meaning without unseen characters and commands to a CI system."""
    if text.isascii() and text.isprintable() and "##" not in text:
        return text  # as nearly every line: a pattern takes ten times as long
    return _IN_JSON.sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    character = found.group()
    return "\\u0023" if character == "#" else json.dumps(character)[1:-1]


def is_plain(text: str) -> bool:
    """Whether `text` has no unseen character but line ends and tabs."""
    return _UNSEEN_BUT_LINES.search(text) is None


def in_markdown(text: str, limit: int | None = ONE_LINE) -> str:
    """Give `text` visible, on one line, without meaning in Markdown, HTML or a table cell.

    For the middle of a line: a mark that only means something at its beginning is left alone.
    """
    marked = _MARKS.sub(r"\\\1", visible(text, limit))
    # Entities for what a backslash does not disarm: tags, cells, and what looks like an address.
    for character in "&<>|@":
        marked = marked.replace(character, f"&#{ord(character)};")
    marked = _ADDRESS.sub(r"\1&#46;", marked.replace("://", "&#58;//"))
    return _REFERENCE.sub(r"\1<!-- -->", marked)
