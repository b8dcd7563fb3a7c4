"""Jitter spreads a declared delay; where none is declared, there is nothing to spread."""

import pytest

from conformance.spec.vocabulary import Verdict
from tests.gateways.test_late import judged


@pytest.mark.parametrize("delay", [0, None])
def test_without_a_delay_the_clause_on_jitter_does_not_apply(delay):
    policy = {"retry": {"initial_delay_ms": delay, "jitter": "full"}}
    item = judged("GW-RTY-009", policy=policy)
    assert item.verdict is Verdict.NOT_APPLICABLE
    assert {found.message.id for found in item.findings} == {"finding.gateway.nothing_to_spread"}


def test_with_a_delay_and_no_calls_it_is_not_verified():
    policy = {"retry": {"initial_delay_ms": 100, "jitter": "full"}}
    assert judged("GW-RTY-009", policy=policy).verdict is Verdict.NOT_VERIFIED
