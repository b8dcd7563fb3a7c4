"""What an MCP answer says, in the words that the judges of this chapter use."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.formats.problem import quoted
from conformance.formats.text import rpc
from conformance.kit.evidence.catalog import TOOLS_LIST
from conformance.kit.evidence.environment import missing_in
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.evidence.response import PROVES_NOTHING, body_json, response_of
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
"""Says of what is wrong with a result whether another clause judges it."""

_OF_THE_REQUEST = frozenset({
    rpc.INVALID_REQUEST, rpc.INVALID_PARAMS, rpc.METHOD_NOT_FOUND, rpc.PARSE_ERROR,
})  # fmt: skip
SESSION_HEADER = "mcp-session-id"
_INTEGER = re.compile(r"-?[0-9]{1,9}")


def result_of(exchange: Exchange) -> Mapping[str, Any] | None:
    """The `result` object of an answer, None where there is none."""
    found = (response_of(exchange) or {}).get("result")
    return found if isinstance(found, dict) else None


def error_of(exchange: Exchange) -> Mapping[str, Any] | None:
    """The `error` object of an answer, None where there is none."""
    found = (response_of(exchange) or {}).get("error")
    return found if isinstance(found, dict) else None


def code_of(exchange: Exchange) -> int | None:
    """The code that an answer's error means, None where there is none.

    One that is written as text is read all the same: its form is a clause of its own.
    """
    found = (error_of(exchange) or {}).get("code")
    if isinstance(found, str) and _INTEGER.fullmatch(found):
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def data_of(exchange: Exchange) -> Mapping[str, Any]:
    """The `data` object of an answer's error; empty where there is none."""
    found = (error_of(exchange) or {}).get("data")
    return found if isinstance(found, dict) else {}


def status_of(exchange: Exchange) -> int:
    """The HTTP status, 0 over stdio and where nothing was answered."""
    if exchange.answer is None or not exchange.over_http:
        return 0
    return exchange.answer.status


def is_ok(exchange: Exchange) -> bool:
    """Whether a request was answered with a result."""
    return result_of(exchange) is not None


def is_answered(exchange: Exchange) -> bool:
    """Whether a request was answered with a result or an error: the server lives."""
    well = exchange.trouble is None and status_of(exchange) not in PROVES_NOTHING
    return well and (is_ok(exchange) or error_of(exchange) is not None)


def is_refused(exchange: Exchange, code: int, status: int) -> bool:
    """Whether a request was refused with this code and, over HTTP, with this status."""
    if exchange.over_http and status_of(exchange) != status:
        return False
    return code_of(exchange) == code


def proves_nothing(exchange: Exchange) -> bool:
    """Whether the answer is about rights, limits, load or what is missing around the server, and
    not about what was asked.
    """
    return lacking(exchange) is not None or status_of(exchange) in PROVES_NOTHING


def lacking(exchange: Exchange) -> tuple[Missing, str] | None:
    """What a request lacked around the server, with the words of the error that tell it.

    An error whose code blames the request tells no such thing, except that there were too many.
    """
    error = error_of(exchange)
    words = error.get("message") if isinstance(error, dict) else None
    if not isinstance(words, str):
        return None
    found = missing_in(words, None, exchange.request.body)
    blames = code_of(exchange) in _OF_THE_REQUEST
    return None if found is not None and blames and found[0] is not Missing.QUOTA else found


def lacks_session(run: RunEvidence, exchange: Exchange) -> bool:
    """Whether a request was refused for want of a session id that the server never gave.

    Its answer to `initialize` has no id. The refusal has one in its header, or speaks of sessions.
    """
    opened = run.step("mcp_handshake", INITIALIZE.name)
    if opened is None or opened.answer is None or not is_ok(opened):
        return False
    if opened.answer.header(SESSION_HEADER) is not None or exchange.answer is None:
        return False
    words = str((error_of(exchange) or {}).get("message", ""))
    names = exchange.answer.header(SESSION_HEADER) is not None or "session" in words.lower()
    return names and status_of(exchange) in {400, 404}


def unserved(exchange: Exchange, found: tuple[Missing, str]) -> Check:
    """It could not be judged, as something around the server is missing; says what."""
    missing, said = found
    what = message(f"missing.{missing}")
    return unknown("kit.not_verified.unserved", exchange, missing=what, said=quoted(said))


def answered(exchange: Exchange) -> str | Message:
    """An answer in a few signs that need no translation, `HTTP 400, error -32602`, or in words."""
    if exchange.trouble is not None and (exchange.answer is None or response_of(exchange) is None):
        return message(f"answered.{exchange.trouble}")
    if exchange.answer is None:
        return message("answered.nothing")
    parts = [f"HTTP {status_of(exchange)}"] if status_of(exchange) else []
    if code_of(exchange) is not None:
        parts.append(f"error {code_of(exchange)}")
    elif error_of(exchange) is not None:
        parts.append("error")
    elif (found := result_of(exchange)) is not None:
        parts.append("result, isError" if found.get("isError") is True else "result")
    return ", ".join(parts) or message("answered.nothing")


