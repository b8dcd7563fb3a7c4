"""Reads MCP answers for the judges of this chapter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.formats.problem import quoted, shown
from conformance.formats.text import rpc
from conformance.formats.tool import header_names
from conformance.kit.evidence.catalog import TOOLS_LIST
from conformance.kit.evidence.environment import missing_in
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import PROVES_NOTHING, body_json, header_of, response_of
from conformance.kit.evidence.script import INITIALIZE, LOOKED
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.run import Run
from conformance.kit.model.step import Mark, Step
from conformance.kit.transport.bindings import traits_of
from conformance.kit.transport.mcp import META
from conformance.kit.verdicts.checks import Check, Checks, broken, holds, other_refusal, unknown
from conformance.kit.verdicts.sent_words import has_words, step_words
from conformance.mcp.shapes import ShapeFault, shape_faults
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Era, Missing

Others = Callable[[ShapeFault], bool]
"""A function that returns whether another clause checks a fault of a result."""

_OF_THE_REQUEST = frozenset({
    rpc.INVALID_REQUEST, rpc.INVALID_PARAMS, rpc.METHOD_NOT_FOUND, rpc.PARSE_ERROR,
})  # fmt: skip
_INTEGER = re.compile(r"-?[0-9]{1,9}")


def result_of(exchange: Exchange) -> Mapping[str, Any] | None:
    """Return the `result` object of an answer, or None."""
    found = (response_of(exchange) or {}).get("result")
    return found if isinstance(found, dict) else None


def error_of(exchange: Exchange) -> Mapping[str, Any] | None:
    """Return the `error` object of an answer, or None."""
    found = (response_of(exchange) or {}).get("error")
    return found if isinstance(found, dict) else None


def code_of(exchange: Exchange) -> int | None:
    """Return the code of an answer's error, or None.

    A code that is written as a string counts, because its form is a clause of its own.
    """
    found = (error_of(exchange) or {}).get("code")
    if isinstance(found, str) and _INTEGER.fullmatch(found):
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def data_of(exchange: Exchange) -> Mapping[str, Any]:
    """Return the `data` object of an answer's error, or an empty object."""
    found = (error_of(exchange) or {}).get("data")
    return found if isinstance(found, dict) else {}


def status_of(exchange: Exchange) -> int:
    """Return the HTTP status, or 0 over stdio and without an answer."""
    if exchange.answer is None or not exchange.over_http:
        return 0
    return exchange.answer.status


def is_ok(exchange: Exchange) -> bool:
    """Return whether a request was answered with a result."""
    return result_of(exchange) is not None


def gives_cursor(page: Exchange) -> bool:
    """Return whether a page of a list gives a cursor. An empty one ends the list, like none."""
    following = (result_of(page) or {}).get("nextCursor")
    return isinstance(following, str) and following != ""


def is_answered(exchange: Exchange) -> bool:
    """Return whether a result or an error came, which shows that the server still runs."""
    well = exchange.trouble is None and status_of(exchange) not in PROVES_NOTHING
    return well and (is_ok(exchange) or error_of(exchange) is not None)


def is_refused(exchange: Exchange, code: int, status: int) -> bool:
    """Return whether a request was refused with this code and, over HTTP, with this status."""
    if exchange.over_http and status_of(exchange) != status:
        return False
    return code_of(exchange) == code


def proves_nothing(exchange: Exchange) -> bool:
    """Return whether an answer is only about rights, limits, load or a missing service."""
    return lacking(exchange) is not None or status_of(exchange) in PROVES_NOTHING


def lacking(exchange: Exchange) -> tuple[Missing, str] | None:
    """Return what the server lacked for a request, with the words of the error, or None.

    An error whose code blames the request does not count, except if there were too many requests.
    """
    error = error_of(exchange)
    words = error.get("message") if isinstance(error, dict) else None
    if not isinstance(words, str):
        return None
    found = missing_in(words, None, exchange.request.body)
    blames = code_of(exchange) in _OF_THE_REQUEST
    return None if found is not None and blames and found[0] is not Missing.QUOTA else found


