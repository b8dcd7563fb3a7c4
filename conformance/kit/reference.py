"""Starts the project's own reference server, for a session without a target."""

from __future__ import annotations

import sys
from contextlib import ExitStack

from fixtures.servers.start import listening

STDIO = f"stdio:{sys.executable} -m fixtures.servers.reference --stdio"


class ReferenceServer:
    """A reference server at a free port; end it with `stop`. Raises RuntimeError if it fails."""

    def __init__(self) -> None:
        self._running = ExitStack()
        self.url = self._running.enter_context(listening())

    def stop(self) -> None:
        """End the process, by its own id."""
        self._running.close()
