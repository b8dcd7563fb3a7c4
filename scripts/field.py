"""Checks the corpus: other people's servers, and ordinary applications.

    python -m scripts.field [--only NAME]... [--part K/N] [--jobs N] [--list] [--lock] [--pin]
                            [--again]

It installs each server of `fixtures/implementations/corpus.yaml` from its lock without install
scripts, and checks it in a box without a network. The kit's findings must be exactly those in
`findings/`. Then it reproduces each finding without the kit. Exit codes: 0 if all is as pinned, 1
if something is not, 2 for an unusable command line or a machine that cannot make a box.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.implementations import box, session
from fixtures.implementations.corpus import Server, corpus
from fixtures.implementations.findings import Seen, findings, pin, pinned, seen
from fixtures.implementations.install import InstallError, installed, lock, made_executable, program
from fixtures.implementations.outcome import keep, kept

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "field"
_ENDED = (0, 1, 5)
"""The exit codes of a session with a result; 5 means that no tool was called."""
_MORE_SECONDS = 90
_RAW_SECONDS = 300


@dataclass(slots=True)
class Outcome:
    """The result of checking one server; `wrong` has a sentence for each difference."""

    server: Server
    seconds: float = 0.0
    results: dict[str, Any] | None = None
    seen: frozenset[Seen] = frozenset()
    wrong: list[str] = field(default_factory=list)
    skipped: str = ""

    @property
    def to_pin(self) -> frozenset[Seen]:
        """The findings to pin: what is seen now; for findings that vary, those pinned already."""
        before = pinned(self.server.name)
        return self.steady(self.seen) | (before - self.steady(before))

    def steady(self, found: frozenset[Seen]) -> frozenset[Seen]:
        """Return the findings without those that vary from session to session."""
        varying = self.server.varying
        return frozenset(each for each in found if (each.clause, each.cause) not in varying)


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    options = _parser().parse_args(arguments)
    chosen = corpus().servers
    if options.only:
        chosen = tuple(each for each in chosen if each.name in options.only)
        missing = set(options.only) - {each.name for each in chosen}
        if missing:
            print(f"There is no server {', '.join(sorted(missing))} in the corpus.")
            return 2
    place, parts = (int(each) for each in options.part.split("/"))
    chosen = chosen[place - 1 :: parts]
    if options.list:
        print("\n".join(each.name for each in chosen))
        return 0
    if options.lock:
        return _lock(chosen)
    reason = box.why_not(CACHE / "tried")
    if reason:
        print(f"No server is checked. {reason}")
        return 2
    return _check_all(chosen, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="field", description="Check the corpus.")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="just this one")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the Kth of N parts")
    parser.add_argument("--jobs", type=int, default=2, help="servers at a time (default 2)")
    parser.add_argument("--list", action="store_true", help="name the servers, do nothing")
    parser.add_argument("--lock", action="store_true", help="resolve the environments anew")
    parser.add_argument("--pin", action="store_true", help="pin what is seen, of known findings")
    parser.add_argument("--again", action="store_true", help="reproduce the findings, nothing else")
    return parser


def _lock(chosen: Sequence[Server]) -> int:
    for environment in corpus().environments:
        if any(each.environment == environment.name for each in chosen):
            print(environment.name, flush=True)
            try:
                lock(environment, CACHE / "env")
            except InstallError as error:
                print(f"  {error}")
                return 1
    return 0


def _check_all(chosen: Sequence[Server], options: argparse.Namespace) -> int:
    started = time.monotonic()
    wrong = 0
    unusable = _install(chosen)
    with ThreadPoolExecutor(options.jobs) as pool:
        tasks = [
            pool.submit(_checked, each, unusable.get(each.environment, ""), again=options.again)
            for each in chosen
        ]
        for number, task in enumerate(as_completed(tasks), 1):
            outcome = task.result()
            if options.pin and outcome.results is not None:
                left = pin(outcome.server.name, outcome.to_pin)
                outcome.wrong = [each for each in outcome.wrong if "pinned" not in each]
                outcome.wrong += [f"It has no file in findings/: {each}." for each in left]
            if outcome.results is not None:
                keep(kept(outcome.server, outcome.results, outcome.seconds))
            _say(outcome, f"{number}/{len(tasks)}")
            wrong += bool(outcome.wrong)
    minutes = (time.monotonic() - started) / 60
    print(f"{len(tasks)} servers in {minutes:.0f} minutes, {wrong} not as pinned.")
    return 1 if wrong else 0


def _install(chosen: Sequence[Server]) -> dict[str, str]:
    """Install what `chosen` need, one after the other; return the failures by environment."""
    wrong = {}
    for each in corpus().environments:
        servers = [server for server in chosen if server.environment == each.name]
        if not servers:
            continue
        try:
            home = installed(each, CACHE / "env")
        except InstallError as error:
            wrong[each.name] = str(error)
            continue
        for server in servers:  # a package may do this in its install script
            made_executable(program(home, server.command[0]))
    return wrong


def _checked(server: Server, unusable: str, *, again: bool) -> Outcome:
    outcome = Outcome(server)
    if unusable:
        outcome.wrong.append(unusable)
        return outcome
    started = time.monotonic()
    home = installed(corpus().environment(server), CACHE / "env")
    work = CACHE / "work" / server.name
    if not again:
        _session(outcome, home, work)
    _reproduce(outcome, home, work)
    outcome.seconds = time.monotonic() - started
    return outcome


def _session(outcome: Outcome, home: Path, work: Path) -> None:
    server = outcome.server
    _fresh(server, work)
    words = [sys.executable, "-m", "fixtures.implementations.session"]
    limit = server.seconds + _MORE_SECONDS
    try:
        done = _boxed([*words, server.name, str(home), str(work)], work, limit)
    except subprocess.TimeoutExpired:
        outcome.wrong.append(f"The session did not end within {limit} s.")
        return
    report = work / "report" / "results.json"
    if done.returncode == session.NOT_STARTED:
        outcome.wrong.append(done.stderr.strip())
    elif done.returncode not in _ENDED or not report.is_file():
        said = (work / "kit.log").read_text("utf-8", "replace").strip().splitlines()
        last = said[-1] if said else done.stderr.strip()[-300:]
        outcome.wrong.append(f"The kit exited with {done.returncode}: {last}")
    else:
        outcome.results = json.loads(report.read_text(encoding="utf-8"))
        compare(outcome)


def compare(outcome: Outcome) -> None:
    """Record which findings are not pinned, and which pinned ones are gone."""
    assert outcome.results is not None
    outcome.seen = seen(outcome.results)
    now = outcome.steady(outcome.seen)
    before = outcome.steady(pinned(outcome.server.name))
    outcome.wrong += [f"Not pinned: {each}." for each in sorted(now - before)]
    outcome.wrong += [f"Gone, but pinned: {each}." for each in sorted(before - now)]
    errors = sum(run["counts"].get("kit_error", 0) for run in outcome.results["runs"])
    errors += len(outcome.results["kit_errors"])
    if errors:
        outcome.wrong.append(f"The kit had {errors} errors of its own.")
    if not any(run["level"] is not None for run in outcome.results["runs"]):
        outcome.wrong.append("The session ended without a result.")


def _reproduce(outcome: Outcome, home: Path, work: Path) -> None:
    server = outcome.server
    here = [name for name, each in findings().items() if each.reproduction.server == server.name]
    for name in here:
        _fresh(server, work / "raw")
        words = [sys.executable, "-m", "fixtures.implementations.reproduce", name]
        try:
            done = _boxed([*words, str(home), str(work / "raw")], work / "raw", _RAW_SECONDS)
        except subprocess.TimeoutExpired:
            outcome.wrong.append(f"The reproduction of {name} did not end.")
            continue
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip()[-600:]
            outcome.wrong.append(f"Without the kit, {name} is not seen: {said}")


def _fresh(server: Server, work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    (work / "scratch").mkdir(parents=True)
    server.fill(work / "scratch")


def _boxed(words: Sequence[str], work: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["env", f"PYTHONPATH={ROOT}", *box.boxed(words, work, work / "scratch")],
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        timeout=seconds,
        check=False,
    )


def _say(outcome: Outcome, place: str) -> None:
    called = "" if outcome.results is None else _called(outcome.results)
    state = "as pinned" if not outcome.wrong else f"{len(outcome.wrong)} not as pinned"
    levels = ""
    if outcome.results is not None:
        found = [f"{run['run']} {run['level']}" for run in outcome.results["runs"] if run["level"]]
        levels = f" ({', '.join(found)})"
    print(
        f"[{place}] {outcome.server.name}: {state}, {outcome.seconds:.0f} s{levels}{called}",
        flush=True,
    )
    for each in outcome.wrong:
        print(f"    {each}", flush=True)


def _called(results: Mapping[str, Any]) -> str:
    """Return a note if no tool was called: the level then rests only on documents."""
    return "" if any(run["tools_called"] for run in results["runs"]) else ", no tool was called"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
