"""A plan ends with `--max-time` and by an interrupt, however long the schemas keep it busy."""

import pytest

from conformance.kit.config.secrets import Redactor
from conformance.kit.model.settings import Settings
from conformance.kit.plugin import session_steps
from conformance.kit.plugin.html_report import ReportState
from conformance.kit.plugin.state import PluginState
from conformance.kit.session import Session


def without_end(*_):
    yield "http  count: 2 cases"
    yield "  accept  http/count/baseline"
    while True:
        pass


@pytest.mark.parametrize(
    ("seconds", "interrupted", "told"),
    [(0.1, False, "Time ran out (--max-time 0.1)."), (600.0, True, "The session was interrupted")],
)
def test_a_plan_without_end_is_cut_and_keeps_what_was_planned(
    monkeypatch, capsys, seconds, interrupted, told
):
    monkeypatch.setattr(session_steps, "planned", without_end)
    monkeypatch.setattr(session_steps, "is_interrupted", lambda: interrupted)
    settings = Settings(plan_only=True, max_time=seconds)
    state = PluginState(settings, Session(settings), Redactor(()), ReportState("en"))
    session_steps.print_plan(state)
    assert state.said_at_exit.startswith(told)
    assert "http/count/baseline" in capsys.readouterr().out
