"""Measures the requests a second of the drive phase, in a new process as in a real session.

    python -m scripts.measure.driving URL [CONCURRENCY]

Plans, random cases and compiled schemas of a first turn would make later turns in the same process
look faster. The time to load the libraries is not counted, because a session loads them only once.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session

ROOT: Final = Path(__file__).resolve().parents[2]
_LOADED_LATE: Final = "conformance.kit.cases.random.plan"


def requests_a_second(url: str, concurrency: int | None = None) -> float:
    """Return the requests a second for the HTTP binding of a server, driven in a new process.

    It uses the defaults of the command line. Raises `RuntimeError` with the output if the process
    fails.
    """
    command = [sys.executable, "-m", __spec__.name, url]
    command += [] if concurrency is None else [str(concurrency)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"driving {url} ended with {ran.returncode}: {ran.stderr.strip()}")
    return float(ran.stdout)


def _driven(url: str, concurrency: int | None) -> float:
    importlib.import_module(_LOADED_LATE)
    settings = Settings(profiles=("http",), allow_calls=AllowCalls.ALL)
    if concurrency is not None:
        settings = replace(settings, concurrency=concurrency)
    session = Session(settings, recorder=Recorder())
    session.discover((url,))
    before = len(session.recorder.by_id)
    began = time.perf_counter()
    session.drive()
    return (len(session.recorder.by_id) - before) / (time.perf_counter() - began)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts.measure.driving", description=__doc__)
    parser.add_argument("url", help="the root of a running server")
    parser.add_argument("concurrency", nargs="?", type=int, help="calls at the same time")
    asked = parser.parse_args()
    sys.stdout.write(f"{_driven(asked.url, asked.concurrency):.1f}\n")
