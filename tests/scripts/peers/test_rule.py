"""When a fault counts as found, which faults are a peer's own, and in what order they come."""

import json
from argparse import ArgumentParser
from collections import Counter

import pytest

from fixtures.servers.faults import FAULTS
from scripts.peers import claims, official, schemathesis
from scripts.peers.__main__ import options
from scripts.peers.compare import FAULTS as FAULTS_TRIED
from scripts.peers.document import Comparison, Pair, Sound, Speed, Tried
from scripts.peers.figures import figures, head, line, missed
from scripts.peers.outcome import Outcome, added
from scripts.peers.sample import kind, ordered
from tests.kit.sessions import ROOT

PEERS = (schemathesis.NAME, official.NAME)


def outcome(*failures):
    return Outcome(frozenset(failures), 1.0)


def test_a_fault_is_found_by_what_no_run_on_the_sound_server_said():
    sound = [outcome(("a", "x")), outcome(("a", "y"))]
    assert added(outcome(("a", "x"), ("a", "z")), sound) == {("a", "z")}


def test_what_any_run_on_the_sound_server_said_finds_nothing():
    sound = [outcome(("a", "x")), outcome(("a", "y"))]
    assert not added(outcome(("a", "x"), ("a", "y")), sound)


def test_a_failure_that_a_fault_takes_away_finds_nothing():
    assert not added(outcome(), [outcome(("a", "x"))])


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_is_asked_only_for_what_shows_over_its_transport(peer):
    binding = {schemathesis.NAME: "http", official.NAME: "mcp"}[peer]
    seen = {fault.name for fault in claims.visible(peer)}
    assert seen == {fault.name for fault in FAULTS.values() if binding in fault.bindings}


@pytest.mark.parametrize("peer", PEERS)
def test_every_clause_that_a_peer_claims_exists(peer):
    known = {
        clause["id"]
        for file in (ROOT / "schema").glob("*/*/clauses.json")
        for clause in json.loads(file.read_bytes())["clauses"]
    }
    named = claims.claimed_clauses(peer)
    assert named <= known
    assert sum(claims.claimed(peer, fault) for fault in claims.visible(peer)) > 0


def test_suggestions_are_claimed_by_no_peer():
    suggests = FAULTS["suggestion-past-the-bound"]
    assert not any(claims.claimed(peer, suggests) for peer in PEERS)


@pytest.mark.parametrize("peer", PEERS)
def test_the_order_holds_every_fault_once_and_is_always_the_same(peer):
    faults = claims.visible(peer)
    names = [fault.name for fault in ordered(faults)]
    assert sorted(names) == sorted(fault.name for fault in faults)
    assert [fault.name for fault in ordered(faults)] == names
    assert [fault.name for fault in ordered(faults, seed=1)] != names


def test_every_beginning_of_the_order_is_a_sample_of_all_kinds():
    faults = claims.visible(schemathesis.NAME)
    whole = Counter(map(kind, faults))
    for size in (16, 40, 80):
        drawn = Counter(map(kind, ordered(faults)[:size]))
        for each, count in whole.items():
            assert abs(drawn[each] - size * count / len(faults)) < 3, (size, each)


def comparison():
    pair = Pair(schemathesis.NAME, "reference", 211, 107)
    pair.tried = [
        Tried("a", claimed=True, ours=True, theirs=True, by=("x",)),
        Tried("b", claimed=False, ours=True, theirs=False),
        Tried("c", claimed=True, ours=False, theirs=False),
    ]
    made = Comparison({"schemathesis": "1"}, pairs=[pair])
    made.speed = Speed((900.0, 1000.0, 1100.0), (90.0, 100.0, 200.0))
    made.sound = [
        Sound("agent-formats", "reference", 0, 2700, 10.0, 9.0),
        Sound(schemathesis.NAME, "reference", 3, 3900, 60.0, 30.0),
    ]
    return made


def test_the_table_holds_both_and_what_one_is_to_the_other():
    made = {figure.what: figure for figure in figures(comparison())}
    speed = made["requests/s, drive phase beside coverage phase"]
    assert (speed.ours, speed.theirs, speed.ratio) == (1000.0, 100.0, 10.0)
    found = made["faults found of 3, reference"]
    assert (found.ours, found.theirs) == (2, 1)
    claimed = made["of those, of the 2 that it claims"]
    assert (claimed.ours, claimed.theirs) == (1, 1)
    alarms = made["false alarms, whole run, reference"]
    assert (alarms.ours, alarms.theirs, alarms.ratio) == (0, 3, 0.0)
    row = line(speed)
    assert "10.0" in row
    place = head().index("ratio") + len("ratio")
    assert len(row) == place
    assert row[:58].rstrip() == speed.what


@pytest.mark.parametrize(
    ("given", "most"), [((), FAULTS_TRIED), (("--faults", "3"), 3), (("--faults", "all"), None)]
)
def test_the_command_line_says_how_many_faults_are_tried(given, most):
    assert options(ArgumentParser()).parse_args(given).faults == most


def test_what_is_no_number_of_faults_is_said_in_one_line(capsys):
    with pytest.raises(SystemExit):
        options(ArgumentParser()).parse_args(["--faults", "some"])
    assert "say a number of faults, or all, not 'some'" in capsys.readouterr().err


def test_what_this_kit_missed_is_named():
    assert missed(comparison().pairs[0]) == ["c"]
