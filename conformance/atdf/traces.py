"""Recognizes stack traces of the common runtimes (ATDF-CALL-007)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

_LONGEST: Final = 100_000
"""The most characters of an answer that are searched: a trace is near its start."""
_QUOTABLE: Final = 3
"""The fewest characters of a sent text that is recognized as a line of an answer."""
_NO_FILE: Final = re.compile(
    r'File "<(?:string|stdin|input|code|unknown)>", line \d+, in <module>'
    r"|(?:^|[\s(])(?:\[eval\]|evalmachine\.<anonymous>|-e|\(eval[^)\n]*\)):\d",
    re.MULTILINE,
)
"""How interpreters name code that is in no file."""
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "r": "\r", "t": "\t"}

# Spaces before a line are matched by [ \t], not by \s: on a page of empty lines, \s would try again
# at each line.
TRACES: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "Python": re.compile(
            r"Traceback \(most recent call last\):"
            r'|(?:^|\n)[ \t]+File "[^"\n]+", line \d+, in \S+'
        ),
        "Java": re.compile(
            r"\bat (?:[\w.@-]+/)*[\w$]+(?:\.[\w$<>]+)+"
            r"\((?:\w+\.(?:java|kt|scala|groovy|clj):\d+|Native Method|Unknown Source)\)"
        ),
        ".NET": re.compile(
            r"\bat [\w`+<>]+(?:\.[\w`+<>\[\]|,]+)+\([^()\n]*\) in \S[^\n]*:line \d+"
            r"|\n {3}at [A-Za-z_]\w*(?:\.[\w`+<>\[\]|,]+){2,}\([\w`.\[\]&<>, ]*\)\r?(?=\n|$)"
        ),
        "Node.js": re.compile(
            r"\n[ \t]+at (?:[^\n(]+ \()?"
            r"(?:file:///|node:|/|[A-Za-z]:\\|<anonymous>)[^()\n]*:\d+:\d+\)?"
        ),
        "Ruby": re.compile(r"\.rb:\d+:in [`'‘]"),
        "Rust": re.compile(
            r"\bthread '[^'\n]*'(?: \(\d+\))? panicked at |\n[ \t]+at [^\s:]+\.rs:\d+(?::\d+)?"
        ),
        "Go": re.compile(
            r"\bgoroutine \d+ \[[a-z][^\]\n]*\]:|\n[ \t]+[^\s:]+\.go:\d+ \+0x[0-9a-f]+\b"
        ),
        "PHP": re.compile(
            r"\n#\d+ [^\s:()]+\.php\(\d+\): |\.php:\d+\nStack trace:|\.php on line \d+"
        ),
    }
)
"""By runtime: a line that only its stack traces have."""


def trace_in(text: str, *, sent: bytes = b"") -> str | None:
    """Return the first line of a stack trace in an answer's text, or None.

    `text` may be JSON with escaped line ends. A line that was `sent` is an echo, which shows
    nothing about the server.
    """
    text = text[:_LONGEST]
    for written in dict.fromkeys((text, _unescaped(text))):
        for found in _lines(written):
            if not _is_echo(found, sent):
                return found
    return None


def is_of_sent_code(text: str, sent: Iterable[str]) -> bool:
    """Return whether an answer shows how code that the caller sent failed.

    It quotes the code as a whole line, or names a source that is not a file.
    """
    sent = {each.strip() for each in sent if len(each.strip()) >= _QUOTABLE}
    text = text[:_LONGEST]
    for written in dict.fromkeys((text, _unescaped(text))):
        if sent & {line.strip() for line in written.splitlines()}:
            return True
        if sent and _NO_FILE.search(written):
            return True
    return False


def _lines(text: str) -> Iterator[str]:
    for pattern in TRACES.values():
        yield from (found.group().strip() for found in pattern.finditer(text))


def _is_echo(line: str, sent: bytes) -> bool:
    asked = sent.decode("utf-8", "replace")
    return line in asked or line in _unescaped(asked)


def _unescaped(text: str) -> str:
    """Return JSON text with the escapes of its strings decoded."""
    return _ESCAPE.sub(lambda found: _PLAIN.get(found.group(1), found.group(1)), text)
