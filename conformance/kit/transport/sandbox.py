"""The sandbox for servers that the kit starts: what goes before their command, on Linux."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from conformance.spec.messages import Message, message

_PROGRAM = Path(__file__).with_name("sandboxed.py")
_LONGEST = 30.0
"""Seconds that the first start of all may take on a busy machine."""
_NOTHING = (sys.executable, "-I", "-S", "-c", "")


def why_no_sandbox() -> Message | None:
    """Why no sandbox can be made on this machine; None if it can."""
    if sys.platform != "linux":
        return message("kit.sandbox.not_linux")
    found = way()
    return found if isinstance(found, Message) else None


def sandboxed(command: list[str]) -> list[str]:
    """The words that start a command in the sandbox; raises OSError if none can be made.

    Also if there is no such command: it is looked for outside, where all files are the same.
    """
    found = way()
    if isinstance(found, Message):
        raise OSError(found.words("en"))
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(2, os.strerror(2), command[0])
    return _words(found, [_absolute(word) for word in command])


@cache
def way() -> str | Message:
    """The bubblewrap that works, or nothing where the kit's own program does; else why not."""
    reason = ""
    for bubblewrap in dict.fromkeys((shutil.which("bwrap") or "", "")):
        words = _words(bubblewrap, list(_NOTHING))
        tried = subprocess.run(  # noqa: S603 - our own program
            words, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
        if tried.returncode == 0:
            return bubblewrap
        reason = " ".join(tried.stderr.split()).rstrip(".") or str(tried.returncode)
    return message("kit.sandbox.refused", reason=reason[:200])


def _words(bubblewrap: str, command: list[str]) -> list[str]:
    program = [sys.executable, "-I", "-S", str(_PROGRAM), str(os.getpid()), bubblewrap]
    return [*program, "--", *command]


def _absolute(word: str) -> str:
    """A path that leads up from the working directory, from anywhere."""
    leads_up = word == ".." or word.startswith("../")
    return str(Path(word).absolute()) if leads_up and Path(word).exists() else word
