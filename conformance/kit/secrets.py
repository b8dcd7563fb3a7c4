"""Secrets never reach a file, the report or the terminal: each becomes a stable placeholder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_SECRET_NAME = re.compile(r"TOKEN|SECRET|KEY|PASSWORD|AUTH|COOKIE", re.IGNORECASE)
_SHORTEST = 6
"""Shorter values would be found in ordinary words."""


def is_secret_name(name: str) -> bool:
    """Whether a header or variable of this name holds a secret."""
    return _SECRET_NAME.search(name) is not None


class Redactor:
    """Replaces each known secret by «secret-1», «secret-2», … in the order they were given."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._placeholders: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Learn more secrets; short ones and those known already are passed over."""
        for secret in secrets:
            for form in {secret, secret.removeprefix("Bearer ").strip()}:
                if len(form) >= _SHORTEST and form not in self._placeholders:
                    self._placeholders[form] = f"«secret-{len(self._placeholders) + 1}»"
                    # Inside JSON text a secret with quotes or accents is written with escapes.
                    self._placeholders.setdefault(json.dumps(form)[1:-1], self._placeholders[form])
        longest_first = sorted(self._placeholders, key=len, reverse=True)
        self._pattern = (
            re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        )

    def __call__(self, text: str) -> str:
        """`text` without the secrets."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._placeholders[found.group()], text)
