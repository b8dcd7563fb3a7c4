"""The end of a session: its exit code, the files of its report, and what the terminal shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.kit.config.system_words import in_one_line
from conformance.kit.model.fault import FaultLog
from conformance.kit.model.results import with_faults
from conformance.kit.plugin.session_steps import write_examples
from conformance.kit.plugin.state import PluginState
from conformance.kit.report.data import ResultsJson
from conformance.kit.report.exit import Ended, Exit, exit_of
from conformance.kit.report.terminal import Terminal
from conformance.kit.report.write import write_files
from conformance.spec.clauses import clauses
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Verified

_EARLY = {Exit.INTERRUPTED, Exit.UNUSABLE}
"""How a session may have ended without a report, whatever failed in it before."""


def finish(session: pytest.Session, state: PluginState, staged: Path | None) -> None:
    """Write the files into `staged`, and set the exit code. A session that is only listed has none.

    A fault of the kit in one part of the report costs that part alone.
    """
    faults = state.session.faults.noted
    if state.settings.plan_only:
        listed = Exit.INTERRUPTED if state.said_at_exit else Exit.CONFORMANT
        session.exitstatus = Exit.KIT_FAULT if state.plan_faults else listed
    elif state.result is None and state.said_at_exit and not session.testsfailed:
        session.exitstatus = Exit.NOTHING_JUDGED
    if state.result is None and (not faults or session.exitstatus in _EARLY):
        return
    if staged is None:
        session.exitstatus = Exit.KIT_FAULT
        state.say_at_exit(*state.session.faults.words(state.settings.language))
        return
    code, why = _ended(state)
    session.exitstatus = code
    state.say_at_exit(*((why.words(state.settings.language),) if why is not None else ()))
    failed = state.report.failed
    write_files(state.report.report(), staged, failed=failed)
    with failed.noting("kit.session_failed"):
        state.said_of_examples = _examples(session, state)
    with failed.noting("kit.session_failed"):
        told = Terminal(page=str(state.page.path) if state.page else "")
        state.summary = tuple(told.lines(state.report.report()))


def _ended(state: PluginState) -> tuple[Exit, Message | None]:
    """Complete the result with the faults of the kit until now, and return how the session ends."""
    own = state.session
    result = own.with_faults(own.nothing() if state.result is None else state.result)
    code, why = Exit.KIT_FAULT, None
    with own.faults.noting("kit.session_failed"):
        by_calls = {Verified.CALL, Verified.REPAIR}
        items = (item for run in result.runs for item in run.items)
        matters = any(clauses()[item.clause].verified in by_calls for item in items)
        code, why = exit_of(result, state.settings, called_matters=matters, replayed=own.replayed)
    state.result = state.report.session = own.with_faults(result)
    asked = state.settings.fail_on_should, state.settings.fail_on_superseded
    state.report.ended = Ended(code, why, *asked)
    state.report.held = own.recorder.by_id.held
    return code, why


def _examples(session: pytest.Session, state: PluginState) -> str:
    try:
        return write_examples(state)
    except OSError as error:  # it is not in the report, which is put in place all the same
        place = str(error.filename or state.settings.write_examples)
        said = message("report.examples.not_written", path=place, reason=in_one_line(error))
        session.exitstatus = Exit.KIT_FAULT
        state.say_at_exit(said.words(state.settings.language))
        return ""


def tell_in_results(state: PluginState) -> None:
    """Write the results again if a fault of the kit cost a part of the report, and say so in them.

    If it is the results that cannot be written, they say only that.
    """
    if state.result is None or state.staged is None or not state.report.failed.noted:
        return
    own, failed = state.session, state.report.failed
    for result in (state.result, own.with_faults(own.nothing())):
        told = with_faults(result, failed, state.settings.language)
        lost = FaultLog()
        report = replace(state.report, session=told).report()
        write_files(report, state.staged, (ResultsJson(),), lost)
        if not lost.noted:
            return
