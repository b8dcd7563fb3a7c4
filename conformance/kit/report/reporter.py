"""What is reported, and what makes a file of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, Protocol
from urllib.parse import urlsplit, urlunsplit

from conformance.kit.model.exchange import Exchange, HttpRequest, Request
from conformance.kit.model.results import SessionResult
from conformance.kit.model.written import Redact, unchanged
from conformance.kit.report.exit import Ended
from conformance.kit.report.safe_text import ONE_LINE, visible
from conformance.kit.report.words import say

NAMED_AGAIN: Final = "TARGET"
"""Stands for the target in what a reader may run, where only a record names it."""


def no_exchange(id: int) -> Exchange | None:
    """Know no exchange: the look-up where none was recorded."""
    return None


@dataclass(frozen=True, slots=True)
class Report:
    """A session's result, and all that a reporter may tell of it."""

    session: SessionResult
    language: str = "en"
    redact: Redact = unchanged
    """Takes secrets out of any text."""
    options: tuple[str, ...] = ()
    """The words of a command line that starts the session again, without secrets."""
    headers: tuple[tuple[str, str], ...] = ()
    """What the session sent with every HTTP request, without secrets."""
    sandbox: bool = False
    """Whether the servers that the session started were in a sandbox."""
    ended: Ended | None = None
    """What the session ends with; None where that is not known."""
    fail_on_should: bool = False
    """Whether what breaks a SHOULD fails the session."""
    fail_on_superseded: bool = False
    """Whether what fails in superseded versions alone fails the session."""
    exchange: Callable[[int], Exchange | None] = no_exchange
    """Gives the evidence by id."""
    recorded: bool = False
    """Whether the session comes from a file, which may be somebody else's: what it names is not
    started, and nothing is sent there, unless the reader names it again.
    """
    held: Iterable[Exchange] = ()
    """All exchanges, in the order in which they were sent."""
    variables: tuple[str, ...] = ()
    """The values of the variables that the target was given, without secrets."""
    passed: tuple[str, ...] = ()
    """The names of these variables."""

    def say(self, id: str, /, **values: object) -> str:
        """Give a sentence of the report in its language."""
        return say(id, self.language, **values)

    def command(self, command: str) -> str:
        """Give the command of a server that a reader may start; empty for one of a record."""
        return "" if self.recorded else self.redact(command)

    def sendable(self, request: Request) -> Request:
        """Give a request that a reader may send; one of a record goes to no host by itself."""
        if not self.recorded or not isinstance(request, HttpRequest):
            return request
        try:
            there = urlsplit(request.url)
        except ValueError:
            return replace(request, url=f"http://{NAMED_AGAIN}/")
        path = "/" + there.path.lstrip("/")
        return replace(request, url=urlunsplit(("http", NAMED_AGAIN, path, there.query, "")))

    def text(self, text: str, limit: int | None = ONE_LINE, *, lines: bool = False) -> str:
        """Give a target's text without secrets, visible, and on one line unless `lines`."""
        return visible(self.redact(text), limit, lines=lines, left_off=self._left_off)

    def _left_off(self, count: int) -> str:
        return self.say("report.left-off", count=count)


class Reporter(Protocol):
    """Tells a session's result in one form."""

    @property
    def name(self) -> str:
        """The name of the file; of what goes to a stream, the name of the stream."""

    def parts(self, report: Report) -> Iterable[str]:
        """Give the text, in parts; none where there is nothing to tell, and so no file."""
