"""The proof says which check caught a fault, and an accident is none."""

from conformance.kit.model.results import Finding
from conformance.spec.messages import is_message, message
from fixtures.servers.faults import FAULTS
from fixtures.servers.faults.checks import CHECKS
from scripts.prove import Outcome, Trial, check_of, few, is_meant, tally

ENUM = Trial("case-of-an-enum-ignored", "http", "")
NAMED = Trial("body-before-the-name", "http", "")


def caught_by(trial, *checks):
    """A fault that all of its clauses found, by these checks."""
    clauses = FAULTS[trial.fault].clauses
    found = tuple((clause, "why") for clause in clauses)
    return Outcome(trial, found, (), 0.0, checks=dict.fromkeys(clauses, checks))


def test_each_fault_names_the_checks_of_each_of_its_clauses():
    planted = {name: set(fault.clauses) for name, fault in FAULTS.items()}
    assert {name: set(clauses) for name, clauses in CHECKS.items()} == planted


def test_each_check_is_known_by_what_it_says():
    ids = {
        check.partition("/")[0] for by in CHECKS.values() for each in by.values() for check in each
    }
    assert [id for id in ids if not is_message(id)] == []
    assert all(each for by in CHECKS.values() for each in by.values())


def test_a_check_is_named_by_what_it_says_and_by_the_scenario_of_a_call():
    words = message("kit.exit.no_clause")
    assert check_of(Finding(words)) == "kit.exit.no_clause"
    assert check_of(Finding(words, scenario="enum-case")) == "kit.exit.no_clause/enum-case"


def test_a_check_without_a_scenario_is_meant_whatever_the_scenario():
    assert is_meant("a.b/enum-case", "a.b")
    assert is_meant("a.b/enum-case", "a.b/enum-case")
    assert not is_meant("a.b/enum-space", "a.b/enum-case")
    assert not is_meant("a.b", "a.b/enum-case")


def test_a_fault_that_its_own_check_caught_is_caught_whatever_else_was_found():
    both = caught_by(ENUM, "finding.call.accepted/random-enum", "finding.call.accepted/enum-case")
    assert both.verdict() == ""
    assert both.caught().startswith("ATDF-CALL-001: finding.call.accepted/random-enum, ")


def test_a_fault_that_only_another_check_caught_was_caught_by_accident():
    said = caught_by(ENUM, "finding.call.accepted/random-enum").verdict()
    assert said == (
        "caught by accident: ATDF-CALL-001 by finding.call.accepted/random-enum, "
        "and not by finding.call.accepted/enum-case"
    )
    assert "always_blamed" in caught_by(NAMED, "finding.error.always_blamed").verdict()


def test_what_was_caught_by_accident_is_not_counted_as_caught():
    by_chance = caught_by(ENUM, "finding.call.accepted/random-enum")
    assert str(tally([by_chance])) == "0 of 1 faults caught, 0 false alarms"
    meant = caught_by(ENUM, "finding.call.accepted/enum-case")
    assert str(tally([meant])) == "1 of 1 faults caught, 0 false alarms"


def test_a_fault_that_was_planted_for_no_check_is_told(monkeypatch):
    monkeypatch.setattr("scripts.prove.CHECKS", {})
    assert caught_by(ENUM, "finding.call.accepted/enum-case").verdict().endswith("not by any")


def test_of_many_checks_the_first_are_named():
    assert few(("a", "b", "c")) == "a, b, c"
    assert few(("a", "b", "c", "d", "e")) == "a, b, c and 2 more"
