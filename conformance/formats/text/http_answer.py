"""An HTTP answer as text, as `curl -i` prints it: status line, headers, blank line, body."""

from __future__ import annotations

import re

_HEAD = re.compile(
    rb"\s*(?:(?:[$%>#] )?curl (?:[^\n]*\\\r?\n){0,1000}[^\n]*\n)?HTTP/\d[^\n]*\n"
    rb"(?:[^\s:{}\[\]\"]+:[^\n]*\n)*+(?:[ \t\r]*\n|[ \t\r]*\Z|(?=[{\[]))"
)
"""The command, the status line and the headers. The blank line may be missing before JSON."""


def split(raw: bytes) -> tuple[bytes, bytes]:
    """Return the part above the body, and the body. Without a status line, all is body.

    An answer on the way, such as a redirect, is above the body as well.
    """
    end = 0
    while head := _HEAD.match(raw, end):
        end = head.end()
    return raw[:end], raw[end:]


def body(raw: bytes) -> bytes:
    """Return the body, with its lines where they were: blank lines are in place of the others."""
    head, rest = split(raw)
    return b"\n" * head.count(b"\n") + rest
