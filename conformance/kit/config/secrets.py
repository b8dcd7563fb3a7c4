"""Secrets never reach a file, the report or the terminal: each becomes a stable placeholder."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

# GIT_AUTHOR_NAME holds no secret: a report without a common name in it could not be read.
_SECRET_NAME = re.compile(r"TOKEN|SECRET|KEY|PASSWORD|AUTH(?!OR(?!I))|COOKIE", re.IGNORECASE)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+", re.IGNORECASE)
"""What stands before the credentials in an Authorization header: servers echo them without it."""
_SHORTEST = 6
"""Shorter values would be found in ordinary words."""


def is_secret_name(name: str) -> bool:
    """Whether a header or variable of this name holds a secret."""
    return _SECRET_NAME.search(name) is not None


class Redactor:
    """Replaces each known secret by «secret-1», «secret-2», … in the order they were given."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._placeholders: dict[str, str] = {}
        self._known = 0
        self._pattern: re.Pattern[str] | None = None
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Learn more secrets; short ones and those known already are passed over."""
        for secret in secrets:
            scheme = _SCHEME.match(secret)
            bare = secret[scheme.end() :] if scheme else secret
            if len(bare.strip()) < _SHORTEST or bare in self._placeholders:
                continue
            self._known += 1
            for form in (secret, bare, bare.strip(), *_written(bare), *_coded(bare)):
                self._placeholders.setdefault(form, f"«secret-{self._known}»")
        longest_first = sorted(self._placeholders, key=len, reverse=True)
        self._pattern = (
            re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        )

    @property
    def knows_any(self) -> bool:
        """Whether there is anything to replace at all."""
        return self._pattern is not None

    def __call__(self, text: str) -> str:
        """`text` without the secrets."""
        # Most texts hold none: looking for each is much quicker than the pattern of all.
        if self._pattern is None or not any(form in text for form in self._placeholders):
            return text
        return self._pattern.sub(lambda found: self._placeholders[found.group()], text)


def _written(secret: str) -> tuple[str, ...]:
    """How a secret with quotes, accents or spaces is written inside JSON text and in an address."""
    plain, escaped = (json.dumps(secret, ensure_ascii=ascii)[1:-1] for ascii in (False, True))
    as_bytes = secret.encode("utf-8", "surrogatepass")  # variables need not hold UTF-8
    quoted = quote(as_bytes, safe="")
    lower = re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), quoted)
    return plain, escaped, quoted, lower, quote_plus(as_bytes)


def _coded(secret: str) -> Iterator[str]:
    """How a secret is written inside base64, wherever in the encoded text it begins.

    Three bytes make four signs, so that there are three ways; signs that also hold bits of what
    stands before or behind are left out.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        first, last = -(-8 * before // 6), 8 * (before + len(raw)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            core = encode(b"\0" * before + raw).decode("ascii")[first:last]
            if len(core) >= _SHORTEST:
                yield core
