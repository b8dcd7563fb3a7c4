"""What reaches the provider (GW-REQ, GW-SEC)."""

from __future__ import annotations

from typing import Any

from conformance.formats.provider.completion import member
from conformance.gateway.scripts import ASKED, OUTSIDE
from conformance.gateway.timeline import (
    arrivals,
    body,
    each_family,
    not_arrived,
    reached,
)
from conformance.gateway.told import told
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.transport.gateway import CLIENT_KEY
from conformance.kit.verdicts.checks import Checks, broken, clause, holds, unknown
from conformance.spec.vocabulary import RuntimeErrorName

_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "openai": {
        "temperature": ("temperature",),
        "max_tokens": ("max_completion_tokens", "max_tokens", "max_output_tokens"),
        "top_p": ("top_p",),
        "stop": ("stop",),
    },
    "anthropic": {
        "temperature": ("temperature",),
        "max_tokens": ("max_tokens",),
        "top_p": ("top_p",),
        "stop": ("stop_sequences",),
    },
    "gemini": {
        "temperature": ("temperature",),
        "max_tokens": ("maxOutputTokens", "max_output_tokens"),
        "top_p": ("topP", "top_p"),
        "stop": ("stopSequences", "stop_sequences"),
    },
}


@clause("GW-REQ-001")
def test_each_parameter_arrives(run: RunEvidence) -> Checks:
    for family, _, exchange in each_family(run, "gateway_parameters", "inside"):
        seen = arrivals(exchange)
        if not seen:
            yield not_arrived(exchange)
            continue
        sent = body(seen[0])
        held = _configuration(sent) if family == "gemini" else sent
        for name, value in ASKED.items():
            found = [member(held, each) for each in _NAMES[family][name]]
            if not any(_equal(each, value) for each in found):
                told_as = "`, `".join(_NAMES[family][name])
                given = next((each for each in found if each is not None), None)
                words = {"name": name, "family": family, "as_": told_as, "found": given}
                yield broken(exchange, "finding.gateway.parameter", **words)
            else:
                yield holds()


def _configuration(sent: Any) -> Any:
    """Gemini reads JSON as protocol buffers do: both spellings of a name are the same."""
    found = member(sent, "generationConfig")
    return found if found is not None else member(sent, "generation_config")


def _equal(found: Any, value: Any) -> bool:
    return bool(found == value or (isinstance(value, list) and [found] == value))


@clause("GW-REQ-002")
def test_what_is_outside_its_range_reaches_no_provider(run: RunEvidence) -> Checks:
    for name in OUTSIDE:
        exchange = run.step("gateway_parameters", name)
        answer = told(exchange)
        if exchange is None or answer is None:
            yield unknown("kit.not_verified.no_answer", exchange)
        elif arrivals(exchange):
            yield broken(exchange, "finding.gateway.outside_range", value=str(OUTSIDE[name]))
        elif not answer.is_class(RuntimeErrorName.INVALID_REQUEST):
            yield broken(exchange, "finding.gateway.outside_class", told=answer.shown)
        else:
            yield holds()


@clause("GW-SEC-001")
def test_the_credentials_of_the_client_stay_here(run: RunEvidence) -> Checks:
    secrets = [each for each in (CLIENT_KEY, *run.credentials) if each]
    for family, _, exchange in each_family(run, "gateway_answers", "text", "tools"):
        for arrival in arrivals(exchange):
            sent = [arrival.path, *(value for _, value in arrival.headers)]
            if any(secret in each for secret in secrets for each in sent):
                yield broken(exchange, "finding.gateway.credentials", family=family)
            else:
                yield holds()
    if not reached(run):
        yield unknown("kit.not_verified.no_arrival")
