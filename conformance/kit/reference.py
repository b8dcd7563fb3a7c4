"""Starts the project's own reference server, for a session without a target."""

from __future__ import annotations

import re
import selectors
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STDIO = f"stdio:{sys.executable} -m fixtures.servers.reference --stdio"
_READY = 30.0


class ReferenceServer:
    """A process of `fixtures.servers.reference`; end it with `stop`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fixtures.servers.reference", "--port", "0"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.url = self._wait_for_url()

    def _wait_for_url(self) -> str:
        """The URL that the server prints once it is ready; raises RuntimeError without one."""
        assert self._process.stdout is not None
        selector = selectors.DefaultSelector()
        selector.register(self._process.stdout, selectors.EVENT_READ)
        said = ""
        deadline = time.monotonic() + _READY
        while time.monotonic() < deadline and self._process.poll() is None:
            if not selector.select(timeout=0.5):
                continue
            said += self._process.stdout.readline().decode("utf-8", "replace")
            found = re.search(r"http://[\w.]+:\d+", said)
            if found:
                return found.group()
        self.stop()
        raise RuntimeError(said[-500:])

    def stop(self) -> None:
        """End the process, by its own id."""
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
