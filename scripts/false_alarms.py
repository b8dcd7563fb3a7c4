"""Proves that no correct server fails: servers that are odd but valid get no finding.

    python -m scripts.false_alarms [--oddity NAME]... [--full] [--jobs N]

Each oddity of `fixtures/servers/oddities.py` is the reference server with an unusual behavior that
no sentence forbids. All clauses check it on its first binding in its newest era (--full: on every
binding and era). Exit codes: 0 for no false alarm, 1 for at least one, 2 for an unusable command
line.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.results import Item
from conformance.kit.model.run import MODERN
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.transport.mcp import LEGACY_VERSIONS
from conformance.kit.verdicts.checks import load, packages
from conformance.spec.vocabulary import Era, Verdict
from fixtures.servers.oddities import ODDITIES
from fixtures.servers.start import command, forked_by, listening, nursery

ODD = "fixtures.servers.odd"
_FEW_TOOLS = ("get_booking", "search_database")
_SHORT: Final[Mapping[tuple[str, str], float]] = MappingProxyType({
    ("late-to-start", "stdio"): 3.0,
    ("one-call-at-a-time", "http"): 3.0,
    ("one-call-at-a-time", "mcp"): 3.0,
    ("one-call-at-a-time", "stdio"): 1.0,
})  # fmt: skip
"""Request timeouts in seconds, by oddity and binding. Each is shorter than a late start, or than
the longest queue of concurrent calls that the server answers one by one.
"""
_LONG = 60.0
_ALARMS = frozenset({Verdict.FAIL, Verdict.WARN, Verdict.FLAKY, Verdict.KIT_ERROR})
"""The verdicts that a correct server must not get."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One oddity on one binding, in one era of MCP (empty over plain HTTP)."""

    oddity: str
    binding: str
    era: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The kit's result: the false alarms, and how many clauses passed."""

    trial: Trial
    alarms: tuple[str, ...]
    passed: int
    seconds: float


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="false_alarms", description="Prove that no correct server fails."
    )
    parser.add_argument("--oddity", action="append", default=[], metavar="NAME", help="only this")
    parser.add_argument("--full", action="store_true", help="on every binding and era")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="trials at once")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.oddity if name not in ODDITIES]
    if unknown:
        sys.stderr.write(
            f"There is no oddity {unknown[0]!r}: see `python -m fixtures.servers.odd --list`.\n"
        )
        return 2
    names = chosen.oddity or list(ODDITIES)
    trials = [trial for name in names for trial in trials_of(name, full=chosen.full)]
    return 1 if prove(trials, max(1, chosen.jobs)) else 0


def trials_of(name: str, *, full: bool) -> list[Trial]:
    """Return the trials of an oddity: its first binding in its newest era, or all of them."""
    oddity = ODDITIES[name]
    every = [
        Trial(name, binding, era)
        for binding in oddity.bindings
        for era in (("",) if binding == "http" else tuple(reversed(oddity.eras)))
    ]
    return every if full else every[:1]


def prove(trials: Sequence[Trial], jobs: int) -> int:
    """Check these servers, print a table, and return the number of servers with false alarms."""
    alarms = 0
    with nursery() as at, ProcessPoolExecutor(jobs, None, forked_by, (at,)) as pool:
        for one in pool.map(attempt, trials):
            where = f"{one.trial.binding} {one.trial.era}".strip()
            head = f"{one.trial.oddity:34}{where:14}{one.seconds:5.1f} s  "
            sys.stdout.write(head + ("; ".join(one.alarms) or f"quiet, {one.passed} passed") + "\n")
            sys.stdout.flush()
            alarms += bool(one.alarms)
    sys.stdout.write(f"{len(trials)} valid oddities, {alarms} false alarms\n")
    return alarms


def attempt(trial: Trial) -> Outcome:
    """Check one odd server."""
    began = time.monotonic()
    try:
        with _serving(trial) as target:
            items = _judged(trial, target)
    except TargetUnusable as unusable:
        return Outcome(trial, (unusable.words.words(),), 0, time.monotonic() - began)
    alarms = {
        f"{item.clause} {item.verdict.value}: {item.findings[0].message.words()}"
        for item in items
        if item.verdict in _ALARMS
    }
    passed = sum(item.verdict is Verdict.PASS for item in items)
    none = () if passed else ("nothing was judged",)
    return Outcome(trial, (*sorted(alarms), *none), passed, time.monotonic() - began)


def _judged(trial: Trial, target: str) -> list[Item]:
    settings = Settings(
        profiles=("http" if trial.binding == "http" else "mcp",),
        include_tools=ODDITIES[trial.oddity].tools or _FEW_TOOLS,
        allow_calls=AllowCalls.ALL,
        request_timeout=_SHORT.get((trial.oddity, trial.binding), _LONG),
        spec_versions=(LEGACY_VERSIONS[-1], MODERN),
    )
    session = Session(settings)
    chapters = [load(package) for package in packages()]
    session.scripts = [script for chapter in chapters for script in chapter.scripts]
    session.discover((target,), (Era(trial.era),) if trial.era else ())
    asked = session.questions([test for chapter in chapters for test in chapter.tests])
    session.drive()
    return list(session.judge(asked).values())


@contextmanager
def _serving(trial: Trial) -> Iterator[str]:
    if trial.binding == "stdio":
        yield "stdio:" + shlex.join(command(ODD, "--stdio", "--oddity", trial.oddity))
        return
    with listening(ODD, "--oddity", trial.oddity) as url:
        yield url if trial.binding == "http" else f"{url}/mcp"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
