"""Compares the kit's speed with that of an earlier commit, in pairs, and saves the measurements.

    python -m scripts.compare COMMIT [--turns 5] [--keep FILE]

Each turn measures both commits, one after the other, and alternates which one is first. If the
machine is busy for a while, it is busy for both. The earlier commit gets a separate checkout and
environment.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from scripts.measure import metered
from scripts.measure.figures import machine, write_whole

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "fixtures" / "benchmarks" / "pairs.json"
MEASURES: Final = ("requests", "seconds", "processor", "memory")
"""Requests a second of the drive phase; seconds, processor time and megabytes of a whole check."""
_REFERENCE: Final = ("-m", "fixtures.servers.reference", "--port", "0")


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="compare", description=__doc__.split("\n")[0])
    parser.add_argument("commit", help="the earlier commit")
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="pairs (default 5)")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FILE", help="where to keep")
    chosen = parser.parse_args(arguments)
    commits = {"before": _git("rev-parse", "--short=8", chosen.commit)}
    commits["after"] = _git("rev-parse", "--short=8", "HEAD")
    found: dict[str, dict[str, list[float]]] = {
        name: {"before": [], "after": []} for name in MEASURES
    }
    with _checkout(commits["before"]) as before:
        where = {"before": before, "after": ROOT}
        for turn in range(chosen.turns):
            for when in sorted(where, reverse=turn % 2 == 0):
                for name, value in measured(where[when]).items():
                    found[name][when].append(round(value, 2))
            sys.stdout.write(f"{told(found)}\n")
            sys.stdout.flush()
    keep(commits, found, chosen.keep)
    return 0


def measured(checkout: Path) -> Mapping[str, float]:
    """Return what the kit of a checkout needs for the reference server: each of `MEASURES`."""
    python = str(checkout / ".venv" / "bin" / "python")
    with _reference(python, checkout) as url:
        driving = [python, "-m", "scripts.measure.driving", url]
        requests = float(_output(driving, checkout))
    with tempfile.TemporaryDirectory() as folder:
        used = Path(folder, "used")
        command = [python, "-m", "pytest", "conformance", "-q", "--report", f"{folder}/report"]
        began = time.perf_counter()
        process = metered.start(command, used, cwd=checkout, stdout=subprocess.DEVNULL)
        took = metered.read(process, used)
        seconds = time.perf_counter() - began
    if took.code:
        raise RuntimeError(f"the check in {checkout} ended with exit code {took.code}")
    values = (requests, seconds, took.processor, took.megabytes)
    return dict(zip(MEASURES, values, strict=True))


def told(found: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Return a line for the terminal with the medians so far."""
    parts = []
    for name, of in found.items():
        before, after = (statistics.median(of[when]) for when in ("before", "after"))
        parts.append(f"{name} {before:,.1f} → {after:,.1f} ({after / before:.2f})")
    return ", ".join(parts)


def keep(
    commits: Mapping[str, str],
    found: Mapping[str, Mapping[str, Sequence[float]]],
    file: Path = KEPT,
) -> None:
    """Write the pairs to a file."""
    held = {
        "kind": "pairs",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": {"Python": sys.version.split()[0]},
        **commits,
        "measures": {name: {when: list(of[when]) for when in of} for name, of in found.items()},
    }
    write_whole(file, held)


@contextmanager
def _checkout(commit: str) -> Iterator[Path]:
    """Make a working tree of a commit, with its environment."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, commit)
        _git("worktree", "add", "--detach", str(path), commit)
        try:
            subprocess.run(["make", "setup"], cwd=path, check=True, stdout=subprocess.DEVNULL)
            yield path
        finally:
            _git("worktree", "remove", "--force", str(path))


@contextmanager
def _reference(python: str, checkout: Path) -> Iterator[str]:
    """Run the reference server of a checkout; yield its address."""
    command = [python, *_REFERENCE]
    with subprocess.Popen(command, cwd=checkout, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[-1]
        finally:
            server.terminate()


def _output(command: Sequence[str], where: Path) -> str:
    ran = subprocess.run(command, cwd=where, check=True, stdout=subprocess.PIPE, text=True)
    return ran.stdout


def _git(*words: str) -> str:
    return _output(["git", *words], ROOT).strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
