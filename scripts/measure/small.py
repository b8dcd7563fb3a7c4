"""What a session with a small server costs that the kit starts: its starts are most of it."""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

from scripts.measure.figures import Figure
from scripts.measure.session import ROOT, seconds_of, session

_SERVER = "fixtures.servers.small"


def figures(turns: int) -> list[Figure]:
    """How often it was started, the kit's own part of the processor, and the time on the clock.

    Added to it: twice what the starts take alone, and four seconds.
    """
    command = [sys.executable, "-m", _SERVER]
    start = seconds_of([*command, "--ends"])
    starts, own, clock = [], [], []
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as folder:
            noted = Path(folder, "starts")
            here = ["env", f"PYTHONPATH={ROOT}", *command, "--starts", str(noted)]
            ran = session(f"stdio:{shlex.join(here)}", what="a small server", findings=True)
            starts.append(float(len(noted.read_text().splitlines())))
        own.append(ran.own)
        clock.append(ran.seconds / (2 * starts[-1] * start + 4))
    return [
        Figure("small_starts", tuple(starts)),
        Figure("small_start", (start,)),
        Figure("small_own", tuple(own)),
        Figure("small_clock", tuple(clock)),
    ]
