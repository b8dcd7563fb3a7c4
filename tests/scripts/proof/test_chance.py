"""What the random phase is for: faults that no named scenario meets."""

from __future__ import annotations

import pytest

from conformance.spec.vocabulary import Verdict
from fixtures.servers.faults import rare
from scripts.prove import attempt, judged, serving, trials_of
from tests.thorough import every

pytestmark = [pytest.mark.usefixtures("forked"), pytest.mark.slow]

FOUND = every(3, [fault.name for fault in rare.FAULTS])


def trial_of(name):
    (fault,) = (each for each in rare.FAULTS if each.name == name)
    return trials_of(fault, full=False)[0]


@pytest.mark.parametrize("name", FOUND)
def test_a_rare_fault_is_caught_by_exactly_its_clauses(name):
    assert attempt(trial_of(name)).verdict() == ""


@pytest.mark.parametrize("name", FOUND)
def test_without_random_cases_it_is_not_found(name):
    trial = trial_of(name)
    with serving(trial) as target:
        _, items = judged(trial, target, max_examples=0)
    assert [item.clause for item in items if item.verdict in {Verdict.FAIL, Verdict.WARN}] == []
