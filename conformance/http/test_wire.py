"""Malformed and misdirected requests, and CORS (HTTP-ERR, -CORS, -WIRE)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.formats.tool.errors import envelope_of
from conformance.http.scripts import ORIGIN
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import PROVES_NOTHING, body_json, header_of
from conformance.kit.evidence.routes import is_answered_alike
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.step import Mark, Step
from conformance.kit.verdicts.checks import (
    Checks,
    absent,
    broken,
    clause,
    holds,
    other_refusal,
    unknown,
)
from conformance.kit.verdicts.sent_words import step_words

_MISDIRECTED = frozenset({
    "unknown-path", "unknown-tool", "wrong-method", "wrong-method-beside",
})  # fmt: skip
"""Steps whose body is valid."""
_OF_THEIR_OWN = _MISDIRECTED | {"not-json", "cut-json", "wrong-type"}
"""Steps whose envelope has a clause of its own."""
_OF_THE_CARRIER = frozenset({408, 411, 413, 414, 431})
"""Refusals that a server's HTTP library writes before the application sees the request."""
_FIRST = Step("unknown-path", mark=Mark.ALIVE)
"""The step after the first request. Without an answer to both, the server was dead before."""

_FITTING = {
    "unknown-path": 404,
    "unknown-tool": 404,
    "wrong-method": 405,
    "not-json": 400,
    "cut-json": 400,
    "wrong-type": 415,
}
"""The status that says what is wrong with the request of a step."""

_CORS = "access-control-allow-origin"


def _status(exchange: Exchange) -> int:
    return exchange.answer.status if exchange.answer is not None else 0


def _refused(
    run: RunEvidence, script: str, steps: tuple[str, ...], statuses: range | set[int]
) -> Checks:
    """Check that each step is answered with one of these statuses, in the error envelope."""
    for step in steps:
        exchange = run.step(script, step)
        if exchange is None or exchange.answer is None:
            yield unknown("kit.not_verified.step", exchange, reason=step_words(step))
        elif _status(exchange) in PROVES_NOTHING:
            yield other_refusal(exchange)
        elif _status(exchange) not in statuses:
            yield broken(
                exchange,
                "finding.http.wire_status",
                step=step_words(step),
                status=_status(exchange),
                expected=_FITTING[step],
            )
        elif envelope_of(body_json(exchange)) is None:
            yield broken(
                exchange,
                "finding.http.wire_no_envelope",
                step=step_words(step),
                status=_status(exchange),
            )
        else:
            yield holds()


@clause("HTTP-ERR-004")
def test_an_unknown_path_is_answered_in_the_envelope(run: RunEvidence) -> Checks:
    """An unknown path is answered with 404, in the error envelope."""
    yield from _refused(run, "http_wire", ("unknown-path",), {404})


@clause("HTTP-ERR-005")
def test_an_unknown_tool_is_answered_in_the_envelope(run: RunEvidence) -> Checks:
    """An unknown tool is answered with 404, in the error envelope."""
    yield from _refused(run, "http_wire", ("unknown-tool",), {404})


@clause("HTTP-ERR-006")
def test_a_wrong_method_is_answered_in_the_envelope(run: RunEvidence) -> Checks:
    """A wrong method is answered with 405, in the envelope, and with `Allow` (RFC 9110, 15.5.6).

    The clause does not apply if the path has a GET of its own.
    """
    exchange = run.step("http_wire", "wrong-method")
    if exchange is not None and _has_own_get(run, exchange):
        yield absent("kit.not_applicable.own_get")
        return
    yield from _refused(run, "http_wire", ("wrong-method",), {405})
    if exchange is not None and exchange.answer is not None and _status(exchange) == 405:
        if exchange.answer.header("allow") is None:
            yield broken(exchange, "finding.http.no_allow")
        else:
            yield holds()


def _has_own_get(run: RunEvidence, exchange: Exchange) -> bool:
    """Return whether a GET of a tool's path leads elsewhere: `/tools/validate` to `/tools/{id}`.

    Then a missing tool next to it gets the same answer, and an unknown path gets another one.
    """
    if 200 <= _status(exchange) < 300:
        return True
    beside = run.step("http_wire", "wrong-method-beside")
    nowhere = run.step("http_wire", "unknown-path")
    if beside is None or nowhere is None or _status(exchange) == 405:
        return False
    return is_answered_alike(exchange, beside) and not is_answered_alike(exchange, nowhere)


@clause("HTTP-ERR-007")
def test_a_body_that_is_not_json_is_refused_in_the_envelope(run: RunEvidence) -> Checks:
    """A body that is not JSON is refused with a 4xx, in the error envelope."""
    yield from _refused(run, "http_wire", ("not-json", "cut-json"), range(400, 500))


@clause("HTTP-ERR-008")
def test_another_media_type_is_refused_in_the_envelope(run: RunEvidence) -> Checks:
    """A body of another media type is refused with a 4xx, in the error envelope."""
    yield from _refused(run, "http_wire", ("wrong-type",), range(400, 500))


@clause("HTTP-ERR-011")
def test_whatever_is_refused_is_refused_in_the_envelope(run: RunEvidence) -> Checks:
    """Other refusals have the envelope, too: of a strange number, another encoding, or no body."""
    for step, exchange in run.steps("http_wire").items():
        if step.name in _OF_THEIR_OWN or step.mark is Mark.ALIVE:
            continue
        if _status(exchange) in PROVES_NOTHING:
            yield other_refusal(exchange)
        elif not 400 <= _status(exchange) < 500 or _status(exchange) in _OF_THE_CARRIER:
            continue
        elif envelope_of(body_json(exchange)) is not None:
            yield holds()
        else:
            words = step_words(step.name)
            status = _status(exchange)
            yield broken(exchange, "finding.http.wire_no_envelope", step=words, status=status)


