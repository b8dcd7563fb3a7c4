"""Credentials that nobody could take for anything else, no matter whose (ATDF-ERR-013)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LONGEST: Final = 100_000
_EXAMPLE: Final = re.compile(r"EXAMPLE|X{6}|x{6}|0{10}|1234567890")
"""What documentation writes where a credential would stand."""

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
"""By name: forms that their issuers chose so that a leak of one is recognized for certain."""


def credential_in(text: str, *, sent: bytes = b"") -> str | None:
    """The name of a credential in an answer's text that was not sent to it; None if there is none.

    Nothing of the credential itself is given: it must not be in a report.
    """
    asked = sent.decode("utf-8", "replace")
    for name, pattern in CREDENTIALS.items():
        for found in pattern.finditer(text[:_LONGEST]):
            if found.group() not in asked and not _EXAMPLE.search(found.group()):
                return name
    return None
