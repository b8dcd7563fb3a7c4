"""The worker process that matches patterns: one JSON pair in, one truth value out, per line.

It imports nothing of the project, so that it starts fast. It may be killed at any time.
"""

from __future__ import annotations

import json
import re
import sys


def main() -> None:
    """Answer until standard input ends."""
    for line in sys.stdin:
        expression, text = json.loads(line)
        found = re.search(expression, text) is not None
        sys.stdout.write("1\n" if found else "0\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
