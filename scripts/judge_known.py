"""Judges servers that others wrote, and keeps the outcome in `fixtures/implementations/`.

    python -m scripts.judge_known [--only NAME]... [--list] [--fresh] [--verbose]

Each server of `fixtures/implementations/known.py` is installed by its registry's client into an
environment of its own below `.cache/known/`, given a scratch folder, and judged by the kit with
every tool allowed. Exit 0: all were judged; 1: one was not, or hardly; 2: unusable command line, or
a server that could not be installed or started.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.kit.report.replay_file import REPLAY
from fixtures.implementations.again import seen_again
from fixtures.implementations.environment import (
    Installed,
    KnownServerError,
    command,
    install,
    prepare,
    serving,
)
from fixtures.implementations.known import KNOWN, Known
from fixtures.implementations.outcome import Figures, call_clauses, figures, publish, summary
from fixtures.implementations.pinned import pinned

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "known"
ENOUGH_ACCEPTED = 0.9
ENOUGH_VERIFIED = 0.8
LONG_ENOUGH = 90.0
_JUDGED = (0, 1)
_KIT_SECONDS = 600


def main(arguments: Sequence[str]) -> int:
    """Run the command line; gives the exit code."""
    options = _parser().parse_args(arguments)
    if options.list:
        for known in KNOWN:
            print(f"{known.name:26}{known.installer.value:5}{known.package}")
        return 0
    names = [known.name for known in KNOWN]
    for name in options.only:
        if name not in names:
            print(f"There is no known server {name!r}. Choose from: {', '.join(names)}.")
            return 2
    code = 0
    for known in KNOWN:
        if options.only and known.name not in options.only:
            continue
        try:
            judged = judge(known, fresh=options.fresh, verbose=options.verbose)
        except KnownServerError as error:
            print(f"{error}", file=sys.stderr)
            code = 2
            continue
        code = max(code, 0 if judged else 1)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="judge_known", description="Judge known servers.")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="just this one")
    parser.add_argument("--list", action="store_true", help="name the servers, do nothing")
    parser.add_argument("--fresh", action="store_true", help="install again, the newest release")
    parser.add_argument("--verbose", action="store_true", help="show what the kit prints")
    return parser


def judge(known: Known, *, fresh: bool, verbose: bool) -> bool:
    """Install, judge and publish one server; says whether it was really judged.

    Raises `KnownServerError` where it cannot be installed, prepared or started.
    """
    folder = CACHE / known.name
    folder.mkdir(parents=True, exist_ok=True)
    installed = install(known, folder, fresh=fresh)
    scratch = prepare(known, folder)
    print(f"{known.name} {installed.version}", flush=True)
    started = time.monotonic()
    with _target(known, installed, scratch, folder) as target:
        code = run_kit(known, target, scratch, folder, verbose=verbose)
    seconds = time.monotonic() - started
    report = folder / "report" / "results.json"
    if code not in _JUDGED or not report.is_file():
        print(f"  the kit exited with {code}; what it printed is in {folder / 'kit.log'}")
        return False
    results = json.loads(report.read_text(encoding="utf-8"))
    with _target(known, installed, prepare(known, folder), folder) as anew:
        again = seen_again(folder / "report" / REPLAY, anew, scratch)
    found = pinned(results, folder / "report" / "exchanges.ndjson", again)
    paths = _paths(target, installed, scratch)
    kept = summary(results, call_clauses(ROOT))
    publish(kept, known, installed.version, paths, known.results, found)
    return _say(kept, seconds, found)


@contextlib.contextmanager
def _target(known: Known, installed: Installed, scratch: Path, folder: Path) -> Iterator[str]:
    """What the kit is pointed at: the command to start, or the address of what was started."""
    if known.path is None:
        yield "stdio:" + shlex.join(command(known, installed, scratch))
    else:
        with serving(known, installed, scratch, folder) as url:
            yield url


def run_kit(known: Known, target: str, scratch: Path, folder: Path, *, verbose: bool) -> int:
    """Run the kit on `target` in a process of its own; gives its exit code.

    It runs in the scratch folder, so that a tool which takes a path finds nothing else there.
    """
    words = [sys.executable, "-m", "pytest", str(ROOT / "conformance"), "--rootdir", str(ROOT)]
    words += ["-c", str(ROOT / "pyproject.toml"), "--target", target, "--allow-calls", "all"]
    # Warnings are to be in test_replay.py too, and change nothing else of what is kept.
    words += ["--report", str(folder / "report"), "--fail-on", "should"]
    if known.examples.is_file():
        words += ["--examples", str(known.examples), "--env", "SCRATCH"]
    for tool in known.exclude:
        words += ["--exclude-tool", tool]
    report = folder / "report" / "results.json"
    report.unlink(missing_ok=True)
    (folder / "report" / REPLAY).unlink(missing_ok=True)
    with (folder / "kit.log").open("wb") as log:
        done = subprocess.run(
            words,
            cwd=scratch,
            env=os.environ | {"SCRATCH": str(scratch)},
            stdin=subprocess.DEVNULL,
            stdout=None if verbose else log,
            stderr=None if verbose else subprocess.STDOUT,
            timeout=_KIT_SECONDS,
            check=False,
        )
    return done.returncode


def _paths(target: str, installed: Installed, scratch: Path) -> dict[str, str]:
    """What only this machine has, and what a reader of the published file sees instead."""
    known = {
        str(installed.program.parent) + os.sep: "",
        str(scratch): "SCRATCH",
        "«secret-1»": "SCRATCH",  # the kit writes no variable that it was given
        str(ROOT) + os.sep: "",
        str(Path.home()) + os.sep: "~/",
    }
    if target.startswith("http:"):
        host = target.split("/")[2]
        known[host] = host.partition(":")[0]
    return known


def _say(kept: Mapping[str, Any], seconds: float, found: Sequence[Mapping[str, Any]]) -> bool:
    """Print the figures of each run; says whether all of them are good enough."""
    enough = True
    for each in figures(kept):
        accepted = "" if each.baseline is None else f", {each.baseline} good calls accepted"
        print(f"  {each.run}: {len(each.called)} tools called{accepted}, left out: ", end="")
        print(", ".join(each.left_out) or "none")
        print(f"    call clauses verified: {each.verified}; broken: ", end="")
        print(", ".join(each.broken) or "none")
        for complaint in complaints(each):
            print(f"    NOT ENOUGH: {complaint}")
            enough = False
    for finding in found:
        if not finding["reproduced"]:
            where = f"{finding['run']} {finding['tool'] or ''}".strip()
            print(f"    NOT SEEN AGAIN: {finding['clause']} {where}: {finding['message']}")
    again = sum(finding["reproduced"] for finding in found)
    print(f"  {seconds:.0f} s; {again} of {len(found)} findings seen again on a fresh server")
    if seconds > LONG_ENOUGH:
        print(f"    NOT ENOUGH: it took longer than {LONG_ENOUGH:.0f} s")
        enough = False
    return enough


def complaints(run: Figures) -> list[str]:
    """Give what keeps a run from counting as really judged."""
    found = []
    if run.kit_errors:
        found.append(f"{run.kit_errors} errors of the kit itself")
    if not run.called:
        found.append("no tool was called")
    if run.baseline is not None and run.baseline.below(ENOUGH_ACCEPTED):
        found.append(f"only {run.baseline} tools accepted their good call")
    if run.verified.below(ENOUGH_VERIFIED):
        found.append(f"only {run.verified} call clauses were verified")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