def lacks_session(run: RunEvidence, exchange: Exchange) -> bool:
    """Return whether a request was refused for lack of a session id that the server never sent.

    The answer to `initialize` had no session id, and the refusal has one or mentions sessions.
    """
    opened = run.step("mcp_handshake", INITIALIZE.name)
    if opened is None or opened.answer is None or not is_ok(opened):
        return False
    if opened.answer.header(header_names.SESSION_ID) is not None or exchange.answer is None:
        return False
    words = str((error_of(exchange) or {}).get("message", ""))
    issues = header_of(exchange, header_names.SESSION_ID) is not None
    return (issues or "session" in words.lower()) and status_of(exchange) in {400, 404}


def unserved(exchange: Exchange, found: tuple[Missing, str]) -> Check:
    """Return the check for an answer that proves nothing, because the server lacks something."""
    missing, said = found
    what = message(f"missing.{missing}")
    return unknown("kit.not_verified.unserved", exchange, missing=what, said=quoted(said))


def shown_member(members: Mapping[str, Any], name: str) -> str | Message:
    """Return the value of a member for a sentence, or the word for nothing if it is missing."""
    return shown(members[name]) if name in members else message("answered.nothing")


def answered(exchange: Exchange) -> str | Message:
    """Describe an answer: `HTTP 400, error -32602`, or what came instead of one."""
    if exchange.trouble is not None and (exchange.answer is None or response_of(exchange) is None):
        return message(f"answered.{exchange.trouble}")
    status, error, found = status_of(exchange), error_of(exchange), result_of(exchange)
    if exchange.answer is None or (error is None and found is None):
        return f"HTTP {status}" if status else message("answered.nothing")
    if error is None:
        failed = found is not None and found.get("isError") is True
        return _over_http(status, message("answered.tool_error" if failed else "answered.result"))
    code = code_of(exchange)
    return _over_http(status, message("answered.no_code") if code is None else error_words(code))


def error_words(code: int) -> Message:
    """Return the words for a JSON-RPC error with this code."""
    return message("answered.error", code=code)


def _over_http(status: int, said: Message) -> Message:
    """Return the words for an answer with its HTTP status; 0 over stdio."""
    return message("answered.over_http", status=status, said=said) if status else said


_MALFORMED = "mcp_wire"
"""The script whose messages are named by their faults, and not by their methods."""


def asked_words(exchange: Exchange) -> Message:
    """Describe what the kit sent: the call of a tool, the fault of the message, or its method."""
    if exchange.case is not None:
        return message("sent.call_of", tool=exchange.case.tool)
    method, step = method_of(exchange), exchange.step
    if method and (step is None or step.mark is Mark.ALIVE or exchange.script != _MALFORMED):
        kind = "method" if "id" in _sent(exchange) else "notification"
        return message(f"sent.{kind}", method=method)
    return step_words(step.name if step is not None else exchange.script or "")


def wanted(exchange: Exchange, code: int, status: int) -> Message:
    """Describe the expected answer, in the words of `answered`."""
    return _over_http(status if exchange.over_http else 0, error_words(code))


def method_of(exchange: Exchange) -> str:
    """Return the method of a JSON-RPC request that the kit sent, or ""."""
    if exchange.case is not None:
        return "tools/call"
    method = _sent(exchange).get("method")
    return method if isinstance(method, str) else ""


def is_request(exchange: Exchange) -> bool:
    """Return whether the kit sent a well-formed JSON-RPC request."""
    return exchange.request.answer_to is not None


def messages_of(exchange: Exchange) -> Iterator[Any]:
    """Yield the JSON-RPC messages and batches of an answer: from a stream, stdout or the body."""
    if exchange.answer is None:
        return
    if exchange.answer.messages:
        yield from exchange.answer.messages
    elif exchange.answer.body:
        found = body_json(exchange)
        if isinstance(found, dict | list):
            yield found


def responses_of(exchange: Exchange) -> Iterator[Mapping[str, Any]]:
    """Yield the responses of an answer: its messages without a method."""
    return (m for m in messages_of(exchange) if isinstance(m, dict) and "method" not in m)


