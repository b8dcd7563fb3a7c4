"""What a client receives when a provider fails (GW-ERR, GW-TMO)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.provider.completion import Face, Refusal
from conformance.formats.provider.openai import OpenAIChat
from conformance.gateway.replies import FOREIGN, FOREIGN_STREAMS
from conformance.gateway.timeline import (
    DISTINCT,
    arrivals,
    came_late,
    each_family,
    ended,
    face,
    is_late,
    key_of,
    nonce,
    not_arrived,
    of_streams,
    reply_words,
    undeclared,
)
from conformance.gateway.told import ERROR, Told, told
from conformance.kit.cases.provider.model_calls import request_id_of
from conformance.kit.config.secrets import tells
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import Check, Checks, absent, broken, clause, holds, unknown
from conformance.spec.vocabulary import (
    RUNTIME_ERROR_NAME_STATUSES,
    Binding,
    RuntimeErrorName,
    Seen,
    TerminationReason,
)

_FAMILIES = ("openai", "anthropic", "gemini")
_BY_CODE = {
    ("openai", RuntimeErrorName.QUOTA_EXHAUSTED),
    ("openai", RuntimeErrorName.REQUEST_TOO_LARGE),
}
"""Errors that a provider identifies by its code, while the status means another error."""
_WITH_KEYS = (
    *(f"gateway_{kind}_{family}" for kind in ("refusals", "breaks") for family in _FAMILIES),
    *(f"gateway_{name}" for name in ("streams", "answers", "foreign", "silence", "redirects")),
    *(f"gateway_{name}" for name in ("retries", "fallback")),
)
"""The scripts whose answers must not contain a provider's key."""
_LATE = 2.0
"""Seconds, with some tolerance, in which the gateway has to close a connection."""

_Refused = tuple[str, RuntimeErrorName, Exchange, Told | None, Face | None]


def refused(run: RunEvidence, only: Iterable[RuntimeErrorName] = ()) -> Iterator[_Refused]:
    """Yield each refusal of each API family, with what the client received."""
    wanted = tuple(only) or tuple(RuntimeErrorName)
    for family in ("openai", "anthropic", "gemini"):
        names = (error.value for error in wanted)
        for _, name, exchange in each_family(run, f"gateway_refusals_{family}", *names):
            if exchange.step is None or exchange.step.place != family:
                continue
            seen = arrivals(exchange)
            found = face(seen[0]) if seen else None
            yield family, RuntimeErrorName(name), exchange, told(exchange), found and found[0]


def _class(run: RunEvidence, *, by_code: bool) -> Checks:
    for family, error, exchange, answer, spoken in refused(run):
        if ((family, error) in _BY_CODE) is not by_code:
            continue
        if answer is None or spoken is None:
            yield not_arrived(exchange)
        elif not answer.is_class(error) and _is_late(run, exchange):
            yield came_late(exchange)
        elif not answer.is_class(error):
            values: dict[str, Any] = {"family": family, "error": error.value, "told": answer.shown}
            yield broken(exchange, "finding.gateway.class", **values)
        else:
            yield holds()


def _is_late(run: RunEvidence, exchange: Exchange) -> bool:
    return is_late(run.capabilities.get("policy", {}), exchange, once=False)


@clause("GW-ERR-001")
def test_each_refusal_is_told_as_its_error(run: RunEvidence) -> Checks:
    yield from _class(run, by_code=False)


@clause("GW-ERR-002")
def test_the_code_outranks_the_status(run: RunEvidence) -> Checks:
    yield from _class(run, by_code=True)


@clause("GW-ERR-003")
def test_the_status_is_one_of_the_error(run: RunEvidence) -> Checks:
    for _, error, exchange, answer, spoken in refused(run):
        if answer is None or spoken is None:
            yield not_arrived(exchange)
        elif error is RuntimeErrorName.UNKNOWN or not answer.is_class(error):
            continue  # the error has no status, or GW-ERR-001 reports the problem
        elif answer.status not in _statuses(run, error):
            values: dict[str, Any] = {"error": error.value, "status": answer.status}
            yield broken(exchange, "finding.gateway.status", **values)
        else:
            yield holds()


def _statuses(run: RunEvidence, error: RuntimeErrorName) -> set[int]:
    """Return the statuses of an error; with the profile `openai`, also that of OpenAI's API."""
    listed = set(RUNTIME_ERROR_NAME_STATUSES[error])
    if run.run.binding is Binding.OPENAI:
        listed.add(OpenAIChat().refusal(error, "").status)
    return listed


@clause("GW-ERR-004")
def test_what_the_provider_said_is_handed_on(run: RunEvidence) -> Checks:
    if run.run.binding is not Binding.NATIVE:
        yield absent("kit.not_applicable.other_binding")
        return
    for _, error, exchange, answer, spoken in refused(run):
        if answer is None or answer.error is None or spoken is None:
            yield not_arrived(exchange)
            continue
        if _is_late(run, exchange):
            yield came_late(exchange)
            continue
        id = request_id_of(nonce(exchange), len(arrivals(exchange)))
        yield _handed_on(exchange, answer, spoken.refusal(error, id), id)


