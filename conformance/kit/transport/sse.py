"""Server-sent events, as far as MCP uses them: the data of each event, decoded as JSON."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any


def event_data(body: bytes) -> list[bytes]:
    """The raw data of each event of a whole stream, in order; events without data are left out."""
    kept: list[bytes] = []
    EventReader(kept).feed(body + b"\n\n")
    return kept


class EventReader:
    """Takes bytes as they come and gives back the messages that became complete.

    Events without data (priming events, comments) are passed over, and so is data that is not JSON.
    `kept`, where given, takes the raw data.
    """

    def __init__(self, kept: list[bytes] | None = None) -> None:
        self._kept = kept
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[Any]:
        """The messages that `chunk` completed, in order."""
        messages: list[Any] = []
        self._rest += chunk
        *lines, self._rest = self._rest.replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif line == b"" and self._data:
                self._complete(messages)
        return messages

    def _complete(self, messages: list[Any]) -> None:
        data = b"\n".join(self._data)
        self._data = []
        if not data.strip():
            return
        if self._kept is not None:
            self._kept.append(data)
        with suppress(UnicodeDecodeError, ValueError, RecursionError):
            messages.append(json.loads(data.decode("utf-8")))
