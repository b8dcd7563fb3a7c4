"""Runs a kit's command line with a time limit, and keeps its output in a file."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LONGEST: Final = 420.0
"""The most seconds of one run of a kit."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The end of a run. `code` is None if it was stopped; `processor` is its processor seconds."""

    code: int | None
    seconds: float
    processor: float
    said: str


def run(words: Sequence[str], folder: Path, longest: float = LONGEST) -> Ran:
    """Run a command in `folder`, and wait for its end."""
    log = folder / "said.txt"
    began, used = time.perf_counter(), _used()
    with log.open("wb") as opened:
        process = subprocess.Popen(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=opened,
            stderr=subprocess.STDOUT,
        )
        try:
            code: int | None = process.wait(longest)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    seconds = time.perf_counter() - began
    return Ran(code, seconds, _used() - used, log.read_text("utf-8", "replace"))


def _used() -> float:
    """Return the processor seconds of all child processes that have ended.

    A kit's server is not among them: it ends later.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