def asked_words(exchange: Exchange) -> Message:
    """What we sent: the call of a tool, what is wrong with the message, or its method."""
    if exchange.case is not None:
        return message("sent.call_of", tool=exchange.case.tool)
    method, step = method_of(exchange), exchange.step
    if method and (step is None or step.mark is Mark.ALIVE or not has_words(step.name)):
        return message("sent.method", method=method)
    return step_words(step.name if step is not None else exchange.script or "")


def wanted(exchange: Exchange, code: int, status: int) -> str:
    """What should have come, in the same signs."""
    http = exchange.over_http
    return f"HTTP {status}, error {code}" if http else f"error {code}"


def method_of(exchange: Exchange) -> str:
    """The JSON-RPC method of a request of ours; empty where it was no JSON-RPC request."""
    if exchange.case is not None:
        return "tools/call"
    method = _sent(exchange).get("method")
    return method if isinstance(method, str) else ""


def is_request(exchange: Exchange) -> bool:
    """Whether a well-formed JSON-RPC request was sent."""
    return exchange.request.answer_to is not None


def messages_of(exchange: Exchange) -> Iterator[Any]:
    """Every JSON-RPC message or batch that came, in order: of a stream, of stdout, or the body."""
    if exchange.answer is None:
        return
    if exchange.answer.messages:
        yield from exchange.answer.messages
    elif exchange.answer.body:
        found = body_json(exchange)
        if isinstance(found, dict | list):
            yield found


def responses_of(exchange: Exchange) -> Iterator[Mapping[str, Any]]:
    """The responses among the messages: all but requests and notifications."""
    return (m for m in messages_of(exchange) if isinstance(m, dict) and "method" not in m)


def media_type(exchange: Exchange) -> str:
    """The media type of an HTTP answer, without its parameters; empty where it has none."""
    value = exchange.answer.header("content-type") if exchange.answer is not None else None
    return (value or "").partition(";")[0].strip().lower()


def own_version(run: Run, exchange: Exchange) -> bool:
    """Whether an answer is evidence for the version of its run: the request has to name it.

    `initialize` is of the old era, whatever it names. A modern run also sends requests that name
    another version, or none, or that name it only in one of two places: a server with an old era
    may take those for requests of that.
    """
    if run.era is not Era.MODERN or exchange.case is not None:
        return True
    if exchange.over_http:
        named = {name.lower(): value for name, value in exchange.request.headers}
        if named.get("mcp-protocol-version") != run.version:
            return False
    sent = _sent(exchange)
    if sent.get("method") == "initialize":
        return False
    params = sent.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and meta.get(META + "protocolVersion") == run.version


def _sent(exchange: Exchange) -> Mapping[str, Any]:
    """The JSON-RPC message that was sent; empty where it was none."""
    try:
        sent = json.loads(exchange.request.body)
    except (UnicodeDecodeError, ValueError, RecursionError):
        return {}
    return sent if isinstance(sent, dict) else {}


def not_taken(script: str, step: str | Step) -> Check:
    """What a judge says of a step that was not taken."""
    return unknown("kit.not_verified.step", reason=f"{script}/{step}")


def usable(run: RunEvidence, script: str, step: str, found: list[Exchange]) -> Checks:
    """Put a step's exchange into `found`; else say why nothing can be judged by it.

    An answer about rights, limits or load proves nothing, and neither does one that did not come.
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
    """Whether a request was answered with a result of the right form.

    `others` says what a clause of its own judges.
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
                place=fault.path,
            )  # fmt: skip
        else:
            yield broken(
                exchange, "finding.mcp.shape_wrong", path=fault.path, method=method,
                place=fault.path, value=fault.value, version=version,
            )  # fmt: skip
    if not faults:
        yield holds()


def first_handshake(run: RunEvidence) -> Exchange | None:
    """The legacy handshake that a modern server was sent before anything else."""
    script = "mcp_initialize" if traits_of(run.run).over_http else LOOKED
    return run.step(script, INITIALIZE.name)


def has_legacy(run: RunEvidence) -> bool | None:
    """Whether the server of a modern run also speaks a legacy version; None if nobody can say."""
    exchange = first_handshake(run)
    if exchange is None or exchange.answer is None or proves_nothing(exchange):
        return None
    return is_ok(exchange)


def listings(run: RunEvidence) -> Iterator[Exchange]:
    """Every good `tools/list` of the run that asked nothing odd."""
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
"""Scripts that list the tools, and the names of those steps."""
