"""Exit codes, each with the least that leads to it."""

from dataclasses import replace

import pytest

from conformance.kit.model.results import (
    Explain,
    Finding,
    Item,
    Repair,
    RunResult,
    SessionResult,
    Shortage,
)
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.report.exit import Exit, exit_of
from conformance.spec.messages import message
from conformance.spec.vocabulary import Level, Missing, Requirement, Verdict
from tests.kit.samples import HTTP, MCP


def run(*verdicts, level=Level.GUARDED, called=("book",), good=None, of=HTTP):
    items = tuple(
        Item("ATDF-CALL-001", Requirement.MUST, of.id, "book", verdict) for verdict in verdicts
    )
    good = called if good is None else good
    return RunResult(of, level, {}, Repair(), Explain(), items, called, (), good, False, 1)


def session(*runs, **more):
    return SessionResult("0.1.0", "2026-11-01T00:00:00Z", 1.0, 0, runs, **more)


def code(found, settings=None, *, called_matters=True):
    return exit_of(found, settings or Settings(), called_matters=called_matters)[0]


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict.PASS,
        Verdict.WARN,
        Verdict.NOT_APPLICABLE,
        Verdict.NOT_VERIFIED,
        Verdict.WAIVED,
        Verdict.FLAKY,
    ],
)
def test_0_where_no_must_is_broken(verdict):
    assert code(session(run(verdict))) is Exit.CONFORMANT


def test_1_where_a_must_is_broken():
    assert code(session(run(Verdict.PASS, Verdict.FAIL))) is Exit.BROKEN


def test_1_where_a_should_is_broken_and_that_was_asked_for():
    assert code(session(run(Verdict.WARN)), Settings(fail_on_should=True)) is Exit.BROKEN


def test_1_where_the_level_was_missed_and_it_says_so():
    found, why = exit_of(
        session(run(Verdict.PASS)), Settings(level=Level.EXPLAINED), called_matters=True
    )
    assert found is Exit.BROKEN
    assert "explained" in why.words()


def test_0_where_the_level_was_reached():
    assert code(session(run(Verdict.PASS)), Settings(level=Level.GUARDED)) is Exit.CONFORMANT


def test_1_where_a_recorded_session_is_of_a_target_without_such_a_level():
    assert code(session(run(Verdict.PASS)), Settings(level=Level.FAITHFUL)) is Exit.BROKEN


def test_the_weakest_full_run_decides_the_level():
    weak = run(Verdict.PASS, level=Level.DESCRIBED, of=MCP)
    found = session(run(Verdict.PASS), weak)
    assert code(found, Settings(level=Level.GUARDED)) is Exit.BROKEN


def test_a_protocol_run_has_no_level_to_miss():
    protocol = run(Verdict.PASS, level=None, of=MCP)
    found = session(run(Verdict.PASS), protocol)
    assert code(found, Settings(level=Level.GUARDED)) is Exit.CONFORMANT


def test_2_for_an_interrupt_whatever_was_found():
    assert code(session(run(Verdict.FAIL), interrupted=True)) is Exit.INTERRUPTED


def test_2_for_time_that_is_up_and_it_says_which_option_gives_more():
    found = session(run(Verdict.PASS), interrupted=True, time_up=True)
    ended, why = exit_of(found, Settings(max_time=3), called_matters=True)
    assert ended is Exit.INTERRUPTED
    assert "--max-time 3" in why.words()


def test_3_for_a_fault_of_the_kit_even_beside_a_broken_must():
    assert code(session(run(Verdict.FAIL), kit_errors=("x",))) is Exit.KIT_FAULT


def test_4_where_the_case_to_replay_is_none_of_the_targets():
    found = exit_of(session(run(Verdict.FAIL)), Settings(replay="http/a/b"),
                    called_matters=True, replayed=False)  # fmt: skip
    assert found[0] is Exit.UNUSABLE
    assert "http/a/b" in found[1].words()


def test_5_where_no_clause_was_selected():
    assert code(session(run())) is Exit.NOTHING_JUDGED


def test_5_where_no_tool_was_called():
    assert code(session(run(Verdict.PASS, called=()))) is Exit.NOTHING_JUDGED


def test_5_where_no_good_call_was_accepted():
    assert code(session(run(Verdict.PASS, good=()))) is Exit.NOTHING_JUDGED


def uncalled(*ids, short=()):
    """Why a session ended in which no baseline call was accepted, with findings of these ids."""
    findings = tuple(Finding(message(f"kit.not_verified.{id}", said="401")) for id in ids)
    item = Item("ATDF-CALL-004", Requirement.MUST, HTTP.id, "book", Verdict.NOT_VERIFIED, findings)
    made = replace(run(good=()), items=(item,), shortages=short)
    return exit_of(session(made), Settings(), called_matters=True)[1].words()


@pytest.mark.parametrize("id", ["needs_bearer", "needs_credentials"])
def test_who_gave_no_valid_credentials_is_asked_for_them_and_not_for_examples(id):
    assert "--bearer-env" in uncalled(id, "good_call")
    assert "--examples" not in uncalled(id, "good_call")


def test_what_every_tool_lacks_is_to_be_provided():
    short = (Shortage(Missing.DATABASE, "no server", ("book",)),)
    assert "(a database): provide it" in uncalled(short=short)
    assert "--examples" in uncalled("good_call", short=(replace(short[0], tools=("other",)),))


def test_a_broken_must_outweighs_that_no_tool_was_called():
    assert code(session(run(Verdict.FAIL, called=()))) is Exit.BROKEN


def test_0_without_calls_where_none_were_allowed():
    none = Settings(allow_calls=AllowCalls.NONE)
    assert code(session(run(Verdict.PASS, called=())), none) is Exit.CONFORMANT


def test_0_without_calls_where_only_clauses_were_selected_that_need_none():
    silent = session(run(Verdict.PASS, called=()))
    assert code(silent, called_matters=False) is Exit.CONFORMANT


def test_the_reason_is_in_the_language_asked_for():
    spanish = replace(Settings(), language="es")
    _, why = exit_of(session(run()), spanish, called_matters=True)
    assert "cláusula" in why.words("es")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"spec_versions": ("2025-03-26",)}, Exit.BROKEN),
        ({"spec_versions": (MCP.version,)}, Exit.CONFORMANT),
        ({"spec_versions": (MCP.version, "2024-11-05")}, Exit.BROKEN),
        ({"profiles": ("http", "mcp")}, Exit.BROKEN),
        ({"profiles": ("mcp", "atdf")}, Exit.CONFORMANT),
        ({"spec_versions": ("2024-11-05",), "replay": "x"}, Exit.CONFORMANT),
    ],
)
def test_1_where_what_was_asked_for_by_name_was_not_found(asked, expected):
    assert code(session(run(Verdict.PASS, of=MCP)), Settings(**asked)) is expected
