"""Garbage is looked for seldom while a session gathers, and as before once that is over. What
fails while the record is written costs the record alone.
"""

import gc
from itertools import count

import pytest

from conformance.kit import session as steps
from conformance.kit.config.secrets import Redactor
from conformance.kit.model.settings import Settings
from conformance.kit.plugin.html_report import ReportState
from conformance.kit.plugin.recording import collecting_seldom, driven
from conformance.kit.plugin.state import PluginState
from conformance.kit.record.exchanges import ExchangeWriter, read_exchanges
from conformance.kit.report.write import EXCHANGES
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_driving import COUNT, sound
from tests.kit.peers import offering


def interrupted(before, frozen):
    with collecting_seldom():
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > frozen
        raise KeyboardInterrupt


def test_what_was_set_before_is_set_again_even_after_an_interrupt():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with pytest.raises(KeyboardInterrupt):
        interrupted(before, frozen)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() <= frozen


def fails_at(place, number):
    """The function, which raises when it is called for the time of this number."""
    calls = count(1)

    def called(*arguments, **more):
        if next(calls) == number:
            raise ZeroDivisionError("while recording")
        return place(*arguments, **more)

    return called


@pytest.mark.parametrize(
    ("holder", "name", "number", "readable"),
    [
        (steps, "first_line", 1, False),
        (ExchangeWriter, "write", 1, True),
        (ExchangeWriter, "write", 12, True),
        (ExchangeWriter, "close", 1, True),
        (steps, "last_line", 1, True),
    ],
)
def test_a_fault_while_recording_costs_no_verdict(
    monkeypatch, tmp_path, holder, name, number, readable
):
    monkeypatch.setattr(holder, name, fails_at(getattr(holder, name), number))
    with offering([COUNT], sound) as url:
        settings = Settings(targets=(url,), profiles=("http",), max_examples=0, report=tmp_path)
        state = PluginState(settings, Session(settings), Redactor(()), ReportState("en"))
        state.session.discover((url,))
        judged = driven(state, state.session.questions(list(load("conformance.atdf").tests)))
    assert not any(item.verdict is Verdict.KIT_ERROR for item in judged.values())
    assert sum(item.verdict is Verdict.PASS for item in judged.values()) > 5
    (said,) = state.report.failed.words("en")
    assert said.startswith(f"{EXCHANGES} could not be written")
    assert "while recording" in said
    assert (tmp_path / EXCHANGES).exists() == readable
    if readable:
        assert read_exchanges(tmp_path / EXCHANGES).kit
