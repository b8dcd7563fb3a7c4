"""What reaches the provider (GW-REQ, GW-SEC)."""

from __future__ import annotations

import json
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.provider.completion import member
from conformance.formats.provider.gemini import spellings
from conformance.gateway.asked import ASKED, FORM, OUTSIDE, RESULTS, TOOLS
from conformance.gateway.scripts import ELSEWHERE
from conformance.gateway.timeline import (
    DISTINCT,
    arrivals,
    body,
    each_family,
    everything,
    face,
    key_of,
    not_arrived,
    reached,
)
from conformance.gateway.told import told
from conformance.kit.config.secrets import tells
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.performance import Moment
from conformance.kit.transport.gateway import CLIENT_KEY
from conformance.kit.verdicts.checks import Check, Checks, broken, clause, holds, unknown
from conformance.spec.messages import message
from conformance.spec.vocabulary import RuntimeErrorName

_TOOLS = "gateway_tools"
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
        yield from mapped(exchange, seen[0], family) if seen else [not_arrived(exchange)]


def mapped(exchange: Exchange, arrival: Moment, family: str) -> Checks:
    """Check that each parameter of the call arrived under its name in the API family."""
    sent = body(arrival)
    held = _configuration(sent) if family == "gemini" else sent
    for name, value in ASKED.items():
        found = [member(held, each) for each in _NAMES[family][name]]
        if not any(_equal(each, value) for each in found):
            told_as = "` / `".join(_NAMES[family][name])
            given = next((each for each in found if each is not None), None)
            seen = shown(given) if given is not None else message("answered.nothing")
            words: dict[str, Any] = {"name": name, "family": family, "as_": told_as, "found": seen}
            yield broken(exchange, "finding.gateway.parameter", **words)
        else:
            yield holds()


def _configuration(sent: Any) -> Any:
    """Return the generation parameters for Gemini, which accepts both spellings of a name."""
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
            shown = json.dumps(OUTSIDE[name]).strip("{}").replace('"', "")
            yield broken(exchange, "finding.gateway.outside_range", value=shown)
        elif not answer.is_class(RuntimeErrorName.INVALID_REQUEST):
            yield broken(exchange, "finding.gateway.outside_class", told=answer.shown)
        else:
            yield holds()


@clause("GW-REQ-003")
def test_nothing_is_dropped_in_silence(run: RunEvidence) -> Checks:
    for name, step, arrives in (
        ("response_format", "form", _has_form),
        ("tool_choice", "tools", _has_choice),
    ):
        for family, _, exchange in each_family(run, _TOOLS, step):
            answer, seen = told(exchange), arrivals(exchange)
            if answer is None:
                yield not_arrived(exchange)
                continue
            refused = answer.is_class(RuntimeErrorName.INVALID_REQUEST)
            if refused or name in everything(exchange) or (seen and arrives(seen[0])):
                yield holds()
            elif not seen:
                yield not_arrived(exchange)
            else:
                yield broken(exchange, "finding.gateway.dropped", name=name, family=family)


def _has_form(arrival: Moment) -> bool:
    return FORM.encode() in arrival.body


def _has_choice(arrival: Moment) -> bool:
    sent = body(arrival)
    return any(member(sent, name) is not None for name in ("tool_choice", *spellings("toolConfig")))


@clause("GW-REQ-004")
def test_the_tools_of_a_call_arrive(run: RunEvidence) -> Checks:
    for family, _, exchange in each_family(run, _TOOLS, "tools"):
        seen = arrivals(exchange)
        spoken = face(seen[0]) if seen else None
        if spoken is None:
            yield not_arrived(exchange)
            continue
        declared = {each.name: each for each in spoken[0].tools(body(seen[0]))}
        for tool in TOOLS:
            found = declared.get(str(tool["name"]))
            words: dict[str, Any] = {"name": tool["name"], "family": family}
            if found is None:
                yield broken(exchange, "finding.gateway.tool_lost", **words)
            elif (lost := _lost(tool["parameters"], found.schema)) is not None:
                yield broken(exchange, "finding.gateway.tool_changed", place=lost, **words)
            else:
                yield holds()


