"""Runs one session of the command line for the benchmark, and measures it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.kit.report.progress import FirstTool, first_line
from conformance.kit.report.write import EXCHANGES
from scripts.measure import metered

ROOT = Path(__file__).resolve().parents[2]
_TOLD = first_line(FirstTool("", "t", 0, 0), "en").partition("0")[0].rpartition("`")[2].strip()
"""The fixed words of the line about the first tool, between its name and its numbers."""
_OWN = """
import resource, sys
import pytest
code = pytest.main(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_SELF)
with open(sys.argv[1], "w") as file:
    file.write(str(used.ru_utime + used.ru_stime))
sys.exit(code)
"""
_NOT_COMPILED = "PYTHONDONTWRITEBYTECODE"
_EVERY = 30.0
"""Seconds between two progress lines."""


@dataclass(frozen=True, slots=True)
class Session:
    """The cost of a session.

    `seconds` is the total, and `first` the time until the first tool was reported (None if it never
    was). `processor` includes the servers that the kit started; `own` is the kit without them, both
    in seconds. `memory` is the peak in megabytes.
    """

    seconds: float
    first: float | None
    processor: float
    own: float
    memory: float


def session(url: str, *options: str, what: str, findings: bool = False) -> Session:
    """Check a target in a separate process; with `findings`, clauses may fail.

    Raises `RuntimeError` if the session fails. On a terminal the kit shows its progress. Otherwise
    there is a progress line every 30 seconds, with the name `what`.
    """
    with tempfile.TemporaryDirectory() as folder:
        used, own = Path(folder, "used"), Path(folder, "own")
        command = [sys.executable, "-c", _OWN, str(own), str(ROOT / "conformance")]
        command += ["--target", url, "--report", folder, "--language", "en", *options]
        began = time.perf_counter()
        process = metered.start(command, used, stdout=subprocess.PIPE, env=_environment())
        assert process.stdout is not None
        first = None
        with process.stdout, _watched(what, Path(folder, EXCHANGES)):
            for line in process.stdout:
                if first is None and _TOLD in line:
                    first = time.perf_counter() - began
        took = metered.read(process, used)
        seconds = time.perf_counter() - began
        if took.code not in {0, 1} or (took.code and not findings):
            raise RuntimeError(f"the session ended with exit code {took.code}")
        alone = float(own.read_text())
    return Session(seconds, first, took.processor, alone, took.megabytes)


def seconds_of(command: Sequence[str], starts: int = 5) -> float:
    """Return the shortest of several starts of a command, in seconds, with compiled modules."""
    took = []
    for _ in range(starts):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_environment())
        took.append(time.perf_counter() - began)
    return min(took)


def _environment() -> dict[str, str]:
    """Return an environment that keeps compiled modules, as users have; some machines do not."""
    own = {name: value for name, value in os.environ.items() if name != _NOT_COMPILED}
    return {**own, "PYTHONPYCACHEPREFIX": str(ROOT / ".cache" / "bench")}


@contextmanager
def _watched(what: str, exchanges: Path) -> Iterator[None]:
    """Print how much was recorded, every 30 seconds."""
    over = threading.Event()

    def watch() -> None:
        began = time.monotonic()
        while not over.wait(_EVERY):
            size = exchanges.stat().st_size / 1e6 if exchanges.exists() else 0.0
            sys.stderr.write(f"{what}: {time.monotonic() - began:.0f} s, {size:.0f} MB recorded\n")

    watcher = threading.Thread(target=watch, daemon=True)
    if not sys.stderr.isatty():
        watcher.start()
    try:
        yield
    finally:
        over.set()
        if watcher.ident is not None:
            watcher.join()
