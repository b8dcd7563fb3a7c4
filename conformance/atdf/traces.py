"""What a stack trace looks like in the common runtimes (ATDF-CALL-007)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

_LONGEST: Final = 100_000
"""Characters that are looked at: a trace stands near the beginning of an answer."""
_QUOTABLE: Final = 3
"""Characters of a text that is known again as a line of its own."""
_NO_FILE: Final = re.compile(
    r'File "<(?:string|stdin|input|code|unknown)>", line \d+, in <module>'
    r"|(?:^|[\s(])(?:\[eval\]|evalmachine\.<anonymous>|-e|\(eval[^)\n]*\)):\d",
    re.MULTILINE,
)
"""What interpreters write for code that is in no file."""
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "r": "\r", "t": "\t"}

# A line of white space is matched by [ \t], never by \s: on a page of empty lines the latter would
# begin anew at each.
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
"""By runtime: a line that its traces hold, and that nobody writes for a caller."""


def trace_in(text: str, *, sent: bytes = b"") -> str | None:
    """The first line of a stack trace in an answer's text; None where there is none.

    `text` may be JSON, in which ends of lines are escaped. What was `sent` and comes back is an
    echo: it shows nothing of the server.
    """
    text = text[:_LONGEST]
    for written in dict.fromkeys((text, _unescaped(text))):
        for found in _lines(written):
            if not _is_echo(found, sent):
                return found
    return None


def is_of_sent_code(text: str, sent: Iterable[str]) -> bool:
    """Whether an answer tells how code that the caller sent failed.

    It shows the code as a line of its own, or names it instead of a file.
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
    """JSON text with its strings as they are read: what is escaped in it is plain."""
    return _ESCAPE.sub(lambda found: _PLAIN.get(found.group(1), found.group(1)), text)