@clause("HTTP-ERR-009")
def test_the_status_says_what_was_wrong_with_the_body(run: RunEvidence) -> Checks:
    """A body that is not JSON gets 400, and another media type gets 415."""
    for step in ("not-json", "cut-json", "wrong-type"):
        exchange = run.step("http_wire", step)
        if exchange is None or exchange.answer is None:
            yield unknown("kit.not_verified.step", exchange, reason=step_words(step))
        elif _status(exchange) in PROVES_NOTHING:
            yield other_refusal(exchange)
        elif _status(exchange) == _FITTING[step]:
            yield holds()
        else:
            yield broken(
                exchange,
                "finding.http.wire_status",
                step=step_words(step),
                status=_status(exchange),
                expected=_FITTING[step],
            )


@clause("HTTP-CORS-001")
def test_errors_carry_the_cors_headers_of_successes(run: RunEvidence) -> Checks:
    """If a success has a CORS header, errors have one that admits the same page."""
    success = run.step("http_cors", "success")
    if success is None or success.answer is None:
        yield unknown("kit.not_verified.step", reason=step_words("success"))
        return
    allowed = success.answer.header(_CORS)
    if allowed is None:
        return
    for step, sent in (("error", "unknown-path"), ("refusal", "not-json")):
        exchange = run.step("http_cors", step)
        if exchange is None or exchange.answer is None:
            continue
        if _admits(exchange, allowed):
            yield holds()
        else:
            said: dict[str, Any] = {"step": step_words(sent), "allowed": allowed}
            if (given := header_of(exchange, _CORS)) is None:
                yield broken(exchange, "finding.http.cors", **said)
            else:
                yield broken(exchange, "finding.http.cors_other", given=given, **said)


def _admits(exchange: Exchange, allowed: str) -> bool:
    """Return whether an answer admits the page: with the success's value, by name, or with `*`."""
    given = header_of(exchange, _CORS)
    return given is not None and given in {allowed, "*", ORIGIN}


@clause("HTTP-CORS-002")
def test_a_preflight_carries_the_cors_headers_of_successes(run: RunEvidence) -> Checks:
    """If a success has a CORS header, the preflight has one, too, and a 2xx. Pages need both."""
    success, preflight = (run.step("http_cors", name) for name in ("success", "preflight"))
    if success is None or success.answer is None or preflight is None:
        yield unknown("kit.not_verified.step", reason=step_words("preflight"))
        return
    allowed = success.answer.header(_CORS)
    if allowed is None:
        return
    if not _admits(preflight, allowed):
        yield broken(preflight, "finding.http.cors_preflight", allowed=allowed)
    elif not 200 <= _status(preflight) < 300:
        status = _status(preflight)
        yield broken(preflight, "finding.http.cors_preflight_status", status=status)
    else:
        yield holds()


@clause("HTTP-WIRE-001")
def test_the_server_answers_after_each_malformed_request(run: RunEvidence) -> Checks:
    """The server answers the list of tools after each malformed request."""
    steps = run.steps("http_wire")
    alive = True
    for step, exchange in steps.items():
        if step.mark is not Mark.ALIVE:
            continue
        before = steps[replace(step, mark=None)]
        if exchange.answer is not None and _status(exchange) in PROVES_NOTHING:
            yield other_refusal(exchange)
        elif exchange.answer is not None and exchange.trouble is None and _status(exchange) < 500:
            yield holds()
        elif alive and (before.answer is not None or step != _FIRST):
            yield broken(before, "finding.http.dead", step=step_words(step.name))
            alive = False
        else:
            yield unknown("kit.not_verified.step", before, reason=step_words(step.name))


@clause("HTTP-WIRE-002")
def test_a_malformed_request_is_not_answered_as_a_failure_of_the_server(run: RunEvidence) -> Checks:
    """A malformed request does not cause a 5xx or a dropped connection.

    The server may accept it.
    """
    for step, exchange in run.steps("http_wire").items():
        if step.name in _MISDIRECTED or step.mark is Mark.ALIVE:
            continue
        if _is_dropped(run, exchange, step):
            yield broken(exchange, "finding.http.dropped", step=step_words(step.name))
        if exchange.answer is None:
            continue
        envelope = envelope_of(body_json(exchange))
        if _status(exchange) in PROVES_NOTHING or (envelope is not None and envelope.says_later):
            yield other_refusal(exchange)
        elif _status(exchange) >= 500:
            status = _status(exchange)
            words = step_words(step.name)
            yield broken(exchange, "finding.http.wire_fault", step=words, status=status)
        else:
            yield holds()


def _is_dropped(run: RunEvidence, exchange: Exchange, step: Step) -> bool:
    """Return whether a running server closed the connection without an answer.

    It may close the connection while it reads a body that is too long.
    """
    after = run.steps("http_wire").get(replace(step, mark=Mark.ALIVE))
    lives = after is not None and after.answer is not None and after.trouble is None
    dropped = exchange.answer is None and exchange.trouble is Trouble.CLOSED
    return dropped and lives and step.name != "long-text"
