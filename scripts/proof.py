"""The whole proof of the kit: every fault is caught, and no correct server fails.

    python -m scripts.proof [--full] [--jobs N]

It runs the faulty servers and the reference (`scripts.prove`), the faulty gateways
(`scripts.prove_gateways`), and the servers that are unusual but valid (`scripts.false_alarms`).
With --full it checks each server on every binding and era, and then the hostile servers
(`scripts.survive`). Exit codes: 0 for `N of N faults caught, 0 false alarms`, otherwise 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.servers.oddities import ODDITIES
from scripts import false_alarms, prove, prove_gateways, survive


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="proof", description="Prove that the kit is right.")
    parser.add_argument("--full", action="store_true", help="on every binding and era")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="servers at once")
    chosen = parser.parse_args(arguments)
    jobs = max(1, chosen.jobs)
    began = time.monotonic()
    odd = [trial for name in ODDITIES for trial in false_alarms.trials_of(name, full=chosen.full)]
    outcomes = prove.run(prove.every_trial(full=chosen.full), jobs)
    gateways = prove_gateways.run(prove_gateways.every_trial(), jobs)
    alarms = false_alarms.prove(odd, jobs)
    hostile = survive.survive(survive.every(), jobs) if chosen.full else []
    survived = not any(one.wrong for one in hostile)
    idle = prove.idle_collaterals(outcomes) if chosen.full else []
    sys.stdout.writelines(f"{name}: {clause} never accuses it\n" for name, clause in idle)
    seconds = time.monotonic() - began
    total = prove.tally(outcomes) + prove_gateways.tally(gateways) + prove.Tally(alarms=alarms)
    sys.stdout.write(f"{total}, in {seconds:.0f} s\n")
    wrong = any(one.verdict() for one in outcomes) or any(one.verdict for one in gateways)
    return 1 if wrong or alarms or idle or not survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
