"""Matches patterns that may never end, in a process that can be killed."""

from __future__ import annotations

import atexit
import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from typing import IO, Final

LIMIT: Final = 0.5
"""The most seconds for one match. Real patterns need microseconds."""
STARTING: Final = 10.0
"""The most seconds for the process to start, on a busy machine."""
_MOST_KNOWN: Final = 4096
"""The most answers that are kept."""
_PATIENCE: Final = 30.0
"""The most seconds for all slow matches together: a document can have thousands of patterns."""
_SLOW: Final = 0.05
"""From how many seconds on a match counts as slow."""
_WORKER: Final = Path(__file__).with_name("worker.py")


class LimitedMatcher:
    """Guards one worker process, which starts when needed, also after it was killed.

    Safe to use from several threads. A pattern that once ran out of time is not tried again. After
    `patience` seconds of slow matches, no text is matched any more.
    """

    def __init__(self, limit: float = LIMIT, patience: float = _PATIENCE) -> None:
        self._limit = limit
        self._patience = patience
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        self._endless: set[str] = set()
        self._known: OrderedDict[tuple[str, bytes], bool] = OrderedDict()

    def search(self, source: str, text: str) -> bool | None:
        """Return whether a Python pattern is found in a text; None if that takes too much time or
        memory.
        """
        with self._lock:
            if source in self._endless:
                return None
            # A server may answer with new megabytes each time, so only their hash is kept.
            key = (source, sha256(text.encode("utf-8", "surrogatepass")).digest())
            if key not in self._known:
                if self._patience <= 0:
                    return None
                begun = time.monotonic()
                answer = self._ask(source, text)
                taken = time.monotonic() - begun
                self._patience -= taken if taken >= _SLOW else 0.0
                if answer is None:
                    self._endless.add(source)
                    return None
                self._known[key] = answer
                if len(self._known) > _MOST_KNOWN:
                    self._known.popitem(last=False)
            return self._known[key]

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):  # a pipe to a killed process may be broken
                        stream.close()

    def _ask(self, source: str, text: str) -> bool | None:
        answer = None
        with contextlib.suppress(queue.Empty, OSError):
            try:
                if self._process is None:
                    self._start()
                self._send(source, text)
                answer = self._answers.get(timeout=self._limit) or None
            finally:
                if answer is None:  # whatever ended this, the next question needs its own answer
                    self.close()
        return None if answer is None else answer == "1"

    def _send(self, source: str, text: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([source, text]) + "\n")
        self._process.stdin.flush()

    def _start(self) -> None:
        self._answers = queue.Queue()
        self._process = subprocess.Popen(  # noqa: S603 - our own worker, no shell
            [sys.executable, "-I", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl+C in a terminal is meant for the kit alone
        )
        atexit.register(self.close)
        assert self._process.stdout is not None
        reader = threading.Thread(
            target=_forward, args=(self._process.stdout, self._answers), daemon=True
        )
        reader.start()
        self._send("", "")
        self._answers.get(timeout=STARTING)


def _forward(stream: IO[str], answers: queue.Queue[str]) -> None:
    """Pass on each line until the stream ends, and then an empty one."""
    with contextlib.suppress(ValueError, OSError):  # closed from the other side
        for line in stream:
            answers.put(line.strip())
    answers.put("")
