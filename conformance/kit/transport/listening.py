"""Whether a started process listens at an address, and so may not read its input."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Set
from contextlib import suppress
from ipaddress import ip_address
from itertools import islice
from pathlib import Path
from sys import byteorder
from typing import Any, Final

_LISTENS: Final = re.compile(
    r"^(?!.*\bconnect)[^\n]{0,200}?\b(?:running|listening|listens|serving|started|available)\b[^\n]{0,60}?"
    r"(https?://(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])[^\s\"'<>()]*)",
    re.IGNORECASE | re.MULTILINE,
)
_SHARE: Final = 12
"""A process that says that it listens is waited for this many times shorter."""
_SOCKET: Final = re.compile(r"socket:\[(\d+)\]")
_LISTEN: Final = "0A"
"""How the kernel writes the state of a socket that listens."""
_MOST: Final = 5_000
"""The most files of a process, and the most sockets of the machine, that are looked at."""
_MOST_PROCESSES: Final = 100


def listens_at(text: str) -> str:
    """Return the address on this machine at which a text says that a server listens, or ""."""
    found = _LISTENS.search(text)
    return found.group(1).rstrip(".,;") if found is not None else ""


def port_of(pid: int) -> str:
    """Return the address of a port at which a process or one that it started listens, or "".

    Only Linux tells. What cannot be read is left out.
    """
    for process in _family(pid):
        with suppress(OSError, ValueError):
            links = islice(Path(f"/proc/{process}/fd").iterdir(), _MOST)
            held = {found.group(1) for each in links if (found := _SOCKET.match(_target(each)))}
            for name in ("tcp", "tcp6") if held else ():
                with Path(f"/proc/{process}/net/{name}").open() as lines:
                    for fields in map(str.split, islice(lines, 1, _MOST)):
                        if fields[3] == _LISTEN and fields[9] in held:
                            host, port = fields[1].split(":")
                            return f"http://{_host(host)}:{int(port, 16)}"
    return ""


def _family(pid: int) -> list[int]:
    """Return a process and those that it started, up to a limit."""
    found = [pid]
    for process in found:
        with suppress(OSError, ValueError):
            for each in Path(f"/proc/{process}/task").iterdir():
                found += map(int, (each / "children").read_text().split())
        if len(found) > _MOST_PROCESSES:
            break
    return found


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def _host(digits: str) -> str:
    """Return the address that the kernel writes as words in the order of the machine."""
    words = bytes.fromhex(digits)
    made = ip_address(
        b"".join(
            words[at : at + 4][:: -1 if byteorder == "little" else 1]
            for at in range(0, len(words), 4)
        )
    )
    if made.is_unspecified:
        return "127.0.0.1"
    return f"[{made}]" if made.version == 6 else str(made)


class Listening:
    """Knows whether a process has said that it listens, or is seen to."""

    def __init__(self) -> None:
        self._said = asyncio.Event()
        self._at = ""
        self.pid = 0
        self.spoke = False
        """Whether the process has written a message."""

    @property
    def instead(self) -> str:
        """The address at which it listens; empty if none is known, or if it has spoken."""
        return "" if self.spoke else self._at

    def notice(self, text: str) -> None:
        """Take what the process has written."""
        self._found(listens_at(text))

    def _found(self, at: str) -> None:
        if at:
            self._at = self._at or at
            self._said.set()

    async def first(self, heard: Set[asyncio.Future[Any]], limit: float, least: float) -> None:
        """Wait for the first answer for `limit`, or for a part of it once the process says so."""
        began = time.perf_counter()
        said = asyncio.ensure_future(self._said.wait())
        try:
            await asyncio.wait({*heard, said}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            said.cancel()
        left = max(limit - (time.perf_counter() - began), 0.0)
        part = min(left, max(least, limit / _SHARE))
        done, _ = await asyncio.wait(heard, timeout=part, return_when=asyncio.FIRST_COMPLETED)
        if not done:  # before that, it may be a slow server that also opens a port
            self._found(port_of(self.pid))
