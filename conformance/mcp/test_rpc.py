"""JSON-RPC: ids, members, notifications, batches (MCP-RPC)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import shown
from conformance.formats.text import rpc
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange, Trouble
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.bindings import traits_of
from conformance.kit.verdicts.checks import (
    Check,
    Checks,
    absent,
    broken,
    clause,
    holds,
    other_refusal,
    unknown,
)
from conformance.kit.verdicts.sent_words import step_words
from conformance.mcp.seen import (
    answered,
    code_of,
    error_of,
    error_words,
    is_answered,
    is_ok,
    is_request,
    media_type,
    messages_of,
    method_of,
    proves_nothing,
    responses_of,
    shown_member,
    status_of,
    usable,
)
from conformance.mcp.steps import UNKNOWN_METHOD
from conformance.spec.messages import listed
from conformance.spec.vocabulary import Era

_WIRE = "mcp_wire"
_AN_ID = re.compile(rb'"id":(\d{1,18})')


@clause("MCP-RPC-001", protocol=True)
def test_an_answer_has_the_id_of_its_request(run: RunEvidence) -> Checks:
    """An answer has the id of its request. Over stdio it may be the id of any request of the kit.

    Over stdio answers may be late. An error without an id may be about an unreadable message.
    """
    over_http = traits_of(run.run).over_http
    ours = set() if over_http else _all_ids(run)
    for exchange in run.exchanges:
        if not is_request(exchange):
            continue
        right = {_key(exchange.request.answer_to)} if over_http else ours
        wrong = [r for r in responses_of(exchange) if _is_wrong(r, exchange, right)]
        for response in wrong:
            yield broken(
                exchange,
                "finding.mcp.wrong_id",
                found=shown_member(response, "id"),
                wanted=shown(exchange.request.answer_to),
            )
        if not wrong and any(True for _ in responses_of(exchange)):
            yield holds()


def _is_wrong(response: Mapping[str, Any], exchange: Exchange, right: set[tuple[str, Any]]) -> bool:
    id = response.get("id")
    if id is not None:
        return _key(id) not in right
    if "result" in response:
        return True
    if exchange.over_http:
        return 200 <= status_of(exchange) < 300 and code_of(exchange) != rpc.PARSE_ERROR
    return False


def _all_ids(run: RunEvidence) -> set[tuple[str, Any]]:
    """Return the ids of all messages that the kit sent, including the malformed ones."""
    ids: set[tuple[str, Any]] = set()
    for exchange in run.exchanges:  # read one by one, because together they would fill the memory
        request = exchange.request
        if request.answer_to is not None:
            ids.add(_key(request.answer_to))
        else:
            ids |= {_key(int(digits)) for digits in _AN_ID.findall(request.body)}
    return ids


def _key(id: object) -> tuple[str, Any]:
    """Return an id with its kind: 1 and "1" differ, and true is not a number."""
    if isinstance(id, bool) or not isinstance(id, int | float | str):
        return type(id).__name__, shown(id)
    return ("text", id) if isinstance(id, str) else ("number", id)


@clause("MCP-RPC-002", protocol=True)
def test_an_answer_is_a_result_or_an_error(run: RunEvidence) -> Checks:
    """An answer has a result or an error. A 4xx or 5xx without JSON-RPC may come from a proxy."""
    for exchange in run.exchanges:
        if not is_request(exchange) or exchange.answer is None or _is_unreadable(exchange):
            continue
        found = [r for r in responses_of(exchange) if _is_spoken(r, exchange)]
        bad = [r for r in found if not _is_formed(r)]
        for response in bad:
            members = listed(sorted(k for k in response if k in _MEMBERS))
            version = shown(response.get("jsonrpc"))
            yield broken(exchange, "finding.mcp.not_rpc", members=members, version=version)
        if found and not bad:
            yield holds()
        elif not found and 200 <= status_of(exchange) < 300 and exchange.trouble is None:
            yield broken(exchange, "finding.mcp.no_response", method=method_of(exchange))


_MEMBERS = ("jsonrpc", "id", "result", "error")


def _is_formed(response: Mapping[str, Any]) -> bool:
    return response.get("jsonrpc") == "2.0" and ("result" in response) != ("error" in response)


def _is_spoken(response: Mapping[str, Any], exchange: Exchange) -> bool:
    """Return whether a message of an answer is meant as JSON-RPC."""
    return status_of(exchange) < 400 or "jsonrpc" in response


def _is_unreadable(exchange: Exchange) -> bool:
    """Return whether another clause already reports that this answer cannot be read."""
    if not exchange.over_http:
        return False
    kinds = {"application/json", "text/event-stream"}
    return media_type(exchange) not in kinds or not _is_utf8(exchange)


@clause("MCP-RPC-003", protocol=True)
def test_an_error_has_a_code_and_a_message(run: RunEvidence) -> Checks:
    """The code of each error is an integer, and its message is a string."""
    for exchange in run.exchanges:
        for response in responses_of(exchange):
            if "error" not in response or not _is_spoken(response, exchange):
                continue
            error = response["error"]
            code = error.get("code") if isinstance(error, dict) else None
            words = error.get("message") if isinstance(error, dict) else None
            is_integer = isinstance(code, int) and not isinstance(code, bool)
            if is_integer and isinstance(words, str):
                yield holds()
            else:
                yield broken(exchange, "finding.mcp.error_form", error=shown(error))


@clause("MCP-RPC-004")
def test_an_unknown_method_is_answered_with_an_error(run: RunEvidence) -> Checks:
    """An unknown method gets any error or, over HTTP, any 4xx. A server must not stay silent."""
    found: list[Exchange] = []
    yield from usable(run, _WIRE, "unknown-method", found)
    for exchange in found:
        if is_ok(exchange):
            yield broken(exchange, "finding.mcp.unknown_method_ok", method=UNKNOWN_METHOD)
        elif exchange.trouble is Trouble.TIMEOUT and _is_alive(run, "unknown-method"):
            yield broken(exchange, "finding.mcp.unknown_method_silent", method=UNKNOWN_METHOD)
        elif exchange.answer is None or exchange.trouble is not None:
            yield unknown("kit.not_verified.no_answer", exchange)
        else:
            yield holds()


def _is_alive(run: RunEvidence, name: str) -> bool:
    _, after = _with_next(run, _WIRE, name)
    return after is not None and is_ok(after)


def _with_next(run: RunEvidence, script: str, name: str) -> tuple[Exchange | None, Exchange | None]:
    """Return a step, and the good one after it."""
    steps = run.steps(script)
    return steps.get(Step(name)), steps.get(Step(name, mark=Mark.ALIVE))


@clause("MCP-RPC-005")
def test_the_code_for_an_unknown_method(run: RunEvidence) -> Checks:
    """The code for an unknown method is -32601.

    MCP-HTTP-005 says it for the modern era over HTTP.
    """
    if run.run.era is Era.MODERN and traits_of(run.run).over_http:
        yield absent("finding.mcp.said_by", clause="MCP-HTTP-005")
        return
    found: list[Exchange] = []
    yield from usable(run, _WIRE, "unknown-method", found)
    for exchange in found:
        if error_of(exchange) is None:
            yield unknown("kit.not_verified.step", exchange, reason=answered(exchange))
        elif code_of(exchange) == rpc.METHOD_NOT_FOUND:
            yield holds()
        else:
            yield broken(
                exchange,
                "finding.mcp.other_answer",
                request=UNKNOWN_METHOD,
                answer=answered(exchange),
                wanted=error_words(rpc.METHOD_NOT_FOUND),
            )


@clause("MCP-RPC-006")
def test_a_notification_is_not_answered(run: RunEvidence) -> Checks:
    """Over stdio, a notification gets no answer.

    A result after any notification breaks the clause, unless it has the id of a request. An error
    counts only after the unknown notification, because its cause is not clear elsewhere.
    """
    ours = _all_ids(run)
    sent, after = _with_next(run, _WIRE, "unknown-notification")
    for exchange in run.exchanges:
        if exchange is not sent and method_of(exchange).startswith("notifications/"):
            for response in responses_of(exchange):
                if "result" in response and _key(response.get("id")) not in ours:
                    yield _answers(exchange, method_of(exchange), response)
    if sent is None or after is None or not is_answered(after):
        yield unknown("kit.not_verified.step", reason=step_words("unknown-notification"))
        return
    for exchange in (sent, after):
        stray = [r for r in responses_of(exchange) if _key(r.get("id")) not in ours]
        for response in stray:
            yield _answers(exchange, method_of(sent), response)
        if not stray:
            yield holds()


def _answers(exchange: Exchange, method: str, response: Mapping[str, Any]) -> Check:
    said = {"method": method, "answer": shown(response)}
    return broken(exchange, "finding.mcp.notification_answered", **said)


@clause("MCP-RPC-007", protocol=True)
def test_messages_are_utf8(run: RunEvidence) -> Checks:
    """Each answer is UTF-8. A line on stdout that could not be decoded was recorded as noise."""
    for exchange in run.exchanges:
        if exchange.answer is None or exchange.trouble is not None:
            continue
        bad = [line for line in exchange.answer.noise if is_garbled(line)]
        if bad or not _is_utf8(exchange):
            yield broken(exchange, "finding.mcp.not_utf8")
        else:
            yield holds()


def is_garbled(line: str) -> bool:
    """Return whether a line would be a message if its encoding were right.

    A line that was cut proves nothing.
    """
    return line.lstrip().startswith("{") and "�" in line.rstrip("�")


def _is_utf8(exchange: Exchange) -> bool:
    assert exchange.answer is not None
    try:
        exchange.answer.body.decode("utf-8")
    except UnicodeDecodeError:
        return not exchange.over_http or media_type(exchange) not in {
            "application/json",
            "text/event-stream",
        }
    return True


@clause("MCP-RPC-008", protocol=True)
def test_a_batch_is_answered(run: RunEvidence) -> Checks:
    """Each request of a batch is answered with a result, in one message or in several."""
    sent, after = _with_next(run, "mcp_batch", "batch")
    if sent is None or after is None:
        yield unknown("kit.not_verified.step", reason=step_words("batch"))
        return
    if proves_nothing(sent):
        yield other_refusal(sent)
        return
    answers = {_key(one.get("id")) for one in _all_responses(sent, after) if "result" in one}
    asked = {_key(id) for id in _ids_in(sent)}
    missing = asked - answers
    if missing:
        yield broken(
            sent,
            "finding.mcp.batch",
            missing=len(missing),
            count=len(asked),
            version=run.run.version,
        )
    else:
        yield holds()


def _ids_in(exchange: Exchange) -> list[Any]:
    return [one["id"] for one in json.loads(exchange.request.body)]


def _all_responses(*exchanges: Exchange) -> Iterator[Mapping[str, Any]]:
    for exchange in exchanges:
        for message in messages_of(exchange):
            for one in message if isinstance(message, list) else [message]:
                if isinstance(one, dict):
                    yield one