def _handed_on(exchange: Exchange, answer: Told, refusal: Refusal, id: str) -> Check:
    error = answer.error or {}
    held = error.get("provider_error")
    held = held if isinstance(held, dict) else {}
    wanted = {"status": refusal.status, "code": refusal.code, "message": refusal.message}
    for name, value in wanted.items():
        if held.get(name) != value:
            values: dict[str, Any] = {"name": f"provider_error.{name}", "expected": shown(value)}
            found = shown(held.get(name))
            return broken(exchange, "finding.gateway.own_words", found=found, **values)
    if error.get("request_id") != id:
        values = {"name": "request_id", "expected": shown(id)}
        found = shown(error.get("request_id"))
        return broken(exchange, "finding.gateway.own_words", found=found, **values)
    return holds()


@clause("GW-ERR-005")
def test_no_credential_of_a_provider_is_told(run: RunEvidence) -> Checks:
    """The provider may put anything into its content; everything else comes from the gateway."""
    for family, exchange, key in _with_keys(run):
        answer, said = exchange.answer, told(exchange)
        if answer is None or said is None:
            yield not_arrived(exchange)
        elif len(key) < DISTINCT:
            yield unknown("kit.not_verified.short_key", exchange, family=family)
        else:
            texts = [*answer.headers]
            if not said.succeeded:
                texts.append(("body", answer.body.decode("utf-8", "replace")))
            place = next((place for place, text in texts if tells(text, key)), None)
            if place is None:
                yield holds()
            else:
                yield broken(exchange, "finding.gateway.key_told", family=family, place=place)


def _with_keys(run: RunEvidence) -> Iterator[tuple[str, Exchange, str]]:
    """Yield the calls with an answer that reached a provider, with each key that was sent."""
    for script in _WITH_KEYS:
        for exchange in run.played(script):
            keys = {}
            for each in arrivals(exchange):
                if (spoken := face(each)) is not None:
                    keys[spoken[0].family.value] = key_of(spoken[0], each)
            if exchange.answer is not None:
                yield from ((family, exchange, key) for family, key in keys.items())


@clause("GW-ERR-006")
def test_a_foreign_success_is_a_server_error(run: RunEvidence) -> Checks:
    for _, name, exchange in each_family(run, "gateway_foreign", *FOREIGN, *FOREIGN_STREAMS):
        answer = told(exchange)
        if answer is None or not arrivals(exchange):
            yield not_arrived(exchange)
        elif not answer.is_class(RuntimeErrorName.SERVER_ERROR):
            values: dict[str, Any] = {"kind": reply_words(name), "told": answer.shown}
            yield broken(exchange, "finding.gateway.foreign", **values)
        else:
            yield holds()


@clause("GW-ERR-007")
def test_a_blocked_prompt_is_told_the_same_way(run: RunEvidence) -> Checks:
    first: str | None = None
    for family, _, exchange in each_family(run, "gateway_answers", "blocked"):
        answer = told(exchange)
        if answer is None or not arrivals(exchange):
            yield not_arrived(exchange)
            continue
        how = f"`{answer.reason or 'null'}`" if answer.succeeded else answer.shown
        first = first or how
        if answer.succeeded and answer.reason != TerminationReason.CONTENT_FILTER:
            yield broken(exchange, "finding.gateway.blocked_end", family=family, told=how)
        elif how != first:
            yield broken(exchange, "finding.gateway.blocked", family=family, told=how, other=first)
        else:
            yield holds()


@clause("GW-TMO-001")
def test_silence_is_a_timeout(run: RunEvidence) -> Checks:
    if missing := undeclared(run, "timeouts.first_byte_ms"):
        yield missing
        return
    for _, _, exchange in each_family(run, "gateway_silence", "silent"):
        answer = told(exchange)
        if not arrivals(exchange):
            yield not_arrived(exchange)
        elif answer is None:
            yield broken(exchange, "finding.gateway.never_answered")
        elif not answer.is_class(RuntimeErrorName.TIMEOUT):
            yield broken(exchange, "finding.gateway.silence", told=answer.shown)
        else:
            yield holds()


@clause("GW-TMO-002")
@of_streams
def test_a_stall_is_an_error_and_closes_the_connection(run: RunEvidence) -> Checks:
    if missing := undeclared(run, "timeouts.stall_ms"):
        yield missing
        return
    for family in ("openai", "anthropic", "gemini"):
        for _, _, exchange in each_family(run, f"gateway_breaks_{family}", "stall"):
            answer = told(exchange)
            if not arrivals(exchange):
                yield not_arrived(exchange)
            elif answer is None or answer.terminals != [ERROR]:
                yield broken(exchange, "finding.gateway.stall")
            else:
                over = ended(exchange, 1)
                left = over is not None and over.seen is Seen.LEFT and over.at < _end(exchange)
                yield holds() if left else broken(exchange, "finding.gateway.stall_open")


def _end(exchange: Exchange) -> float:
    """Return the latest time at which a connection may be closed."""
    return exchange.elapsed + _LATE
