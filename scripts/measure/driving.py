"""Requests a second of the drive phase, measured as a session meets it: nothing is known before.

    python -m scripts.measure.driving URL [CONCURRENCY]

A process of its own each time: what was planned, drawn and compiled for a first turn would make the
next ones look fast. Loading the libraries, once a session however long that is, is not counted.
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
    """Drive the HTTP binding of a server in a new process, as the command line does by default.

    Raises RuntimeError with what it printed if the process fails.
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
