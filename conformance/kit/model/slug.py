"""Names of foreign tools and parameters, made safe for ids, terminals and HTML."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256

from conformance.kit.model.written import Redact, unchanged

LONGEST = 40
"""Characters of a slug before its hash: long enough to be read, short enough for a table."""
_LOOKED_AT = 10 * LONGEST
"""Characters of a name that a slug is made from: a name may be of ten million."""

_REDACT: list[Redact] = [unchanged]
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@lru_cache(maxsize=4096)
def slug(raw: str) -> str:
    """Make an ASCII slug of `raw`: itself if it is safe and short, else with six hex digits.

    The digits are the beginning of the SHA-256 of the raw name, so that two names that are cut
    or cleaned to the same text stay apart. Secrets are taken out before a name is cut: nobody would
    find half of one.
    """
    clean = _UNSAFE.sub("-", _REDACT[-1](raw[:_LOOKED_AT])).strip("-.")[:LONGEST].rstrip("-.")
    if clean == raw and clean:
        return clean
    digits = sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{clean}-{digits}" if clean else digits


def keep_out(redact: Redact) -> None:
    """Say what takes the secrets of this session out of names, before these become slugs."""
    _REDACT[:] = [redact]
    slug.cache_clear()
