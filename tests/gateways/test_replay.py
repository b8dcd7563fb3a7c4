"""The line that is shown with a finding plays its scenario again, alone, and finds the same."""

from __future__ import annotations

import shlex

import pytest

from conformance.kit.plugin.plan_listing import planned
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import again_line
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from fixtures.gateways.beside import gateway
from fixtures.gateways.faults import FAULTS, Fault
from tests.gateways.driving import checked, failed, session_of, settings
from tests.thorough import every

SAMPLE = every(26, list(FAULTS))


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_a_scenario_that_is_played_alone_shows_its_fault(name):
    fault = FAULTS[name]
    with gateway(fault.app, fault.policy) as (url, port):
        session, result, items = session_of(settings(url, port, policy=fault.policy))
        finding = items[fault.clause].findings[0]
        line = again_line(Report(result, exchange=session.recorder.by_id.get), finding)
        *_, option, id = shlex.split(line)
        assert option == "--replay"
        alone, again = checked(settings(url, port, policy=fault.policy, replay=id))
    assert failed(again) == [fault.clause]
    assert alone.runs[0].level is None
    assert alone.runs[0].requests < result.runs[0].requests / 3


def test_each_scenario_is_listed_once():
    chapter = load("conformance.gateway")
    with gateway(Fault("").app) as (url, port):
        session = Session(settings(url, port))
        session.discover(session.settings.targets)
        lines = list(planned(session.found, session.settings, scripts=chapter.scripts))
        one = settings(url, port, replay="native/fin")
        assert list(planned(session.found, one, scripts=chapter.scripts)) == ["  native/fin"]
    assert len(lines) == len(set(lines)) > 40
    assert {"  native/fin", "  native/beside", "  native/rate_limited"} <= set(lines)
