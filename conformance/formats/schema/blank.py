"""Recognizes a blank text: only white space, by Unicode's property `White_Space`."""

from __future__ import annotations

import re
from typing import Final

SAYS_SOMETHING: Final = "[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
"""The pattern of the published schemas, because `\\s` differs between validators."""
_SOMETHING = re.compile(SAYS_SOMETHING)


def is_blank(text: str) -> bool:
    """Return whether a text is empty or only white space."""
    return _SOMETHING.search(text) is None
