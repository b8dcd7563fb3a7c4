"""How a server's command is started: below a program that ends all its processes, or in a sandbox.

Both are for Linux. Elsewhere a command is started as it is, and its group of processes is ended.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from conformance.spec.messages import Message, message

_PROGRAM = (
    f"import sys; sys.path.append({str(Path(__file__).parents[3])!r}); "
    "from conformance.kit.transport.launcher import main; main(sys.argv[1:])"
)
"""Run without the packages that are installed, so that a server's start waits for little."""
_LONGEST = 30.0
"""Seconds that the first start of all may take on a busy machine."""
_SOON = 2.0
"""Seconds that ending processes by force may take."""
_NOTHING = [sys.executable, "-I", "-S", "-c", ""]


def why_no_sandbox() -> Message | None:
    """Why no sandbox can be made on this machine; None if it can."""
    if sys.platform != "linux":
        return message("kit.sandbox.not_linux")
    found = way()
    return found if isinstance(found, Message) else None


def launched(command: list[str], environment: Mapping[str, str], *, sandbox: bool) -> list[str]:
    """The words that start a command. Raises OSError if there is none, or no sandbox."""
    if sys.platform != "linux":
        return command
    if shutil.which(command[0], path=environment.get("PATH")) is None:
        raise FileNotFoundError(2, os.strerror(2), command[0])
    if not sandbox:
        return _words([], command)
    found = way()
    if isinstance(found, Message):
        raise OSError(found.words("en"))
    return _words(["sandbox", found], [_absolute(word) for word in command])


def end_all(pid: int) -> None:
    """End by force a process that was started so, and all that it started.

    On Linux it returns when they have ended: asyncio would end the program first that ends them.
    """
    if sys.platform != "linux":
        os.killpg(pid, signal.SIGKILL)
        return
    process = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(process, signal.SIGUSR1)
        signal.pidfd_send_signal(process, signal.SIGCONT)  # the command may have stopped it
        select.select([process], [], [], _SOON)
    finally:
        os.close(process)


@cache
def way() -> str | Message:
    """The bubblewrap that works, or nothing where the kit's own program does; else why not."""
    reason = ""
    for bubblewrap in dict.fromkeys((shutil.which("bwrap") or "", "")):
        words = _words(["sandbox", bubblewrap], _NOTHING)
        tried = subprocess.run(  # noqa: S603 - our own program
            words, capture_output=True, text=True, timeout=_LONGEST, check=False
        )
        if tried.returncode == 0:
            return bubblewrap
        reason = " ".join(tried.stderr.split()).rstrip(".") or str(tried.returncode)
    return message("kit.sandbox.refused", reason=reason[:200])


def _words(how: list[str], command: list[str]) -> list[str]:
    program = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(os.getpid())]
    return [*program, *how, "--", *command]


def _absolute(word: str) -> str:
    """A path that leads up from the working directory, from anywhere."""
    leads_up = word == ".." or word.startswith("../")
    return str(Path(word).absolute()) if leads_up and Path(word).exists() else word
