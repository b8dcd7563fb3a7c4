"""What a session ends with, in one sentence: the first thing that a gate and its reader ask."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.kit.model.results import SessionResult
from conformance.kit.report.exit import Exit
from conformance.kit.report.levels import all_items
from conformance.kit.report.words import say
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Ended:
    """The exit code of a session, and why where the findings do not show it."""

    code: Exit
    why: Message | None = None
    fail_on_should: bool = False

    @property
    def sign(self) -> str:
        """A character for it: colour alone would not reach everybody."""
        return _SIGNS.get(self.code, "?")

    @property
    def kind(self) -> str:
        """The class of it: `pass`, `fail`, or `not_verified` where nothing is decided."""
        return _KINDS.get(self.code, Verdict.NOT_VERIFIED).value


_SIGNS = {Exit.CONFORMANT: "✓", Exit.BROKEN: "✕"}
_KINDS = {Exit.CONFORMANT: Verdict.PASS, Exit.BROKEN: Verdict.FAIL}


def outcome(session: SessionResult, ended: Ended, language: str) -> str:
    """Give the sentence, as plain text; empty where other lines of the report say it all."""
    why = ended.why.words(language) if ended.why is not None else ""
    if ended.code is Exit.CONFORMANT:
        return say("report.outcome.conforms", language)
    if ended.code is not Exit.BROKEN:
        return why
    wanted = {Verdict.FAIL, Verdict.WARN} if ended.fail_on_should else {Verdict.FAIL}
    broken = {item.clause for item in all_items(session) if item.verdict in wanted}
    stale = sum(used.stale is not None for used in session.waivers)
    parts = [say("report.outcome.not", language)]
    parts += [say("report.outcome.broken", language, count=len(broken))] if broken else []
    parts += [say("report.outcome.stale", language, count=stale)] if stale else []
    return " ".join((*parts, why)).strip()
