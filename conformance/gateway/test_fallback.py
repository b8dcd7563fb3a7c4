"""Which providers a gateway asks if one fails, and what the client learns about it (GW-FB)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.gateway.scripts import ALL_FAIL, ALL_OVERLOADED, IN_STREAM
from conformance.gateway.test_requests import mapped
from conformance.gateway.timeline import (
    arrivals,
    came_late,
    everything,
    face,
    is_late,
    is_slow,
    not_arrived,
    policy,
    tried_last,
    undeclared,
)
from conformance.gateway.told import told
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.step import Step
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown
from conformance.spec.vocabulary import RUNTIME_ERROR_NAME_FALLBACKABLE, RuntimeErrorName

_SCRIPT, _ORDER = "gateway_fallback", "fallback.order"
_CALLED = {
    "openai": ("openai", "gpt"),
    "anthropic": ("anthropic", "claude"),
    "gemini": ("gemini", "google", "vertex"),
}
"""Words that identify a provider to a client."""


def _asked(exchange: Exchange) -> list[str]:
    """Return the API families that were asked; consecutive attempts count once."""
    found = [face(each) for each in arrivals(exchange)]
    families = [each[0].family.value for each in found if each is not None]
    return [name for n, name in enumerate(families) if n == 0 or families[n - 1] != name]


def _refused(run: RunEvidence, *, fallbackable: bool) -> Iterator[tuple[str, Exchange]]:
    """Yield the calls that the first provider refused, each with the error.

    An error that the gateway takes for another one is skipped: the clauses about classes report it.
    """
    first = str((policy(run, "fallback").get("order") or ("",))[0])
    alone = f"gateway_refusals_{first}"
    for error in RuntimeErrorName:
        exchange = tried_last(run, _SCRIPT, Step(error.value))
        answer = told(tried_last(run, alone, Step(error.value, place=first)))
        known = answer is None or answer.is_class(error)
        if RUNTIME_ERROR_NAME_FALLBACKABLE[error] is fallbackable and known and exchange:
            yield error.value, exchange


@clause("GW-FB-001")
def test_another_provider_is_asked_only_after_some_errors(run: RunEvidence) -> Checks:
    if missing := undeclared(run, _ORDER):
        yield missing
        return
    for error, exchange in _refused(run, fallbackable=False):
        asked = _asked(exchange)
        if not asked:
            yield not_arrived(exchange)
        elif len(asked) > 1 and is_late(run.capabilities.get("policy", {}), exchange, once=True):
            yield came_late(exchange)
        elif len(asked) > 1:
            values: dict[str, Any] = {"error": error, "asked": ", ".join(asked[1:])}
            yield broken(exchange, "finding.gateway.fell_back", **values)
        else:
            yield holds()


@clause("GW-FB-002")
def test_providers_are_asked_in_the_declared_order(run: RunEvidence) -> Checks:
    if missing := undeclared(run, _ORDER):
        yield missing
        return
    order = list(policy(run, "fallback")["order"])
    named = (run.step(_SCRIPT, name) for name in (IN_STREAM, ALL_FAIL, ALL_OVERLOADED))
    found = [each for _, each in _refused(run, fallbackable=True)]
    for exchange in (*found, *(each for each in named if each is not None)):
        asked = list(dict.fromkeys(_asked(exchange)))
        if not asked:
            yield not_arrived(exchange)
        elif asked == order:
            yield holds()
        elif is_slow(run.capabilities.get("policy", {}), exchange):
            yield came_late(exchange)  # perhaps the call ran out of time
        elif _cools_down(run) and asked == [each for each in order if each in asked]:
            yield unknown("kit.not_verified.cool_down", exchange)
        else:
            values: dict[str, Any] = {"asked": ", ".join(asked), "order": ", ".join(order)}
            yield broken(exchange, "finding.gateway.order", **values)


def _cools_down(run: RunEvidence) -> bool:
    """Return whether a provider that failed may be skipped in the next calls."""
    return bool(run.capabilities.get("policy", {}).get("cool_down_ms"))


@clause("GW-FB-003")
def test_each_provider_has_one_round(run: RunEvidence) -> Checks:
    if missing := undeclared(run, _ORDER):
        yield missing
        return
    for name in (ALL_FAIL, ALL_OVERLOADED):
        exchange = run.step(_SCRIPT, name)
        asked = _asked(exchange) if exchange is not None else []
        if exchange is None or not asked:
            yield unknown("kit.not_verified.no_arrival", exchange)
        elif len(asked) != len(set(asked)):
            yield broken(exchange, "finding.gateway.rounds", asked=", ".join(asked))
        else:
            yield holds()


@clause("GW-FB-004")
def test_a_call_is_mapped_anew_for_each_family(run: RunEvidence) -> Checks:
    if missing := undeclared(run, _ORDER):
        yield missing
    for exchange in _served_elsewhere(run, "mapped"):
        last = arrivals(exchange)[-1]
        spoken = face(last)
        if spoken is None:
            yield broken(exchange, "finding.gateway.no_api", address=last.path)
        else:
            yield from mapped(exchange, last, spoken[0].family.value)


@clause("GW-FB-005")
def test_the_client_learns_who_answered(run: RunEvidence) -> Checks:
    if missing := undeclared(run, _ORDER):
        yield missing
    for exchange in _served_elsewhere(run, RuntimeErrorName.AUTHENTICATION.value, IN_STREAM):
        answer = told(exchange)
        family = _asked(exchange)[-1]
        if answer is None or not answer.succeeded:
            yield not_arrived(exchange)
        elif not _names(exchange, family):
            told_by = "who_streamed" if answer.streamed else "who_answered"
            yield broken(exchange, f"finding.gateway.{told_by}", family=family)
        else:
            yield holds()


@clause("GW-FB-006")
def test_a_call_that_all_refused_names_each_provider(run: RunEvidence) -> Checks:
    if missing := undeclared(run, _ORDER):
        yield missing
        return
    for name in (ALL_FAIL, ALL_OVERLOADED):
        exchange = run.step(_SCRIPT, name)
        asked = _asked(exchange) if exchange is not None else []
        if exchange is None or not asked:
            yield unknown("kit.not_verified.no_arrival", exchange)
        elif len(asked) == 1:
            yield unknown("kit.not_verified.one_provider", exchange)
        elif unnamed := [family for family in asked if not _names(exchange, family)]:
            words = {"families": ", ".join(unnamed)}
            yield broken(exchange, "finding.gateway.attempts_untold", **words)
        else:
            yield holds()


def _served_elsewhere(run: RunEvidence, *steps: str) -> list[Exchange]:
    """Return the calls of these steps for which more than one provider was asked."""
    found = [run.step(_SCRIPT, step) for step in steps]
    return [each for each in found if each is not None and len(_asked(each)) > 1]


def _names(exchange: Exchange, family: str) -> bool:
    """Return whether an answer names the provider anywhere."""
    told = everything(exchange).lower()
    return any(word in told for word in _CALLED[family])
