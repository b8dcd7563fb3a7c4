"""Which providers are asked where one fails, and what the client learns of it (GW-FB)."""

from __future__ import annotations

from typing import Any

from conformance.gateway.test_requests import mapped
from conformance.gateway.timeline import arrivals, everything, face, not_arrived, policy
from conformance.gateway.told import told
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown
from conformance.spec.vocabulary import RuntimeErrorName

_SCRIPT = "gateway_fallback"
_CALLED = {
    "openai": ("openai", "gpt"),
    "anthropic": ("anthropic", "claude"),
    "gemini": ("gemini", "google", "vertex"),
}
"""Words by which a client knows a provider."""


def _asked(exchange: Exchange) -> list[str]:
    """The families that were asked, each once for the attempts that follow one another."""
    found = [face(each) for each in arrivals(exchange)]
    families = [each[0].family.value for each in found if each is not None]
    return [name for n, name in enumerate(families) if n == 0 or families[n - 1] != name]


@clause("GW-FB-001")
def test_another_provider_is_asked_only_after_some_errors(run: RunEvidence) -> Checks:
    order = policy(run, "fallback").get("order")
    exchange = run.step(_SCRIPT, RuntimeErrorName.INVALID_REQUEST.value)
    if not order or exchange is None:
        yield unknown("kit.not_verified.no_policy")
    elif not arrivals(exchange):
        yield not_arrived(exchange)
    elif len(_asked(exchange)) > 1:
        asked = ", ".join(_asked(exchange))
        yield broken(exchange, "finding.gateway.fell_back", asked=asked)
    else:
        yield holds()


@clause("GW-FB-002")
def test_providers_are_asked_in_the_declared_order(run: RunEvidence) -> Checks:
    order = policy(run, "fallback").get("order")
    for name in (RuntimeErrorName.AUTHENTICATION.value, "all-fail"):
        exchange = run.step(_SCRIPT, name)
        if not order or exchange is None:
            yield unknown("kit.not_verified.no_policy")
            continue
        asked = list(dict.fromkeys(_asked(exchange)))
        if not asked:
            yield not_arrived(exchange)
        elif asked != list(order):
            values: dict[str, Any] = {"asked": ", ".join(asked), "order": ", ".join(order)}
            yield broken(exchange, "finding.gateway.order", **values)
        else:
            yield holds()


@clause("GW-FB-003")
def test_each_provider_has_one_round(run: RunEvidence) -> Checks:
    exchange = run.step(_SCRIPT, "all-fail")
    if not policy(run, "fallback").get("order") or exchange is None:
        yield unknown("kit.not_verified.no_policy")
        return
    asked = _asked(exchange)
    if len(asked) != len(set(asked)):
        yield broken(exchange, "finding.gateway.rounds", asked=", ".join(asked))
    else:
        yield holds()


@clause("GW-FB-004")
def test_a_call_is_mapped_anew_for_each_family(run: RunEvidence) -> Checks:
    for exchange in _served_elsewhere(run, "mapped"):
        last = arrivals(exchange)[-1]
        spoken = face(last)
        if spoken is None:
            yield broken(exchange, "finding.gateway.no_api", address=last.path)
        else:
            yield from mapped(exchange, last, spoken[0].family.value)
    if not policy(run, "fallback").get("order"):
        yield unknown("kit.not_verified.no_policy")


@clause("GW-FB-005")
def test_the_client_learns_who_answered(run: RunEvidence) -> Checks:
    for exchange in _served_elsewhere(run, RuntimeErrorName.AUTHENTICATION.value):
        answer = told(exchange)
        family = _asked(exchange)[-1]
        if answer is None or not answer.succeeded:
            yield unknown("kit.not_verified.no_content_yet", exchange)
        elif not _names(exchange, family):
            yield broken(exchange, "finding.gateway.who_answered", family=family)
        else:
            yield holds()
    if not policy(run, "fallback").get("order"):
        yield unknown("kit.not_verified.no_policy")


@clause("GW-FB-006")
def test_a_call_that_all_refused_names_each_provider(run: RunEvidence) -> Checks:
    exchange = run.step(_SCRIPT, "all-fail")
    if not policy(run, "fallback").get("order") or exchange is None:
        yield unknown("kit.not_verified.no_policy")
        return
    asked = _asked(exchange)
    unnamed = [family for family in asked if not _names(exchange, family)]
    if len(asked) < 2:
        yield not_arrived(exchange)
    elif unnamed:
        yield broken(exchange, "finding.gateway.attempts_untold", families=", ".join(unnamed))
    else:
        yield holds()


def _served_elsewhere(run: RunEvidence, step: str) -> list[Exchange]:
    """The call of a step, where more than one provider was asked for it."""
    exchange = run.step(_SCRIPT, step)
    return [exchange] if exchange is not None and len(_asked(exchange)) > 1 else []


def _names(exchange: Exchange, family: str) -> bool:
    """Whether an answer says anywhere which provider it is about."""
    told = everything(exchange).lower()
    return any(word in told for word in _CALLED[family])
