"""Starts a server's command: below a program that ends all its processes, or in a sandbox.

Both need Linux. On other systems the command is started directly, and its process group is ended.
"""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from conformance.kit.transport.memory_limit import limit_before
from conformance.spec.messages import Message, message

_PROGRAM = (
    f"import sys; sys.path.append({str(Path(__file__).parents[3])!r}); "
    "from conformance.kit.transport.launcher import main; main(sys.argv[1:])"
)
"""The launcher, which runs without installed packages, so that a server starts quickly."""
_LONGEST = 30.0
"""Seconds that a try of the sandbox may take on a busy machine."""
_SOON = 2.0
"""Seconds that killed processes may take to end."""
_NOTHING = [sys.executable, "-I", "-S", "-c", ""]


def why_no_sandbox() -> Message | None:
    """Return why no sandbox can be made on this machine; None if it can."""
    if sys.platform != "linux":
        return message("kit.sandbox.not_linux")
    found = way()
    return found if isinstance(found, Message) else None


def launched(command: list[str], environment: Mapping[str, str], *, sandbox: bool) -> list[str]:
    """Return the words that start a command.

    Raises `OSError` if the command does not exist, or no sandbox can be made.
    """
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
    """Kill a process that was started this way, and all processes that it started.

    On Linux, wait until they have ended. Otherwise asyncio would kill the program that ends them.
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


def pipes_of(process: asyncio.subprocess.Process) -> asyncio.SubprocessTransport:
    """Return what has the pipes to a process. Its `close` also closes those that were not read."""
    transport: asyncio.SubprocessTransport = process._transport  # type: ignore[attr-defined]
    return transport  # asyncio has no public access to it


def let_go(process: asyncio.subprocess.Process) -> None:
    """Close the pipes to a process. Its end counts then, also if another process has its output."""
    for stream in (0, 1, 2):
        if (pipe := pipes_of(process).get_pipe_transport(stream)) is not None:
            pipe.close()


@cache
def way() -> str | Message:
    """Return a bubblewrap that works, "" for the kit's own program, or why there is no sandbox."""
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
    parent = f"{os.getpid()}:{limit_before()}"
    program = [sys.executable, "-I", "-S", "-c", _PROGRAM, parent]
    return [*program, *how, "--", *command]


def _absolute(word: str) -> str:
    """Return a path that starts with `..` as an absolute path; other words stay as they are."""
    leads_up = word == ".." or word.startswith("../")
    return str(Path(word).absolute()) if leads_up and Path(word).exists() else word
