"""Makes a target's text harmless: visible, short, and inert in Markdown.

Every text from a target is hostile until this module has processed it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable

from conformance.formats.problem import beginning
from conformance.formats.text.unseen import UNSEEN

ONE_LINE = 200
"""The most characters of a target's text that has to be on one line."""
A_MISTAKE = 2_000
"""The most characters of a message about an unusable file: a name in it may have millions."""

_LITTLE = 20
"""How many characters over the limit are not cut. A note about the cut would be as long."""

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSEEN_BUT_LINES = re.compile(UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))
_MOST_MARKS = 6
"""The most accents on one letter. No language needs more, and further ones cover other lines."""
_LIKE_MARKS = re.compile(rf"[^\x00-\u02ff]{{{_MOST_MARKS + 1},}}|\A[^\x00-\u02ff]")
"""Where too many accents can be, or one that the kit's own character before it would carry."""
_MARKED_COMMAND = r"#(?=#[A-Za-z]{0,40}\[)"
_COMMANDS = re.compile(_MARKED_COMMAND + r"|^([^\S\n]*):(?=:)", re.MULTILINE)
"""Commands in a log line for the CI system that runs the job.

GitHub reads `::name::` at the start of a line and `##[name]`; Azure reads `##[name]` and
`##vso[name]`; TeamCity reads `##teamcity[name]`; Octopus Deploy reads `##octopus[name]`. The space
before `::` cannot span lines, because many empty lines would take quadratic time.
"""
_IN_JSON = re.compile(_UNSEEN_BUT_LINES.pattern + "|" + _MARKED_COMMAND)
_MARKS = re.compile(r"([\\`*_{}\[\]()#!~$])")
_REFERENCE = re.compile(
    r"(&#64;|(?:(?<!&)#|!|&#38;)(?=[0-9])|\bg[hl]-(?=[0-9])|[$%~](?=[0-9\"])|\\\[(?=[a-z\\_]{1,40}:)"
    r"|:(?=[0-9]*[a-z+-][a-z0-9+\\_-]{0,99}:|100:|1234:)"
    r"|&#58;(?=//)|\\\[(?=\\\[)|\\[\[{](?=[+-]))",
    re.IGNORECASE,
)
"""What a code host turns into a link or a picture after it has read the Markdown.

`@name` notifies a person. `#1`, and on some hosts `!1`, `&1`, `GL-1` and `[issue:1]`, adds a
reference to an issue; `%1`, `$1` and `~1` lead to a milestone, a snippet and a label. An entity is
a colon again by then, so `http://host` is a link. `[[name|address]]` is a link or a picture, and
`{+text+}` and `[-text-]` get the colors of a change.
`:white_check_mark:` becomes a picture, which would look like a verdict of the kit. A backslash or
an entity does not prevent that; an HTML comment in between does.
"""
_ADDRESS = re.compile(r"(www)\.", re.IGNORECASE)
_BEGINS = re.compile(r"\A((?:[0-9]{1,9}(?=\.))?)([-+= .])")
"""What begins a list, a heading or code at the start of a line."""


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return _NAMED.get(character) or _escape_code(ord(character))


def _escape_code(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _unstacked(found: re.Match[str]) -> str:
    made, marks = [], 0 if found.start() else _MOST_MARKS
    for character in found.group():
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        made.append(_escape_code(ord(character)) if marks > _MOST_MARKS else character)
    return "".join(made)


def visible(
    text: str,
    limit: int | None = ONE_LINE,
    *,
    lines: bool = False,
    left_off: Callable[[int], str] | None = None,
) -> str:
    """Return `text` with every invisible character escaped, cut at `limit` characters.

    Accents are escaped too, if there are so many on one letter that they would cover other lines.

    The first character of a command for a CI system is escaped too, because machines read logs.

    With `lines`, line ends and tabs stay. A cut text ends with a whole word and `…`, then what
    `left_off` returns for the number of missing characters. A text that is only slightly too long
    is not cut.
    """
    kept, cut = text, ""
    if limit is not None and len(text) > limit + _LITTLE:
        kept = beginning(text, limit)
        cut = "…" if left_off is None else f"… ({left_off(len(text) - len(kept))})"
    pattern = _UNSEEN_BUT_LINES if lines else UNSEEN
    shown = _LIKE_MARKS.sub(_unstacked, pattern.sub(_escape, kept))
    return _COMMANDS.sub(_disarmed, shown) + cut


def _disarmed(found: re.Match[str]) -> str:
    return r"\x23" if found.group() == "#" else f"{found.group(1)}\\x3a"


def in_json(text: str) -> str:
    """Return equivalent JSON text without invisible characters and commands for a CI system."""
    if text.isascii() and text.isprintable() and "##" not in text:
        return text  # nearly every line; the pattern would take ten times as long
    return _IN_JSON.sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    character = found.group()
    return "\\u0023" if character == "#" else json.dumps(character)[1:-1]


def is_plain(text: str) -> bool:
    """Return whether `visible` changes nothing in `text` except commands and line ends."""
    return _UNSEEN_BUT_LINES.search(text) is None and _LIKE_MARKS.sub(_unstacked, text) == text


def in_markdown(text: str, limit: int | None = ONE_LINE) -> str:
    """Return `text` visible, on one line, and without meaning in Markdown, HTML or a table cell."""
    marked = _MARKS.sub(r"\\\1", visible(text, limit))
    # A backslash does not disable tags, cells, or what looks like an address; entities do.
    for character in "&<>|@":
        marked = marked.replace(character, f"&#{ord(character)};")
    marked = _ADDRESS.sub(r"\1&#46;", marked.replace("://", "&#58;//"))
    marked = _BEGINS.sub(lambda found: f"{found[1]}&#{ord(found[2])};", marked)
    return _REFERENCE.sub(r"\1<!-- -->", marked)
