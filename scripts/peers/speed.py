"""Compares the requests a second of this kit's drive phase and Schemathesis' coverage phase."""

from __future__ import annotations

from typing import Final

from scripts.measure.driving import requests_a_second
from scripts.peers import schemathesis
from scripts.peers.document import Speed
from scripts.peers.server import PEER, serving
from scripts.peers.trials import Trials, folder

TURNS: Final = 3
GOAL: Final = 5
"""How many times the requests a second of Schemathesis this kit should reach."""


def compare(trials: Trials, turns: int = TURNS) -> Speed:
    """Measure both in turn, each time on a new server without faults, over all tools."""
    own, theirs = [], []
    for seed in range(1, turns + 1):
        own.append(_driven())
        theirs.append(_covered(trials, seed))
    return Speed(tuple(own), tuple(theirs))


def _driven() -> float:
    """Drive the HTTP binding with the defaults of the command line, random cases included."""
    with serving(PEER) as served:
        return requests_a_second(served.url)


def _covered(trials: Trials, seed: int) -> float:
    """Run only the coverage phase, with Schemathesis' choice of workers."""
    with serving(PEER) as served, folder() as place:
        asked = schemathesis.Asked(
            served.url, str(trials.document), seed=seed, phases="coverage", workers="auto"
        )
        _, events = schemathesis.judge(trials.installed.schemathesis, asked, place)
    seconds = schemathesis.coverage_seconds(events)
    if not seconds:
        raise RuntimeError("Schemathesis ran no coverage phase: see its output with `st run`")
    return round(schemathesis.requests_of(events) / seconds, 1)
