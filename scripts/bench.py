"""Measures the kit's speed, as ratios taken in one run on one machine.

    python -m scripts.bench [--json FILE]

Single seconds say little on a shared machine; a ratio of two things measured in turn says more.
Each figure is the median of several turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx2

from conformance.formats.tool import Tool
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.plan import plan
from conformance.kit.drive.recorder import Recorder
from conformance.kit.engine import Engine
from conformance.kit.settings import AllowCalls, Settings
from fixtures.servers.start import listening
from scripts import bench_documents

ROOT = Path(__file__).resolve().parents[1]
TURNS = 3
_CONCURRENCY = 16
_BARE_CALLS = 1500


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement. `goal` is in words; `value` has the unit that `what` names."""

    what: str
    value: float
    goal: str


def main(arguments: Sequence[str]) -> int:
    """Run the command line; gives the exit code."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure the kit's speed.")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    chosen = parser.parse_args(arguments)
    figures = [*drive_over_bare_loop(), *cases_a_second(), *default_run()]
    figures += [Figure(*each) for each in bench_documents.figures()]
    width = max(len(figure.what) for figure in figures)
    for figure in figures:
        sys.stdout.write(f"{figure.what:<{width}}  {figure.value:>10,.2f}  goal {figure.goal}\n")
    if chosen.json:
        document = {"python": sys.version.split()[0], "figures": [asdict(f) for f in figures]}
        Path(chosen.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def drive_over_bare_loop() -> list[Figure]:
    """Requests a second of the drive phase, beside a bare loop of the same client."""
    driven, bare = [], []
    with listening() as url:
        for _ in range(TURNS):
            driven.append(_driven(url))
            bare.append(asyncio.run(_bare(url)))
    ratios = [ours / theirs for ours, theirs in zip(driven, bare, strict=True)]
    return [
        Figure("drive phase, requests/s", statistics.median(driven), "-"),
        Figure("bare loop of the same client, requests/s", statistics.median(bare), "-"),
        Figure("drive phase ÷ bare loop", statistics.median(ratios), "≥ 0.6"),
    ]


def _driven(url: str) -> float:
    """Requests a second while the tools of the HTTP binding are driven."""
    settings = Settings(profiles=("http",), allow_calls=AllowCalls.ALL, concurrency=_CONCURRENCY)
    engine = Engine(settings, recorder=Recorder())
    engine.discover((url,))
    before = len(engine.recorder.by_id)
    seconds = _timed(engine.drive)
    return (len(engine.recorder.by_id) - before) / seconds


async def _bare(url: str) -> float:
    """Requests a second of a loop that sends the same refused call again and again."""
    target = f"{url}/tools/hotel_reservation/invoke"
    limits = httpx2.Limits(max_connections=_CONCURRENCY)
    async with httpx2.AsyncClient(limits=limits, trust_env=False) as client:

        async def worker() -> None:
            for _ in range(_BARE_CALLS // _CONCURRENCY):
                answer = await client.post(target, json={"guests": 0})
                assert answer.status_code < 500

        began = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(_CONCURRENCY)))
        return _BARE_CALLS / (time.perf_counter() - began)


def cases_a_second() -> list[Figure]:
    """Deterministic cases generated and validated, over the reference server's tools."""
    tools = _tools()
    rates = []
    for _ in range(TURNS):
        made = 0
        began = time.perf_counter()
        for tool, arguments in tools:
            made += len(plan(tool, "bench", arguments).cases)
        rates.append(made / (time.perf_counter() - began))
    goal = "≥ 5,000"
    return [Figure("cases generated and validated, per second", statistics.median(rates), goal)]


def _tools() -> list[tuple[Tool, dict[str, object]]]:
    with listening() as url:
        engine = Engine(Settings(profiles=("http",)))
        engine.discover((url,))
    now = engine.began
    return [(tool, candidates(tool, (), now)[0]) for tool in engine.found[0].tools]


def default_run() -> list[Figure]:
    """A whole run of the command line on the reference server, both bindings."""
    with listening() as url, tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", str(ROOT / "conformance"), "--target", url]
        command += ["--allow-calls", "all", "--report", folder, "-q"]
        seconds = [
            _timed(lambda: subprocess.run(command, capture_output=True, check=True))
            for _ in range(TURNS)
        ]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return [
        Figure(
            "whole run on the reference server, HTTP and MCP, s", statistics.median(seconds), "< 20"
        ),
        Figure("its peak memory, MB", peak, "< 400"),
    ]


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
