"""Measures the kit's speed, as ratios from one run on one machine.

    python -m scripts.bench [--keep FILE] [--scale N,N,N] [--peers [--faults N|all] [--minutes N]]

On a shared machine, single times say little. A ratio of two things measured in turn says more. Each
figure has the lowest, median and highest of several turns. The cost of a session is its processor
time, which other programs on the machine do not change. The figures are saved with the other
benchmarks, and the site shows them.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx2

from conformance.formats.tool.tool import Tool
from conformance.kit.cases.baseline import candidates
from conformance.kit.cases.plan import plan
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.spec.vocabulary import Binding
from fixtures.servers.start import listening
from scripts import bench_report
from scripts.measure import gateway, small
from scripts.measure.driving import requests_a_second
from scripts.measure.figures import BARE, KEPT, Figure, save, told, unmeasured
from scripts.measure.session import seconds_of, session
from scripts.peers import __main__ as peers
from scripts.peers.compare import Budget
from scripts.peers.figures import head

TURNS = 3
MANY = "fixtures.servers.many"
_CONCURRENCY = 16
_BARE_CALLS = 1500
_RUN = Run("bench", "", Binding.STDIO, "")
_SCALED = ("--profile", "http", "--profile", "atdf", "--max-time", "7200")


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure the kit's speed.")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FILE",
        help=f"where to keep what was measured (default: {KEPT.name}, if every goal was)",
    )
    parser.add_argument(
        "--scale",
        default="10,100,1000",
        metavar="N,N,N",
        help="how many tools to compare, the smallest first (default 10,100,1000: minutes)",
    )
    parser.add_argument("--peers", action="store_true", help="beside other kits, too: an hour more")
    chosen = peers.options(parser).parse_args(arguments)
    sizes = [int(size) for size in chosen.scale.split(",")]
    figures: list[Figure] = []
    measures = (
        drive_over_bare_loop,
        cases_a_second,
        help_over_bare_start,
        default_run,
        small_server,
        reference_gateway,
        report,
        lambda: scale(sizes),
    )
    sys.stdout.write(f"{head()}\n")
    for measure in measures:
        for figure in measure():
            figures.append(figure)
            sys.stdout.write(f"{told(figure)}\n")
            sys.stdout.flush()
        lacking = unmeasured(figures)
        if chosen.keep is not None or not lacking:
            save(figures, {"Python": platform.python_version()}, chosen.keep or KEPT)
    if lacking and chosen.keep is None:
        sys.stdout.write(f"{KEPT.name} stays as it was, since not measured: {', '.join(lacking)}\n")
    if chosen.peers:
        return peers.beside_peers(Budget(chosen.faults, chosen.minutes))
    return 0


def drive_over_bare_loop() -> list[Figure]:
    """Measure the requests a second of the drive phase, and of a bare loop of the same client.

    The drive phase also plans and generates what it sends.
    """
    driven, bare = [], []
    with listening() as url:
        for _ in range(TURNS):
            driven.append(requests_a_second(url, _CONCURRENCY))
            bare.append(asyncio.run(_bare(url)))
    ratios = [ours / theirs for ours, theirs in zip(driven, bare, strict=True)]
    return [
        Figure("drive", tuple(driven)),
        Figure(BARE, tuple(bare)),
        Figure("ratio", tuple(ratios)),
    ]


async def _bare(url: str) -> float:
    """Return the requests a second of a loop that repeats the same refused call."""
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
    """Measure how many deterministic cases are made and validated for the reference's tools."""
    tools = _tools()
    rates = []
    for _ in range(TURNS):
        made = 0
        began = time.perf_counter()
        for tool, arguments in tools:
            made += len(plan(tool, _RUN, arguments).cases)
        rates.append(made / (time.perf_counter() - began))
    return [Figure("cases", tuple(rates))]


def _tools() -> list[tuple[Tool, dict[str, object]]]:
    with listening() as url:
        engine = Session(Settings(profiles=("http",)))
        engine.discover((url,))
    now = engine.began
    return [(tool, candidates(tool, (), now)[0]) for tool in engine.found[0].tools]


def default_run() -> list[Figure]:
    """Measure a whole run of the command line on the reference server, over both bindings."""
    with listening() as url:
        session(url, "--plan", what="plan")  # so that all modules are compiled
        runs = [session(url, "--allow-calls", "all", what="whole run") for _ in range(TURNS)]
    return [
        Figure("first", tuple(run.first for run in runs if run.first is not None)),
        Figure("whole", tuple(run.seconds for run in runs)),
        Figure("processor", tuple(run.processor for run in runs)),
        Figure("memory", tuple(run.memory for run in runs)),
    ]


def small_server() -> list[Figure]:
    """Measure a session with a small server that the kit starts."""
    return small.figures(TURNS)


def reference_gateway() -> list[Figure]:
    """Measure a check of the reference gateway, which waits for many calls at the same time."""
    return gateway.figures(TURNS)


def help_over_bare_start() -> list[Figure]:
    """Measure `agent-formats check --help`, and a Python that does nothing."""
    command = [str(Path(sys.executable).with_name("agent-formats")), "check", "--help"]
    seconds, ratios = [], []
    for _ in range(TURNS):
        bare = seconds_of([sys.executable, "-c", "pass"])
        seconds.append(seconds_of(command))
        ratios.append(seconds[-1] / bare)
    return [Figure("help", tuple(seconds)), Figure("help_ratio", tuple(ratios))]


def report() -> list[Figure]:
    """Measure how a browser opens the report of very many tools; nothing without a browser."""
    from playwright.sync_api import Error  # noqa: PLC0415 - for development alone

    try:
        return bench_report.figures()
    except Error as error:
        sys.stdout.write(f"no Chromium to open the report in: {error.message.splitlines()[0]}\n")
        return []


def scale(sizes: Sequence[int]) -> list[Figure]:
    """Measure the cost of sessions over HTTP with these numbers of tools, and whether it is linear.

    The cost of one tool does not include the fixed cost of a session.
    """
    figures, seen, before = [], [], None
    for size in sizes:
        with listening(MANY, "--tools", str(size)) as url:
            own = session(url, *_SCALED, what=f"{size} tools")
        seen.append((size, own))
        tools = {"tools": size}
        figures += [
            Figure("tools_processor", (own.processor,), tools),
            Figure("tools_memory", (own.memory,), tools),
        ]
    for (few, less), (many, more) in pairwise(seen):
        each = (more.processor - less.processor) / (many - few)
        between = {"few": few, "many": many}
        figures.append(Figure("each_tool", (each,), between))
        if before is not None:
            figures.append(Figure("linear", (each / before,), between))
        before = each
    return figures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
