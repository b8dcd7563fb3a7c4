"""A busy machine proves nothing: what was judged without answers is judged once more."""

import pytest

from fixtures.servers.faults import FAULTS
from scripts import prove
from scripts.prove import Outcome, Trial, attempt

pytestmark = pytest.mark.usefixtures("forked")

TRIAL = Trial("dependence-ignored", "http", "")
(CLAUSE,) = FAULTS[TRIAL.fault].clauses
CAUGHT = Outcome(TRIAL, ((CLAUSE, "why"),), (), 2.0)
LATE = Outcome(TRIAL, (), (), 5.0, timeouts=3)
MISSED = Outcome(TRIAL, (), (), 5.0)
SLOW_BUT_CAUGHT = Outcome(TRIAL, ((CLAUSE, "why"),), (), 5.0, timeouts=3)


@pytest.mark.parametrize(
    ("outcomes", "verdict", "again", "seconds"),
    [
        ([LATE, CAUGHT], "", True, 7.0),
        ([LATE, MISSED], f"not caught by {CLAUSE} (not asked)", True, 10.0),
        ([MISSED], f"not caught by {CLAUSE} (not asked)", False, 5.0),
        ([SLOW_BUT_CAUGHT], "", False, 5.0),
    ],
    ids=["late, then caught", "late, then missed", "missed in time", "late and caught"],
)
def test_only_what_was_late_and_wrong_is_judged_again(
    monkeypatch, outcomes, verdict, again, seconds
):
    given, waited = iter(outcomes), []

    def judged(_, request_timeout):
        waited.append(request_timeout)
        return next(given)

    monkeypatch.setattr(prove, "attempt_once", judged)
    outcome = attempt(TRIAL)
    assert (outcome.verdict(), outcome.again, outcome.seconds) == (verdict, again, seconds)
    assert next(given, None) is None
    assert waited == sorted(set(waited)), "with more time than before"


def test_requests_without_an_answer_in_time_are_counted():
    outcome = prove.attempt_once(Trial("hangs-at-an-empty-text", "http", ""), 0.5)
    assert outcome.timeouts > 0
