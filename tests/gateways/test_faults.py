"""Each planted fault of a gateway is caught by its clause, and by no other."""

from __future__ import annotations

import pytest

from conformance.kit.report.replay_file import ReplayFile
from conformance.kit.report.reporter import Report
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Level, Verdict
from fixtures.gateways.beside import gateway
from fixtures.gateways.faults import FAULTS, Fault
from fixtures.gateways.faults.attempts import to_the_end
from tests.gateways.driving import checked, failed, settings
from tests.thorough import FULL, every

LONG = {
    "end-without-reason", "garbage-is-an-end", "holds-back", "keeps-a-stalled-connection",
    "knows-no-crlf", "stream-error-of-another-class",
}  # fmt: skip
"""Each takes half a minute or more, as the kit waits for what does not come."""
SAMPLE = every(20, [name for name in FAULTS if FULL or name not in LONG])
"""Those that CI tries; `make proof` tries all."""


@pytest.mark.parametrize("profile", [pytest.param("native", marks=pytest.mark.slow), "openai"])
def test_the_reference_gateway_reaches_the_highest_level(profile):
    with gateway(Fault("").app) as (url, port):
        result, items = checked(settings(url, port, profile))
    found = {id: item.verdict for id, item in items.items()}
    beside = {"GW-RTY-009"} | ({"GW-ERR-004"} if profile == "openai" else set())
    assert {id for id, verdict in found.items() if verdict is not Verdict.PASS} == beside
    assert result.runs[0].level is (Level.RESILIENT)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_a_fault_is_caught_by_its_clause_and_by_no_other(name):
    fault = FAULTS[name]
    with gateway(fault.app, fault.policy) as (url, port):
        _, items = checked(settings(url, port, policy=fault.policy))
    said = {id: [f.words("en") for f in items[id].findings] for id in failed(items)}
    assert list(said) == [fault.clause], said


@pytest.mark.slow
def test_only_the_providers_that_were_asked_after_the_error_are_named():
    with gateway(FAULTS["elsewhere-after-not-found"].app) as (url, port):
        _, items = checked(settings(url, port))
    (found,) = items["GW-FB-001"].findings
    assert "After `not_found`, the gateway asked anthropic." in found.words("en")


@pytest.mark.slow
def test_a_gateway_that_never_learns_that_its_client_left_asks_again_and_is_caught():
    with gateway(Fault("", guard=to_the_end).app) as (url, port):
        _, items = checked(settings(url, port))
    assert failed(items) == ["GW-CAN-001", "GW-CAN-002"]


@pytest.mark.slow
def test_a_faulty_gateway_gets_no_file_that_asks_again_without_a_provider():
    fault = FAULTS["checks-no-range"]
    with gateway(fault.app) as (url, port):
        result, items = checked(settings(url, port))
    assert failed(items) == [fault.clause]
    assert not list(ReplayFile().parts(Report(result, "en")))


def test_each_clause_of_gateways_has_a_fault():
    asked = {test.clause for test, _ in load("conformance.gateway").tests}
    assert {fault.clause for fault in FAULTS.values()} == asked


def test_the_long_faults_are_faults():
    assert set(FAULTS) >= LONG
