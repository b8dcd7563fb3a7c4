"""Requests a second of this kit's drive phase, and of Schemathesis' coverage phase."""

from __future__ import annotations

from typing import Final

from scripts.measure.driving import requests_a_second
from scripts.peers import schemathesis
from scripts.peers.document import Speed
from scripts.peers.server import PEER, serving
from scripts.peers.trials import Trials, folder

TURNS: Final = 3
GOAL: Final = 5
"""How many times as many requests a second this kit is to send."""


def compare(trials: Trials, turns: int = TURNS) -> Speed:
    """Measure both in turn, each time on a fresh sound server, over all tools."""
    own, theirs = [], []
    for seed in range(1, turns + 1):
        own.append(_driven())
        theirs.append(_covered(trials, seed))
    return Speed(tuple(own), tuple(theirs))


def _driven() -> float:
    """Drive the HTTP binding as the command line does by default, random cases included."""
    with serving(PEER) as served:
        return requests_a_second(served.url)


def _covered(trials: Trials, seed: int) -> float:
    """Run that phase alone, with as many workers as it chooses itself."""
    with serving(PEER) as served, folder() as place:
        asked = schemathesis.Asked(
            served.url, str(trials.document), seed=seed, phases="coverage", workers="auto"
        )
        _, events = schemathesis.judge(trials.installed.schemathesis, asked, place)
    seconds = schemathesis.coverage_seconds(events)
    if not seconds:
        raise RuntimeError("Schemathesis ran no coverage phase: see its output with `st run`")
    return round(schemathesis.requests_of(events) / seconds, 1)
