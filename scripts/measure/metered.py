"""Runs a command in a process of its own, and says what it took of the processor and of memory.

The most memory of a process counts that of the process that started it, until it is another
program: a large parent would be measured in place of the command. So a small process starts it.
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
    """What a command took: its exit code, seconds of the processor, megabytes at the peak."""

    code: int
    processor: float
    megabytes: float


def start(command: Sequence[str], used: Path, **how: Any) -> subprocess.Popen[str]:
    """Start a command, as subprocess.Popen does; when it has ended, `used` is for `read`."""
    metered = [sys.executable, "-c", _METER, str(used), *command]
    return subprocess.Popen(metered, text=True, **how)


def read(process: subprocess.Popen[str], used: Path) -> Metered:
    """What a command took that `start` gave; waits for its end. Raises RuntimeError if unknown."""
    if process.wait():
        raise RuntimeError(f"the meter ended with exit code {process.returncode}")
    code, processor, kilobytes = json.loads(used.read_text())
    return Metered(code, processor, kilobytes / 1024)
