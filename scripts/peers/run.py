"""Running a kit's command line: bounded in time, ended by its own id, its output kept in a file."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LONGEST: Final = 420.0
"""Seconds that one run of a kit may take."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How it ended. `code` is None where it was stopped; `processor` are seconds of that."""

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
    """Seconds of the processor that the children which have ended took, a kit's server aside:
    that one ends later.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
