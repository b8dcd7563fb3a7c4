"""The command that plays one case again."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from conformance.spec.clauses import CLONE, PACKAGE

COMMAND = "agent-formats"


def replay_line(options: Iterable[str], case: str, here: Path | None = None) -> str:
    """The line that plays one case again, in the directory `here` where the session was started.

    In a clone it calls pytest and not make: in a line for make, a target would need quotes within
    quotes. A command or a file that the options name is found from that directory alone.
    """
    here = here or Path.cwd()
    words = _installed(here) if CLONE is None else _in_a_clone(here)
    return shlex.join([*words, *options, "--replay", case])


def _installed(here: Path) -> list[str]:
    script = Path(sys.executable).with_name(COMMAND)
    on_path = shutil.which(COMMAND)
    if on_path is not None and script.exists() and script.samefile(on_path):
        return [COMMAND, "check"]
    return [os.path.relpath(script, here) if script.exists() else COMMAND, "check"]


def _in_a_clone(here: Path) -> list[str]:
    script = Path(sys.executable).with_name("pytest")
    start = [script] if script.exists() else [sys.executable, "-m", "pytest"]
    program, *rest = map(str, start)
    return [os.path.relpath(program, here), *rest, os.path.relpath(PACKAGE, here)]
