"""Running a kit's command line: bounded in time, ended by its own id, its output kept in a file."""

from __future__ import annotations

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
    """How it ended. `code` is None where it was stopped."""

    code: int | None
    seconds: float
    said: str


def run(words: Sequence[str], folder: Path, longest: float = LONGEST) -> Ran:
    """Run a command in `folder`, and wait for its end."""
    log = folder / "said.txt"
    began = time.perf_counter()
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
    return Ran(code, time.perf_counter() - began, log.read_text("utf-8", "replace"))
