"""Starts the project's reference server, for a session in a clone that names no target."""

from __future__ import annotations

import subprocess
import sys

from conformance.spec.clauses import CLONE

_MODULE = "fixtures.servers.reference"
STDIO = f"stdio:{sys.executable} -m {_MODULE} --stdio"
_GRACE = 3
"""Seconds that the server gets to end before it is killed."""


class ReferenceServer:
    """A reference server at a free port. `stop` ends it. Raises `RuntimeError` if it does not
    start.
    """

    def __init__(self) -> None:
        words = [sys.executable, "-m", _MODULE, "--port", "0"]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            words, cwd=CLONE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if " ready at " not in line:
            self.stop()
            raise RuntimeError(line.strip() or f"{_MODULE} ended with {self._process.returncode}")
        self.url = line.split()[-1]

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
