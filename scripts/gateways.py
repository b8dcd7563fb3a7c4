"""Checks other people's gateways, and reproduces each pinned finding without the kit.

    python -m scripts.gateways [--only NAME]... [--lock] [--list] [--again] [--pin]

It installs each gateway of `fixtures/gateways/strangers/gateways.yaml` from its lock without
install scripts, starts it with the kit as its provider, and checks it. The clauses that it breaks
must be those that are pinned. `--pin` saves the levels and the counts for the site. Exit codes: 0
if all is as pinned, 1 if something is not, 2 for an unusable command line.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.gateways.strangers import outcome
from fixtures.gateways.strangers.raw import shown
from fixtures.gateways.strangers.strangers import NotStarted, Stranger, strangers
from fixtures.implementations.install import InstallError, installed, lock
from fixtures.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "gateways"
FAMILIES = ("openai", "anthropic", "gemini")
_SECONDS = 600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="gateways", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="just this one")
    parser.add_argument("--lock", action="store_true", help="resolve the environments anew")
    parser.add_argument("--list", action="store_true", help="name the gateways, do nothing")
    parser.add_argument("--again", action="store_true", help="show the findings, nothing else")
    parser.add_argument("--pin", action="store_true", help="keep the levels and counts")
    options = parser.parse_args(arguments)
    chosen = [each for each in strangers() if not options.only or each.name in options.only]
    missing = set(options.only) - {each.name for each in chosen}
    if missing:
        print(f"There is no gateway {', '.join(sorted(missing))} in the list.")
        return 2
    if options.list:
        print("\n".join(each.name for each in chosen))
        return 0
    if options.lock:
        return _lock(chosen)
    wrong = 0
    for stranger in chosen:
        try:
            said = list(_checked(stranger, again=options.again, pin=options.pin))
        except (InstallError, NotStarted, subprocess.TimeoutExpired) as error:
            said = [str(error)]
        print(f"{stranger.name}: {'as pinned' if not said else f'{len(said)} not as pinned'}")
        for each in said:
            print(f"    {each}")
        wrong += bool(said)
    return 1 if wrong else 0


def _lock(chosen: Sequence[Stranger]) -> int:
    for stranger in chosen:
        try:
            lock(stranger.environment, CACHE / "env")
        except InstallError as error:
            print(f"{stranger.name}: {error}")
            return 1
        print(f"{stranger.name}: locked")
    return 0


def _checked(stranger: Stranger, *, again: bool, pin: bool) -> Iterator[str]:
    """Yield what differs from the expected result, as sentences."""
    home = installed(stranger.environment, CACHE / "env")
    work = CACHE / "work" / stranger.name
    work.mkdir(parents=True, exist_ok=True)
    port = free_port()
    provider = f"http://127.0.0.1:{port}"
    with stranger.serving(home, provider, work / "gateway.log") as (url, headers):
        if not again:
            yield from _by_the_kit(stranger, work, url, headers, port)
            if (work / "report" / "results.json").is_file():
                yield from _as_kept(stranger, work / "report", pin=pin)
        for finding in stranger.findings:
            lacking = shown(finding.provider, finding.call, finding.seen, url, headers, port)
            if lacking:
                yield f"Without the kit, {finding.clause} is not seen: {lacking}"


def _as_kept(stranger: Stranger, report: Path, *, pin: bool) -> Iterator[str]:
    """Yield what differs from the saved result.

    Counts are not compared: new clauses change them.
    """
    seen = outcome.outcome(report)
    if pin:
        outcome.keep(stranger.name, seen)
    kept = outcome.read().get(stranger.name)
    if kept is None or (kept.level, kept.retries) != (seen.level, seen.retries):
        yield f"Level and retries are {seen.level or 'none'}, {seen.retries}. Keep them with --pin."


def _by_the_kit(
    stranger: Stranger, work: Path, url: str, headers: dict[str, str], port: int
) -> Iterator[str]:
    policy = work / "policy.json"
    models = {family: f"{family}/{{nonce}}" for family in FAMILIES}
    promised = stranger.promises.policy if stranger.promises else {}
    policy.write_text(json.dumps({"models": models, **promised}), encoding="utf-8")
    report = work / "report"
    shutil.rmtree(report, ignore_errors=True)
    words = [sys.executable, "-m", "pytest", str(ROOT / "conformance" / "gateway")]
    words += ["--gateway", f"openai+{url}", "--provider", f"127.0.0.1:{port}"]
    words += ["--gateway-policy", str(policy), "--report", str(report)]
    for name, value in headers.items():
        words += ["-H", f"{name}: {value}"]
    with (work / "kit.log").open("wb") as log:
        subprocess.run(words, stdout=log, stderr=log, check=False, timeout=_SECONDS, cwd=ROOT)
    if not (report / "results.json").is_file():
        last = (work / "kit.log").read_text("utf-8", "replace")[-300:]
        yield f"The kit ended without a result: {last}"
        return
    results = json.loads((report / "results.json").read_text(encoding="utf-8"))
    items = [item for run in results["runs"] for item in run["items"]]
    found = {item["clause"] for item in items if item["verdict"] in outcome.BROKEN}
    for clause in sorted(found - stranger.pinned):
        yield f"Not pinned: {clause}."
    for clause in sorted(stranger.pinned - found):
        yield f"Gone, but pinned: {clause}."
    for error in results["kit_errors"]:
        yield f"The kit had an error of its own: {error}"


if __name__ == "__main__":
    sys.exit(main())
