"""A gateway that is right in a way that few are gets no finding."""

from __future__ import annotations

import json

import pytest

from conformance.spec.vocabulary import Verdict
from fixtures.gateways.beside import gateway
from fixtures.gateways.faults.fault import POLICY, Fault
from fixtures.gateways.unusual import (
    COOL_DOWN,
    COOLS_DOWN,
    NO_PROMISES,
    ONE_API,
    ONE_PROVIDER,
    UNUSUAL,
)
from tests.gateways.driving import checked, failed, settings
from tests.thorough import every

_WARNS = {Verdict.WARN}


def found(items):
    return [f.words("en") for item in items.values() for f in item.findings]


@pytest.mark.slow
@pytest.mark.parametrize("name", every(3, list(UNUSUAL)))
def test_an_unusual_gateway_gets_no_finding(name):
    with gateway(UNUSUAL[name]) as (url, port):
        result, items = checked(settings(url, port, "openai"))
    assert failed(items) == [], found(items)
    assert not _WARNS & {item.verdict for item in items.values()}
    assert not result.runs[0].tools_left_out


@pytest.mark.slow
def test_a_gateway_that_leaves_out_what_failed_gets_no_finding():
    policy = {**json.loads(POLICY.read_text("utf-8")), "cool_down_ms": COOL_DOWN}
    with gateway(COOLS_DOWN) as (url, port):
        _, items = checked(settings(url, port, "openai", gateway_policy=policy))
    assert failed(items) == [], found(items)


@pytest.mark.slow
def test_a_policy_without_fallback_is_not_said_to_be_missing():
    policy = json.loads(POLICY.read_text("utf-8"))
    del policy["fallback"], policy["timeouts"]["total_ms"]
    with gateway(Fault("").app) as (url, port):
        _, items = checked(settings(url, port, "openai", gateway_policy=policy))
    asked = "GW-FB-001", "GW-FB-005", "GW-RTY-008"
    said = {id: " ".join(f.words("en") for f in items[id].findings) for id in asked}
    assert said["GW-FB-001"] == said["GW-FB-005"], said
    assert "does not declare `fallback.order`" in said["GW-FB-001"]
    assert "does not declare `timeouts.total_ms`" in said["GW-RTY-008"]


@pytest.mark.slow
def test_a_gateway_that_promises_nothing_gets_no_finding():
    with gateway(NO_PROMISES) as (url, port):
        _, items = checked(settings(url, port, "openai", gateway_policy={}))
    assert failed(items) == [], found(items)
    unseen = {id for id, item in items.items() if item.verdict is Verdict.NOT_VERIFIED}
    assert {"GW-TMO-001", "GW-TMO-002", "GW-RTY-002", "GW-FB-001"} <= unseen
    assert "GW-STR-001" not in unseen
    retried = {f.message.id for f in items["GW-RTY-007"].findings}
    assert retried == {"kit.not_verified.asked_once"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "others"),
    [(ONE_PROVIDER, {"openai", "gemini"}), (ONE_API, {"anthropic", "gemini"})],
    ids=["one provider", "one API"],
)
def test_a_gateway_of_one_provider_is_checked_on_that_one(made, others):
    policy = json.loads(POLICY.read_text("utf-8"))
    del policy["fallback"]
    with gateway(made) as (url, port):
        result, items = checked(settings(url, port, "openai", gateway_policy=policy))
    assert failed(items) == [], found(items)
    assert {each.tool for each in result.runs[0].tools_left_out} == others
    verified = {id for id, item in items.items() if item.verdict is Verdict.PASS}
    assert {"GW-REQ-002", "GW-ERR-006", "GW-RTY-004", "GW-CAN-001", "GW-ISO-001"} <= verified
