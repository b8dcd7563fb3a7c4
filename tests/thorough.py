"""How much the tests that could go on for ever look at: a sample, or with `FULL=1` all of it."""

import os
from collections.abc import Sequence
from typing import Any

FULL = os.environ.get("FULL") == "1"


def up_to(sample: int, everything: int) -> int:
    """Give how many generated examples to look at."""
    return everything if FULL else sample


def every(step: int, items: Sequence[Any]) -> Sequence[Any]:
    """Give every `step`th item, with `FULL=1` each; the same ones every time."""
    return items if FULL else items[::step]
