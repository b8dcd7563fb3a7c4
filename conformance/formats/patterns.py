"""Matching the patterns that somebody else wrote, some of which would never end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import lru_cache

_SECONDS = 1.0
_STEPS = 1_000_000
"""What a match may cost here; a costlier one is made in a process that can be ended."""

_DOUBLING = 20
"""Characters up to which a match that doubles with each one stays below `_STEPS`."""

_LONGEST = 10_000
_REPEATS = re.compile(r"(?<!\\)(?:[*+]|\{\d*,?\d*\})")
_REPEATED_GROUP = re.compile(r"(?<!\\)\)(?:[*+]|\{\d)")
_WORKER = "import json,re,sys;p,t=json.load(sys.stdin);print(int(re.search(p,t) is not None))"


@lru_cache(maxsize=1024)
def found(pattern: str, text: str) -> bool | None:
    """Whether `pattern` is found in `text`; None if it is no pattern here, or takes too long."""
    if len(pattern) > _LONGEST:
        return None
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None
    if is_cheap(pattern, len(text)):
        return compiled.search(text) is not None
    return _elsewhere(pattern, text)


def is_cheap(pattern: str, length: int) -> bool:
    """Whether matching a text of this length surely ends soon, judged by the pattern's form.

    One repeat costs as many steps as there are characters, each further one multiplies; a repeated
    group may double them with every character.
    """
    if _REPEATED_GROUP.search(pattern):
        return length <= _DOUBLING
    repeats = len(_REPEATS.findall(pattern)) + 1
    return length <= 1 or length**repeats <= _STEPS


def _elsewhere(pattern: str, text: str) -> bool | None:
    given = json.dumps([pattern, text])
    command = [sys.executable, "-I", "-c", _WORKER]
    try:
        done = subprocess.run(  # noqa: S603 - the command is our own; the pattern goes in as data
            command, input=given, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() == "1" if done.returncode == 0 else None
