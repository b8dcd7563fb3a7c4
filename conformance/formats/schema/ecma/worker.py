"""The worker process that matches patterns: one JSON pair in, one truth value out, per line.

It imports nothing of the project, so that it starts fast. It may be killed at any time. It ends by
itself if a match needs too much memory: a group that repeats takes about a hundred bytes each time.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from typing import Final

_MOST: Final = 128 * 1024 * 1024
"""The most bytes of memory for a text and its match."""


def _limit_memory() -> None:
    """Let Linux refuse more memory than that."""
    with suppress(ImportError, ValueError, OSError):  # of another system, or a container forbids it
        import resource  # noqa: PLC0415 - not on Windows

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (_MOST, hard))


def main() -> None:
    """Answer until standard input ends."""
    _limit_memory()
    for line in sys.stdin:
        expression, text = json.loads(line)
        found = re.search(expression, text) is not None
        sys.stdout.write("1\n" if found else "0\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
