"""A server that falls silent: one call is blamed, and what could not be sent is not verified.

Where the kit starts the server, it goes on with another process.
"""

from __future__ import annotations

import pytest

from conformance.kit.evidence.script import UNPLAYED
from conformance.kit.model.exchange import Trouble
from conformance.kit.transport.bindings import traits_of
from conformance.spec.vocabulary import Verdict
from scripts.prove import Trial, judged, serving

pytestmark = pytest.mark.usefixtures("forked")

TIMEOUT = 1.0


@pytest.fixture(scope="module", params=["http", pytest.param("stdio", marks=pytest.mark.slow)])
def hung(request):
    """A session with a server that hangs at one input; its session and items."""
    trial = Trial("hangs-at-an-empty-text", request.param, "modern" * (request.param == "stdio"))
    with serving(trial) as target:
        session, items = judged(trial, target, request_timeout=TIMEOUT)
    return session, {(item.clause, item.tool): item for item in items}


def the_run(hung):
    (evidence,) = hung[0].evidence().values()
    return evidence


def test_the_call_that_was_not_answered_is_blamed(hung):
    item = hung[1]["ATDF-CALL-006", "search_database"]
    assert item.verdict is Verdict.FAIL
    assert item.findings[0].scenario == "empty-text"
    for finding in item.findings:  # in another process, random calls may hang as well
        sent = hung[0].recorder.by_id[finding.exchange].case.arguments
        assert "" in sent.values()


def test_no_call_is_made_once_a_server_is_silent_that_cannot_be_started_anew(hung):
    calls = the_run(hung).by_tool["search_database"]
    unanswered = [call for call in calls.calls if call.exchange.trouble is Trouble.TIMEOUT]
    last = max(call.exchange.started for call in calls.calls)
    if traits_of(the_run(hung).run).starts_process:
        assert not calls.silenced
        assert last > unanswered[0].exchange.started + TIMEOUT
        return
    assert calls.silenced
    assert last < unanswered[0].exchange.started + TIMEOUT
    assert calls.unsent


def test_what_rests_on_calls_that_were_not_made_is_not_verified(hung):
    item = hung[1]["ATDF-CALL-004", "search_database"]
    in_process = traits_of(the_run(hung).run).starts_process
    assert item.verdict is Verdict.NOT_VERIFIED
    why = "--request-timeout" if in_process else "stopped answering"
    assert why in item.findings[0].message.words()


def test_what_rests_on_documents_alone_is_still_judged(hung):
    assert hung[1]["ATDF-TOOL-004", "search_database"].verdict is Verdict.PASS


def test_no_other_clause_is_called_broken(hung):
    broken = {key for key, item in hung[1].items() if item.verdict in (Verdict.FAIL, Verdict.WARN)}
    assert broken == {("ATDF-CALL-006", "search_database")}


def test_scripts_are_played_before_the_silence_or_in_another_process(hung):
    assert set(the_run(hung).scripts) - UNPLAYED


def test_a_silent_server_takes_a_handful_of_timeouts(hung):
    recorded = hung[0].recorder.by_id.values()
    assert sum(exchange.trouble is Trouble.TIMEOUT for exchange in recorded) < 30
