"""The command that plays one case again."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from conformance.spec.clauses import ROOT


def replay_line(options: Iterable[str], case: str, here: Path | None = None) -> str:
    """The line that plays one case again, in the folder `here` in which this session was started.

    It is pytest's own, also in a clone: what make takes is quoted a second time, and nobody reads
    a target in quotes within quotes. A command or a file that the options name is found from that
    folder alone.
    """
    here = here or Path.cwd()
    script = Path(sys.executable).with_name("pytest")
    start = [script] if script.exists() else [sys.executable, "-m", "pytest"]
    program, *rest = map(str, start)
    words = [os.path.relpath(program, here), *rest, os.path.relpath(ROOT / "conformance", here)]
    return shlex.join([*words, *options, "--replay", case])
