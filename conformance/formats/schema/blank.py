"""What a blank text is: nothing but white space, by Unicode's property `White_Space`."""

from __future__ import annotations

import re
from typing import Final

SAYS_SOMETHING: Final = "[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
"""The pattern of the published schemas: `\\s` is not the same for every validator."""
_SOMETHING = re.compile(SAYS_SOMETHING)


def is_blank(text: str) -> bool:
    """Whether a text is empty, or has nothing but white space."""
    return _SOMETHING.search(text) is None
