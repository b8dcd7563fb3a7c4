"""What a reporter gets, and the interface that writes one file of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, Protocol
from urllib.parse import urlunsplit

from conformance.formats.schema.uri import urlsplit
from conformance.kit.model.exchange import Exchange, HttpRequest, Request
from conformance.kit.model.results import SessionResult
from conformance.kit.model.written import Redact, unchanged
from conformance.kit.report.exit import Ended
from conformance.kit.report.safe_text import ONE_LINE, visible
from conformance.kit.report.words import say

NAMED_AGAIN: Final = "TARGET"
"""Placeholder for the target in commands and requests, if only a record names the target."""


def no_exchange(id: int) -> Exchange | None:
    """Return None: the lookup for a session without recorded exchanges."""
    return None


@dataclass(frozen=True, slots=True)
class Report:
    """A session's result, and everything that a reporter may show with it."""

    session: SessionResult
    language: str = "en"
    redact: Redact = unchanged
    """Removes secrets from a text."""
    options: tuple[str, ...] = ()
    """The command-line arguments that start the session again, without secrets."""
    headers: tuple[tuple[str, str], ...] = ()
    """What the session sent with every HTTP request, without secrets."""
    sandbox: bool = False
    """Whether the servers that the session started were in a sandbox."""
    ended: Ended | None = None
    """How the session ended; None if that is not known."""
    fail_on_should: bool = False
    """Whether a broken SHOULD fails the session."""
    fail_on_superseded: bool = False
    """Whether a failure in superseded versions alone fails the session."""
    exchange: Callable[[int], Exchange | None] = no_exchange
    """Returns the exchange with an id."""
    recorded: bool = False
    """Whether the session was read from a file, perhaps from another person.

    The report then starts no command and sends nothing to a host from that file. The reader has to
    name the target again.
    """
    held: Iterable[Exchange] = ()
    """All exchanges, in the order in which they were sent."""
    variables: tuple[str, ...] = ()
    """The values of the variables that the target was given, without secrets."""
    passed: tuple[str, ...] = ()
    """The names of these variables."""

    def say(self, id: str, /, **values: object) -> str:
        """Return a sentence of the report in its language."""
        return say(id, self.language, **values)

    def command(self, command: str) -> str:
        """Return the command of a server that a reader may start; empty if it is from a record."""
        return "" if self.recorded else self.redact(command)

    def sendable(self, request: Request) -> Request:
        """Return a request that a reader may send.

        If it comes from a record, a placeholder replaces its host.
        """
        if not self.recorded or not isinstance(request, HttpRequest):
            return request
        try:
            there = urlsplit(request.url)
        except ValueError:
            return replace(request, url=f"http://{NAMED_AGAIN}/")
        path = "/" + there.path.lstrip("/")
        return replace(request, url=urlunsplit(("http", NAMED_AGAIN, path, there.query, "")))

    def text(self, text: str, limit: int | None = ONE_LINE, *, lines: bool = False) -> str:
        """Return a target's text without secrets, visible, and on one line unless `lines`."""
        return visible(self.redact(text), limit, lines=lines, left_off=self._left_off)

    def _left_off(self, count: int) -> str:
        return self.say("report.left-off", count=count)


class Reporter(Protocol):
    """Writes a session's result in one form."""

    @property
    def name(self) -> str:
        """The name of the file, or of the stream."""

    def parts(self, report: Report) -> Iterable[str]:
        """Yield the text in parts; nothing if no file is needed."""
