"""Runs only the comparison: `python -m scripts.peers [--faults N|all] [--minutes N] [--speed]`.

Exit codes: 0 for a complete comparison, 1 if this kit missed a fault, 2 if a peer could not be
installed.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from typing import Any

from scripts.peers.compare import FAULTS, MINUTES, Budget, compare, compare_speed
from scripts.peers.document import FILE
from scripts.peers.figures import figures, line, missed, of_speed
from scripts.peers.install import ROOT, PeerUnusable


def options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add the options of a comparison."""
    parser.add_argument(
        "--faults",
        default=FAULTS,
        type=_how_many,
        metavar="N|all",
        help=f"how many faults of each binding to try against the peers (default {FAULTS})",
    )
    parser.add_argument(
        "--minutes",
        default=MINUTES,
        type=float,
        metavar="N",
        help=f"stop comparing after so long, and keep what was tried (default {MINUTES:g})",
    )
    return parser


def _how_many(given: str) -> int | None:
    """Parse a number of faults; None means all."""
    if given == "all":
        return None
    if not given.isdecimal():
        raise argparse.ArgumentTypeError(f"say a number of faults, or all, not {given!r}")
    return int(given)


def beside_peers(budget: Budget) -> int:
    """Compare, and print the table and the faults that this kit missed; return the exit code."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        comparison = compare(budget)
    except PeerUnusable as unusable:
        sys.stderr.write(f"{unusable}\n")
        return 2
    sys.stdout.writelines(f"{line(each)}\n" for each in figures(comparison))
    gone = [name for pair in comparison.pairs for name in missed(pair)]
    sys.stdout.writelines(f"not found by this kit: {name}\n" for name in gone)
    sys.stdout.write(f"Kept in {FILE.relative_to(ROOT)}\n")
    return 1 if gone else 0


def _renew_speed() -> int:
    try:
        measured = compare_speed()
    except PeerUnusable as unusable:
        sys.stderr.write(f"{unusable}\n")
        return 2
    sys.stdout.write(f"{line(of_speed(measured))}\n")
    return 0


def _stop(*_: Any) -> None:
    """Exit so that the running servers and kits are stopped too."""
    sys.exit(143)


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="peers", description="Compare this kit with its peers.")
    parser.add_argument(
        "--speed", action="store_true", help="measure the requests a second anew, and nothing else"
    )
    chosen = options(parser).parse_args(arguments)
    if chosen.speed:
        return _renew_speed()
    return beside_peers(Budget(chosen.faults, chosen.minutes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
