"""What a session ends with: its exit code, and that in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from conformance.kit.model.results import SessionResult
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.report.levels import all_items
from conformance.kit.report.words import say
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Level, Verdict


class Exit(IntEnum):
    """What a session ends with."""

    CONFORMANT = 0
    BROKEN = 1
    INTERRUPTED = 2
    KIT_FAULT = 3
    UNUSABLE = 4
    NOTHING_JUDGED = 5


def exit_of(
    session: SessionResult, settings: Settings, *, called_matters: bool, replayed: bool = True
) -> tuple[Exit, Message | None]:
    """The code, and why where that is not seen from the findings.

    `called_matters` is False where only clauses were selected that rest on no call; `replayed`
    is False where the case that was to be replayed is none of the target's.
    """
    items = list(all_items(session))
    if session.interrupted:
        why = "kit.exit.time_up_narrow" if session.narrow else "kit.exit.time_up"
        late = message(why, seconds=f"{settings.max_time:g}")
        return Exit.INTERRUPTED, late if session.time_up else None
    if session.kit_errors:
        return Exit.KIT_FAULT, None
    if not replayed:
        return Exit.UNUSABLE, message("kit.option.replay", case=settings.replay or "")
    if not items:
        reason = message("kit.exit.no_clause").words(settings.language)
        return Exit.NOTHING_JUDGED, message("kit.exit.nothing_judged", reason=reason)
    failing = {Verdict.FAIL, Verdict.WARN} if settings.fail_on_should else {Verdict.FAIL}
    if any(item.verdict in failing for item in items):
        return Exit.BROKEN, None
    if any(used.stale is not None for used in session.waivers):
        return Exit.BROKEN, None
    silent = settings.allow_calls is AllowCalls.NONE or not called_matters
    if not silent and not any(run.tools_called for run in session.runs):
        reason = message("kit.exit.no_tool_called").words(settings.language)
        return Exit.NOTHING_JUDGED, message("kit.exit.nothing_judged", reason=reason)
    if not silent and not any(run.baseline_accepted for run in session.runs):
        reason = message("kit.exit.no_good_call").words(settings.language)
        return Exit.NOTHING_JUDGED, message("kit.exit.nothing_judged", reason=reason)
    if settings.level is not None and session.selection:
        return Exit.BROKEN, message("kit.exit.level_of_selection", level=settings.level.value)
    if settings.level is not None and not _reaches(session, settings.level):
        return Exit.BROKEN, message("kit.exit.level_missed", level=settings.level.value)
    return Exit.CONFORMANT, None


def _reaches(session: SessionResult, level: Level) -> bool:
    """Whether every full run has this level or a higher one; False if there is no full run."""
    reached = [(run.run.role, run.level) for run in session.runs if run.level is not None]
    return bool(reached) and all(role.place(own) >= role.place(level) for role, own in reached)


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
