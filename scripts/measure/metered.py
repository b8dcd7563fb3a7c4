"""Runs a command in a separate process, and measures its processor time and memory.

Until a new process runs another program, its peak memory includes that of its parent. A large
parent would be measured instead of the command, so a small process starts it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_METER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(process.pid, 0)
code = os.waitstatus_to_exitcode(status)
with open(sys.argv[1], "w") as file:
    json.dump([code, used.ru_utime + used.ru_stime, used.ru_maxrss], file)
"""


@dataclass(frozen=True, slots=True)
class Metered:
    """The cost of a command: its exit code, processor seconds, and peak memory in megabytes."""

    code: int
    processor: float
    megabytes: float


def start(command: Sequence[str], used: Path, **how: Any) -> subprocess.Popen[str]:
    """Start a command as `subprocess.Popen` does; `read` later needs the file `used`."""
    metered = [sys.executable, "-c", _METER, str(used), *command]
    return subprocess.Popen(metered, text=True, **how)


def read(process: subprocess.Popen[str], used: Path) -> Metered:
    """Wait for a command from `start`, and return its cost; raises `RuntimeError` if unknown."""
    if process.wait():
        raise RuntimeError(f"the meter ended with exit code {process.returncode}")
    code, processor, kilobytes = json.loads(used.read_text())
    return Metered(code, processor, kilobytes / 1024)
