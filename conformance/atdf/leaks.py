"""Credentials that their form alone identifies, whichever service issued them (ATDF-ERR-013)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LONGEST: Final = 100_000
_EXAMPLE: Final = re.compile(r"EXAMPLE|X{6}|x{6}|0{10}|1234567890")
"""Placeholders that documentation uses instead of a real credential."""

CREDENTIALS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "private key": re.compile(
            r"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY-----(?:\\[rn]|[\r\n])+[A-Za-z0-9+/=]{32}"
        ),
        "AWS access key": re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
        "GitHub token": re.compile(r"\bgh[oprsu]_[A-Za-z0-9]{36}\b"),
        "Slack token": re.compile(r"\bxox[abprs]-\d{8,}-[A-Za-z0-9-]{10,}"),
    }
)
"""Patterns by name. The issuers chose these forms so that a leaked credential is recognized."""


def credential_in(text: str, *, sent: bytes = b"") -> str | None:
    """Return the name of a credential in an answer's text that the request did not send, or None.

    The credential itself is not returned, because it must not be in a report.
    """
    asked = sent.decode("utf-8", "replace")
    for name, pattern in CREDENTIALS.items():
        for found in pattern.finditer(text[:_LONGEST]):
            if found.group() not in asked and not _EXAMPLE.search(found.group()):
                return name
    return None
