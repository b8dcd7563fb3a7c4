"""Ends a session after a fault of the kit that nothing else caught: one sentence, and a report."""

from __future__ import annotations

from traceback import extract_tb
from typing import Any

import pytest

from conformance.kit.model.fault import ended_by, told_fault
from conformance.kit.plugin.items import ClauseFailed, KitFault, StaleWaiver
from conformance.kit.plugin.state import STATE
from conformance.kit.report.exit import Exit
from conformance.kit.report.safe_text import visible
from conformance.spec.clauses import PACKAGE
from conformance.spec.messages import message

_SAID = (ClauseFailed, KitFault, StaleWaiver)
"""What an item raises to report a verdict."""


def is_ours(error: BaseException) -> bool:
    """Return whether the kit raised an exception, and not pytest or a plugin that it called."""
    ours = False
    for frame in extract_tb(error.__traceback__):
        if "pluggy" in frame.filename:
            ours = False  # another hook begins
        elif frame.filename.startswith(str(PACKAGE)):
            ours = True
    return ours


class Guard:
    """A plugin for the exceptions of the kit that would end pytest with an INTERNALERROR."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Let the session end, with a report if it has begun."""
        state, error = self._config.stash.get(STATE, None), excinfo.value
        if not isinstance(error, Exception) or not is_ours(error):
            return
        if state is None or not state.started:
            pytest.exit(self.words(error), Exit.KIT_FAULT)
        fault = state.session.faults.note("kit.session_failed", error)
        told = told_fault(message("kit.session_failed"), fault).words(state.settings.language)
        # pytest shows no summary for its own code of an internal error.
        pytest.exit(visible(state.redact(told)), pytest.ExitCode.TESTS_FAILED)

    def pytest_exception_interact(self, node: Any, call: pytest.CallInfo[Any]) -> None:
        """Note what an item or a chapter of the kit raises that is not a verdict."""
        state, raised = self._config.stash.get(STATE, None), call.excinfo
        error = None if raised is None else raised.value
        if state is None or not isinstance(error, Exception) or isinstance(error, _SAID):
            return
        if node.path.is_relative_to(PACKAGE):
            state.session.faults.note("kit.session_failed", error)

    def words(self, error: Exception) -> str:
        """Return the sentence about a fault that left no report."""
        state = self._config.stash.get(STATE, None)
        if state is None:
            return ended_by(error, "en", None)
        said = ended_by(error, state.settings.language, state.redact)
        return said if said.isprintable() else ended_by(error, state.settings.language, None)