def media_type(exchange: Exchange) -> str:
    """Return the media type of an HTTP answer without its parameters, or ""."""
    value = header_of(exchange, "content-type")
    return (value or "").partition(";")[0].strip().lower()


def own_version(run: Run, exchange: Exchange) -> bool:
    """Return whether an answer is evidence for the version of its run: the request must name it.

    `initialize` always belongs to the legacy era. A modern run also sends requests that name
    another version, or no version, or name it in only one of two places. A server that has a legacy
    era may take those for legacy requests.
    """
    if run.era is not Era.MODERN or exchange.case is not None:
        return True
    if exchange.over_http:
        named = {name.lower(): value for name, value in exchange.request.headers}
        if named.get(header_names.PROTOCOL_VERSION.lower()) != run.version:
            return False
    sent = _sent(exchange)
    if sent.get("method") == "initialize":
        return False
    params = sent.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and meta.get(META + "protocolVersion") == run.version


def _sent(exchange: Exchange) -> Mapping[str, Any]:
    """Return the JSON-RPC message that the kit sent, or an empty object."""
    try:
        sent = json.loads(exchange.request.body)
    except (UnicodeDecodeError, ValueError, RecursionError):
        return {}
    return sent if isinstance(sent, dict) else {}


def not_taken(script: str, step: str | Step) -> Check:
    """Return the check for a step that was not made."""
    name = step.name if isinstance(step, Step) else step
    words = step_words(name if has_words(name) else f"{script}/{step}")
    return unknown("kit.not_verified.step", reason=words)


def usable(run: RunEvidence, script: str, step: str, found: list[Exchange]) -> Checks:
    """Add a step's exchange to `found`, or yield the reason why it proves nothing.

    An answer about rights, limits or load proves nothing.
    """
    exchange = run.step(script, step)
    if exchange is None:
        yield not_taken(script, step)
    elif proves_nothing(exchange):
        yield other_refusal(exchange)
    elif lacks_session(run, exchange):
        yield unknown("kit.not_verified.session_not_given", exchange)
    else:
        found.append(exchange)


def shape_checks(
    exchange: Exchange, method: str, version: str, others: Others = lambda fault: False
) -> Checks:
    """Check that a request was answered with a result of the right form.

    `others` says which faults another clause checks.
    """
    result = result_of(exchange)
    if result is None and (found := lacking(exchange)) is not None:
        yield unserved(exchange, found)
        return
    if result is None:
        yield broken(exchange, "finding.mcp.no_result", method=method, answer=answered(exchange))
        return
    faults = [f for f in shape_faults(method, version, result) if not others(f)]
    for fault in faults:
        if fault.missing:
            yield broken(
                exchange, "finding.mcp.shape_missing", path=fault.path, method=method,
                place=fault.path, version=version,
            )  # fmt: skip
        else:
            yield broken(
                exchange, "finding.mcp.shape_wrong", path=fault.path, method=method,
                place=fault.path, value=fault.value, version=version,
            )  # fmt: skip
    if not faults:
        yield holds()


def first_handshake(run: RunEvidence) -> Exchange | None:
    """Return the legacy `initialize` that the kit sent to a modern server first."""
    script = "mcp_initialize" if traits_of(run.run).over_http else LOOKED
    return run.step(script, INITIALIZE.name)


def has_legacy(run: RunEvidence) -> bool | None:
    """Return whether the server of a modern run also has a legacy version; None if not known."""
    exchange = first_handshake(run)
    if exchange is None or exchange.answer is None or proves_nothing(exchange):
        return None
    return is_ok(exchange)


def listings(run: RunEvidence) -> Iterator[Exchange]:
    """Yield every `tools/list` of the run that was a normal request."""
    for name, exchanges in run.scripts.items():
        for exchange in exchanges:
            if exchange.step is not None and exchange.step.name in _LISTING.get(name, ()):
                yield exchange


_LISTING = {
    LOOKED: {TOOLS_LIST},
    "mcp_handshake": {TOOLS_LIST},
    "mcp_lists": {"list-probe", "list-first", "list-second"},
    "mcp_lists_again": {"list-third"},
    "mcp_alone": {"list-first", "list-later"},
}
"""Scripts that list the tools, with the names of those steps."""
