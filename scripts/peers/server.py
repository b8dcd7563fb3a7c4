"""The servers of the comparison: each runs in a separate process and counts its requests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from fixtures.servers.start import NotStarted, command

PEER: Final = "fixtures.servers.peer"
WARDROBE: Final = "fixtures.servers.rest"
_GRACE: Final = 5


@dataclass(slots=True)
class Served:
    """A running server; `answered` is set after its end, if it printed the number."""

    url: str
    answered: int | None = None


@contextmanager
def serving(module: str, *options: str) -> Iterator[Served]:
    """Run a server at a free port, and stop it at the end.

    Raises `NotStarted` if it ends before it is ready.
    """
    words = command(module, "--port", "0", *options)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    served = Served(line.split()[-1] if line.split() else "")
    try:
        if " ready at " not in line:
            raise NotStarted(f"{module} did not start: {line.strip() or 'it said nothing'}")
        yield served
    finally:
        process.terminate()
        try:
            said, _ = process.communicate(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
        for words in map(str.split, said.splitlines()):
            if len(words) == 2 and words[0] == "answered":
                served.answered = int(words[1])
