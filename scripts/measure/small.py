"""Measures a session with a small server; the kit spends most of the time on starting it."""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

from scripts.measure.figures import Figure
from scripts.measure.session import ROOT, seconds_of, session

_SERVER = "fixtures.servers.small"


def figures(turns: int) -> list[Figure]:
    """Return the number of starts, the time of one, the kit's own processor time, and a ratio.

    The ratio is the session's time to twice the time of its starts plus four seconds.
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
