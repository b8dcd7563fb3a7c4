"""Proves the gateway chapter: it finds every planted fault, and has no other finding.

    python -m scripts.prove_gateways [--fault NAME]... [--jobs N]

Each fault of `fixtures/gateways/faults/` is the reference gateway with one defect. Only its clause
may catch it. The reference in both profiles, and the gateways of `fixtures/gateways/unusual.py` in
the profile `openai`, must have no finding. Exit codes: 0 if all of that is true, 1 if not, 2 for an
unusable command line.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.kit.model.results import Item
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from fixtures.gateways.beside import PATHS, Made, gateway
from fixtures.gateways.faults import FAULTS, Fault
from fixtures.gateways.faults.fault import POLICY
from fixtures.gateways.unusual import UNUSUAL
from scripts.prove import Tally

_FOUND = frozenset({Verdict.FAIL, Verdict.WARN, Verdict.FLAKY, Verdict.KIT_ERROR})


@dataclass(frozen=True, slots=True)
class Trial:
    """A gateway in one profile: faulty or unusual; otherwise it is the reference."""

    profile: str = "native"
    fault: str = ""
    unusual: str = ""

    @property
    def name(self) -> str:
        """The name to print."""
        return self.fault or self.unusual or "the reference, without a fault"

    def made(self) -> tuple[Made, Path]:
        """Return the gateway's application, and its policy."""
        if self.unusual:
            return UNUSUAL[self.unusual], POLICY
        fault = FAULTS[self.fault] if self.fault else Fault("")
        return fault.app, fault.policy


@dataclass(frozen=True, slots=True)
class Outcome:
    """The kit's result: the clauses that it found broken, each with its first reason."""

    trial: Trial
    found: tuple[tuple[str, str], ...]
    passed: int
    seconds: float

    @property
    def planted(self) -> str:
        """The clause that must find the fault; empty without a fault."""
        return FAULTS[self.trial.fault].clause if self.trial.fault else ""

    @property
    def missed(self) -> bool:
        """Whether its clause did not catch the fault, or no clause passed at all."""
        return not self.passed or (bool(self.planted) and self.planted not in dict(self.found))

    @property
    def others(self) -> list[tuple[str, str]]:
        """The clauses that were wrongly found broken, with reasons."""
        return [(clause, why) for clause, why in self.found if clause != self.planted]

    @property
    def verdict(self) -> str:
        """What was wrong, as a text; empty if nothing was."""
        said = [f"not caught by {self.planted or 'anything'}"] if self.missed else []
        return "; ".join(
            [*said, *(f"also accused: {clause}: {why}" for clause, why in self.others)]
        )


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="prove_gateways", description=__doc__)
    parser.add_argument("--fault", action="append", default=[], choices=FAULTS, metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="trials at once")
    chosen = parser.parse_args(arguments)
    trials = [Trial(fault=name) for name in chosen.fault] or every_trial()
    began = time.monotonic()
    outcomes = run(trials, max(1, chosen.jobs))
    sys.stdout.write(f"{tally(outcomes)}, in {time.monotonic() - began:.0f} s\n")
    return 1 if any(one.verdict for one in outcomes) else 0


def tally(outcomes: Sequence[Outcome]) -> Tally:
    """Add up the results."""
    planted = [one for one in outcomes if one.planted]
    caught = sum(not one.missed for one in planted)
    return Tally(caught, len(planted), sum(len(one.others) for one in outcomes))


def every_trial() -> list[Trial]:
    """Return all trials: the reference in both profiles, the unusual gateways, and all faults."""
    sound = [Trial(profile) for profile in PATHS]
    unusual = [Trial("openai", unusual=name) for name in UNUSUAL]
    return [*sound, *unusual, *(Trial(fault=name) for name in FAULTS)]


def run(trials: Sequence[Trial], jobs: int) -> list[Outcome]:
    """Check these gateways, and print a line for each result."""
    outcomes = []
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for one in pool.map(attempt, trials):
            outcomes.append(one)
            head = f"{len(outcomes):3}/{len(trials)}  {one.trial.name:34}{one.trial.profile:8}"
            good = f"caught by {one.planted}" if one.planted else f"quiet, {one.passed} passed"
            sys.stdout.write(f"{head}{one.seconds:5.1f} s  {one.verdict or good}\n")
            sys.stdout.flush()
    return outcomes


def attempt(trial: Trial) -> Outcome:
    """Check one gateway; once more if the result is unexpected.

    Gateways give up on a provider after a second or less, which a busy machine can exceed.
    """
    outcome = attempt_once(trial)
    return attempt_once(trial) if outcome.verdict else outcome


def attempt_once(trial: Trial) -> Outcome:
    """Check one gateway."""
    began = time.monotonic()
    made, policy = trial.made()
    with gateway(made, policy) as (url, port):
        target = f"{trial.profile}+{url}{PATHS[trial.profile]}"
        declared = json.loads(policy.read_text(encoding="utf-8"))
        items = judged(
            Settings(targets=(target,), provider=("127.0.0.1", port), gateway_policy=declared)
        )
    found = tuple(
        (item.clause, item.findings[0].message.words()) for item in items if item.verdict in _FOUND
    )
    passed = sum(item.verdict is Verdict.PASS for item in items)
    return Outcome(trial, found, passed, time.monotonic() - began)


def judged(settings: Settings) -> list[Item]:
    """Check a gateway with all clauses of the chapter."""
    chapter = load("conformance.gateway")
    session = Session(settings)
    session.scripts.extend(chapter.scripts)
    session.discover(settings.targets)
    asked = session.questions(list(chapter.tests))
    session.drive()
    return list(session.judge(asked).values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
