"""The exit code of a session, and the sentence that explains it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from conformance.kit.model.results import SessionResult
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.report.levels import all_items, failing, is_partial, shortages
from conformance.kit.report.words import say
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Level, Verdict


class Exit(IntEnum):
    """The exit codes of a session."""

    CONFORMANT = 0
    BROKEN = 1
    INTERRUPTED = 2
    KIT_FAULT = 3
    UNUSABLE = 4
    NOTHING_JUDGED = 5


def exit_of(
    session: SessionResult, settings: Settings, *, called_matters: bool, replayed: bool = True
) -> tuple[Exit, Message | None]:
    """Return the exit code, and the reason if the findings do not show it.

    `called_matters` is False if the selected clauses need no calls. `replayed` is False if the
    target does not have the case to replay.
    """
    items = list(all_items(session))
    if session.interrupted:
        return Exit.INTERRUPTED, _late(session, settings) if session.time_up else None
    if session.kit_errors:
        return Exit.KIT_FAULT, None
    if not replayed:
        return Exit.UNUSABLE, message("kit.option.replay", case=settings.replay or "")
    if not items:
        reason = message("kit.exit.no_clause").words(settings.language)
        return Exit.NOTHING_JUDGED, message("kit.exit.nothing_judged", reason=reason)
    should, superseded = settings.fail_on_should, settings.fail_on_superseded
    if any(True for _ in failing(session, should=should, superseded=superseded)):
        return Exit.BROKEN, None
    if any(used.stale is not None for used in session.waivers):
        return Exit.BROKEN, None
    lacking = _not_found(session, settings)
    if lacking is not None:
        return Exit.BROKEN, lacking
    silent = settings.allow_calls is AllowCalls.NONE or not called_matters
    if not silent and not any(run.tools_called for run in session.runs):
        reason = message("kit.exit.no_tool_called").words(settings.language)
        return Exit.NOTHING_JUDGED, message("kit.exit.nothing_judged", reason=reason)
    if not silent and not any(run.baseline_accepted for run in session.runs):
        reason = _why_no_good_call(session, settings.language)
        return Exit.NOTHING_JUDGED, message("kit.exit.nothing_judged", reason=reason)
    if settings.level is not None and session.selection:
        return Exit.BROKEN, message("kit.exit.level_of_selection", level=settings.level.value)
    if settings.level is not None and not _reaches(session, settings.level):
        return Exit.BROKEN, message("kit.exit.level_missed", level=settings.level.value)
    return Exit.CONFORMANT, None


def _late(session: SessionResult, settings: Settings) -> Message:
    """Return that the time was over, and what took it."""
    seconds = f"{settings.max_time:g}"
    if session.mute:
        return message("kit.exit.time_up_mute", seconds=seconds, tools=session.mute)
    why = "kit.exit.time_up_narrow" if session.narrow else "kit.exit.time_up"
    return message(why, seconds=seconds)


def _why_no_good_call(session: SessionResult, language: str) -> str:
    """Return why no baseline call was accepted, and what to configure first."""
    told = {found.message.id for item in all_items(session) for found in item.findings}
    if not told.isdisjoint(_ASKS_FOR_CREDENTIALS):
        return say("kit.exit.no_credentials", language)
    short = shortages(session)
    called = {tool for run in session.runs for tool in run.tools_called}
    if called <= {tool for one in short for tool in one.tools}:
        missing = ", ".join(say(f"missing.{one.missing}", language) for one in short)
        return say("kit.exit.shortage", language, missing=missing)
    return say("kit.exit.no_good_call", language)


_ASKS_FOR_CREDENTIALS = frozenset({
    "kit.not_verified.needs_bearer", "kit.not_verified.needs_credentials",
})  # fmt: skip
"""Ids of messages about baseline calls that were refused with 401."""


def _not_found(session: SessionResult, settings: Settings) -> Message | None:
    """Return a message that names requested versions of MCP or bindings that no run has.

    None for a session that replays one case, and for a recorded session.
    """
    if settings.replay is not None or settings.judge is not None:
        return None
    spoken = {run.run.version for run in session.runs}
    versions = [each for each in settings.spec_versions if each not in spoken]
    if versions:
        return message("kit.exit.no_version", versions=", ".join(versions))
    found = {"mcp" if run.run.version else "http" for run in session.runs}
    bindings = [each for each in settings.profiles if each in _BINDINGS - found]
    return message("kit.exit.no_binding", bindings=", ".join(bindings)) if bindings else None


_BINDINGS = frozenset({"http", "mcp"})
"""The profiles that name a binding."""


def _reaches(session: SessionResult, level: Level) -> bool:
    """Return whether every full run reaches this level; False if there is no full run.

    A record may be of a gateway, which has other levels than a server.
    """
    reached = [(run.run.role, run.level) for run in session.runs if run.level is not None]
    return bool(reached) and all(
        level in role.levels and role.place(own) >= role.place(level) for role, own in reached
    )


@dataclass(frozen=True, slots=True)
class Ended:
    """The exit code of a session, and the reason if the findings do not show it."""

    code: Exit
    why: Message | None = None
    fail_on_should: bool = False
    fail_on_superseded: bool = False

    @property
    def sign(self) -> str:
        """A character for the code, for readers who cannot see the color."""
        return _SIGNS.get(self.code, "?")

    def kind(self, session: SessionResult) -> str:
        """Return the style class: `pass`, `fail`, or `not_verified` if something is undecided."""
        if self.code is Exit.CONFORMANT and is_partial(session):
            return Verdict.NOT_VERIFIED.value
        return _KINDS.get(self.code, Verdict.NOT_VERIFIED).value


_SIGNS = {Exit.CONFORMANT: "✓", Exit.BROKEN: "✕"}
_KINDS = {Exit.CONFORMANT: Verdict.PASS, Exit.BROKEN: Verdict.FAIL}


def outcome(session: SessionResult, ended: Ended, language: str) -> str:
    """Return the sentence as plain text; empty if other lines of the report say everything."""
    why = ended.why.words(language) if ended.why is not None else ""
    if ended.code is Exit.CONFORMANT:
        old = {item.clause for item in failing(session, superseded=True)}
        items = (item for run in session.runs for item in run.items)
        kept = {item.clause for item in items if item.verdict is Verdict.WAIVED}
        parts = [say("report.outcome.waived", language, count=len(kept))] if kept else []
        parts += [say("report.outcome.superseded", language, count=len(old))] if old else []
        parts = parts or [say("report.outcome.nothing_failed", language)]
        if is_partial(session):
            return " ".join((*parts, say("report.outcome.partly", language)))
        return " ".join((say("report.outcome.conforms", language), *parts))
    if ended.code is not Exit.BROKEN:
        return why
    should, superseded = ended.fail_on_should, ended.fail_on_superseded
    broken = {item.clause for item in failing(session, should=should, superseded=superseded)}
    stale = sum(used.stale is not None for used in session.waivers)
    parts = [say("report.outcome.not", language)]
    parts += [say("report.outcome.broken", language, count=len(broken))] if broken else []
    parts += [say("report.outcome.stale", language, count=stale)] if stale else []
    return " ".join((*parts, why)).strip()
