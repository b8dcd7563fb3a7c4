"""Makes names of foreign tools and parameters safe for ids, terminals and HTML."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256

from conformance.kit.model.written import Redact, unchanged

LONGEST = 40
"""The most characters of a slug before its hash: readable, and short enough for a table."""
_LOOKED_AT = 10 * LONGEST
"""The most characters of a name that are read. A name may have ten million."""

_REDACT: list[Redact] = [unchanged]
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@lru_cache(maxsize=4096)
def slug(raw: str) -> str:
    """Make an ASCII slug of `raw`: the name itself if it is safe and short, else with six hex
    digits.

    The digits are the beginning of the SHA-256 of the raw name. So two names with the same cleaned
    text differ. Secrets are redacted before the name is cut, because half a secret could not be
    found.
    """
    clean = raw[:_LOOKED_AT] + ("…" if raw[_LOOKED_AT:] else "")
    for _ in range(2):  # a secret with dashes may be made of blanks or slashes
        clean = _UNSAFE.sub("-", _REDACT[-1](clean))
    clean = clean.strip("-.")[:LONGEST].rstrip("-.")
    if clean == raw and clean:
        return clean
    digits = sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{clean}-{digits}" if clean else digits


def keep_out(redact: Redact) -> None:
    """Set the function that redacts names before they become slugs."""
    _REDACT[:] = [redact]
    slug.cache_clear()
