"""A sample of the proof: faults of each kind and binding, each caught by exactly its clauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.kit.model.results import Finding, Item
from conformance.spec.messages import message
from conformance.spec.vocabulary import Requirement, Verdict
from fixtures.servers.faults import FAULTS
from scripts.prove import (
    Outcome,
    Trial,
    attempt,
    how_ended,
    idle_collaterals,
    main,
    tally,
    trials_of,
)

pytestmark = pytest.mark.usefixtures("forked")

SAMPLE = (
    Trial("page-without-tools", "http", ""),
    Trial("descriptor-input-without-type", "http", ""),
    Trial("case-of-an-enum-ignored", "http", ""),
    Trial("only-the-last-name", "http", ""),
    Trial("no-allow-with-405", "http", ""),
    Trial("dies-at-bad-json", "http", ""),
    Trial("collection-that-is-a-page", "http", ""),
    Trial("composition-in-a-circle", "http", ""),
    Trial("resource-read-as-a-sentence", "mcp", "modern"),
    Trial("cut-at-exactly-the-limit", "http", ""),
    Trial("hint-with-an-invalid-example", "http", ""),
    Trial("server-data-beside-its-place", "mcp", "modern"),
    Trial("headers-not-needed", "mcp", "modern"),
    Trial("envelope-not-in-meta", "mcp", "legacy"),
    Trial("session-id-missing-not-found", "mcp", "legacy"),
    Trial("batch-refused", "mcp", "legacy"),
    Trial("second-reading-refused", "mcp", "legacy"),
    Trial("encoding-refused-in-text", "http", ""),
    Trial("malformed-message-refused-in-text", "mcp", "modern"),
    Trial("malformed-message-with-another-code", "stdio", "modern"),
    Trial("malformed-message-is-a-server-error", "mcp", "legacy"),
    Trial("fraction-as-id-never-answered", "mcp", "modern"),
    Trial("fraction-as-id-rounded", "mcp", "legacy"),
    Trial("header-name-by-the-letter", "mcp", "modern"),
    Trial("initialize-refused-without-versions", "mcp", "modern"),
    Trial("get-answered-without-sessions", "mcp", "modern"),
    Trial("unknown-method-with-another-code-on-stdio", "stdio", "modern"),
    Trial("asks-for-roots-on-stdio", "stdio", "legacy"),
    Trial("http-and-mcp-disagree", "http", ""),
    Trial("dies-at-a-long-text", "http", ""),
    Trial("fails-at-the-last-year", "http", ""),
    Trial("fails-at-a-whole-float", "http", ""),
    Trial("whole-float-refused", "http", ""),
    Trial("older-result-without-content", "mcp", "legacy"),
    Trial("oldest-handshake-without-name", "stdio", "legacy"),
)


def marked(trial):
    """A trial; those over stdio start a server for each of many scripts."""
    marks = [pytest.mark.slow] * (trial.binding == "stdio")
    return pytest.param(trial, id=f"{trial.fault}-{trial.binding}", marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("trial", [*map(marked, SAMPLE)])
def test_a_fault_is_caught_by_exactly_its_clauses(trial):
    assert attempt(trial).verdict() == ""


def test_the_sample_has_every_binding_and_era():
    where = {(trial.binding, trial.era) for trial in SAMPLE}
    every = {
        (trial.binding, trial.era)
        for fault in FAULTS.values()
        for trial in trials_of(fault, full=True)
    }
    assert where == every


def test_a_clause_that_missed_its_fault_is_named():
    missed = Outcome(Trial("no-allow-with-405", "http", ""), (), (), 0.0)
    assert missed.verdict() == "not caught by HTTP-ERR-006 (not asked)"


def test_it_is_said_what_a_clause_ended_as_that_missed_its_fault(monkeypatch):
    name = "no-allow-with-405"
    elsewhere = replace(FAULTS[name], clauses=("HTTP-ERR-004", "ATDF-CALL-001", "MCP-RPC-001"))
    monkeypatch.setattr("scripts.prove.FAULTS", {**FAULTS, name: elsewhere})
    held, called, absent, *_ = attempt(Trial(name, "http", "")).verdict().split("; ")
    assert held == "not caught by HTTP-ERR-004 (pass 1)"
    assert called == "not caught by ATDF-CALL-001 (pass 2)"
    assert absent.startswith("not caught by MCP-RPC-001 (not applicable 1: ")


def test_a_flaky_clause_is_told_from_one_that_held():
    reason = Finding(message("kit.exit.no_clause"))
    must = Requirement.MUST
    items = [
        Item("ATDF-CALL-001", must, "http", "a", Verdict.PASS),
        Item("ATDF-CALL-001", must, "http", "b", Verdict.FLAKY, (reason,)),
        Item("ATDF-CALL-001", must, "http", "c", Verdict.PASS),
        Item("ATDF-CALL-002", must, "http", "a", Verdict.FAIL, (reason,)),
    ]
    assert how_ended("ATDF-CALL-001", items) == "pass 2, flaky 1: no clause was selected"


def test_another_clause_that_accuses_a_fault_is_named():
    found = (("HTTP-ERR-006", "no header"), ("HTTP-ERR-004", "no envelope"))
    assert "HTTP-ERR-004: no envelope" in Outcome(SAMPLE[4], found, (), 0.0).verdict()


def test_a_collateral_that_nothing_needed_is_named():
    name, fault = next(pair for pair in FAULTS.items() if len(pair[1].collateral) == 1)
    trial, (clause,) = Trial(name, "http", ""), fault.collateral
    sound = Outcome(Trial("", "http", ""), (), (), 0.0)
    assert idle_collaterals([sound, Outcome(trial, (), (), 0.0)]) == [(name, clause)]
    assert idle_collaterals([Outcome(trial, ((clause, "gone"),), (), 0.0)]) == []


def test_the_sum_counts_what_was_missed_and_who_was_accused_besides():
    caught = Outcome(Trial("no-allow-with-405", "http", ""), (("HTTP-ERR-006", "none"),), (), 0.0)
    missed = Outcome(Trial("no-health", "http", ""), (), (), 0.0)
    sound = Outcome(Trial("", "http", ""), (("ATDF-CALL-001", "why"),), (), 0.0)
    assert str(tally([caught, missed])) == "1 of 2 faults caught, 0 false alarms"
    assert str(tally([caught, sound])) == "1 of 1 faults caught, 1 false alarms"


def test_a_fault_that_does_not_exist_is_an_unusable_command_line(capsys):
    assert main(["--fault", "no-such-fault"]) == 2
    assert "no-such-fault" in capsys.readouterr().err
