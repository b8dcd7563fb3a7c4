"""What every part of the HTML report needs at hand: the session, the language, and safe text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import SessionResult
from conformance.kit.report.data import Redact, unchanged
from conformance.kit.report.outcome import Ended
from conformance.kit.report.safe_text import ONE_LINE, in_html, ticked
from conformance.kit.report.words import say, verdict_name
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Verdict

SYMBOLS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✕",
    Verdict.WARN: "!",
    Verdict.NOT_APPLICABLE: "–",
    Verdict.NOT_VERIFIED: "?",
    Verdict.WAIVED: "~",
    Verdict.FLAKY: "≈",
    Verdict.KIT_ERROR: "‼",
}
"""A verdict in one character: colour alone would not reach everybody."""


def no_exchange(id: int) -> Exchange | None:
    """Know no exchange: the look-up where none was recorded."""
    return None


@dataclass(frozen=True, slots=True)
class View:
    """One report: `exchange` gives the evidence by id, `redact` takes secrets out of any text."""

    session: SessionResult
    language: str = "en"
    exchange: Callable[[int], Exchange | None] = no_exchange
    redact: Redact = unchanged
    results: str = "results.json"
    options: tuple[str, ...] = ()
    """The words of a command line that starts the session again."""
    headers: tuple[tuple[str, str], ...] = ()
    """What the session sent with every HTTP request, without secrets."""
    ended: Ended | None = None
    """What the session ends with; None where that is not known."""

    def say(self, id: str, /, **values: object) -> str:
        """Give a sentence of the report, safe for HTML whatever its values are."""
        return ticked(in_html(say(id, self.language, **values), 2_000))

    def text(self, text: str, limit: int | None = ONE_LINE) -> str:
        """Give a target's text, on one line and safe for HTML."""
        return in_html(self.redact(text), limit)

    def lines(self, text: str, limit: int | None = 4_000) -> str:
        """Give a target's text with its line ends, safe for HTML."""
        return in_html(self.redact(text), limit, lines=True)

    def words(self, message: Message, limit: int = 600) -> str:
        """Give the words of a message, safe for HTML."""
        return ticked(self.text(message.words(self.language), limit))

    def name(self, tool: str, limit: int = 80) -> str:
        """Give a tool's name, kept from turning the text around it."""
        return f'<bdi class="tool">{self.text(tool, limit)}</bdi>'

    def verdict(self, verdict: Verdict) -> str:
        """Give a verdict's symbol and name as a label."""
        name = verdict_name(verdict, self.language)
        return (
            f'<span class="verdict v-{verdict.value}">'
            f'<span aria-hidden="true">{SYMBOLS[verdict]}</span> {name}</span>'
        )