def _lost(wanted: Any, found: Any, place: str = "") -> str | None:
    """Return the place at which a schema lost something, or None. It may have more than before.

    Gemini writes types in capitals, and integers as strings.
    """
    if isinstance(wanted, dict):
        held = found if isinstance(found, dict) else {}
        parts = ((f"{place}/{name}", value, held.get(name)) for name, value in wanted.items())
    elif isinstance(wanted, list):
        others = found if isinstance(found, list) else []
        same = set(map(str, wanted)) == set(map(str, others))
        return None if same else place
    else:
        return None if str(found).lower() == str(wanted).lower() else place
    return next((lost for at, a, b in parts if (lost := _lost(a, b, at)) is not None), None)


@clause("GW-REQ-005")
def test_each_result_of_a_tool_stays_with_its_call(run: RunEvidence) -> Checks:
    talks = [exchange for _, _, exchange in each_family(run, _TOOLS, "results")]
    elsewhere = run.step("gateway_fallback", "mapped")
    for exchange in (*talks, *([elsewhere] if elsewhere is not None else [])):
        for arrival in arrivals(exchange):
            spoken = face(arrival)
            if spoken is None:
                yield not_arrived(exchange)
                continue
            found = [
                (each.name, _result(each.content)) for each in spoken[0].results(body(arrival))
            ]
            if found != list(RESULTS.items()):
                said = ", ".join(f"{name or '?'}: {text}" for name, text in found)
                family = spoken[0].family.value
                yield broken(exchange, "finding.gateway.results", family=family, found=said)
            else:
                yield holds()
        if not arrivals(exchange):
            yield not_arrived(exchange)


def _result(content: Any) -> str:
    """Return which result the content has; if none, the whole content."""
    text = json.dumps(content)
    return next((each for each in RESULTS.values() if each in text), text)


@clause("GW-SEC-001")
def test_the_credentials_of_the_client_stay_here(run: RunEvidence) -> Checks:
    secrets = [each for each in (CLIENT_KEY, *run.credentials) if each]
    for script in ("gateway_answers", "gateway_streams", "gateway_fallback"):
        for exchange in run.played(script):
            for arrival in arrivals(exchange):
                yield _sent_only_its_own(exchange, arrival, secrets)
    if not reached(run):
        yield unknown("kit.not_verified.no_arrival")


def _sent_only_its_own(exchange: Exchange, arrival: Moment, secrets: list[str]) -> Check:
    spoken = face(arrival)
    for place, text in _texts(arrival):
        if tells(text, *secrets):
            family = spoken[0].family.value if spoken is not None else arrival.path
            return broken(exchange, "finding.gateway.credentials", family=family, place=place)
    return holds()


def _texts(arrival: Moment) -> list[tuple[str, str]]:
    """Return everything that a request says, each with its place: a header's name, path or body."""
    held = arrival.body.decode("utf-8", "replace")
    return [("path", arrival.path), ("body", held), *arrival.headers]


@clause("GW-SEC-002")
def test_no_key_follows_a_redirect(run: RunEvidence) -> Checks:
    for family, _, exchange in each_family(run, "gateway_redirects", "redirect"):
        seen = arrivals(exchange)
        spoken = face(seen[0]) if seen else None
        if spoken is None:
            yield not_arrived(exchange)
            continue
        key = key_of(spoken[0], seen[0])
        away = [each for each in seen if ELSEWHERE in each.path]
        texts = [text for each in away for _, text in _texts(each)]
        if len(key) < DISTINCT:
            yield unknown("kit.not_verified.short_key", exchange, family=family)
        elif any(tells(text, key) for text in texts):
            yield broken(exchange, "finding.gateway.redirect", family=family)
        else:
            yield holds()
